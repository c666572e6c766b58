// SPDX-License-Identifier: Apache-2.0
// Included by what CMake writes from scene_worker.cpp.in only: the same code under two sets of compiler flags, for
// bodies in 2D and in 3D.
#pragma once

#include <vector>

#include "kernels/launch/cpu/step_watch.hpp"
#include "kernels/launch/cpu/velocity_reader.hpp"
#include "kernels/launch/scene_worker.hpp"
#include "kernels/step/run_scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// One CPU thread that somebody may ask for an end.
struct HeedfulTeam : SerialTeam {
  const std::atomic<bool>* stop = nullptr;
  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

class CpuWorker final : public SceneWorker {
 public:
  CpuWorker(const ModelView& model, const StepOptions& options, Capacity capacity)
      : model_(model), options_(options), reader_(model, options) {
    SceneView measure{};
    arena_.resize(bind_scene(measure, model_, capacity, nullptr) / sizeof(Chunk) + 1);
    bind_scene(scene_, model_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
  }

  void run(const double* parameters, SceneOutcome* outcome, double* final_pose,
           const std::atomic<bool>* stop) override {
    scene_.parameters = parameters;
    HeedfulTeam team{{}, stop};
    run_scene(team, scene_, options_, {outcome, final_pose}, [&team] { return !team.stopped(); });
  }
  void begin(const double* parameters) override {
    scene_.parameters = parameters;
    HeedfulTeam team;
    begin_scene(team, scene_);
    appear(team, scene_, 0.0);
    reader_.forget();
  }
  bool advance() override {
    if (scene_over(scene_, options_)) return false;
    HeedfulTeam team{{}, stop_};
    if (contents_ == nullptr) return advance_scene(team, scene_, options_);
    StepWatch watch(scene_, options_);
    const auto moved = [this](int body) {
      if constexpr (!has_islands) return true;
      return scene_.island_of[body] == scene_.tally->islands.island || is_kinematic(scene_, body);
    };
    const bool fine = advance_scene(team, scene_, options_,
                                    [&](const SceneView& s, double h, bool begins) { watch.see(s, h, begins, moved); });
    *contents_ = watch.contents(scene_);
    return fine;
  }
  void heed(const std::atomic<bool>* stop) override { stop_ = stop; }
  void push(const SetWrenches* wrenches) override { scene_.wrenches = wrenches; }
  void watch(StepContents* contents) override { contents_ = contents; }
  bool success() const override { return succeeded(scene_); }
  double success_margin() const override { return margin_of_success(scene_); }
  const SceneTally& tally() const override { return *scene_.tally; }
  const double* pose() const override { return scene_.pose; }
  const double* twist() const override { return scene_.twist; }
  const double* last_h() const override { return scene_.last_h; }
  const double* acceleration() const override { return scene_.acceleration; }
  const double* last_spin() const override { return scene_.last_spin; }
  const double* velocity() const override { return reader_.velocities(scene_); }
  double work_to_now() const override { return reader_.work(scene_); }
  const int* present() const override { return scene_.present; }
  double joint_slide(int joint) const override {
    return joint_coordinate(scene_, start_joint(scene_, joint), joint, free_slide, 0.0);
  }
  double joint_turn(int joint) const override { return scene_.joint_turn[joint]; }
  double joint_apart(int joint) const override { return joint_apart_by(scene_, joint); }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  ModelView model_;
  StepOptions options_;
  std::vector<Chunk> arena_;
  SceneView scene_{};
  mutable VelocityReader reader_;  // keeps what it has read
  StepContents* contents_ = nullptr;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
