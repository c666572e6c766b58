// SPDX-License-Identifier: Apache-2.0
// The kinds of facets that a planar pair's mode may name.
#pragma once

#include "kernels/base/platform.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// ModeType of a packed mode (contact/mode_search.hpp).
enum ModeType : int {
  mode_edge_a = 0,  // an edge of part a
  mode_edge_b = 1,  // an edge of part b
  mode_arcs = 2,    // an arc of each part
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
