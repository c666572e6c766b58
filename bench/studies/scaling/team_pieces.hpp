// SPDX-License-Identifier: Apache-2.0
// The times of each rank of a team between two synchronisations, on one thread of the CPU.
#pragma once

#include <vector>

#include "bench/cases.hpp"

namespace pegrasp::bench {

// For every rank, the time of each piece between two synchronisations [ns].
using Pieces = std::vector<std::vector<float>>;

struct Window {
  double from, to;  // [s]
};

// The pieces of the first scene of a case within the window. The least time of `runs` runs counts for each piece, since
// disturbances only make a run longer.
Pieces planar_pieces(const Case& one, const Window& window, int ranks, int runs);
Pieces spatial_pieces(const Case& one, const Window& window, int ranks, int runs);

}  // namespace pegrasp::bench
