// SPDX-License-Identifier: Apache-2.0
// Angles of vectors, computed without libm, so that areas and inertias have the same bits on every machine.
#pragma once

#include "pegrasp/geometry.hpp"

namespace pegrasp {

constexpr double pi = 3.14159265358979323846;

// Angle [rad] of v from the x axis, in (-pi, pi]; 0 for the zero vector. v need not be of unit length. Error: a few
// ulp.
double angle_of(Vec2 v);

// Counter-clockwise angle [rad] from `from` to `to`, in [0, 2 pi).
double turn_between(Vec2 from, Vec2 to);

}  // namespace pegrasp
