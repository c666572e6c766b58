// SPDX-License-Identifier: Apache-2.0
#define PEGRASP_SPATIAL
#include "bench/studies/scaling/team_pieces_impl.hpp"

namespace pegrasp::bench {

Pieces spatial_pieces(const Case& one, const Window& window, int ranks, int runs) {
  return least_of_runs(one, window, ranks, runs);
}

}  // namespace pegrasp::bench
