// SPDX-License-Identifier: Apache-2.0
// Kernels are compiled once for each dimension and arithmetic (kernels/launch/): which of them a model takes.
#pragma once

#include <memory>

#include "kernels/launch/batched_scenes.hpp"
#include "pegrasp/simulation.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

std::unique_ptr<SceneWorker> make_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                         const Capacity& capacity);
// threads: that share every loop.
std::unique_ptr<SceneWorker> make_batched_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                                 int threads);
std::unique_ptr<BatchedScenes> make_batched(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                            int threads);
std::unique_ptr<BatchedScenes> make_cuda_batched(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                                 int device);

}  // namespace pegrasp
