// SPDX-License-Identifier: Apache-2.0
// A scene stepped literally as the sources write it: one linearisation at the start of the step, one complementarity
// problem, the new velocities, q + h nu (Williams' thesis, chapter 6). Nothing is rejected, halved or linearised again:
// what a formulation does wrong is to be seen. What planar scenes (formulation_run.hpp) and spatial ones
// (spatial_formulation_run.hpp) have in common.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "pegrasp/options.hpp"
#include "pegrasp/scene.hpp"
#include "src/reference/planar/constraint_sets.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

struct FormulationChoice {
  Formulation formulation;
  ContactRules rules;
  int certify_nodes = 200;  // of the search that finds hidden solutions of a step, or that there is none
  std::int64_t max_pivots = mcp::Options().max_pivots;  // of a solve
};

// What one step was.
struct FormulatedStepReport {
  mcp::Status status = mcp::Status::solved;
  double residual = 0.0;  // natural residual of the problem that was solved
  int unknowns = 0;       // of the problem
  int contacts = 0;       // pairs of a vertex and an edge, in 3D a face, or of two edges, within eps
  // Corners in a standard-model trap: vertices that are near two edges, or faces, or more of one part, so that
  // half-spaces of all of them hold the vertex where the part does not (Williams, figure 4.1).
  int traps = 0;
  double seconds = 0.0;  // processor time of the solve
};

class FormulatedScene {
 public:
  virtual ~FormulatedScene() = default;

  // One step; false, and nothing done, where the time limit is reached or a state is no longer finite.
  bool step();
  // step() returns soon after `stop` was set, with whatever its solve has come to.
  void heed(const std::atomic<bool>* stop) { stop_ = stop; }

  int steps() const { return steps_; }
  double time() const { return begin_ + options_.h * (steps_ - first_); }  // [s]
  bool finite() const { return finite_; }
  const std::vector<bool>& present() const { return present_; }  // (bodies)
  const FormulatedStepReport& last() const { return last_; }
  const SceneSpec& scene() const { return spec_; }

 protected:
  FormulatedScene(SceneSpec scene, const StepOptions& options, FormulationChoice choice);

  double h() const { return options_.h; }
  const FormulationChoice& choice() const { return choice_; }
  // The next step begins at that time [s].
  void restart(double time);
  // Bodies that drop later are not there before.
  void appear();

 private:
  virtual double drop_time(int body) const = 0;
  // The step from the present state, with the velocities that are prescribed; and how many traps it has.
  virtual StepProblem problem(int& traps) = 0;
  // Takes the velocities and goes on by h; false where they are not finite.
  virtual bool move(const StepSolution& solution) = 0;

  SceneSpec spec_;
  StepOptions options_;
  FormulationChoice choice_;
  std::vector<bool> present_;
  mcp::Workspace workspace_;
  Vector before_;  // velocities where the last step began, of the bodies that were present
  std::vector<bool> before_present_;
  FormulatedStepReport last_;
  int steps_ = 0;
  double begin_ = 0.0;  // [s] when step first_ began
  int first_ = 0;
  bool finite_ = true;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace pegrasp::reference
