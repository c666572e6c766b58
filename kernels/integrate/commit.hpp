// SPDX-License-Identifier: Apache-2.0
// The end of a (sub)step: the work done from outside is added up, then the end pose becomes the start pose.
#pragma once

#include "kernels/integrate/hold_still.hpp"
#include "kernels/integrate/predict.hpp"
#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Work [J] that is done from outside on the active bodies in the (sub)step (kernels/integrate/block_work.hpp).
PEGRASP_HD inline double outside_work(const SceneView& s) {
  double work = 0.0;
  for (int i = 0; i < active_count(s); ++i) add_body_work(s, active_body(s, i), work);
  for (int k = 0; k < s.tally->block_count; ++k) add_block_work(s, k, s.twist, work);
  return work;
}

PEGRASP_HD inline bool finite_body(const SceneView& s, int body) {
  for (int i = dof * body; i < dof * (body + 1); ++i) {
    if (!is_finite(s.nu[i])) return false;
  }
  for (int i = pose_size * body; i < pose_size * (body + 1); ++i) {
    if (!is_finite(s.end_pose[i])) return false;
  }
  return true;
}

PEGRASP_HD inline bool finite_motion(const SceneView& s) {
  for (int i = 0; i < active_count(s); ++i) {
    if (!finite_body(s, active_body(s, i))) return false;
  }
  return true;
}

// h: length of the (sub)step that ends [s].
PEGRASP_HD inline void commit_body(const SceneView& s, int body, double h) {
  if (!s.present[body]) return;
  keep_acceleration(s, body, h);
  for (int i = 0; i < pose_size; ++i) s.pose[pose_size * body + i] = s.end_pose[pose_size * body + i];
  for (int i = 0; i < dof; ++i) s.twist[dof * body + i] = s.nu[dof * body + i];
  for (int i = 0; i < frame_size; ++i) s.start_frame[frame_size * body + i] = s.end_frame[frame_size * body + i];
  if (s.model->body_end_velocity[body] != 0) place_oscillating(s, body, s.tally->time0 + h);
  s.last_kick[body] = kick_time(s, body, h);
  s.last_h[body] = remembers_motion(*s.model) ? h : 0.0;
  keep_momentum(s, body);
}

// Takes the coordinates of a joint to the end of the (sub)step of h [s]. To be called before the bodies' poses change.
PEGRASP_HD inline void commit_joint(const SceneView& s, int joint, double h) {
  if (joint_present(s, joint)) s.joint_turn[joint] = joint_coordinate(s, end_joint(s, joint), joint, free_turn, h);
}

// Takes the end poses and velocities of the active bodies after h [s]: q = q1, u = nu+. A kinematic body follows its
// prescribed motion up to rounding; one that has yet to appear keeps its velocity.
template <class Team>
PEGRASP_HD void commit_motion(Team& team, SceneView& s, double h) {
  if (s.model->joint_count > 0) {
    for_each(team, s.model->joint_count, [&](int joint) {
      if (joint_active(s, joint)) commit_joint(s, joint, h);
    });
  }
  for_each_active(team, s, [&](int body) { commit_body(s, body, h); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
