// SPDX-License-Identifier: Apache-2.0
// One scene in 3D, stepped by the reference: as ReferenceSimulation for the plane. docs/explanation/validation.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/spatial/attempt.hpp"
#include "src/reference/spatial/success.hpp"

namespace pegrasp::reference::spatial {

// Coulomb's law on discs, exactly, by cone_solver.hpp; where that ends short, from where the MCP solver comes to, but in steps with moments,
// which it does not take.
StepSolver space_solver();

class SpatialSimulation {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options(); contact model and solver are not looked at.
  SpatialSimulation(std::shared_ptr<const SpatialScene> scene, const StepOptions& options,
                    std::span<const double> parameters, StepSolver solver = space_solver());

  SpatialSimulation(const SpatialSimulation&) = delete;  // copies would share the solver's workspace
  SpatialSimulation& operator=(const SpatialSimulation&) = delete;

  // Advances by one step h (with substeps inside where needed). False once the scene has ended (stop rule, time limit, fault).
  bool step();
  void run() {
    while (step()) {
    }
  }
  // The next step starts from this state, as step number `step` of the scene (0-based): poses of the bodies' frames, velocities of the
  // centres of mass, also when the stop rule had ended it; the tally goes on.
  void set_state(int step, std::span<const SpatialPose> poses, std::span<const SpatialTwist> velocities);

  double time() const { return outcome_.time; }
  const SpatialState& state() const { return state_; }
  SpatialPose pose(int body) const;                                                             // of the body's frame
  SpatialTwist velocity(int body) const;                                                        // of the centre of mass
  Vector3 momentum(int body) const { return state_.momentum[static_cast<std::size_t>(body)]; }  // angular
  double kinetic_energy() const;                                                                // [J]
  int contact_count() const { return contacts_; }                  // in the last accepted substep
  double last_residual() const { return step_residual_; }          // [m/s] natural map, largest of the last step
  double last_mcp_residual() const { return step_mcp_residual_; }  // of the complementarity problems of the last step
  double last_penetration() const { return step_depth_; }          // [m], largest of the last step
  bool last_tie() const { return step_tie_; }
  std::uint32_t last_status() const { return step_status_; }
  mcp::Status last_mcp_status() const { return mcp_status_; }  // the worst of the last step
  SceneOutcome outcome() const;

 private:
  bool over() const;
  void appear(double time);
  void accept(const SpaceEnd& end, bool too_deep, bool unsolved);

  std::shared_ptr<const SpatialScene> scene_;
  StepOptions options_;
  SpatialNumbers numbers_;
  StepSolver solver_;
  SpatialState state_;
  SpatialSuccess judge_;
  std::vector<double> joint_turn_;  // (joints) counted on
  std::vector<char> present_;
  SpaceImpulses kept_;
  SpatialClocks clocks_;
  SceneOutcome outcome_;
  int step_ = 0;
  int contacts_ = 0;
  double step_residual_ = 0.0, step_mcp_residual_ = 0.0, step_depth_ = 0.0;
  bool step_tie_ = false;
  std::uint32_t step_status_ = status_ok;
  mcp::Status mcp_status_ = mcp::Status::solved;
};

}  // namespace pegrasp::reference::spatial
