// SPDX-License-Identifier: Apache-2.0
// One spatial scene, stepped by the reference simulator, as PlanarSimulation is for planar ones
// (docs/explanation/validation.md).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/reference/common/simulation_frame.hpp"
#include "src/reference/spatial/attempt.hpp"
#include "src/reference/spatial/success.hpp"

namespace pegrasp::reference::spatial {

// Solves a step with Coulomb's law on discs, exactly, by cone_solver.hpp. Where that does not converge, it continues
// from the MCP solver's answer, except in steps with friction moments, which the MCP solver does not take.
StepSolver spatial_solver();

class SpatialSimulation final : public SimulationFrame {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options(); contact model and solver are
  // ignored.
  SpatialSimulation(std::shared_ptr<const SpatialScene> scene, const StepOptions& options,
                    std::span<const double> parameters, StepSolver solver = spatial_solver());

  // The next step starts from this state, as step number `step` of the scene (0-based), also if the stop rule had ended
  // the scene. (bodies) each: poses of the bodies' frames, velocities of the centres of mass in the middle of the last
  // (sub)steps, whose lengths [s] are in `last`; without these, at the beginning of the step. motions: in these
  // (sub)steps themselves; accelerations: where they began. The sums of the outcome go on.
  void set_state(int step, std::span<const SpatialPose> poses, std::span<const SpatialTwist> velocities,
                 std::span<const double> last = {}, std::span<const SpatialTwist> motions = {},
                 std::span<const SpatialTwist> accelerations = {});
  const SpatialState& state() const { return state_; }
  SpatialPose pose(int body) const;       // of the body's frame
  SpatialTwist velocity(int body) const;  // of the centre of mass, at time()
  // Of the centre of mass, in the middle of the last (sub)step, and the length of that [s].
  SpatialTwist middle_velocity(int body) const;
  double last_substep(int body) const { return state_.last[static_cast<std::size_t>(body)]; }
  Vector3 momentum(int body) const { return state_.momentum[static_cast<std::size_t>(body)]; }  // angular [kg m^2/s]
  double kinetic_energy() const;                                                                // [J] at time()

 private:
  double overlap_of_watched() const;  // [m]
  const SpatialState& now() const;
  const AttemptReport& attempt(const StepOptions& options, double time) override;
  bool end_is_finite() const override;
  void take_end() override;
  void forget_impulses() override { kept_.h = 0.0; }
  double last_length(int body) const override { return last_substep(body); }
  SuccessTracker& success() override { return success_; }
  const SuccessTracker& success() const override { return success_; }

  std::shared_ptr<const SpatialScene> scene_;
  SpatialNumbers numbers_;
  StepSolver solver_;
  SpatialState state_;
  SpatialSuccess success_;
  std::vector<double> joint_turn_;  // (joints) [rad] counted over whole turns
  SpatialImpulses kept_;
  SpatialEnd end_;                           // of the last attempt
  double attempted_at_ = 0.0;                // when it began [s]
  double attempted_ = 0.0;                   // [s] its length
  mutable std::optional<SpatialState> now_;  // with the velocities and momenta at time(), once they were asked for
};

}  // namespace pegrasp::reference::spatial
