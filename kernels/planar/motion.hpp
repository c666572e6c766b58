// SPDX-License-Identifier: Apache-2.0
// Planar motion of a body: without constraints, prescribed, and to its end pose q1 = q0 + h nu.
#pragma once

#include "kernels/integrate/oscillation.hpp"
#include "kernels/integrate/wrench.hpp"
#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Pose of prescribed motion at time `time`, relative to the body's initial pose.
PEGRASP_HD inline void prescribed_pose(const ModelView& m, int body, double time, double* pose) {
  const double t = keyframe_clock(m, body, time);
  const int first = m.body_first_keyframe[body];
  const int last = m.body_first_keyframe[body + 1] - 1;
  int k = first;
  while (k < last && m.keyframe_time[k + 1] <= t) ++k;
  const double* a = m.keyframe_pose + 3 * k;
  double f = 0.0;
  if (k < last && t > m.keyframe_time[k]) {
    f = (t - m.keyframe_time[k]) / (m.keyframe_time[k + 1] - m.keyframe_time[k]);
  }
  const double* b = m.keyframe_pose + 3 * (k < last ? k + 1 : k);
  for (int i = 0; i < 3; ++i) pose[i] = a[i] + f * (b[i] - a[i]);
}

// Velocity that takes a kinematic body from its pose to its prescribed pose at time t + h; at h = 0 the last one.
PEGRASP_HD inline void prescribed_twist(const SceneView& s, int body, double t, double h, double* twist) {
  const ModelView& m = *s.model;
  if (h > 0.0 && m.body_sampled[body] != 0) {
    for (int i = 0; i < dof; ++i) twist[i] = s.parameter(m.at.velocity + dof * body + i);
    return;
  }
  const bool swings = oscillates(m, body);
  if (!(h > 0.0) || (!swings && m.body_first_keyframe[body] == m.body_first_keyframe[body + 1])) {
    for (int i = 0; i < dof; ++i) twist[i] = s.twist[dof * body + i];
    return;
  }
  double goal[3];
  if (swings) {
    oscillation_at(s, body, t + h, goal, twist);
    if (m.body_end_velocity[body] != 0) return;
  } else {
    prescribed_pose(m, body, t + h, goal);
  }
  for (int i = 0; i < dof; ++i) {
    twist[i] = (s.initial_pose[3 * body + i] + goal[i] - s.pose[3 * body + i]) / h;
  }
}

// Puts a body that oscillates where it is at time t.
PEGRASP_HD inline void place_oscillating(const SceneView& s, int body, double t) {
  double displacement[dof], rate[dof];
  oscillation_at(s, body, t, displacement, rate);
  for (int i = 0; i < 3; ++i) s.pose[3 * body + i] = s.initial_pose[3 * body + i] + displacement[i];
  const SinCos turn = sin_cos(s.pose[3 * body + 2]);
  s.start_frame[2 * body] = turn.cos;
  s.start_frame[2 * body + 1] = turn.sin;
}

PEGRASP_HD inline void free_motion(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  double* nu = s.free_twist + dof * body;
  for (int i = 0; i < dof; ++i) nu[i] = 0.0;
  if (!s.present[body] || m.body_kind[body] == static_cast<int>(BodyKind::fixed)) return;
  if (m.body_kind[body] == static_cast<int>(BodyKind::kinematic)) {
    prescribed_twist(s, body, s.tally->time0, h, nu);
    return;
  }
  for (int i = 0; i < dof; ++i) nu[i] = remembers_motion(m) ? s.twist[dof * body + i] : 0.0;
  const double last = s.last_h[body];
  const double weight = has_weight(s, body) ? kick_time(s, body, h) * s.parameter(m.at.mass + body) : 0.0;
  double px = weight * m.gravity_x;
  double py = weight * m.gravity_y;
  double pz = 0.0;
  for (int k = 0; k < m.actuator_count; ++k) {
    if (m.actuator_kind[k] != static_cast<int>(ActuatorKind::force)) continue;
    const int joint = m.actuator_joint[k];
    if (joint >= 0) {
      const bool first = m.joint_body_a[joint] == body;
      if ((!first && m.joint_body_b[joint] != body) || !joint_present(s, joint)) continue;
      const JointGradient g = freedom_gradient(m, start_joint(s, joint), joint, m.actuator_rotary[k] != 0);
      const double* pull = first ? g.a : g.b;
      const double impulse = given_impulse(s, k, last, h);
      px += impulse * pull[0];
      py += impulse * pull[1];
      pz += impulse * pull[2];
      continue;
    }
    if (m.actuator_body[k] != body) continue;
    const double impulse = given_impulse(s, k, last, h);
    px += m.actuator_rotary[k] ? 0.0 : impulse * m.actuator_axis[2 * k];
    py += m.actuator_rotary[k] ? 0.0 : impulse * m.actuator_axis[2 * k + 1];
    pz += m.actuator_rotary[k] ? impulse : 0.0;
  }
  if (has_wrenches(s)) {
    double set[dof];
    set_impulse(s, body, h, set);
    px += set[0];
    py += set[1];
    pz += set[2];
  }
  apply_impulse(s, body, px, py, pz, nu);
}

// End pose of a body that moves with nu for h, and its frame.
PEGRASP_HD inline void place_end(const SceneView& s, const double* nu, int body, double h) {
  for (int i = 0; i < 3; ++i) s.end_pose[3 * body + i] = s.pose[3 * body + i] + h * nu[dof * body + i];
  if (s.end_pose[3 * body + 2] == s.pose[3 * body + 2]) {
    s.end_frame[2 * body] = s.start_frame[2 * body];
    s.end_frame[2 * body + 1] = s.start_frame[2 * body + 1];
    return;
  }
  const SinCos t = sin_cos(s.end_pose[3 * body + 2]);
  s.end_frame[2 * body] = t.cos;
  s.end_frame[2 * body + 1] = t.sin;
}

// The frame of a body at the end of the step if its velocity changes as in the last (sub)step. To be called while
// end poses are those of the free motion.
PEGRASP_HD inline Frame expected_frame(const SceneView& s, int body, double h) {
  if (!is_dynamic(s, body)) return end_frame(s, body);
  const double kick = kick_time(s, body, h);
  double end[3];
  for (int i = 0; i < 3; ++i) {
    end[i] = s.pose[3 * body + i] + h * (s.twist[dof * body + i] + kick * s.acceleration[dof * body + i]);
  }
  return make_frame(end[0], end[1], end[2]);
}

// In 2D there is no angular momentum to keep: the velocity is the state.
PEGRASP_HD inline void keep_momentum(const SceneView&, int) {}

// Keeps how a body's velocity has changed where a (sub)step of h [s] began. To be called while s.twist is that before.
PEGRASP_HD inline void keep_acceleration(const SceneView& s, int body, double h) {
  const double kick = kick_time(s, body, h);
  for (int i = dof * body; i < dof * (body + 1); ++i) {
    s.acceleration[i] = kick > 0.0 ? (s.nu[i] - s.twist[i]) / kick : 0.0;
  }
}

// Planar steps never look ahead (looks_ahead in contact/linearisation.hpp).
PEGRASP_HD inline void look_ahead(const SceneView&, int, double) {}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
