// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/sampling/sobol.hpp"

namespace pegrasp {

inline constexpr int sobol_dimensions = 64;

// Of a dimension below sobol_dimensions: the digits that bit k of a point's index flips.
std::array<std::uint32_t, sobol_bits> sobol_directions(int dimension);

}  // namespace pegrasp
