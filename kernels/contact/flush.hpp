// SPDX-License-Identifier: Apache-2.0
// Flush surfaces: where the surface of one body goes on in that of another (tiles, table halves, a pad beside a
// finger), or that of one part in part of a sibling's face. A facet that others hide there is no surface, and a body
// that slides across must not bump into it.
//
// A facet of parts a and b is hidden on the side of b if other parts near a cover all that it touches of b's surface,
// with some surroundings, and reach beyond it: a cannot come there without going through them. It is hidden likewise on
// the side of a. What decides is the start of the step and its end, together: a body that comes out from behind
// another one meets what is there. In place of a hidden facet that the motion violates the best of the others carries,
// if one separates the parts at the start of the step. Near parts are those of the broad phase, and where no other part
// is near nothing is asked.
#pragma once

#include "kernels/contact/open_scan.hpp"
#include "kernels/scene/active.hpp"
#include "kernels/scene/candidates.hpp"
#include "kernels/scene/shell.hpp"
#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/flush.hpp"
#else
#include "kernels/planar/flush.hpp"
#endif
#include "kernels/broad_phase/boxes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Lengths of flush surfaces [m], in penetration tolerances. Two surfaces go on in each other if they differ by less
// than flush_slack: each may be off by a tolerance. What a facet touches is looked at with its surroundings: in a
// corner between two bodies these are open on one side.
constexpr double flush_slack = 2.0;
constexpr double flush_around = 200.0;

// Calls f(part) for the other near parts of `part` until f returns true; returns whether it did.
template <class F>
PEGRASP_HD inline bool any_near(const SceneView& s, int part, const F& f) {
  for (int i = s.part_first_pair[part]; i < s.part_first_pair[part + 1]; ++i) {
    const NearPair& pair = s.pairs[s.pair_of_part[i] - s.pairs_before];
    if (f(pair.part_a == part ? pair.part_b : pair.part_a)) return true;
  }
  return false;
}

PEGRASP_HD inline bool near_parts(const SceneView& s, int part, int other) {
  return any_near(s, part, [other](int found) { return found == other; });
}

// Calls f(part) for parts that may hide `own` from `other`, which are near `other`, until f returns true; returns
// whether it did. A fixed floor may have many near parts. So where `other` is not dynamic they are looked for at `own`:
// near it, of its body, or jointed to that. This also keeps to the island at hand.
template <class F>
PEGRASP_HD inline bool any_neighbour(const SceneView& s, int own, int other, const F& f) {
  const ModelView& m = *s.model;
  if (is_dynamic(s, m.part_body[other])) {
    return any_near(s, other, [&](int part) { return part != own && f(part); });
  }
  const auto of_body = [&](int body) {
    for (int part = m.body_first_part[body]; part < m.body_first_part[body + 1]; ++part) {
      if (part != own && near_parts(s, part, other) && f(part)) return true;
    }
    return false;
  };
  const int body = m.part_body[own];
  const auto moves = [&](int part) { return part != other && is_dynamic(s, m.part_body[part]); };
  if (any_near(s, own, [&](int part) { return moves(part) && near_parts(s, part, other) && f(part); })) return true;
  if (of_body(body)) return true;
  for (int k = 0; k < m.joint_count; ++k) {
    const int a = m.joint_body_a[k];
    const int b = m.joint_body_b[k];
    if (a < 0 || (a != body && b != body)) continue;
    if (of_body(a == body ? b : a)) return true;
  }
  return false;
}

// Whether parts that may hide `own` from `other` cover a segment of its surface. end: at the end pose.
template <class Vector>
PEGRASP_HD inline bool segment_covered(const SceneView& s, int own, int other, bool end, double slack, Vector from,
                                       Vector to, Vector out) {
  constexpr int most = 16;  // parts, one after the other along the segment
  double reached = 0.0;
  for (int turn = 0; turn < most; ++turn) {
    double next = reached;
    any_neighbour(s, own, other, [&](int part) {
      const int body = s.model->part_body[part];
      const Frame frame = end ? end_frame(s, body) : start_frame(s, body);
      next = max2(next, covered_up_to(part_view(s, part), frame, from, to, out, slack, reached));
      return next >= 1.0;
    });
    if (next >= 1.0) return true;
    if (!(next > reached)) return false;
    reached = next;
  }
  return false;
}

// The sides (bits, see hidden_sides) of a pair on which parts are that could hide anything of it.
PEGRASP_HD inline unsigned sides_with_neighbours(const SceneView& s, const NearPair& pair) {
  const auto beside = [&s](int own, int other) {
    const double* box = s.box + box_size * own;
    return any_neighbour(s, own, other, [&](int part) { return boxes_meet(box, s.box + box_size * part); });
  };
  return (beside(pair.part_a, pair.part_b) ? 1u : 0u) | (beside(pair.part_b, pair.part_a) ? 2u : 0u);
}

// Whether other parts cover a segment of the surface of the part of a pair that the bit `side` names (hidden_sides).
PEGRASP_HD_LARGE bool others_cover(const SceneView& s, const NearPair& pair, bool end, double slack, unsigned side,
                                   V from, V to, V out) {
  return side == 1u ? segment_covered(s, pair.part_a, pair.part_b, end, slack, from, to, out)
                    : segment_covered(s, pair.part_b, pair.part_a, end, slack, from, to, out);
}
struct Covers {
  const SceneView* scene;
  const NearPair* pair;
  bool end;      // at the end of the step, else at its start
  double slack;  // [m]
  PEGRASP_HD bool operator()(unsigned side, V from, V to, V out) const {
    return others_cover(*scene, *pair, end, slack, side, from, to, out);
  }
};

struct FlushView {
  const SceneView* scene;
  const NearPair* pair;
  unsigned sides;        // with neighbours
  double slack, around;  // [m]

  PEGRASP_HD PairGeometry geometry(bool end) const {
    const SceneView& s = *scene;
    return pair_geometry(s, *pair, end ? end_frame(s, pair->body_a) : start_frame(s, pair->body_a),
                         end ? end_frame(s, pair->body_b) : start_frame(s, pair->body_b));
  }
  // Whether a facet is hidden at the start and at the end.
  PEGRASP_HD bool operator()(int mode) const {
    unsigned hidden = sides;
    for (int pose = 0; pose < 2 && hidden != 0; ++pose) {
      const bool end = pose == 1;
      hidden = hidden_sides(geometry(end), mode, around, hidden, Covers{scene, pair, end, slack});
    }
    return hidden != 0;
  }
};

// The mode in place of a hidden one, or `mode` itself where it is not hidden. along_motion: chosen as the one violated
// latest; else at the end pose.
PEGRASP_HD_APART int mode_off_flush_edge(const SceneView& s, const NearPair& pair, int mode, bool along_motion,
                                         const StepOptions& options) {
  if (mode == mode_none) return mode;  // all facets are at internal edges
  const unsigned sides = sides_with_neighbours(s, pair);
  if (sides == 0) return mode;
  const FlushView flush{&s, &pair, sides, flush_slack * options.penetration_tolerance,
                        flush_around * options.penetration_tolerance};
  if (!flush(mode)) return mode;
  OpenScan best(along_motion, -options.reject_depth - shell_thickness(*s.model, pair));
  do {
    best.begin(along_motion && pair.keep_mode != 0);
    scan_latest(part_view(s, pair.part_a), part_view(s, pair.part_b), start_frame(s, pair.body_a),
                start_frame(s, pair.body_b), end_frame(s, pair.body_a), end_frame(s, pair.body_b), pair.eps, best);
  } while (best.ask(flush));
  const int found = best.found();
  return found == mode_none ? mode : found;
}

// Lets an open facet carry in place of a hidden one that the free motion violates. Where it carries only later in the
// step, as one part has yet to come over the other, the first solve leaves the pair alone: a contact would be beside
// the facet.
PEGRASP_HD inline void keep_off_flush_edges(const SceneView& s, NearPair& pair, const StepOptions& options) {
  const int open = mode_off_flush_edge(s, pair, pair.mode, true, options);
  if (open == pair.mode) return;
  pair.mode = pair.end_mode = open;
  const PairGeometry start = pair_geometry(s, pair, start_frame(s, pair.body_a), start_frame(s, pair.body_b));
  if (pair.apart == gets_contacts && !lies_over(start, open)) pair.apart = kept_apart;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
