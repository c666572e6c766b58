// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "pegrasp/map.hpp"

namespace pegrasp {

// map.h5: docs/results.md lists its datasets and attributes.
void write_map_hdf5(const SuccessMap& map, const Problem& problem, const std::filesystem::path& path);

}  // namespace pegrasp
