// SPDX-License-Identifier: Apache-2.0
// A planar scene of polygons, stepped as the sources write it (formulated_scene.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "src/reference/planar/polygon_step.hpp"
#include "src/reference/planar/scene.hpp"
#include "src/reference/workbench/formulated_scene.hpp"

namespace pegrasp::reference {

class FormulationRun final : public FormulatedScene {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options(); h, duration and
  // detect_distance count. Throws std::invalid_argument, one line, for scenes that it cannot step: arcs,
  // programs of motors, springs, bodies that follow, oscillations, the quasistatic model.
  FormulationRun(const SceneSpec& scene, std::span<const double> parameters, const StepOptions& options,
                 const FormulationChoice& choice);

  // The next step starts at `time` [s] from this state, (bodies) each.
  void set_state(double time, std::span<const Pose> poses, std::span<const Twist> velocities);

  const std::vector<Pose>& poses() const { return poses_; }         // (bodies)
  const std::vector<Twist>& velocities() const { return twists_; }  // (bodies)

 private:
  double drop_time(int body) const override { return numbers_.drop_time(body); }
  StepProblem problem(int& traps) override;
  bool move(const StepSolution& solution) override;
  int count_traps() const;

  std::shared_ptr<const PlanarScene> scene_;
  std::vector<double> parameters_;
  PlanarNumbers numbers_;
  PolygonStepOptions polygons_;
  std::vector<Pose> poses_;
  std::vector<Twist> twists_;
};

}  // namespace pegrasp::reference
