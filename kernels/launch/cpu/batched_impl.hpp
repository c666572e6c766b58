// SPDX-License-Identifier: Apache-2.0
// Included by what CMake writes from batched.cpp.in only: the same code under two sets of compiler flags, for bodies in
// 2D and in 3D.
#pragma once

#include "kernels/batch/batch.hpp"
#include "kernels/launch/batched_scenes.hpp"
#include "kernels/launch/cpu/host_device.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class CpuBatchedScenes final : public BatchedScenes {
 public:
  CpuBatchedScenes(const ModelView& model, const StepOptions& options, int threads)
      : model_(model), device_(threads), batch_(device_, model_, &model_, options) {}

  int most_scenes() const override { return batch_.most_scenes(); }
  void begin(const double* parameters, int scenes) override { batch_.begin(parameters, scenes); }
  bool round() override { return batch_.round(); }
  void heed(const std::atomic<bool>* stop) override { device_.heed(stop); }
  void results(SceneOutcome* outcomes, double* final_poses) override { batch_.results(outcomes, final_poses); }

 private:
  ModelView model_;
  HostDevice device_;
  Batch<HostDevice> batch_;
};

class CpuBatchedWorker final : public SceneWorker {
 public:
  CpuBatchedWorker(const ModelView& model, const StepOptions& options, int threads)
      : model_(model), options_(options), device_(threads), batch_(device_, model_, &model_, options) {}

  void run(const double* parameters, SceneOutcome* outcome, double* final_pose,
           const std::atomic<bool>* stop) override {
    device_.heed(stop);
    batch_.begin(parameters, 1);
    while (batch_.round()) {
      if (device_.stopped()) return;
    }
    batch_.results(outcome, final_pose);
  }
  void begin(const double* parameters) override { batch_.begin(parameters, 1); }
  bool advance() override {
    if (scene_over(scene(), options_)) return false;
    const int limit = tally().step + 1;
    while (!device_.stopped() && batch_.round(limit)) {
    }
    return (tally().outcome.status & fatal_bits) == 0;
  }
  void heed(const std::atomic<bool>* stop) override { device_.heed(stop); }
  bool success() const override { return succeeded(scene()); }
  const SceneTally& tally() const override { return *scene().tally; }
  const double* pose() const override { return scene().pose; }
  const double* twist() const override { return scene().twist; }
  const int* present() const override { return scene().present; }
  double joint_slide(int joint) const override {
    return joint_coordinate(scene(), start_joint(scene(), joint), joint, free_slide, 0.0);
  }
  double joint_turn(int joint) const override { return scene().joint_turn[joint]; }
  double joint_apart(int joint) const override { return joint_apart_by(scene(), joint); }

 private:
  const SceneView& scene() const { return batch_.scene(0); }

  ModelView model_;
  StepOptions options_;
  HostDevice device_;
  Batch<HostDevice> batch_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
