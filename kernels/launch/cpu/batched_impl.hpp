// SPDX-License-Identifier: Apache-2.0
// Included by what CMake writes from batched.cpp.in only: the same code under two sets of compiler flags, for bodies in
// 2D and in 3D.
#pragma once

#include <optional>
#include <vector>

#include "kernels/batch/batch.hpp"
#include "kernels/launch/batched_scenes.hpp"
#include "kernels/launch/cpu/host_device.hpp"
#include "kernels/launch/cpu/step_watch.hpp"
#include "kernels/launch/cpu/velocity_reader.hpp"

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
      : model_(model),
        options_(options),
        device_(threads),
        batch_(device_, model_, &model_, options),
        reader_(model, options) {}

  void run(const double* parameters, SceneOutcome* outcome, double* final_pose,
           const std::atomic<bool>* stop) override {
    device_.heed(stop);
    batch_.begin(parameters, 1);
    while (batch_.round()) {
      if (device_.stopped()) return;
    }
    batch_.results(outcome, final_pose);
  }
  void begin(const double* parameters) override {
    batch_.begin(parameters, 1);
    reader_.forget();
  }
  bool advance() override {
    if (scene_over(scene(), options_)) return false;
    const int limit = tally().step + 1;
    std::optional<StepWatch> watch;
    if (contents_ != nullptr) watch.emplace(scene(), options_);
    while (!device_.stopped() && batch_.round(limit)) {
      if (watch) see_round(*watch);
    }
    if (watch) *contents_ = watch->contents(scene());
    return (tally().outcome.status & fatal_bits) == 0;
  }
  void heed(const std::atomic<bool>* stop) override { device_.heed(stop); }
  void push(const SetWrenches* wrenches) override { batch_.view().scene[0].wrenches = wrenches; }
  void watch(StepContents* contents) override { contents_ = contents; }
  bool success() const override { return succeeded(scene()); }
  double success_margin() const override { return margin_of_success(scene()); }
  const SceneTally& tally() const override { return *scene().tally; }
  const double* pose() const override { return scene().pose; }
  const double* twist() const override { return scene().twist; }
  const double* last_h() const override { return scene().last_h; }
  const double* acceleration() const override { return scene().acceleration; }
  const double* last_spin() const override { return scene().last_spin; }
  const double* velocity() const override { return reader_.velocities(scene()); }
  double work_to_now() const override { return reader_.work(scene()); }
  const int* present() const override { return scene().present; }
  double joint_slide(int joint) const override {
    return joint_coordinate(scene(), start_joint(scene(), joint), joint, free_slide, 0.0);
  }
  double joint_turn(int joint) const override { return scene().joint_turn[joint]; }
  double joint_apart(int joint) const override { return joint_apart_by(scene(), joint); }

 private:
  const SceneView& scene() const { return batch_.scene(0); }

  // After a round: attempts of islands may have been taken.
  void see_round(StepWatch& watch) const {
    const BatchView& b = batch_.view();
    const SceneView& s = scene();
    const auto moved = [&b](int body) {
      const int island = b.step_island[body];
      return island < no_island(b) && takes_step(b.step[island]);
    };
    bool any = false;
    for (int body = 0; body < b.bodies; ++body) any = any || moved(body);
    if (!any) return;
    const Course& course = b.course[0];
    // Kinematic bodies are at the step's end where the round has ended it.
    const double begin = (s.tally->step - (course.step_ended != 0 ? 1 : 0)) * options_.h;
    watch.see(s, course.h, course.at == 0, moved, [&](const SceneView& before) {
      if (b.by_islands == 0) return;
      std::vector<double> twist(s.twist, s.twist + dof * b.bodies), nu(twist),
          end_pose(before.pose, before.pose + pose_size * b.bodies),
          end_frame(before.start_frame, before.start_frame + frame_size * b.bodies);
      SceneView aside = before;
      aside.twist = twist.data();
      aside.nu = nu.data();
      aside.end_pose = end_pose.data();
      aside.end_frame = end_frame.data();
      for (int body = 0; body < b.bodies; ++body) {
        if (is_kinematic(s, body)) carry_kinematic(aside, body, begin, s.tally->time0 - begin);
      }
    });
  }

  ModelView model_;
  StepOptions options_;
  StepContents* contents_ = nullptr;
  HostDevice device_;
  Batch<HostDevice> batch_;
  mutable VelocityReader reader_;  // keeps what it has read
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
