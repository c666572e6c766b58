// SPDX-License-Identifier: Apache-2.0
// Plain planar geometry types of the public API. SI units, radians, right-handed frame, z out of the plane.
#pragma once

namespace pegrasp {

// A point or a free vector in the plane [m] unless the name says otherwise.
struct Vec2 {
  double x = 0.0;
  double y = 0.0;
};

// Pose of a body frame in the world: position of the centre of mass [m] and turn about z [rad].
struct Pose {
  double x = 0.0;
  double y = 0.0;
  double theta = 0.0;
};

// Generalised velocity nu of a planar body: velocity of the centre of mass [m/s] and angular velocity about z [rad/s].
struct Twist {
  double vx = 0.0;
  double vy = 0.0;
  double omega = 0.0;
};

}  // namespace pegrasp
