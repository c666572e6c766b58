// SPDX-License-Identifier: Apache-2.0
// Support tripods as a problem describes them. kernels/sampling/tripod.hpp has the statics.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/sampling/philox.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// Whether three points on a circle can carry these relative loads about its centre.
bool tripod_can_carry(const std::array<double, 3>& load);

// Draws loads until three points can carry them, and returns how often they were drawn again. Throws
// std::runtime_error(no_loads(name)) when no draw can be carried.
std::uint32_t draw_loads(const UncertainTripod& tripod, const DrawKey& key, std::array<double, 3>& load);
std::string no_loads(const std::string& tripod);

// The tripod on a circle of the given radius [m]. `turn` [rad] is the angle of the first point from +x; `load` has
// relative loads that tripod_can_carry() accepts; they are scaled to the weight [N].
SupportTripod tripod_on_circle(double radius, double turn, const std::array<double, 3>& load, double weight);

}  // namespace pegrasp
