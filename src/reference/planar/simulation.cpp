// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/simulation.hpp"

#include <algorithm>
#include <utility>

namespace pegrasp::reference {
namespace {

std::vector<double> drop_times(const PlanarScene& scene, std::span<const double> parameters) {
  const PlanarNumbers numbers(scene, parameters);
  std::vector<double> out;
  for (int body = 0; body < scene.body_count(); ++body) out.push_back(numbers.drop_time(body));
  return out;
}

PlanarState start_state(const PlanarNumbers& numbers) {
  PlanarState out;
  for (int body = 0; body < numbers.scene().body_count(); ++body) {
    out.pose.push_back(numbers.pose(body));
    out.velocity.push_back(numbers.velocity(body));
    if (numbers.scene().spec().bodies[static_cast<std::size_t>(body)].oscillation) {
      const auto swing = numbers.swing(numbers.scene().spec(), body, 0.0);
      out.pose.back() += Vector3::Map(swing.displacement.data());
      out.velocity.back() = Vector3::Map(swing.rate.data());
    }
    out.last.push_back(0.0);
    out.acceleration.push_back(Vector3::Zero());
  }
  return out;
}

}  // namespace

PlanarSimulation::PlanarSimulation(std::shared_ptr<const PlanarScene> scene, const StepOptions& options,
                                   std::span<const double> parameters, StepSolver solver)
    : SimulationFrame(options, drop_times(*scene, parameters), {4, false}),
      scene_(std::move(scene)),
      numbers_(*scene_, parameters),
      solver_(std::move(solver)),
      state_(start_state(numbers_)),
      success_(*scene_, options, state_) {
  if (!numbers_.finite()) refuse_parameters();
}

PlanarSimulation::PlanarSimulation(const SceneSpec& scene, const StepOptions& options,
                                   std::span<const double> parameters)
    : PlanarSimulation(std::make_shared<const PlanarScene>(scene), options, parameters) {}

void PlanarSimulation::set_state(int step, std::span<const Pose> poses, std::span<const Twist> velocities,
                                 std::span<const double> last, std::span<const Twist> accelerations) {
  continue_at(step);
  now_.reset();
  for (std::size_t b = 0; b < state_.pose.size(); ++b) {
    state_.pose[b] = vector3(poses[b]);
    state_.velocity[b] = vector3(velocities[b]);
    state_.last[b] = last.empty() ? 0.0 : last[b];
    state_.acceleration[b] = accelerations.empty() ? Vector3(Vector3::Zero()) : vector3(accelerations[b]);
  }
}

const AttemptReport& PlanarSimulation::attempt(const StepOptions& options, double time) {
  attempted_ = options.h;
  attempted_at_ = time;
  PlanarState start = state_;
  for (std::size_t b = 0; is_quasistatic(*scene_) && b < start.pose.size(); ++b) {
    if (scene_->body(static_cast<int>(b)).dynamic()) start.velocity[b] = Vector3::Zero();
  }
  end_ = PlanarAttempt(numbers_, options, start, present(), time, solver_, kept_).run();
  return end_;
}

// A step of length 0 takes the velocities from the middle of the last one to its end.
Twist PlanarSimulation::velocity(int body) const {
  const auto b = static_cast<std::size_t>(body);
  if (!now_) {
    PlanarImpulses kept;
    kept.contacts = kept_.contacts;  // for the deflections of shells
    now_ = PlanarAttempt(numbers_, without_length(options()), state_, present(), time(), solver_, kept).run().end;
  }
  const bool moved = present()[b] != 0 && state_.last[b] > 0.0;
  return twist_of(moved ? now_->velocity[b] : state_.velocity[b]);
}

bool PlanarSimulation::end_is_finite() const {
  const auto is_finite = [](const Vector3& v) { return v.allFinite(); };
  return std::all_of(end_.end.pose.begin(), end_.end.pose.end(), is_finite) &&
         std::all_of(end_.end.velocity.begin(), end_.end.velocity.end(), is_finite);
}

void PlanarSimulation::take_end() {
  now_.reset();
  kept_.take_step();
  for (std::size_t b = 0; b < state_.pose.size(); ++b) {
    if (present()[b] == 0) continue;  // a body that is not there yet keeps its pose and velocity
    state_.pose[b] = end_.end.pose[b];
    state_.acceleration[b] = (end_.end.velocity[b] - state_.velocity[b]) / (0.5 * (state_.last[b] + attempted_));
    state_.velocity[b] = end_.end.velocity[b];
    const BodySpec& spec = scene_->spec().bodies[b];
    if (spec.oscillation && spec.oscillation->end_velocity) {
      const auto swing = numbers_.swing(scene_->spec(), static_cast<int>(b), attempted_at_ + attempted_);
      state_.pose[b] = numbers_.pose(static_cast<int>(b)) + Vector3::Map(swing.displacement.data());
    }
    state_.last[b] = is_quasistatic(*scene_) ? 0.0 : attempted_;
  }
}

}  // namespace pegrasp::reference
