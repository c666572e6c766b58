// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "pegrasp/map.hpp"

namespace pegrasp {

// The bytes of map.h5; docs/results.md lists its datasets and attributes. std::runtime_error when memory runs out.
std::string map_hdf5(const SuccessMap& map, const Problem& problem);

}  // namespace pegrasp
