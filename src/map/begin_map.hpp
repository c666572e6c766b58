// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pegrasp/map.hpp"
#include "src/map/cell_groups.hpp"

namespace pegrasp {

// A map without results yet, with its journal open in the output folder; what an earlier run left there is read. step:
// derived.
SuccessMap begin_map(const Problem& problem, const Backend& backend, const StepOptions& step,
                     const MapOptions& options);

// As run_map() does, which calls it: with MapOptions::counts_only.
SuccessMap run_counts(const Problem& problem, Backend& backend, CellGroups& groups, const MapOptions& options);

}  // namespace pegrasp
