// SPDX-License-Identifier: Apache-2.0
// Runs scenes with any team, one after the other in one workspace, and keeps what came out. Of the dimension that the
// including file chooses.
#pragma once

#include <cstring>
#include <vector>

#include "kernels/launch/scene_worker.hpp"
#include "kernels/step/run_scene.hpp"
#include "pegrasp/simulation.hpp"
#include "src/model/model.hpp"
#include "tests/determinism/cases.hpp"
#include "tests/outcome_bytes.hpp"

namespace pegrasp::test {

// What a scene returns, compared to the bit.
struct SceneResult {
  SceneOutcome outcome{};
  std::vector<double> poses;  // (bodies, pose_size)
  bool operator==(const SceneResult& other) const {
    return same_bytes(&outcome, &other.outcome, 1) && poses.size() == other.poses.size() &&
           std::memcmp(poses.data(), other.poses.data(), sizeof(double) * poses.size()) == 0;
  }
};

// Many times what a scene is given first: enough where every edge makes a contact.
inline Capacity ample(const Model& model, const StepOptions& options) {
  const Capacity first = first_capacity(model, options);
  return grown(first, 8 * first.contacts);
}

}  // namespace pegrasp::test

namespace pegrasp::PEGRASP_ARITHMETIC {

// A workspace with capacity for any scene of the batch's model, filled with `fill`: no result may depend on what was
// there before.
class SceneArena {
 public:
  explicit SceneArena(const test::SceneBatchCase& batch, unsigned char fill = 0xff)
      : batch_(batch), view_(batch.model->view()), results_(static_cast<std::size_t>(batch.scenes())) {
    const Capacity capacity = test::ample(*batch.model, batch.options);
    SceneView measure{};
    arena_.resize(bind_scene(measure, view_, capacity, nullptr) / sizeof(Chunk) + 1);
    std::memset(static_cast<void*>(arena_.data()), fill, arena_.size() * sizeof(Chunk));
    bind_scene(scene_, view_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
    for (test::SceneResult& result : results_) {
      result.poses.assign(static_cast<std::size_t>(pose_size * view_.body_count), 0.0);
    }
  }

  // All scenes of the batch, as a team takes them from the queue. Called by every rank; each has its own view of the
  // one workspace.
  template <class Team>
  void run(Team& team) {
    SceneView scene = scene_;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      scene.parameters = batch_.scene(static_cast<int>(i));
      run_scene(team, scene, batch_.options, {&results_[i].outcome, results_[i].poses.data()});
    }
  }
  const std::vector<test::SceneResult>& results() const { return results_; }
  const void* memory() const { return arena_.data(); }
  std::size_t bytes() const { return arena_.size() * sizeof(Chunk); }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  const test::SceneBatchCase& batch_;
  ModelView view_;
  std::vector<Chunk> arena_;
  SceneView scene_{};
  std::vector<test::SceneResult> results_;
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
