// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"

namespace pegrasp {

// A map without results yet, with its journal open in the output folder; what an earlier run left there is read. step:
// derived.
SuccessMap begin_map(const Problem& problem, const Backend& backend, const StepOptions& step,
                     const MapOptions& options);

// `count` samples from the one at `at` in the map's arrays.
SampleJob job_of(SuccessMap& map, const Sampler& sampler, std::size_t at, std::size_t count, int threads);

// As run_map() does, which calls it: with MapOptions::counts_only.
SuccessMap run_counts(const Problem& problem, Backend& backend, const StepOptions& step, const Model& model,
                      const MapOptions& options);

}  // namespace pegrasp
