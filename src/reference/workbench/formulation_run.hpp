// SPDX-License-Identifier: Apache-2.0
// A planar scene of polygons, stepped literally as the sources write it: one linearisation at the start of the step,
// one complementarity problem, the new velocities, q + h nu (Williams' thesis, chapter 6). Nothing is rejected, halved
// or linearised again: what a formulation does wrong is to be seen.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/planar/polygon_step.hpp"
#include "src/reference/planar/scene.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

struct FormulationChoice {
  Formulation formulation;
  ContactRules rules;
  int certify_nodes = 200;  // of the search that finds hidden solutions of a step, or that there is none
};

// What one step was.
struct FormulatedStepReport {
  mcp::Status status = mcp::Status::solved;
  double residual = 0.0;  // natural residual of the problem that was solved
  int unknowns = 0;       // of the problem
  int contacts = 0;       // pairs of a vertex and an edge within eps
  // Corners in a standard-model trap: vertices that are near two edges or more of one part, so that half-planes of all
  // of them hold the vertex where the part does not (Williams, figure 4.1).
  int traps = 0;
  double seconds = 0.0;  // processor time of the solve
};

class FormulationRun {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options(); h, duration and
  // detect_distance count. Throws std::invalid_argument, one line, for scenes that it cannot step: joints, arcs,
  // programs of motors, bodies that follow, oscillations, the quasistatic model.
  FormulationRun(const SceneSpec& scene, std::span<const double> parameters, const StepOptions& options,
                 FormulationChoice choice);

  // One step; false, and nothing done, where the time limit is reached or a state is no longer finite.
  bool step();

  // step() returns soon after `stop` was set, with whatever its solve has come to.
  void heed(const std::atomic<bool>* stop) { stop_ = stop; }

  // The next step starts at `time` [s] from this state, (bodies) each.
  void set_state(double time, std::span<const Pose> poses, std::span<const Twist> velocities);

  int steps() const { return steps_; }
  double time() const { return begin_ + options_.h * (steps_ - first_); }  // [s]
  bool finite() const { return finite_; }
  const std::vector<Pose>& poses() const { return poses_; }               // (bodies)
  const std::vector<Twist>& velocities() const { return twists_; }        // (bodies)
  const std::vector<bool>& present() const { return polygons_.present; }  // (bodies)
  const FormulatedStepReport& last() const { return last_; }
  const SceneSpec& scene() const { return spec_; }

 private:
  void appear_and_follow();
  void move(const StepSolution& solution);
  int count_traps() const;

  SceneSpec spec_;  // with the parameters
  std::shared_ptr<const PlanarScene> scene_;
  std::vector<double> parameters_;
  PlanarNumbers numbers_;
  StepOptions options_;
  FormulationChoice choice_;
  PolygonStepOptions polygons_;
  std::vector<Pose> poses_;
  std::vector<Twist> twists_;
  mcp::Workspace workspace_;
  FormulatedStepReport last_;
  int steps_ = 0;
  double begin_ = 0.0;  // [s] when step first_ began
  int first_ = 0;
  bool finite_ = true;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace pegrasp::reference
