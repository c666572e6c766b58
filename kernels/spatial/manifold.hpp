// SPDX-License-Identifier: Apache-2.0
// Contacts of one mode of a pair of parts in 3D, polyhedra, round, cylinders or smooth.
#pragma once

#include "kernels/contact/linearisation.hpp"
#include "kernels/spatial/cylinder_contacts.hpp"
#include "kernels/spatial/polyhedron_manifold.hpp"
#include "kernels/spatial/round_contacts.hpp"
#include "kernels/spatial/smooth_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD_LARGE void remember_deepest(const SceneView& s, NearPair& pair, const ContactPoint& c) {
  const bool end = about_motion(s, pair);
  const PairGeometry g = pair_geometry(s, pair, end ? end_frame(s, pair.body_a) : start_frame(s, pair.body_a),
                                       end ? end_frame(s, pair.body_b) : start_frame(s, pair.body_b));
  if constexpr (smooth_parts) {
    if (is_smooth(g.a) || is_smooth(g.b)) {
      pair.rims = remember_point(g, c.key, c.p);
      return;
    }
  }
  pair.rims = remember_rim(g, pair.rims, c.key, c.p);
}
PEGRASP_HD inline bool has_smooth(const SceneView& s, const NearPair& pair) {
  return s.model->smooth_solids != 0 && (is_smooth(*s.model, pair.part_a) || is_smooth(*s.model, pair.part_b));
}

// Also remembers where rims, and smooth parts, are deepest; the pair's rims are read before.
PEGRASP_HD inline void set_rounds(const SceneView& s, const NearPair& pair, const ContactPoint& c, Contact& out) {
  if (c.round >= 0.0) {
    out.round = c.round;
    out.round_other = c.round_other;
    if (has_smooth(s, pair) ? runs_along_face(c.key) : at_deepest(c.key)) remember_deepest(s, s.pairs[out.pair], c);
    return;
  }
  const bool on_a = (mode_type(c.key) & 3) == mode_face_b;
  out.round = s.model->part_round[on_a ? pair.part_a : pair.part_b];
  out.round_other = s.model->part_round[on_a ? pair.part_b : pair.part_a];
}

template <class Add>
PEGRASP_HD inline void points_of_mode(const PairGeometry& g, int mode, double flat_sine, double slack, const Add& add) {
  if constexpr (smooth_parts) {
    if (is_smooth(g.a) || is_smooth(g.b)) {
      smooth_contacts(g, mode, flat_sine, slack, add);
      return;
    }
  }
  if (is_cylinder(g.a) || is_cylinder(g.b)) {
    cylinder_contacts(g, mode, flat_sine, slack, add);
  } else if (mode_type(mode) == mode_edges) {
    edge_contacts(g, mode_i(mode), mode_j(mode), flat_sine, slack, add);
  } else if (mode_type(mode) == mode_round) {
    round_contacts(g, mode_i(mode), mode_j(mode), flat_sine, slack, add);
  } else {
    const int type = mode_type(mode);
    if (!face_contacts(g, type, mode_i(mode), flat_sine, slack, add)) vertex_contact(g, type, mode_i(mode), add);
  }
}

// Where a line or a rim touches, points of a face or a cap beside it keep the parts from rocking onto that. They are
// the springs of a shell, as if the mode were that of the face, if it lies flat there; else the line's own points are.
struct BesideSprings {
  double flat_sine;
  bool flat = false;
  V3 n{};  // of the line's own point

  PEGRASP_HD static bool is_beside(const ContactPoint& c) { return (mode_type(c.key) & 3) != mode_round; }
  PEGRASP_HD void look(const ContactPoint& c) {
    if (!is_beside(c)) n = c.n;
    const double cosine = dot(n, c.n);
    if (is_beside(c) && c.role == point_bears && 1.0 - cosine * cosine < flat_sine * flat_sine) flat = true;
  }
  PEGRASP_HD int role(const ContactPoint& c) const { return is_beside(c) == flat ? c.role : point_guards; }
};

template <class Add>
PEGRASP_HD inline void mode_contacts(const PairGeometry& g, int mode, double flat_sine, double slack, const Add& add) {
  BesideSprings springs{flat_sine};
  const bool looks = g.shell && mode_type(mode) == mode_round && !is_smooth(g.a) && !is_smooth(g.b);
  for (int turn = looks ? 0 : 1; turn < 2; ++turn) {
    points_of_mode(g, mode, flat_sine, slack, [&](const ContactPoint& c) {
      if (!looks) {
        add(c);
      } else if (turn == 0) {
        springs.look(c);
      } else {
        ContactPoint own = c;
        own.role = springs.role(c);
        add(own);
      }
    });
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
