// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/simulation.hpp"

#include <algorithm>
#include <utility>

#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {
namespace {

// Steps with a pair that could pass through each other are halved so many times more.
constexpr int further_levels = 4;

std::vector<double> drop_times(const SpatialScene& scene, std::span<const double> parameters) {
  const SpatialNumbers numbers(scene, parameters);
  std::vector<double> out;
  for (int body = 0; body < scene.body_count(); ++body) out.push_back(numbers.drop_time(body));
  return out;
}

}  // namespace

SpatialSimulation::SpatialSimulation(std::shared_ptr<const SpatialScene> scene, const StepOptions& options,
                                     std::span<const double> parameters, StepSolver solver)
    : SimulationFrame(options, drop_times(*scene, parameters), {further_levels, true}),
      scene_(std::move(scene)),
      numbers_(*scene_, parameters),
      solver_(std::move(solver)),
      state_(start_state(numbers_)),
      success_(numbers_, options, state_) {
  for (const JointSpec& joint : scene_->spec().joints) {
    joint_turn_.push_back(JointAt(numbers_, joint, state_.position, state_.turn).coordinate(Freedom::turn, 0.0).value);
  }
  if (!numbers_.finite()) {
    refuse_parameters();
  } else if (const HoldWatch& watch = scene_->spec().watch; watch.part >= 0) {
    begin_with_overlap(overlap_of_watched(), watch.overlap);
  }
}

double SpatialSimulation::overlap_of_watched() const {
  const HoldWatch& watch = scene_->spec().watch;
  double least = 0.0;
  const auto solid = [&](int part) {
    const int body = scene_->part_body(part);
    const auto b = static_cast<std::size_t>(body);
    return scene_->place(part, frame_of(numbers_, body, state_.position[b], state_.turn[b]));
  };
  for (int i = 0; i < scene_->part_count(); ++i) {
    if (scene_->part_body(i) != watch.part) continue;
    for (int k = 0; k < scene_->part_count(); ++k) {
      if (std::find(watch.bodies.begin(), watch.bodies.end(), scene_->part_body(k)) == watch.bodies.end()) continue;
      least = std::min(least, best_separation(solid(i), solid(k)).value());
    }
  }
  return -least;
}

void SpatialSimulation::set_state(int step, std::span<const SpatialPose> poses,
                                  std::span<const SpatialTwist> velocities, std::span<const double> last,
                                  std::span<const SpatialTwist> motions, std::span<const SpatialTwist> accelerations) {
  const auto twist = [](const SpatialTwist& x) { return Twist6{vector3(x.velocity), vector3(x.angular)}; };
  continue_at(step);
  now_.reset();
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    state_.turn[b] = turn(poses[b].turn);
    const Matrix3 r = state_.turn[b].toRotationMatrix();
    state_.position[b] = vector3(poses[b].position) + r * numbers_.centre(body);
    state_.velocity[b] = twist(velocities[b]);
    state_.last[b] = last.empty() ? 0.0 : last[b];
    state_.motion[b] = motions.empty() ? state_.velocity[b] : twist(motions[b]);
    state_.acceleration[b] = accelerations.empty() ? Twist6{} : twist(accelerations[b]);
    if (!scene_->body(body).dynamic()) continue;
    state_.momentum[b] = r * numbers_.inertia(body) * r.transpose() * state_.velocity[b].angular;
  }
  std::size_t k = 0;
  for (const JointSpec& joint : scene_->spec().joints) {
    double& turned = joint_turn_[k++];
    turned = JointAt(numbers_, joint, state_.position, state_.turn).coordinate(Freedom::turn, turned).value;
  }
}

const AttemptReport& SpatialSimulation::attempt(const StepOptions& options, double time) {
  attempted_ = options.h;
  attempted_at_ = time;
  SpatialState start = state_;
  for (int body = 0; is_quasistatic(scene_->spec()) && body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (!scene_->body(body).dynamic()) continue;
    start.velocity[b] = {};  // how far it may move is still told by its motion
    start.momentum[b] = Vector3::Zero();
  }
  end_ = SpatialAttempt(numbers_, options, start, present(), joint_turn_, time, solver_, kept_).run();
  return end_;
}

bool SpatialSimulation::end_is_finite() const {
  const SpatialState& end = end_.end;
  bool all = true;
  for (std::size_t b = 0; b < end.position.size(); ++b) {
    all = all && end.position[b].allFinite() && end.turn[b].coeffs().allFinite() &&
          end.velocity[b].linear.allFinite() && end.velocity[b].angular.allFinite();
  }
  return all;
}

void SpatialSimulation::take_end() {
  kept_.take_step();
  now_.reset();
  for (std::size_t b = 0; b < state_.position.size(); ++b) {
    if (present()[b] == 0) continue;  // a body that is not there yet keeps its pose and velocity
    state_.position[b] = end_.end.position[b];
    state_.turn[b] = end_.end.turn[b];
    state_.velocity[b] = end_.end.velocity[b];
    const BodySpec& spec = scene_->spec().bodies[b];
    if (spec.oscillation && spec.oscillation->end_velocity) {
      place_oscillating(numbers_, static_cast<int>(b), attempted_at_ + attempted_, state_);
    }
    state_.momentum[b] = end_.end.momentum[b];
    const double share = 1.0 / (0.5 * (state_.last[b] + attempted_));
    const Twist6& moved = end_.end.motion[b];
    state_.acceleration[b] = {share * (moved.linear - state_.motion[b].linear),
                              share * (moved.angular - state_.motion[b].angular)};
    state_.motion[b] = moved;
    state_.last[b] = is_quasistatic(scene_->spec()) ? 0.0 : attempted_;
  }
  joint_turn_ = end_.joint_turn;
}

SpatialPose SpatialSimulation::pose(int body) const {
  const auto b = static_cast<std::size_t>(body);
  const Placement frame = frame_of(numbers_, body, state_.position[b], state_.turn[b]);
  return {vec3(frame.origin), quaternion(state_.turn[b])};
}

// A step of length 0 takes the velocities from the middle of the last one to its end.
const SpatialState& SpatialSimulation::now() const {
  if (now_) return *now_;
  SpatialImpulses kept;
  kept.contacts = kept_.contacts;  // for the deflections of shells
  const SpatialState end =
      SpatialAttempt(numbers_, without_length(options()), state_, present(), joint_turn_, time(), solver_, kept)
          .run()
          .end;
  now_ = state_;
  for (std::size_t b = 0; b < end.velocity.size(); ++b) {
    if (present()[b] == 0 || !(state_.last[b] > 0.0)) continue;
    now_->velocity[b] = end.velocity[b];
    now_->momentum[b] = end.momentum[b];
  }
  return *now_;
}

SpatialTwist SpatialSimulation::velocity(int body) const {
  const Twist6& v = now().velocity[static_cast<std::size_t>(body)];
  return {vec3(v.linear), vec3(v.angular)};
}

SpatialTwist SpatialSimulation::middle_velocity(int body) const {
  const Twist6& v = state_.velocity[static_cast<std::size_t>(body)];
  return {vec3(v.linear), vec3(v.angular)};
}

double SpatialSimulation::kinetic_energy() const {
  double sum = 0.0;
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (!scene_->body(body).dynamic() || present()[b] == 0) continue;
    sum += 0.5 * numbers_.mass(body) * now().velocity[b].linear.squaredNorm() +
           spin_energy(numbers_, body, state_.turn[b], now().momentum[b]);
  }
  return sum;
}

}  // namespace pegrasp::reference::spatial
