// SPDX-License-Identifier: Apache-2.0
// The step problems of a running scene: the engine moves it, and at any of its states the next step is written as a
// StepProblem, in the model of contact that is asked for.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

// How contact enters a step. The first is the engine's own, for all shapes, linearised at the start pose (its first pass);
// the others are for polygons (constraint_sets.hpp).
enum class StepModel { pair_modes, peg, peg_several, lnc, standard, standard_single };
const std::vector<std::string>& step_model_names();  // in that order

// The scene as the parameters change it: masses, states, friction, actuators, supports.
SceneSpec with_parameters(SceneSpec scene, std::span<const double> parameters);

class StepSource {
 public:
  // parameters: of the simulation. options: from derive_options(). Throws std::invalid_argument, one line, where the scene
  // cannot be simulated.
  StepSource(const SceneSpec& scene, const StepOptions& options, std::span<const double> parameters, StepModel model);
  ~StepSource();
  StepSource(StepSource&&) noexcept;
  StepSource& operator=(StepSource&&) noexcept;

  // The step from the present state of `simulation`, which has taken `steps` steps; nothing where bodies fly freely: no
  // contacts, supports, motors. Throws std::invalid_argument for shapes that the model does not know.
  std::optional<StepProblem> next(const Simulation& simulation, int steps);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pegrasp::reference
