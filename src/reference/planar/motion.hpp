// SPDX-License-Identifier: Apache-2.0
// The state of planar bodies and their motion without contacts: prescribed motion, free motion nu_free = nu + h M^-1 f,
// and bounds on how far a body can move within a step.
#pragma once

#include <span>
#include <vector>

#include "src/reference/planar/scene.hpp"

namespace pegrasp::reference {

// (bodies) each: pose (x, y, theta) of the centre of mass, velocity (vx, vy, omega).
struct PlanarState {
  std::vector<Vector3> pose, velocity;
};

// The velocity that takes a kinematic body from `pose` to its keyframed pose at the end of the step [time, time + h].
// Poses are interpolated linearly between keyframes and held outside. A body without keyframes keeps `velocity`.
Vector3 prescribed_velocity(const PlanarNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity,
                            double time, double h);

// The generalised force [N, N, N m] of gravity and of force motors on a dynamic body, at that time and at these poses.
// Force motors act on the body itself or through its joints.
Vector3 applied_force(const PlanarNumbers& numbers, int body, const std::vector<Vector3>& pose,
                      std::span<const char> present, double time);

// The speed of the fastest point of the body [m/s].
double fastest_point(const PlanarBody& body, const Vector3& velocity);

// The speed [m/s] that gravity and the body's own motors can add to that within h, with targets at `time`. What joints
// add only the solution of the step shows.
double driven_speed(const PlanarNumbers& numbers, int body, double time, double h);

}  // namespace pegrasp::reference
