// SPDX-License-Identifier: Apache-2.0
// The step problems of a running scene. The product simulates the scene, and at any of its states the next step can be
// written as a StepProblem, in the chosen contact model.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// How contact enters a step. The first model is that of the product, for all shapes, linearised at the start pose (the
// first pass), in 2D and 3D. The others are for polygons and polyhedra (constraint_sets.hpp, polyhedron_sets.hpp).
enum class StepModel { pair_modes, peg, peg_several, lnc, standard, standard_single };
const std::vector<std::string>& step_model_names();  // in that order

// The scene with the parameters in place: masses, states, friction, actuators, supports.
SceneSpec with_parameters(SceneSpec scene, std::span<const double> parameters);

class StepSource {
 public:
  // parameters: of the simulation. options: from derive_options(). Throws std::invalid_argument, one line, where the
  // scene cannot be simulated.
  StepSource(const SceneSpec& scene, const StepOptions& options, std::span<const double> parameters, StepModel model);
  ~StepSource();
  StepSource(StepSource&&) noexcept;
  StepSource& operator=(StepSource&&) noexcept;

  // The step from the present state of `simulation`, which has taken `steps` steps. Nothing where bodies fly freely,
  // without contacts, supports and motors. Throws std::invalid_argument for shapes that the model does not know.
  std::optional<StepProblem> next(const Simulation& simulation, int steps);

 private:
  void use_polyhedra(const StepOptions& options, std::span<const double> parameters);
  std::optional<StepProblem> next_in_space(const Simulation& simulation, int steps);
  std::optional<StepProblem> next_of_polyhedra(const Simulation& simulation, std::span<const SpatialPose> poses,
                                               std::span<const SpatialTwist> velocities);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pegrasp::reference
