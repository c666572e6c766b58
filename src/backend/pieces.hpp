// SPDX-License-Identifier: Apache-2.0
// A batch through a device's runner, piece by piece; scenes that ran out of capacity are run again with more capacity.
#pragma once

#include <atomic>
#include <span>

#include "kernels/launch/cuda/cuda_runner.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

// As Backend::run, and where the source draws samples as Backend::run_samples. False when it was asked to stop:
// pieces may be under way then, and the runner is of no further use, but to be destroyed.
bool run_pieces(CudaRunner& runner, const Model& model, const StepOptions& options, const SceneSource& source,
                std::span<SceneOutcome> outcomes, std::span<double> final_poses, const DrawnRows& drawn,
                const std::atomic<bool>* stop);

}  // namespace pegrasp
