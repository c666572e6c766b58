// SPDX-License-Identifier: Apache-2.0
// One planar scene, stepped by the reference simulator: the interface of pegrasp::Simulation, with every step problem
// solved exactly, in double precision, by the MCP solver. It is slow and simple, and shares no code with kernels/
// (docs/explanation/validation.md).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/reference/common/simulation_frame.hpp"
#include "src/reference/planar/attempt.hpp"
#include "src/reference/planar/success.hpp"

namespace pegrasp::reference {

class PlanarSimulation final : public SimulationFrame {
 public:
  // parameters: scene_parameters(scene), possibly changed. options: from derive_options(); contact model and solver are
  // ignored. Throws std::invalid_argument, as compile_model() does.
  PlanarSimulation(std::shared_ptr<const PlanarScene> scene, const StepOptions& options,
                   std::span<const double> parameters, StepSolver solver = exact_solver());
  PlanarSimulation(const SceneSpec& scene, const StepOptions& options, std::span<const double> parameters);

  // The next step starts from this state, (bodies) each, as step number `step` of the scene (0-based), also if the stop
  // rule had ended the scene. velocities: in the middle of the last (sub)steps, whose lengths [s] are in `last`;
  // without these, at the beginning of the step. accelerations: where these began. The sums of the outcome go on.
  void set_state(int step, std::span<const Pose> poses, std::span<const Twist> velocities,
                 std::span<const double> last = {}, std::span<const Twist> accelerations = {});
  Pose pose(int body) const { return pose_of(state_.pose[static_cast<std::size_t>(body)]); }
  Twist velocity(int body) const;  // at time()
  // In the middle of the last (sub)step, and the length of that [s].
  Twist middle_velocity(int body) const { return twist_of(state_.velocity[static_cast<std::size_t>(body)]); }
  double last_substep(int body) const { return state_.last[static_cast<std::size_t>(body)]; }
  // The mean where that began.
  Twist last_acceleration(int body) const { return twist_of(state_.acceleration[static_cast<std::size_t>(body)]); }

 private:
  const AttemptReport& attempt(const StepOptions& options, double time) override;
  bool end_is_finite() const override;
  void take_end() override;
  void forget_impulses() override { kept_.h = 0.0; }
  double last_length(int body) const override { return last_substep(body); }
  SuccessTracker& success() override { return success_; }
  const SuccessTracker& success() const override { return success_; }

  std::shared_ptr<const PlanarScene> scene_;
  PlanarNumbers numbers_;
  StepSolver solver_;
  PlanarState state_;
  PlanarSuccess success_;
  PlanarImpulses kept_;
  PlanarEnd end_;                           // of the last attempt
  double attempted_at_ = 0.0;               // when it began [s]
  double attempted_ = 0.0;                  // [s] its length
  mutable std::optional<PlanarState> now_;  // with the velocities at time(), once they were asked for
};

}  // namespace pegrasp::reference
