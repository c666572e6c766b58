// SPDX-License-Identifier: Apache-2.0
// The kinds of facets that a spatial pair's mode may name.
#pragma once

#include "kernels/base/platform.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// ModeType of a packed mode (contact/mode_search.hpp).
enum ModeType : int {
  mode_face_a = 0,  // a face of part a
  mode_face_b = 1,  // a face of part b
  mode_edges = 2,   // an edge of each part
  mode_round = 3,   // the nearest features of two parts, at least one of which is round
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
