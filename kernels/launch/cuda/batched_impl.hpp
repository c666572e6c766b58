// SPDX-License-Identifier: Apache-2.0
// Included by what CMake writes from batched.cu.in only: the same code under two sets of compiler flags, for bodies in
// 2D and in 3D.
#pragma once

#include "kernels/batch/batch.hpp"
#include "kernels/launch/batched_scenes.hpp"
#include "kernels/launch/cuda/cuda_device.cuh"
#include "kernels/launch/cuda/device_model.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class CudaBatchedScenes final : public BatchedScenes {
 public:
  CudaBatchedScenes(const ModelView& model, const StepOptions& options)
      : model_(model), on_device_(model), batch_(device_, model_, on_device_.view(), options) {}

  int most_scenes() const override { return batch_.most_scenes(); }
  void begin(const double* parameters, int scenes) override { batch_.begin(parameters, scenes); }
  bool round() override { return batch_.round(); }
  void results(SceneOutcome* outcomes, double* final_poses) override { batch_.results(outcomes, final_poses); }
  std::string shape() const override {
    return std::string("batched strategy, products by ") + device_.product_name() +
           (device_.records() ? ", rounds as graphs" : ", no graphs: the driver has none with loops");
  }

 private:
  ModelView model_;
  DeviceModel on_device_;
  GpuDevice device_;
  Batch<GpuDevice> batch_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
