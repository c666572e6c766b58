// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "pegrasp/map.hpp"
#include "results/hdf5_file.hpp"

namespace pegrasp {

// How many bytes map.h5 has, at most. groups: columns of drawn_groups().
std::size_t map_hdf5_bytes(const SuccessMap& map, std::size_t groups);

// map.h5; docs/results.md lists its datasets and attributes. std::runtime_error when memory runs out.
std::unique_ptr<Hdf5File> map_hdf5(const SuccessMap& map, const Problem& problem);

}  // namespace pegrasp
