// SPDX-License-Identifier: Apache-2.0
// Reads the velocities at the time that a scene has come to (kernels/step/velocity_now.hpp), with memory of its own, so
// that the scene stays as it is. Built once per arithmetic and dimension.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/base/team.hpp"
#include "kernels/step/velocity_now.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

class VelocityReader {
 public:
  VelocityReader(const ModelView& model, const StepOptions& options)
      : model_(model), options_(options_without_length(options)), step_(options.h) {}

  // (bodies, dof) velocities of the scene. Those in the middle of the last (sub)step for a scene that has made no step
  // or ended with a fault, and for models that list no pairs (kernels/scene/candidates.hpp).
  const double* velocities(const SceneView& scene) {
    read(scene);
    return velocity_.data();
  }
  // What EnergyReport::explained lacks of that time [J].
  double work(const SceneView& scene) {
    read(scene);
    return work_;
  }
  void forget() { of_step_ = -1; }

 private:
  void read(const SceneView& scene) {
    if (of_step_ == scene.tally->step) return;
    of_step_ = scene.tally->step;
    work_ = 0.0;
    velocity_.assign(scene.twist, scene.twist + dof * model_.body_count);
    const SceneOutcome& outcome = scene.tally->outcome;
    if (outcome.steps == 0 || (outcome.status & fatal_bits) != 0 || model_.lists_pairs == 0) return;
    if (!remembers_motion(model_)) return;
    const double time = scene.tally->step * step_;
    for (Capacity capacity = first_capacity(scene); capacity.contacts <= largest_capacity;
         capacity = doubled(capacity)) {
      bind(capacity);
      copy_.parameters = scene.parameters;
      copy_.wrenches = scene.wrenches;
      copy_state(scene, copy_);
      SerialTeam team;
      const double work = find_velocities(team, copy_, options_, time, step_);
      if ((copy_.tally->step_status & status_capacity) != 0) continue;
      if (!finite()) return;
      for (int i = 0; i < dof * model_.body_count; ++i) {
        if (scene.present[i / dof] != 0) velocity_[static_cast<std::size_t>(i)] = copy_.nu[i];
      }
      work_ = work;
      return;
    }
  }

  static constexpr int largest_capacity = 1 << 20;
  Capacity first_capacity(const SceneView& scene) const {
    if (bound_.contacts > 0) return bound_;
    const int contacts = std::max(std::max(64, scene.capacity.contacts), scene.tally->outcome.contacts_demand);
    return {std::max(contacts, scene.capacity.pairs), contacts, std::max(contacts, scene.capacity.alternatives)};
  }
  static Capacity doubled(const Capacity& c) { return {2 * c.pairs, 2 * c.contacts, 2 * c.alternatives}; }
  void bind(const Capacity& capacity) {
    if (bound_.contacts == capacity.contacts) return;
    bound_ = capacity;
    SceneView measure{};
    arena_.assign(bind_scene(measure, model_, capacity, nullptr) / sizeof(Chunk) + 1, Chunk{});
    bind_scene(copy_, model_, capacity, reinterpret_cast<unsigned char*>(arena_.data()));
  }
  bool finite() const {
    for (int i = 0; i < dof * model_.body_count; ++i) {
      if (!is_finite(copy_.nu[i])) return false;
    }
    return true;
  }

  struct alignas(16) Chunk {
    unsigned char bytes[16] = {};
  };
  ModelView model_;
  StepOptions options_;
  double step_;
  std::vector<Chunk> arena_;
  Capacity bound_{0, 0, 0};
  SceneView copy_{};
  std::vector<double> velocity_;
  double work_ = 0.0;
  int of_step_ = -1;  // that velocity_ and work_ belong to
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
