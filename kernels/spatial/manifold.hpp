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
  if constexpr (!for_device) {
    if (is_smooth(g.a) || is_smooth(g.b)) {
      pair.rims = remember_point(g, c.key, c.p);
      return;
    }
  }
  pair.rims = remember_rim(g, pair.rims, c.key, c.p);
}
PEGRASP_HD inline bool has_smooth(const SceneView& s, const NearPair& pair) {
  return !for_device && s.model->smooth_solids != 0 &&
         (is_smooth(*s.model, pair.part_a) || is_smooth(*s.model, pair.part_b));
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
PEGRASP_HD inline void mode_contacts(const PairGeometry& g, int mode, double flat_sine, double slack, const Add& add) {
  if constexpr (!for_device) {
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

}  // namespace pegrasp::PEGRASP_ARITHMETIC
