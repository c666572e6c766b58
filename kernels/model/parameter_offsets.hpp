// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a scene's parameter vector begin, as plain numbers that kernels read. ParameterLayout says what
// is in the blocks.
#pragma once

#include "pegrasp/parameter_layout.hpp"

namespace pegrasp {

struct ParameterOffsets {
  int mass, inertia, drop_time, pose, velocity, friction, actuator, support;
  int tilt, centre, yaw, support_sphere;  // of scenes in 3D
  int oscillation;
};

// The only place that computes them; the initialisers are in the order of the members.
inline ParameterOffsets parameter_offsets(const ParameterLayout& layout) {
  return {layout.mass(0),     layout.inertia(0),        layout.drop_time(0),  layout.pose(0), layout.velocity(0),
          layout.friction(0), layout.actuator(0),       layout.support(0),    layout.tilt(0), layout.centre(0),
          layout.yaw(0),      layout.support_sphere(0), layout.oscillation(0)};
}

}  // namespace pegrasp
