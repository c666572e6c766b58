// SPDX-License-Identifier: Apache-2.0
// The batched strategy (kernels/batch/): scenes too large for one team, or batches of them, phase by phase.
#pragma once

#include <memory>
#include <string>

#include "kernels/launch/scene_worker.hpp"

namespace pegrasp {

class BatchedScenes {
 public:
  virtual ~BatchedScenes() = default;
  // As many scenes as one batch may have.
  virtual int most_scenes() const = 0;
  // parameters: (scenes, parameter_count).
  virtual void begin(const double* parameters, int scenes) = 0;
  // One linearisation and its solve, of every scene that is not over. False when all are.
  virtual bool round() = 0;
  // Has round() look at `stop` (null: at nothing) while it works, where it can.
  virtual void heed(const std::atomic<bool>*) {}
  // When all are over: outcomes (scenes), final poses (scenes, bodies, 3; in 3D 7).
  virtual void results(SceneOutcome* outcomes, double* final_poses) = 0;
  // How the batch lies on the device, in words; empty on a CPU.
  virtual std::string shape() const { return {}; }
};

// threads: that share every loop. The model's arrays must outlive what is returned.
std::unique_ptr<BatchedScenes> make_strict_batched(const ModelView& model, const StepOptions& options, int threads);
std::unique_ptr<BatchedScenes> make_fast_batched(const ModelView& model, const StepOptions& options, int threads);
std::unique_ptr<BatchedScenes> make_spatial_batched(const ModelView& model, const StepOptions& options, int threads);
std::unique_ptr<BatchedScenes> make_spatial_fast_batched(const ModelView& model, const StepOptions& options,
                                                         int threads);
// On a CUDA device, to be used by the calling thread alone; std::runtime_error, one line, for whatever goes wrong
// there.
std::unique_ptr<BatchedScenes> make_cuda_strict_batched(const ModelView& model, const StepOptions& options, int device);
// For scenes with smooth parts, in either arithmetic.
std::unique_ptr<BatchedScenes> make_cuda_smooth_batched(const ModelView& model, const StepOptions& options, int device);
std::unique_ptr<BatchedScenes> make_cuda_spatial_smooth_batched(const ModelView& model, const StepOptions& options,
                                                                int device);
std::unique_ptr<BatchedScenes> make_cuda_fast_batched(const ModelView& model, const StepOptions& options, int device);
std::unique_ptr<BatchedScenes> make_cuda_spatial_batched(const ModelView& model, const StepOptions& options,
                                                         int device);
std::unique_ptr<BatchedScenes> make_cuda_spatial_fast_batched(const ModelView& model, const StepOptions& options,
                                                              int device);
// One scene, watched step by step.
std::unique_ptr<SceneWorker> make_strict_batched_worker(const ModelView& model, const StepOptions& options,
                                                        int threads);
std::unique_ptr<SceneWorker> make_fast_batched_worker(const ModelView& model, const StepOptions& options, int threads);
std::unique_ptr<SceneWorker> make_spatial_batched_worker(const ModelView& model, const StepOptions& options,
                                                         int threads);
std::unique_ptr<SceneWorker> make_spatial_fast_batched_worker(const ModelView& model, const StepOptions& options,
                                                              int threads);

}  // namespace pegrasp
