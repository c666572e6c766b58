// SPDX-License-Identifier: Apache-2.0
// Success conditions, as postfix programs: a list of predicates in which leaves push a truth value and all, any and
// negate combine the last ones. Plain data, shared by the host and the kernels.
#pragma once

#include <cstddef>

#include "pegrasp/geometry.hpp"
#include "pegrasp/kinds.hpp"

namespace pegrasp {

struct Predicate {
  PredicateKind kind = PredicateKind::all;
  int part_a = -1;  // part indices over all bodies, in order
  int part_b = -1;
  int body = -1;
  int body_b = -1;
  int count = 0;
  double value = 0.0;
  double duration = 0.0;
  Vec2 side;
  Pose low;
  Pose high;
  double low_z = -1e300;  // in 3D
  double high_z = 1e300;
  double tilt = 1e300;  // [rad]
  double since = 0.0;   // [s]
  double most = 1e300;  // [N]
  Vec3 point;           // of pose_within: which point of the body, in its frame [m]
};

constexpr std::size_t most_predicates = 64;  // in a condition of success

}  // namespace pegrasp
