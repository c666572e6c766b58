// SPDX-License-Identifier: Apache-2.0
// Support tripods as a problem describes them; sampling/tripod.hpp has the statics.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/sampling/philox.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/scene.hpp"

namespace pegrasp {

// Whether three points on a circle can carry these relative loads.
bool tripod_can_carry(const std::array<double, 3>& load);

// Draws loads until three points can carry them; returns how often they had to be redrawn. Throws std::runtime_error(no_loads(name)).
std::uint32_t draw_loads(const UncertainTripod& tripod, const DrawKey& key, std::array<double, 3>& load);
std::string no_loads(const std::string& tripod);

// radius [m], turn [rad] of the first point from +x, load relative (tripod_can_carry), weight [N] to be shared out.
SupportTripod tripod_on_circle(double radius, double turn, const std::array<double, 3>& load, double weight);

}  // namespace pegrasp
