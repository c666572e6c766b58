// SPDX-License-Identifier: Apache-2.0
// What scene_of_trial() does to a scene.
#pragma once

#include "pegrasp/scene.hpp"

namespace pegrasp {

// Turns gravity, in 3D by the rotation vector (x, y, 0) [rad] of the world, in 2D by the angle x.
void tilt_gravity(SceneSpec& scene, double x, double y);

}  // namespace pegrasp
