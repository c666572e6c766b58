// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegrasp::reference {
namespace {

// Status bits that end a scene at once.
constexpr std::uint32_t fatal_bits = status_capacity | status_non_finite;
// A body appears at its drop time; sums of steps come to it up to rounding [s].
constexpr double drop_tolerance = 1e-9;

bool finite(const Motion& motion) {
  const auto is_finite = [](const Vector3& v) { return v.allFinite(); };
  return std::all_of(motion.pose.begin(), motion.pose.end(), is_finite) &&
         std::all_of(motion.velocity.begin(), motion.velocity.end(), is_finite);
}

}  // namespace

ReferenceSimulation::ReferenceSimulation(std::shared_ptr<const ReferenceScene> scene, const StepOptions& options,
                                         std::span<const double> parameters, StepSolver solver)
    : scene_(std::move(scene)), options_(options), numbers_(*scene_, parameters), solver_(std::move(solver)) {
  for (int body = 0; body < scene_->body_count(); ++body) {
    motion_.pose.push_back(numbers_.pose(body));
    motion_.velocity.push_back(numbers_.velocity(body));
  }
  initial_ = motion_.pose;
  clocks_.predicate.assign(scene_->spec().success.size(), 0.0);
  appear(0.0);
  if (!numbers_.finite()) outcome_.status = status_non_finite;
}

ReferenceSimulation::ReferenceSimulation(const SceneSpec& scene, const StepOptions& options,
                                         std::span<const double> parameters)
    : ReferenceSimulation(std::make_shared<const ReferenceScene>(scene), options, parameters) {}

void ReferenceSimulation::appear(double time) {
  present_.clear();
  for (int body = 0; body < scene_->body_count(); ++body) {
    present_.push_back(numbers_.drop_time(body) <= time + drop_tolerance ? 1 : 0);
  }
}

bool ReferenceSimulation::over() const {
  return outcome_.stopped_still != 0 || (outcome_.status & fatal_bits) != 0 ||
         (step_ + 0.5) * options_.h > options_.duration;
}

void ReferenceSimulation::set_state(int step, std::span<const Pose> poses, std::span<const Twist> velocities) {
  step_ = step;
  outcome_.stopped_still = 0;
  for (std::size_t b = 0; b < motion_.pose.size(); ++b) {
    motion_.pose[b] = vector3(poses[b]);
    motion_.velocity[b] = vector3(velocities[b]);
  }
}

void ReferenceSimulation::accept(const AttemptEnd& end, bool too_deep, bool unsolved) {
  step_status_ |= (too_deep ? status_too_deep : 0u) | (unsolved ? status_not_converged : 0u);
  step_residual_ = std::isnan(end.residual) ? end.residual : std::max(step_residual_, end.residual);
  step_mcp_residual_ = std::max(step_mcp_residual_, end.mcp_residual);
  step_depth_ = std::max(step_depth_, end.depth);
  if (end.mcp_status != mcp::Status::solved) mcp_status_ = end.mcp_status;
  contacts_ = end.contacts;
  outcome_.contacts_max = std::max(outcome_.contacts_max, end.contacts);
  outcome_.contacts_sum += end.contacts;
  ++outcome_.substeps;
  for (std::size_t b = 0; b < motion_.pose.size(); ++b) {
    if (present_[b] == 0) continue;  // waits with its velocity
    motion_.pose[b] = end.end.pose[b];
    motion_.velocity[b] = end.end.velocity[b];
  }
}

// In one go, or, where an attempt is rejected, in halves of halves: substeps lie on the dyadic grid of the step and
// grow back as soon as they are aligned with it.
bool ReferenceSimulation::step() {
  if (over()) return false;
  const int whole = 1 << options_.max_substep_level;
  const double begin = step_ * options_.h;
  appear(begin);
  step_status_ = status_ok;
  step_tie_ = false;
  step_residual_ = step_mcp_residual_ = step_depth_ = 0.0;
  mcp_status_ = mcp::Status::solved;
  bool fine = true;
  for (int at = 0, size = whole; at < whole && fine;) {
    StepOptions options = options_;
    options.h = options_.h * (static_cast<double>(size) / whole);
    StepAttempt attempt(numbers_, options, motion_, present_, begin + options_.h * (static_cast<double>(at) / whole),
                        solver_, kept_);
    const AttemptEnd end = attempt.run();
    step_tie_ = step_tie_ || end.tie;
    outcome_.solves += end.solves;
    outcome_.iterations += end.pivots;
    solver_seconds_ += end.seconds;
    const bool too_deep = !end.agreed && (end.penetration > options.reject_depth || end.outran);
    const bool unsolved = end.astray || !(end.residual <= options.tolerance);
    if (!finite(end.end)) {
      step_status_ |= status_non_finite;
      fine = false;
    } else if ((too_deep || unsolved) && size > 1) {
      ++outcome_.substeps_rejected;
      size /= 2;
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
  if (fine && keep_clocks(*scene_, options_, motion_, present_, clocks_)) outcome_.stopped_still = 1;
  return fine;
}

SceneOutcome ReferenceSimulation::outcome() const {
  SceneOutcome out = outcome_;
  out.success = (out.status & fatal_bits) == 0 && succeeded(*scene_, motion_, initial_, clocks_) ? 1 : 0;
  return out;
}

}  // namespace pegrasp::reference
