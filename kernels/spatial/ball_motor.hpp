// SPDX-License-Identifier: Apache-2.0
// The targets of the motor of a spherical joint: vectors in frame a of the joint, which turns with body a.
//   force            the torque on body b; its opposite acts on body a
//   velocity servo   the angular velocity of frame b against frame a
//   position servo   a rotation vector, that of frame b in frame a. The distance left is the rotation vector of
//                    exp(target) R^-1, R being the turn of frame b in frame a: the shorter way round
#pragma once

#include "kernels/joint/joint.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline V3 ball_target(const SceneView& s, int k, double time) {
  return {actuator_target(s, k, time, 0), actuator_target(s, k, time, 1), actuator_target(s, k, time, 2)};
}

// A vector given in frame a, in world coordinates.
PEGRASP_HD inline V3 from_frame_a(const JointPose& at, V3 v) { return v.x * at.a[0] + v.y * at.a[1] + v.z * at.a[2]; }

// Angular impulse [N m s], world, on body b of a motor with a given torque (given_impulse).
PEGRASP_HD inline V3 ball_impulse(const SceneView& s, int k, double last, double h) {
  const V3 p{given_impulse(s, k, last, h, 0), given_impulse(s, k, last, h, 1), given_impulse(s, k, last, h, 2)};
  return from_frame_a(start_joint(s, s.model->actuator_joint[k]), p);
}

// The turn of frame b in frame a, from the largest of the four components of its quaternion, so that no division is by
// a small number.
PEGRASP_HD inline Turn turn_between(const JointPose& at) {
  const double xx = dot(at.a[0], at.b[0]), yy = dot(at.a[1], at.b[1]), zz = dot(at.a[2], at.b[2]);
  const double yx = dot(at.a[1], at.b[0]), xy = dot(at.a[0], at.b[1]);
  const double zx = dot(at.a[2], at.b[0]), xz = dot(at.a[0], at.b[2]);
  const double zy = dot(at.a[2], at.b[1]), yz = dot(at.a[1], at.b[2]);
  const double trace = xx + yy + zz;
  if (trace >= xx && trace >= yy && trace >= zz) return normalised({1.0 + trace, zy - yz, xz - zx, yx - xy});
  if (xx >= yy && xx >= zz) return normalised({zy - yz, 1.0 + xx - yy - zz, yx + xy, xz + zx});
  if (yy >= zz) return normalised({xz - zx, yx + xy, 1.0 + yy - zz - xx, zy + yz});
  return normalised({yx - xy, xz + zx, zy + yz, 1.0 + zz - xx - yy});
}

// What turns frame b to the target: a rotation vector in frame a, pi long at most.
PEGRASP_HD inline V3 ball_error(const JointPose& at, V3 target) {
  return logarithm(exponential(target) * conjugate(turn_between(at)));
}

// The angular velocity at which a program moves the target of a position servo, the mean of a step.
PEGRASP_HD inline V3 ball_target_speed(V3 before, V3 after, double h) {
  return (1.0 / h) * logarithm(exponential(after) * conjugate(exponential(before)));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
