// SPDX-License-Identifier: Apache-2.0
// Measures of one scene, gathered step by step: overlap, depth, speed, energy.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "pegrasp/simulation.hpp"

namespace pegrasp::cli {

class SceneWatch {
 public:
  // parameters: the scene's, for the initial energy.
  SceneWatch(const SceneSpec& scene, std::span<const double> parameters);
  void see(const Simulation& simulation);
  // The object that `pegrasp run --json` prints. wall: time spent stepping [s].
  nlohmann::ordered_json report(const Simulation& simulation, const StepOptions& options, Arithmetic arithmetic,
                                double wall) const;

 private:
  const SceneSpec& scene_;
  double dynamic_area_;
  std::vector<double> overlaps_;  // relative, one a step
  double speed_max_ = 0.0;
  double depth_max_ = 0.0;
  double energy_initial_ = 0.0;
  double energy_final_ = 0.0;
  double unexplained_ = 0.0;       // kinetic - explained after the last step [J]
  double largest_increase_ = 0.0;  // of that, in one step
};

// One line per body present: step, time, body, pose and velocity, 17 significant digits.
void append_state(std::ostream& out, const SceneSpec& scene, const Simulation& simulation);

}  // namespace pegrasp::cli
