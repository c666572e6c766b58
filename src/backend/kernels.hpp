// SPDX-License-Identifier: Apache-2.0
// Kernels are compiled once for each dimension and arithmetic (kernels/launch/): which of them a model takes.
#pragma once

#include <memory>

#include "kernels/launch/batched_scenes.hpp"
#include "src/model/model.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

std::unique_ptr<SceneWorker> make_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                         const Capacity& capacity);
// threads: that share every loop.
std::unique_ptr<SceneWorker> make_sparse_worker(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                                int threads);
std::unique_ptr<SparseScenes> make_sparse(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                          int threads);
std::unique_ptr<SparseScenes> make_cuda_sparse(const Model& model, const StepOptions& options, Arithmetic arithmetic,
                                               int device);

}  // namespace pegrasp
