// SPDX-License-Identifier: Apache-2.0
// A particle filter: parameters walk at random, and the trials that fit what is seen live on.
#pragma once

#include "src/identify/identify.hpp"

namespace pegrasp::identify {

IdentifyResult filter(const RowEvaluator& rows, std::size_t fitted, const Track& track, Backend& backend,
                      const IdentifyOptions& options);

// Systematic resampling: of each of the weights' places how often it is taken, `at` in (0, 1].
std::vector<std::size_t> resampled(std::span<const double> weights, double at);

}  // namespace pegrasp::identify
