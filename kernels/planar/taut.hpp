// SPDX-License-Identifier: Apache-2.0
// What joints pull at a planar body (kernels/joint/taut.hpp). Per body, in s.taut:
//   0 spin of the plain free motion [rad/s]     1 plain inverse inertia     2 added inertia [kg m^2], 0: left alone
//   3 k [N m]     4, 5 k of joints to other dynamic bodies, and k times their spins     6 inertia that joints add
#pragma once

#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

enum TautPlace : int {
  taut_spin = 0,
  taut_inverse,
  taut_added,
  taut_stiffness,
  taut_drag,
  taut_drive,
  taut_more,
};

// Where the step starts [rad/s].
PEGRASP_HD inline double turning_speed(const SceneView& s, int body) { return abs1(s.twist[dof * body + 2]); }

// Before the free motion of a body: takes back what was added to its inertia in the last attempt.
PEGRASP_HD inline void release_body(const SceneView& s, int body) {
  if (!is_dynamic(s, body) || s.model->body_slides[body] != 0) return;
  s.inv_mass[mass_size * body + 3] = lightness(*s.model) / s.parameter(s.model->at.inertia + body);
}

// After the free motion of a body without what this adds.
PEGRASP_HD inline void note_free_spin(const SceneView& s, int body) {
  double* t = s.taut + taut_size * body;
  t[taut_spin] = s.free_twist[dof * body + 2];
  t[taut_inverse] = s.inv_mass[mass_size * body + 3];
  t[taut_added] = 0.0;
}

PEGRASP_HD inline void clear_pulls(const SceneView& s, int body) {
  for (int i = taut_stiffness; i < taut_size; ++i) s.taut[taut_size * body + i] = 0.0;
}

// How fast [m/s per N s] a point of a body answers to an impulse across its arm.
PEGRASP_HD inline double point_response(const SceneView& s, int body, V2 arm) {
  const double* im = s.inv_mass + mass_size * body;
  return 0.5 * (im[0] + im[2]) + dot(arm, arm) * s.taut[taut_size * body + taut_inverse];
}

// pull: |F| [N] at the arm; response: of the other body there.
PEGRASP_HD inline void add_pull(const SceneView& s, int body, V2 arm, double pull, double response, int other) {
  double* t = s.taut + taut_size * body;
  const double stiffness = pull * norm(arm);
  t[taut_stiffness] += stiffness;
  t[taut_more] += dot(arm, arm) / (s.inv_mass[mass_size * body] + response);
  if (other < 0 || !is_dynamic(s, other) || s.model->body_slides[other] != 0) return;
  t[taut_drag] += stiffness;
  t[taut_drive] += stiffness * s.twist[dof * other + 2];
}

PEGRASP_HD inline bool is_held(const SceneView& s, int body) { return s.taut[taut_size * body + taut_added] != 0.0; }

PEGRASP_HD inline void hold_body(const SceneView& s, int body, double h) {
  double* t = s.taut + taut_size * body;
  double& inverse = s.inv_mass[mass_size * body + 3];
  double& spin = s.free_twist[dof * body + 2];
  const double own = s.parameter(s.model->at.inertia + body);
  const double swing = h * h * t[taut_stiffness] / (own + t[taut_more]);
  if (!(swing > 1.0) || !remembers_motion(*s.model)) {
    if (!is_held(s, body)) return;
    t[taut_added] = 0.0;
    inverse = t[taut_inverse];
    spin = t[taut_spin];
    return;
  }
  const double share = h * h * (1.0 - 1.0 / swing);
  t[taut_added] = share * (t[taut_stiffness] + t[taut_drag]);
  inverse = 1.0 / (own + t[taut_added]);
  const double begin = s.twist[dof * body + 2];
  spin = inverse * (own * t[taut_spin] + share * (t[taut_stiffness] * begin + t[taut_drive]));
}

// Impulse [N m s] by which what is added to a held body brakes its turn.
PEGRASP_HD inline double braking_impulse(const SceneView& s, int body) {
  const double* t = s.taut + taut_size * body;
  const double share = t[taut_added] / (t[taut_stiffness] + t[taut_drag]);
  const double spin = s.nu[dof * body + 2];
  return share * abs1(t[taut_stiffness] * (spin - s.twist[dof * body + 2]) + t[taut_drag] * spin - t[taut_drive]);
}

// Spin [rad/s] of the plain free motion.
PEGRASP_HD inline double plain_spin(const SceneView& s, int body) {
  return s.model->joint_count > 0 ? s.taut[taut_size * body + taut_spin] : s.free_twist[dof * body + 2];
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
