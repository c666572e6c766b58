// SPDX-License-Identifier: Apache-2.0
// Motion without contacts: prescribed, free (nu_free = nu + h M^-1 f), and how far a body can get within a step.
#pragma once

#include "reference/simulate/reference_scene.hpp"

namespace pegrasp::reference {

// Velocity that takes a kinematic body from `pose` to where it must be at the end of the step [time, time + h]. Between
// keyframes poses are interpolated linearly, outside they are held; without keyframes `velocity` is kept.
Vector3 prescribed_velocity(const SceneNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity,
                            double time, double h);

// Gravity and constant forces on a dynamic body [N, N m].
Vector3 applied_force(const SceneNumbers& numbers, int body);

// The fastest any point of the body moves [m/s].
double fastest_point(const ReferenceBody& body, const Vector3& velocity);

// What forces and motors can add to that within h [m/s].
double driven_speed(const SceneNumbers& numbers, int body, double h);

}  // namespace pegrasp::reference
