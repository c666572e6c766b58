// SPDX-License-Identifier: Apache-2.0
// Runs one scene with any team, in a workspace of its own, and keeps what came out.
#pragma once

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "launch/scene_worker.hpp"
#include "model/model.hpp"
#include "pegrasp/simulation.hpp"
#include "run_scene.hpp"

namespace pegrasp::test {

// What a scene returns, compared to the bit.
struct SceneResult {
  SceneOutcome outcome;
  std::vector<double> poses;  // (bodies, 3)
  bool operator==(const SceneResult& other) const {
    static_assert(sizeof(SceneOutcome) == 8 * sizeof(int) + 7 * 8, "outcomes are compared as bytes: no padding");
    return std::memcmp(&outcome, &other.outcome, sizeof outcome) == 0 && poses.size() == other.poses.size() &&
           std::memcmp(poses.data(), other.poses.data(), sizeof(double) * poses.size()) == 0;
  }
};

// A workspace with room for any scene of the model, filled with `fill`: no result may depend on what was there before.
class SceneArena {
 public:
  SceneArena(const Model& model, const StepOptions& options, Capacity capacity, unsigned char fill = 0)
      : view_(model.view()), options_(options) {
    strict::SceneView measure{};
    arena_.resize(strict::bind_scene(measure, view_, capacity, nullptr) / sizeof(Chunk) + 1);
    std::memset(static_cast<void*>(arena_.data()), fill, arena_.size() * sizeof(Chunk));
    strict::bind_scene(scene_, view_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
    result_.outcome = {};
    result_.poses.assign(static_cast<std::size_t>(3 * view_.body_count), 0.0);
  }

  void set_parameters(const double* parameters) { scene_.parameters = parameters; }

  // Called by every rank of a team. Each has its own view of the one scene.
  template <class Team>
  void run(Team& team) {
    strict::SceneView scene = scene_;
    strict::run_scene(team, scene, options_, {&result_.outcome, result_.poses.data()});
  }
  const SceneResult& result() const { return result_; }

 private:
  struct alignas(16) Chunk {
    unsigned char bytes[16];
  };
  ModelView view_;
  StepOptions options_;
  std::vector<Chunk> arena_;
  strict::SceneView scene_{};
  SceneResult result_;
};

// Many times what a scene is given first: room enough where every edge makes a contact.
inline Capacity ample(const Model& model, const StepOptions& options) {
  const Capacity first = first_capacity(model, options);
  return grown(first, 8 * first.contacts);
}

}  // namespace pegrasp::test
