// SPDX-License-Identifier: Apache-2.0
// Three support points on a circle about the centre of mass, from the loads they carry.
//
// Statics about the centre of mass: sum_i N_i r_i = 0 with |r_i| = R. So N_1 u_1 + N_2 u_2 = -N_3 u_3, and the law of
// cosines gives cos(u_1, u_2) = (N_3^2 - N_1^2 - N_2^2) / (2 N_1 N_2); likewise for u_1, u_3. Equal loads: 120 degrees.
#pragma once

#include <array>
#include <cstdint>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene.hpp"
#include "sampling/philox.hpp"

namespace pegrasp {

// Whether three points on a circle can carry these relative loads: all positive and none as large as the others' sum.
bool tripod_can_carry(const std::array<double, 3>& load);

// Draws loads until three points can carry them; returns how often they had to be redrawn.
std::uint32_t draw_loads(const UncertainTripod& tripod, DrawKey key, std::array<double, 3>& load);

// radius [m], turn [rad] of the first point from +x, load relative (tripod_can_carry), weight [N] to be shared out.
SupportTripod tripod_on_circle(double radius, double turn, const std::array<double, 3>& load, double weight);

}  // namespace pegrasp
