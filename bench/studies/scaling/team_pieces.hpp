// SPDX-License-Identifier: Apache-2.0
// What each rank of a team does between two syncs, on one thread of the CPU.
#pragma once

#include <vector>

#include "bench/cases.hpp"

namespace pegrasp::bench {

// Of every rank, the time of each piece between two syncs [ns].
using Pieces = std::vector<std::vector<float>>;

struct Window {
  double from, to;  // [s]
};

// Of the first scene of a case, within the window. What disturbs a run takes longer: of `runs` the least counts, piece
// by piece.
Pieces planar_pieces(const Case& one, const Window& window, int ranks, int runs);
Pieces spatial_pieces(const Case& one, const Window& window, int ranks, int runs);

}  // namespace pegrasp::bench
