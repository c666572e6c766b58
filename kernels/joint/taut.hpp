// SPDX-License-Identifier: Apache-2.0
// Light bodies that joints hold taut.
//
// A body whose joints pull at it with forces F at arms r answers a turn like a spring, with the stiffness k = sum of
// |F| |r|. Impulses act along the gradients at the start of the step, which is exact to second order, but explicit: it
// only follows a swing for k h^2 < 4 I. The links of a light chain under a heavy load swing a thousand times faster.
// So the turn of such a body is damped and slowed down to what the step resolves:
//
//   I (w+ - w_free) + h^2 k (1 - 1 / q) ((w+ - w) + (w+ - w_n)) = torque impulses
//
// w_n is the mean spin, at the start of the step, of the bodies at the other ends of its joints, weighted by |F| |r|; q
// = k h^2 / (I + the inertia that its joints add to a turn). Bodies with q <= 1 are left alone. What is added vanishes
// in balance, keeps a chain that turns as a whole, and is of second order in h for what turns slowly. Forces are those
// of the last solve: of the last pass, or of the last step.
//
// A body that spins about a joint to the world is pulled, too, but the pull turns with it and is no spring. So where it
// turns by half a radian in a step, pulls of joints to bodies that do not turn freely begin to count for less, and from
// a radian on for nothing.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/taut.hpp"
#else
#include "kernels/planar/taut.hpp"
#endif
#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// |F| [N] of a joint in the last solve, which was for `kept_h` [s].
PEGRASP_HD inline double joint_pull(const SceneView& s, int joint, double kept_h) {
  double sum = 0.0;
  for (int i = 0; i < linear_joint_rows(s.model->joint_kind[joint]); ++i) {
    const double p = s.joint_impulse[joint_rows_most * joint + i];
    sum += p * p;
  }
  return square_root(sum) / kept_h;
}

// Whether joints can turn the body.
PEGRASP_HD inline bool turns_freely(const SceneView& s, int body) {
  return body >= 0 && is_dynamic(s, body) && s.present[body] != 0 && s.model->body_slides[body] == 0;
}

// How much of a joint's pull at a body acts like a spring: less where the body spins about one that does not turn.
PEGRASP_HD inline double springy_share(const SceneView& s, int body, int other, double h) {
  if (turns_freely(s, other)) return 1.0;
  return min2(1.0, max2(0.0, 2.0 - 2.0 * h * turning_speed(s, body)));
}

// Adds what the joint pulls to the sums of its two bodies.
PEGRASP_HD inline void add_joint_pull(const SceneView& s, int joint, double kept_h, double h) {
  const double pull = joint_pull(s, joint, kept_h);
  if (!(pull > 0.0)) return;
  const JointPose at = start_joint(s, joint);
  const int a = s.model->joint_body_a[joint];
  const int b = s.model->joint_body_b[joint];
  const V arm_a = at.x_b - at.centre_a;
  const V arm_b = at.x_b - at.centre_b;
  const double response_a = a < 0 ? 0.0 : point_response(s, a, arm_a);
  const double response_b = point_response(s, b, arm_b);
  if (turns_freely(s, a)) add_pull(s, a, arm_a, springy_share(s, a, b, h) * pull, response_b, b);
  if (turns_freely(s, b)) add_pull(s, b, arm_b, springy_share(s, b, a, h) * pull, response_a, a);
}

// Sets the inertia and the free spin of all active bodies for a pass of h [s]. takes_part(joint): whether the joint
// holds bodies that are stepped. kept_h: length of the step whose impulses are kept [s], 0 if there are none.
template <class Team, class TakesPart>
PEGRASP_HD_APART void hold_taut(Team& team, SceneView& s, double h, double kept_h, const TakesPart& takes_part) {
  if (s.model->joint_count == 0) return;
  once(team, [&] { s.tally->taut = 0; });
  if (!has_joints(s) || !(kept_h > 0.0)) return;
  for_each_active(team, s, [&](int body) { clear_pulls(s, body); });
  once(team, [&] {  // sums in the order of joints
    for (int k = 0; k < s.model->joint_count; ++k) {
      if (takes_part(k) && joint_present(s, k)) add_joint_pull(s, k, kept_h, h);
    }
  });
  for_each_active(team, s, [&](int body) {
    if (turns_freely(s, body)) hold_body(s, body, h);
  });
  once(team, [&] {
    for (int i = 0; i < active_count(s); ++i) {
      const int body = active_body(s, i);
      if (is_dynamic(s, body) && is_held(s, body)) s.tally->taut = 1;
    }
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
