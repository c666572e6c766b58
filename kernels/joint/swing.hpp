// SPDX-License-Identifier: Apache-2.0
// Attempts in which bodies that are jointed turn too far.
//
// Joints act along gradients at the start and at the end of the step, which is exact to second order in the angle by
// which a body turns the arm of a joint. From half a radian on, two bodies that turn freely take energy from each other
// that is off by percents, and soon by any factor, though joints stay closed and each solve converges. Nor is an end
// true where the inertia that was added to a body for the joint forces of an earlier solve (taut.hpp) brakes it by more
// than the present ones could turn it. Both are rejected: shorter attempts turn less and need no added inertia.
#pragma once

#include "kernels/joint/taut.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr double most_swing = 0.5;  // [rad]

// Whether the body swings the arm of a joint further than that.
PEGRASP_HD inline bool swings_far(const SceneView& s, int body, const V& arm, const StepOptions& options) {
  const double length = norm(arm);
  const V moved = point_velocity(s.nu, body, arm) - point_velocity(s.nu, body, 0.0 * arm);
  return length > options.reject_depth && options.h * norm(moved) > most_swing * length;
}

PEGRASP_HD inline bool joint_swings_far(const SceneView& s, int joint, const StepOptions& options) {
  if (is_distance(*s.model, joint)) return false;  // it holds nothing: springs act on their points
  const int a = s.model->joint_body_a[joint];
  const int b = s.model->joint_body_b[joint];
  if (!turns_freely(s, a) || !turns_freely(s, b)) return false;
  const JointPose at = start_joint(s, joint);
  return swings_far(s, a, at.x_b - at.centre_a, options) || swings_far(s, b, at.x_b - at.centre_b, options);
}

// Adds what the joint pulls [N] at its arms to the sums of its two bodies.
PEGRASP_HD inline void add_present_pull(const SceneView& s, int joint, double kept_h) {
  const double pull = joint_pull(s, joint, kept_h);
  const int a = s.model->joint_body_a[joint];
  const int b = s.model->joint_body_b[joint];
  const JointPose at = start_joint(s, joint);
  if (turns_freely(s, a)) s.taut[taut_size * a + taut_more] += pull * norm(at.x_b - at.centre_a);
  if (turns_freely(s, b)) s.taut[taut_size * b + taut_more] += pull * norm(at.x_b - at.centre_b);
}

// Whether added inertia brakes a body by more than twice what its joints could. What the solve leaves counts, too.
PEGRASP_HD inline bool braked_for_nothing(const SceneView& s, int body, const StepOptions& options) {
  if (!turns_freely(s, body) || !is_held(s, body)) return false;
  const double slack = options.tolerance * s.parameter(s.model->at.mass + body) * s.model->body_radius[body];
  return braking_impulse(s, body) > 2.0 * options.h * s.taut[taut_size * body + taut_more] + slack;
}

// At the end of an attempt, whose last solve kept impulses for a step of kept_h [s]. own(body): whether the body is of
// the scene or island at hand. Serial; uses up sums of hold_taut(), which makes them anew.
template <class Own>
PEGRASP_HD_APART bool swings_too_far(const SceneView& s, const StepOptions& options, double kept_h, const Own& own) {
  const ModelView& m = *s.model;
  if (m.joint_count == 0 || !has_joints(s) || !linearises_anew(options) || !remembers_motion(m)) return false;
  for (int k = 0; k < m.joint_count; ++k) {
    if (own(m.joint_body_b[k]) && joint_present(s, k) && joint_swings_far(s, k, options)) return true;
  }
  if (s.tally->taut == 0 || !(kept_h > 0.0)) return false;
  for (int body = 0; body < m.body_count; ++body) {
    if (own(body)) s.taut[taut_size * body + taut_more] = 0.0;
  }
  for (int k = 0; k < m.joint_count; ++k) {
    const bool here = own(m.joint_body_b[k]) || (m.joint_body_a[k] >= 0 && own(m.joint_body_a[k]));
    if (here && joint_present(s, k)) add_present_pull(s, k, kept_h);
  }
  for (int body = 0; body < m.body_count; ++body) {
    if (own(body) && braked_for_nothing(s, body, options)) return true;
  }
  return false;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
