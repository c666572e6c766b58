// SPDX-License-Identifier: Apache-2.0
// Plain geometry types of the public API. SI units, radians, right-handed frames; of planar scenes z is out of the
// plane.
#pragma once

namespace pegrasp {

// A point or a free vector in 2D [m] unless the name says otherwise.
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

// A point or a free vector in 3D [m] unless the name says otherwise.
struct Vec3 {
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

// A turn in 3D: unit quaternion w + x i + y j + z k that takes body coordinates to world coordinates.
struct Quaternion {
  double w = 1.0;
  double x = 0.0;
  double y = 0.0;
  double z = 0.0;
};

// Pose of a body frame in 3D: position of the centre of mass [m], world, and the turn of the body's axes.
struct SpatialPose {
  Vec3 position;
  Quaternion turn;
};

// Generalised velocity of a body in 3D, world frame: of the centre of mass [m/s], and angular [rad/s].
struct SpatialTwist {
  Vec3 velocity;
  Vec3 angular;
};

}  // namespace pegrasp
