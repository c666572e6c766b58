// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegrasp::reference::spatial {
namespace {

// Status bits that end a scene at once.
constexpr std::uint32_t fatal_bits = status_capacity | status_non_finite;
// A body appears at its drop time; sums of steps come to it up to rounding [s].
constexpr double drop_tolerance = 1e-9;
// Steps with a pair that could pass through each other are halved so many times more.
constexpr int further_levels = 4;

bool finite(const SpatialState& state) {
  bool all = true;
  for (std::size_t b = 0; b < state.position.size(); ++b) {
    all = all && state.position[b].allFinite() && state.turn[b].coeffs().allFinite() &&
          state.velocity[b].linear.allFinite() && state.velocity[b].angular.allFinite();
  }
  return all;
}

}  // namespace

SpatialSimulation::SpatialSimulation(std::shared_ptr<const SpatialScene> scene, const StepOptions& options,
                                     std::span<const double> parameters, StepSolver solver)
    : scene_(std::move(scene)),
      options_(options),
      numbers_(*scene_, parameters),
      solver_(std::move(solver)),
      state_(start_state(numbers_)),
      judge_(numbers_, options, state_) {
  for (const JointSpec& joint : scene_->spec().joints) {
    joint_turn_.push_back(JointAt(numbers_, joint, state_.position, state_.turn).coordinate(Freedom::turn, 0.0).value);
  }
  appear(0.0);
  if (!numbers_.finite()) outcome_.status = status_non_finite;
}

void SpatialSimulation::appear(double time) {
  present_.clear();
  for (int body = 0; body < scene_->body_count(); ++body) {
    present_.push_back(numbers_.drop_time(body) <= time + drop_tolerance ? 1 : 0);
  }
}

bool SpatialSimulation::over() const {
  return outcome_.stopped_still != 0 || (outcome_.status & fatal_bits) != 0 ||
         (step_ + 0.5) * options_.h > options_.duration;
}

void SpatialSimulation::set_state(int step, std::span<const SpatialPose> poses,
                                  std::span<const SpatialTwist> velocities) {
  step_ = step;
  outcome_.stopped_still = 0;
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    state_.turn[b] = turn(poses[b].turn);
    const Matrix3 r = state_.turn[b].toRotationMatrix();
    state_.position[b] = vector3(poses[b].position) + r * numbers_.centre(body);
    state_.velocity[b] = {vector3(velocities[b].velocity), vector3(velocities[b].angular)};
    if (!scene_->body(body).dynamic()) continue;
    state_.momentum[b] = r * numbers_.inertia(body) * r.transpose() * state_.velocity[b].angular;
  }
  std::size_t k = 0;
  for (const JointSpec& joint : scene_->spec().joints) {
    double& turned = joint_turn_[k++];
    turned = JointAt(numbers_, joint, state_.position, state_.turn).coordinate(Freedom::turn, turned).value;
  }
}

void SpatialSimulation::accept(const SpaceEnd& end, bool too_deep, bool unsolved) {
  step_status_ |= (too_deep ? status_too_deep : 0u) | (unsolved ? status_not_converged : 0u);
  step_residual_ = std::isnan(end.residual) ? end.residual : std::max(step_residual_, end.residual);
  step_mcp_residual_ = std::max(step_mcp_residual_, end.mcp_residual);
  step_depth_ = std::max(step_depth_, end.depth);
  if (end.mcp_status != mcp::Status::solved) mcp_status_ = end.mcp_status;
  contacts_ = end.contacts;
  outcome_.contacts_max = std::max(outcome_.contacts_max, end.contacts);
  outcome_.contacts_sum += end.contacts;
  ++outcome_.substeps;
  for (std::size_t b = 0; b < state_.position.size(); ++b) {
    if (present_[b] == 0) continue;  // waits with its velocity
    state_.position[b] = end.end.position[b];
    state_.turn[b] = end.end.turn[b];
    state_.velocity[b] = end.end.velocity[b];
    state_.momentum[b] = end.end.momentum[b];
  }
  joint_turn_ = end.joint_turn;
}

// In one go, or, where an attempt is rejected, in halves of halves: substeps lie on the dyadic grid of the step and grow back as soon as
// they are aligned with it.
bool SpatialSimulation::step() {
  if (over()) return false;
  const int least = options_.max_substep_level > 0 ? 1 << further_levels : 1;
  const int whole = least << options_.max_substep_level;
  const double begin = step_ * options_.h;
  appear(begin);
  step_status_ = status_ok;
  step_tie_ = false;
  step_residual_ = step_mcp_residual_ = step_depth_ = 0.0;
  mcp_status_ = mcp::Status::solved;
  bool fine = true;
  bool risk = false;
  for (int at = 0, size = whole; at < whole && fine;) {
    StepOptions options = options_;
    options.h = options_.h * (static_cast<double>(size) / whole);
    SpatialAttempt attempt(numbers_, options, state_, present_, joint_turn_,
                           begin + options_.h * (static_cast<double>(at) / whole), solver_, kept_);
    const SpaceEnd end = attempt.run();
    step_tie_ = step_tie_ || end.tie;
    risk = risk || end.risk;
    outcome_.solves += end.solves;
    outcome_.iterations += end.pivots;
    const bool sound = finite(end.end);
    const bool too_deep = !end.agreed && (end.penetration > options.reject_depth || end.outran);
    const bool unsolved = end.gained || end.astray || !(end.residual <= options.tolerance);
    const bool can_halve = size > (risk ? 1 : least);
    if (!sound) kept_.h = 0.0;  // nothing to start the next attempt from
    if ((!sound || too_deep || unsolved) && can_halve) {
      ++outcome_.substeps_rejected;
      size /= 2;
    } else if (!sound) {
      step_status_ |= status_non_finite;
      fine = false;
    } else {
      // A joint that began the step apart is drawn together at the recovery speed; until then the scene is not what was described.
      accept(end, too_deep || end.joints_open > options.reject_depth, unsolved);
      at += size;
      while (size < whole && at % (2 * size) == 0 && at + 2 * size <= whole) size *= 2;
    }
  }
  if (fine) ++step_;
  outcome_.steps = step_;
  outcome_.time = step_ * options_.h;
  outcome_.status |= step_status_;
  outcome_.unresolved_steps += step_status_ != status_ok ? 1 : 0;
  outcome_.residual_max = std::max(outcome_.residual_max, step_residual_);
  outcome_.penetration_max = std::max(outcome_.penetration_max, step_depth_);
  if (fine && judge_.keep_clocks(state_, present_, outcome_.time, clocks_)) outcome_.stopped_still = 1;
  return fine;
}

SpatialPose SpatialSimulation::pose(int body) const {
  const auto b = static_cast<std::size_t>(body);
  const Placement frame = frame_of(numbers_, body, state_.position[b], state_.turn[b]);
  return {vec3(frame.origin), quaternion(state_.turn[b])};
}

SpatialTwist SpatialSimulation::velocity(int body) const {
  const Twist6& v = state_.velocity[static_cast<std::size_t>(body)];
  return {vec3(v.linear), vec3(v.angular)};
}

double SpatialSimulation::kinetic_energy() const {
  double sum = 0.0;
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (!scene_->body(body).dynamic() || present_[b] == 0) continue;
    sum += 0.5 * numbers_.mass(body) * state_.velocity[b].linear.squaredNorm() +
           spin_energy(numbers_, body, state_.turn[b], state_.momentum[b]);
  }
  return sum;
}

SceneOutcome SpatialSimulation::outcome() const {
  SceneOutcome out = outcome_;
  out.success = (out.status & fatal_bits) == 0 && judge_.succeeded(state_, clocks_) ? 1 : 0;
  return out;
}

}  // namespace pegrasp::reference::spatial
