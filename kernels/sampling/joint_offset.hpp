// SPDX-License-Identifier: Apache-2.0
// Offsets of joints at the start: the bodies beyond a joint start moved along it. That may be done joint by joint in
// any order, as each finds its axis where those before it have put it.
#pragma once

#include "kernels/base/sincos.hpp"
#include "kernels/sampling/rotation.hpp"

namespace pegrasp {

struct JointOffsetView {
  int column;              // of the number that is drawn; -1: none
  double nominal, factor;  // offset [m | rad] = nominal + factor * number
  int turns;               // 1: the joint turns, 0: it slides
  int spatial;
  int first;        // slot of the pose of the joint's first body; -1: `frame` is in the world
  double frame[7];  // frame a of the joint: in 2D x, y and the axis, in 3D the position and the quaternion
  int moved_from;   // place in the plan's slots of those of the poses that it moves
  int moved_count;
};

PEGRASP_HD inline void move_planar(const JointOffsetView& o, double offset, const int* slots, double* parameters) {
  const double world[3] = {0.0, 0.0, 0.0};
  const double* const first = o.first < 0 ? world : parameters + o.first;
  const strict::SinCos of = strict::sin_cos(first[2]);
  const double* const f = o.frame;
  const double centre[2] = {first[0] + (of.cos * f[0] - of.sin * f[1]), first[1] + (of.sin * f[0] + of.cos * f[1])};
  const double axis[2] = {of.cos * f[2] - of.sin * f[3], of.sin * f[2] + of.cos * f[3]};
  const strict::SinCos turn = strict::sin_cos(offset);
  for (int i = 0; i < o.moved_count; ++i) {
    double* const pose = parameters + slots[o.moved_from + i];
    if (o.turns == 0) {
      pose[0] += offset * axis[0];
      pose[1] += offset * axis[1];
      continue;
    }
    const double arm[2] = {pose[0] - centre[0], pose[1] - centre[1]};
    pose[0] = centre[0] + (turn.cos * arm[0] - turn.sin * arm[1]);
    pose[1] = centre[1] + (turn.sin * arm[0] + turn.cos * arm[1]);
    pose[2] += offset;
  }
}

PEGRASP_HD inline void move_spatial(const JointOffsetView& o, double offset, const int* slots, double* parameters) {
  const double world[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
  const double* const first = o.first < 0 ? world : parameters + o.first;
  double of[9], own[9], arm[3], axis[3];
  rotation_rows(first + 3, of);
  rotation_rows(o.frame + 3, own);
  rotated(of, o.frame, arm);
  const double along[3] = {own[2], own[5], own[8]};
  rotated(of, along, axis);
  const strict::SinCos half = strict::sin_cos(0.5 * offset);
  const double turn[4] = {half.cos, half.sin * axis[0], half.sin * axis[1], half.sin * axis[2]};
  double rows[9];
  rotation_rows(turn, rows);
  for (int i = 0; i < o.moved_count; ++i) {
    double* const pose = parameters + slots[o.moved_from + i];
    if (o.turns == 0) {
      for (int k = 0; k < 3; ++k) pose[k] += offset * axis[k];
      continue;
    }
    double from[3], to[3];
    for (int k = 0; k < 3; ++k) from[k] = pose[k] - (first[k] + arm[k]);
    rotated(rows, from, to);
    for (int k = 0; k < 3; ++k) pose[k] = (first[k] + arm[k]) + to[k];
    const double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
    pose[3] = turn[0] * w - turn[1] * x - turn[2] * y - turn[3] * z;
    pose[4] = turn[0] * x + turn[1] * w + turn[2] * z - turn[3] * y;
    pose[5] = turn[0] * y - turn[1] * z + turn[2] * w + turn[3] * x;
    pose[6] = turn[0] * z + turn[1] * y - turn[2] * x + turn[3] * w;
  }
}

// values: the numbers drawn; slots: those of the plan.
PEGRASP_HD inline void move_joint(const JointOffsetView& o, const double* values, const int* slots,
                                  double* parameters) {
  const double offset = o.nominal + (o.column < 0 ? 0.0 : o.factor * values[o.column]);
  if (o.spatial != 0) {
    move_spatial(o, offset, slots, parameters);
  } else {
    move_planar(o, offset, slots, parameters);
  }
}

}  // namespace pegrasp
