// SPDX-License-Identifier: Apache-2.0
// One scene, stepped by the reference: the surface of pegrasp::Simulation, with every step problem solved exactly, in
// double, by the MCP solver. Slow, simple, and without a line in common with kernels/. docs/explanation/validation.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/planar/attempt.hpp"
#include "src/reference/planar/success.hpp"

namespace pegrasp::reference {

class ReferenceSimulation {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options(); contact model and solver are
  // not looked at. Throws std::invalid_argument, as compile_model() does.
  ReferenceSimulation(std::shared_ptr<const ReferenceScene> scene, const StepOptions& options,
                      std::span<const double> parameters, StepSolver solver = exact_solver());
  ReferenceSimulation(const SceneSpec& scene, const StepOptions& options, std::span<const double> parameters);

  // Copies would share the solver's workspace.
  ReferenceSimulation(ReferenceSimulation&&) = default;
  ReferenceSimulation& operator=(ReferenceSimulation&&) = default;

  // Advances by one step h (with substeps inside where needed). False once the scene has ended (stop rule, time limit,
  // fault).
  bool step();
  void run() {
    while (step()) {
    }
  }
  // The next step starts from this state, as step number `step` of the scene (0-based), also when the stop rule had ended
  // it; the tally goes on.
  void set_state(int step, std::span<const Pose> poses, std::span<const Twist> velocities);

  double time() const { return outcome_.time; }
  bool present(int body) const { return present_[static_cast<std::size_t>(body)] != 0; }
  Pose pose(int body) const { return pose_of(motion_.pose[static_cast<std::size_t>(body)]); }
  Twist velocity(int body) const { return twist_of(motion_.velocity[static_cast<std::size_t>(body)]); }
  int contact_count() const { return contacts_; }                  // in the last accepted substep
  double last_residual() const { return step_residual_; }          // [m/s] natural map, largest of the last step
  double last_mcp_residual() const { return step_mcp_residual_; }  // of the complementarity problems of the last step
  double last_penetration() const { return step_depth_; }          // [m], largest of the last step
  // Whether in the last step two features of a pair that carries force were equally good, to the accepted overlap: then
  // rounding chose, and another code may choose the other.
  bool last_tie() const { return step_tie_; }
  std::uint32_t last_status() const { return step_status_; }   // bits set by the last step
  mcp::Status last_mcp_status() const { return mcp_status_; }  // worst of the last step
  double solver_seconds() const { return solver_seconds_; }
  SceneOutcome outcome() const;  // so far; `iterations` are pivots; `success` is judged at the present state

 private:
  bool over() const;
  void appear(double time);
  void accept(const AttemptEnd& end, bool too_deep, bool unsolved);

  std::shared_ptr<const ReferenceScene> scene_;
  StepOptions options_;
  SceneNumbers numbers_;
  StepSolver solver_;
  Motion motion_;
  std::vector<Vector3> initial_;
  std::vector<char> present_;
  KeptImpulses kept_;
  Clocks clocks_;
  SceneOutcome outcome_;
  int step_ = 0;
  int contacts_ = 0;
  double step_residual_ = 0.0, step_mcp_residual_ = 0.0, step_depth_ = 0.0, solver_seconds_ = 0.0;
  bool step_tie_ = false;
  std::uint32_t step_status_ = status_ok;
  mcp::Status mcp_status_ = mcp::Status::solved;
};

}  // namespace pegrasp::reference
