// SPDX-License-Identifier: Apache-2.0
// Whether the parts of a pair passed through each other within a step. The end pose does not show it: there the far
// side separates them. Parts that pass through each other are at some moment as deep in each other as both are thick.
// So poses on the way are measured, at distances of a part of that, and at larger distances only where the parts were
// apart (conservative advancement).
#pragma once

#include "kernels/scene/access.hpp"
#include "kernels/spatial/modes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The frame of a body at the fraction t of its way from the start pose with the velocities s.nu.
PEGRASP_HD inline Frame frame_on_the_way(const SceneView& s, int body, double h, double t) {
  Frame out;
  matrix_of(exponential((t * h) * angular(s.nu, body)) * turn_of(s.pose, body), out.row);
  out.origin = position(s.pose, body) + (t * h) * linear(s.nu, body) - rotate(out, centre_offset(s, body));
  return out;
}

// The least separation [m] of the poses on the way, if the parts were so deep in each other that they may have passed
// through, else 1e300. A part that turns over a contact, or cuts a corner, is in less deep for a while and comes out
// again: then the end pose decides.
PEGRASP_HD inline double sampled_separation(const SceneView& s, const NearPair& pair, double h) {
  // of both parts' inradii together, which the middle of the way through would overlap by at least
  constexpr double deep = 0.5;
  constexpr double stride = 0.5;
  constexpr int most = 1000;  // poses; parts so thin that they ask for more are looked at more coarsely
  const ModelView& m = *s.model;
  const PartView a = part_view(s, pair.part_a);
  const PartView b = part_view(s, pair.part_b);
  const double thick = m.part_inradius[pair.part_a] + m.part_inradius[pair.part_b];
  const double way = h * (speed_bound(s, s.nu, pair.body_a) + speed_bound(s, s.nu, pair.body_b));
  const double least = max2(stride * thick, way / most);
  double lowest = 1e300;
  for (double gone = 0.0; gone < way;) {
    const double t = gone / way;
    const Separation at =
        best_separation(a, b, frame_on_the_way(s, pair.body_a, h, t), frame_on_the_way(s, pair.body_b, h, t), pair.eps);
    lowest = min2(lowest, separation(at));
    gone += max2(least, separation(at));
  }
  return lowest < -deep * thick ? lowest : 1e300;
}

// The least separation [m] on the way from the start to the end pose that shows a passage, else 1e300.
PEGRASP_HD inline double way_separation(const SceneView& s, const NearPair& pair, double h, bool) {
  const PartView a = part_view(s, pair.part_a);
  const PartView b = part_view(s, pair.part_b);
  if (a.vertices == 0 || b.vertices == 0) return 1e300;  // a half-space has no far side
  if (a.faces == 0 && b.faces == 0) {
    return path_separation(a, b, start_frame(s, pair.body_a), start_frame(s, pair.body_b), end_frame(s, pair.body_a),
                           end_frame(s, pair.body_b));
  }
  return sampled_separation(s, pair, h);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
