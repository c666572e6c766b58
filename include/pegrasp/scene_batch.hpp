// SPDX-License-Identifier: Apache-2.0
// Variants of one scene that differ in numbers (friction, poses, velocities, masses, ...), simulated together.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"

namespace pegrasp {

// Holds all that has to fit together for Backend::run(): the scene, its model, options derived for the arithmetic, and
// a row of parameters and results for each variant. Variants are numbered from 0, bodies by their index in the scene.
// Members that take a variant or a body throw std::out_of_range for one that there is not; members of the other
// dimension throw std::logic_error.
class SceneBatch {
 public:
  // `count` variants, all as the scene describes itself. options: before derive_options(). Throws
  // std::invalid_argument, one line, for a scene or options that cannot be simulated.
  SceneBatch(SceneSpec scene, std::size_t count, const StepOptions& options = {},
             Arithmetic arithmetic = Arithmetic::strict);

  std::size_t size() const { return count_; }
  const SceneSpec& scene() const { return scene_; }
  const Model& model() const { return *model_; }
  const StepOptions& options() const { return options_; }  // derived
  Arithmetic arithmetic() const { return arithmetic_; }
  const ParameterLayout& layout() const { return layout_; }
  int body(const std::string& name) const;  // its index; std::invalid_argument where no body has that name

  // Friction coefficient of all pairs of bodies, or of one pair, in either order. Throws std::invalid_argument for a
  // pair that can never touch, and for scenes that are too large to have it as a parameter (largest_pair_list).
  void set_friction(std::size_t variant, double mu);
  void set_friction(std::size_t variant, int body_a, int body_b, double mu);
  // Poses and velocities at the start, of the body's frame and the centre of mass as in BodySpec.
  void set_pose(std::size_t variant, int body, const Pose& pose);
  void set_pose(std::size_t variant, int body, const SpatialPose& pose);
  void set_velocity(std::size_t variant, int body, const Twist& velocity);
  void set_velocity(std::size_t variant, int body, const SpatialTwist& velocity);
  // Mass [kg] of a body; its inertia and the loads of its support are scaled with it.
  void set_mass(std::size_t variant, int body, double mass);
  // Everything else, by its place in layout(): (layout().size())
  std::span<double> parameters(std::size_t variant);
  std::span<const double> parameters(std::size_t variant) const;

  // Simulates all variants. False when `stop` was set before the end: there are no results then. The first form takes
  // a backend that may serve several batches, and throws std::invalid_argument where its arithmetic is not the
  // batch's; the second makes one, and throws as make_backend() does.
  bool run(Backend& backend, const std::atomic<bool>* stop = nullptr);
  bool run(BackendKind kind = BackendKind::automatic, const std::atomic<bool>* stop = nullptr);

  // Results of the last run(); std::logic_error before one has ended.
  const SceneOutcome& outcome(std::size_t variant) const;
  bool resolved(std::size_t variant) const { return outcome(variant).status == status_ok; }
  Pose pose(std::size_t variant, int body) const;
  SpatialPose spatial_pose(std::size_t variant, int body) const;

  // One variant, to be watched step by step.
  Simulation simulation(std::size_t variant) const;

 private:
  double& parameter(std::size_t variant, int index);
  void check_body(int body) const;
  void check_dimension(bool spatial) const;
  void check_parameter_friction() const;
  const double* final_pose(std::size_t variant, int body) const;

  SceneSpec scene_;
  std::size_t count_;
  Arithmetic arithmetic_;
  std::shared_ptr<const Model> model_;
  StepOptions options_;
  ParameterLayout layout_;
  std::vector<double> parameters_;  // (count, layout.size())
  std::vector<SceneOutcome> outcomes_;
  std::vector<double> poses_;  // (count, bodies, layout.pose_size())
};

}  // namespace pegrasp
