// SPDX-License-Identifier: Apache-2.0
// What the rows of a step, and actuators of given force, do to bodies: impulses and their moments in the world. Only
// StepWatch asks. `before` is the scene with the poses that a substep began with.
//
// A row changes the velocity of a body by M^-1 G^T p, which is stored (Row::wa, wb); G is not. So an impulse is M times
// that, exactly what the body's momentum gains. For a body that cannot move freely it is the reaction of the other one.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/pushes.hpp"
#else
#include "kernels/planar/pushes.hpp"
#endif
#include "kernels/step/run_scene.hpp"
#include "pegrasp/step_report.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

inline Vec3 centre_of(const SceneView& s, int body) { return public_vector(position(s.pose, body)); }

// Whether impulses in all directions move the body.
inline bool moves_freely(const SceneView& s, int body) {
  return is_dynamic(s, body) && s.model->body_slides[body] == 0;
}

// What row i does to its second body (side 1) or its first (side 0); rows that act on one body have only a first.
inline Push push_of_row(const SceneView& before, const SceneView& s, int i, int side) {
  const Row& row = s.rows[i];
  const double p = row_impulse(s, i);
  const int own = side != 0 ? row.body_b : row.body_a;
  const int other = side != 0 ? row.body_a : row.body_b;
  if (moves_freely(s, own)) return momentum_gained(s, own, side != 0 ? row.wb : row.wa, p);
  if (other != own && moves_freely(s, other)) {
    const Push there = momentum_gained(s, other, side != 0 ? row.wa : row.wb, p);
    return reaction(there, centre_of(before, other), centre_of(before, own));
  }
  double g[dof];
  for (int k = 0; k < dof; ++k) g[k] = p * static_cast<double>(side != 0 ? row.jb[k] : row.ja[k]);
  return push_of(g);
}

// What an actuator of kind `force` did to its body, or to the second (or first) body of its joint, in a substep of h
// [s] after one of `last` [s].
inline Push push_of_motor(const SceneView& before, int k, bool second, double last, double h) {
  const ModelView& m = *before.model;
  const int joint = m.actuator_joint[k];
  if (joint >= 0 && drives_ball(m, k)) return push_of_ball_motor(before, k, second, last, h);
  const double impulse = given_impulse(before, k, last, h);
  if (joint >= 0) {
    const bool turns = m.actuator_rotary[k] != 0;
    return push_of(freedom_gradient(m, start_joint(before, joint), joint, turns), second, impulse);
  }
  if (m.actuator_rotary[k] != 0) return {{}, {0.0, 0.0, impulse}};
  return {{impulse * m.actuator_axis[2 * k], impulse * m.actuator_axis[2 * k + 1], 0.0}, {}};
}

// Where a support point is, world.
inline Vec3 support_place(const SceneView& before, int point) {
  const ModelView& m = *before.model;
  const int at = m.at.support + ParameterLayout::support_stride * point;
  const Frame frame = start_frame(before, m.support_body[point]);
  V local{};
  local.x = before.parameter(at);
  local.y = before.parameter(at + 1);
  return public_vector(transform(frame, local));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
