// SPDX-License-Identifier: Apache-2.0
// Motion without contacts: prescribed, free (nu_free = nu + h M^-1 f), and how far a body can get within a step.
#pragma once

#include <span>
#include <vector>

#include "src/reference/planar/scene.hpp"

namespace pegrasp::reference {

// Velocity that takes a kinematic body from `pose` to where it must be at the end of the step [time, time + h]. Between
// keyframes poses are interpolated linearly, outside they are held; without keyframes `velocity` is kept.
Vector3 prescribed_velocity(const SceneNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity,
                            double time, double h);

// Gravity and forces on a dynamic body that motors are reported to give, themselves or through joints [N, N m]: at that time, at these poses.
Vector3 applied_force(const SceneNumbers& numbers, int body, const std::vector<Vector3>& pose,
                      std::span<const char> present, double time);

// The fastest any point of the body moves [m/s].
double fastest_point(const ReferenceBody& body, const Vector3& velocity);

// What gravity and its own motors can add to that within h, up to a time [m/s]; what joints do to it shows in the solution.
double driven_speed(const SceneNumbers& numbers, int body, double time, double h);

}  // namespace pegrasp::reference
