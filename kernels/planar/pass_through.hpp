// SPDX-License-Identifier: Apache-2.0
// Whether the parts of a pair passed through each other within a step. The end pose does not show it: there the far
// side separates them. Nor do the separations of facets at the start and at the end, if a part turns by radians between
// them. So poses on the way are measured, at distances of a part of both thicknesses, and at larger distances only
// where the parts are apart (conservative advancement).
#pragma once

#include "kernels/base/sincos.hpp"
#include "kernels/planar/modes.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The frame of a body at the fraction t of its way from the start pose with the velocities s.nu.
PEGRASP_HD inline Frame frame_on_the_way(const SceneView& s, int body, double h, double t) {
  const double* const from = s.pose + 3 * body;
  const double* const v = s.nu + dof * body;
  if (v[2] == 0.0) {
    const Frame start = start_frame(s, body);
    return {{from[0] + t * h * v[0], from[1] + t * h * v[1]}, start.c, start.s};
  }
  const SinCos turn = sin_cos(from[2] + t * h * v[2]);
  return {{from[0] + t * h * v[0], from[1] + t * h * v[1]}, turn.cos, turn.sin};
}

// The least separation [m] of the poses on the way, if the parts were so deep in each other that they may have passed
// through, else 1e300. A part that turns over a contact, or cuts a corner, is in less deep for a while and comes out
// again: then the end pose decides. Parts that no force between them has turned aside have no such reason (carries).
PEGRASP_HD_RARE double sampled_separation(const SceneView& s, const NearPair& pair, double h, double way,
                                          bool carries) {
  // of both parts' inradii together, which the middle of the way through would overlap by at least
  constexpr double deep = 0.5;
  constexpr double touching = 0.05;
  constexpr double stride = 0.5;
  constexpr int most = 1000;  // poses; parts so thin that they ask for more are looked at more coarsely
  const ModelView& m = *s.model;
  const PartView a = part_view(s, pair.part_a);
  const PartView b = part_view(s, pair.part_b);
  const double thick = m.part_inradius[pair.part_a] + m.part_inradius[pair.part_b];
  const double least = max2(stride * thick, way / most);
  double lowest = 1e300;
  for (double gone = max2(least, pair.s0_max); gone < way;) {
    const double t = gone / way;
    const Separation at =
        best_separation(a, b, frame_on_the_way(s, pair.body_a, h, t), frame_on_the_way(s, pair.body_b, h, t));
    lowest = min2(lowest, separation(at));
    gone += max2(least, separation(at));
  }
  const double from = min2(0.0, pair.s0_max) - shell_thickness(m, pair);
  return lowest < from - (carries ? deep : touching) * thick ? lowest : 1e300;
}

// The least separation [m] on the way from the start to the end pose that shows a passage, else 1e300. carries: a force
// acts between the parts.
PEGRASP_HD inline double way_separation(const SceneView& s, const NearPair& pair, double h, bool carries) {
  const ModelView& m = *s.model;
  const double way = h * (speed_bound(s, s.nu, pair.body_a) + speed_bound(s, s.nu, pair.body_b));
  const double thinnest = min2(m.part_inradius[pair.part_a], m.part_inradius[pair.part_b]);
  if (!(way > thinnest) || !(pair.s0_max < way)) return 1e300;
  if (part_view(s, pair.part_a).corners == 0 || part_view(s, pair.part_b).corners == 0) return 1e300;  // no far side
  return sampled_separation(s, pair, h, way, carries);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
