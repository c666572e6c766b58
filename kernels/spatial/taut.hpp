// SPDX-License-Identifier: Apache-2.0
// What joints pull at a body in 3D (kernels/joint/taut.hpp); k is a tensor, as a turn about the arm moves nothing.
// Symmetric tensors in the world, and vectors, per body in s.taut.
#pragma once

#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

enum TautPlace : int {
  taut_spin = 0,        // of the plain free motion [rad/s]
  taut_inverse = 3,     // plain inverse inertia in mid-step
  taut_added = 9,       // added inertia [kg m^2]; 0: left alone
  taut_stiffness = 15,  // k [N m]
  taut_drag = 21,       // k of joints to other dynamic bodies
  taut_drive = 27,      // and k times their spins
  taut_size_of = 30,    // sum of |F| |r| [N m]
  taut_more = 31,       // inertia that joints add to a turn [kg m^2]
};

PEGRASP_HD inline Symmetric operator+(const Symmetric& a, const Symmetric& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
PEGRASP_HD inline Symmetric operator*(double f, const Symmetric& a) {
  return {f * a.xx, f * a.xy, f * a.xz, f * a.yy, f * a.yz, f * a.zz};
}
// |r|^2 - r r^T
PEGRASP_HD inline Symmetric across(V3 r) {
  return {r.y * r.y + r.z * r.z, -r.x * r.y, -r.x * r.z, r.x * r.x + r.z * r.z, -r.y * r.z, r.x * r.x + r.y * r.y};
}
// Trace of the product.
PEGRASP_HD inline double trace(const Symmetric& a, const Symmetric& b) {
  return a.xx * b.xx + a.yy * b.yy + a.zz * b.zz + 2.0 * (a.xy * b.xy + a.xz * b.xz + a.yz * b.yz);
}

// Where the step starts [rad/s].
PEGRASP_HD inline double turning_speed(const SceneView& s, int body) { return norm(angular(s.twist, body)); }

// Before the free motion of a body, which writes its inertia anew.
PEGRASP_HD inline void release_body(const SceneView&, int) {}

// After the free motion of a body without what this adds.
PEGRASP_HD inline void note_free_spin(const SceneView& s, int body) {
  double* t = s.taut + taut_size * body;
  for (int i = 0; i < 3; ++i) t[taut_spin + i] = s.free_twist[dof * body + 3 + i];
  for (int i = 0; i < 6; ++i) {
    t[taut_inverse + i] = s.inv_mass[mass_size * body + 1 + i];
    t[taut_added + i] = 0.0;
  }
}

PEGRASP_HD inline void clear_pulls(const SceneView& s, int body) {
  for (int i = taut_stiffness; i < taut_size; ++i) s.taut[taut_size * body + i] = 0.0;
}

// How fast [m/s per N s] a point of a body answers to an impulse across its arm, in the mean over directions.
PEGRASP_HD inline double point_response(const SceneView& s, int body, V3 arm) {
  const Symmetric inverse = load_symmetric(s.taut + taut_size * body + taut_inverse);
  return s.inv_mass[mass_size * body] + 0.5 * trace(inverse, across(arm));
}

// pull: |F| [N] at the arm; response: of the other body there.
PEGRASP_HD inline void add_pull(const SceneView& s, int body, V3 arm, double pull, double response, int other) {
  double* t = s.taut + taut_size * body;
  const double length = norm(arm);
  if (!(length > 0.0)) return;
  const Symmetric stiffness = (pull / length) * across(arm);
  store_symmetric(load_symmetric(t + taut_stiffness) + stiffness, t + taut_stiffness);
  t[taut_size_of] += pull * length;
  t[taut_more] += length * length / (s.inv_mass[mass_size * body] + response);
  if (other < 0 || !is_dynamic(s, other) || s.model->body_slides[other] != 0) return;
  store_symmetric(load_symmetric(t + taut_drag) + stiffness, t + taut_drag);
  store3(load3(t + taut_drive) + stiffness * angular(s.twist, other), t + taut_drive);
}

PEGRASP_HD inline bool is_held(const SceneView& s, int body) {
  bool held = false;
  for (int i = 0; i < 6; ++i) held = held || s.taut[taut_size * body + taut_added + i] != 0.0;
  return held;
}

PEGRASP_HD inline void hold_body(const SceneView& s, int body, double h) {
  double* t = s.taut + taut_size * body;
  double* inverse_now = s.inv_mass + mass_size * body + 1;
  double* spin_now = s.free_twist + dof * body + 3;
  const Symmetric plain = load_symmetric(t + taut_inverse);
  const Symmetric stiffness = load_symmetric(t + taut_stiffness);
  // k / I across the arm: the tensor has two equal sizes there if it has one arm
  const double fast = 0.5 * trace(plain, stiffness);
  const double slow = t[taut_size_of] + fast * t[taut_more];
  const double swing = slow > 0.0 ? h * h * fast * t[taut_size_of] / slow : 0.0;
  if (!(swing > 1.0) || !remembers_motion(*s.model)) {
    if (!is_held(s, body)) return;
    for (int i = 0; i < 6; ++i) {
      t[taut_added + i] = 0.0;
      inverse_now[i] = t[taut_inverse + i];
    }
    for (int i = 0; i < 3; ++i) spin_now[i] = t[taut_spin + i];
    return;
  }
  const double share = h * h * (1.0 - 1.0 / swing);
  const Symmetric own = load_symmetric(s.inertia + 18 * body + 12);
  const Symmetric added = share * (stiffness + load_symmetric(t + taut_drag));
  const Symmetric answer = inverse(own + added);
  const V3 begin = plain * load3(s.momentum + momentum_size * body);
  const V3 spin = answer * (own * load3(t + taut_spin) + share * (stiffness * begin + load3(t + taut_drive)));
  store_symmetric(added, t + taut_added);
  store_symmetric(answer, inverse_now);
  store3(spin, spin_now);
}

// Impulse [N m s] by which what is added to a held body brakes its turn.
PEGRASP_HD inline double braking_impulse(const SceneView& s, int body) {
  const double* t = s.taut + taut_size * body;
  const Symmetric stiffness = load_symmetric(t + taut_stiffness);
  const V3 begin = load_symmetric(t + taut_inverse) * load3(s.momentum + momentum_size * body);
  const V3 unscaled =
      (stiffness + load_symmetric(t + taut_drag)) * angular(s.nu, body) - stiffness * begin - load3(t + taut_drive);
  const double all = t[taut_stiffness] + t[taut_stiffness + 3] + t[taut_stiffness + 5] + t[taut_drag] +
                     t[taut_drag + 3] + t[taut_drag + 5];
  const double share = (t[taut_added] + t[taut_added + 3] + t[taut_added + 5]) / all;
  return share * norm(unscaled);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
