// SPDX-License-Identifier: Apache-2.0
#include "reference/validate/space_lockstep.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "reference/simulate/residual.hpp"
#include "reference/space/cone_solver.hpp"
#include "reference/validate/worst.hpp"

namespace pegrasp::reference {
namespace {

using space::SpaceState;
using space::Twist6;

template <class F>
double seconds_of(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Vector3 momentum_of(const space::SpaceNumbers& numbers, int body, const space::Turn& turn, const Vector3& spin) {
  const space::Matrix3 r = turn.toRotationMatrix();
  return r * numbers.inertia(body) * r.transpose() * spin;
}

}  // namespace

Shortfall judge_velocities(const StepProblem& step, const Vector& claimed, const StepSolution& own,
                           std::span<const int> body_of, double enough,
                           const std::function<double(const Vector&)>& speed) {
  const auto measure = [&](StepSolution impulses) {
    Shortfall out;
    out.momentum = speed(claimed - velocity_of_impulses(step, impulses));
    impulses.velocity = claimed;
    out.natural = worst(0.0, natural_map_residual(step, impulses, claimed, body_of));
    out.solution = std::move(impulses);
    return out;
  };
  Shortfall least = measure(own);
  if (least.residual() <= enough) return least;
  // To a hundredth of what counts: the natural map of the convex problem is no smaller than what its velocities are off by.
  constexpr double share = 0.01;
  const space::ConeProblem convex(step, claimed);
  const space::ConeSolution found = space::solve_cones(convex, convex.read(own), share * enough);
  Shortfall other = measure(convex.write(found.impulses));
  return other.residual() < least.residual() ? other : least;
}

SpaceLockstep::SpaceLockstep(const ValidateCase& job, std::size_t trial, double enough)
    : job_(job),
      sure_(std::min(enough, tolerances_for(job.options).step_residual_99)),
      numbers_(*job.space, job.trials[trial].parameters),
      solver_(space::space_solver()),
      fast_(job.model, job.options, job.trials[trial].parameters, job.arithmetic),
      other_(job.space, job.options, job.trials[trial].parameters,
             [this](const StepProblem& step, const StepSolution* start) { return solve(step, start); }) {
  last_.trial = trial;
}

SolvedStep SpaceLockstep::solve(const StepProblem& step, const StepSolution* start) {
  SolvedStep solved = solver_(step, start);
  passes_.push_back({step, solved.solution});
  return solved;
}

double SpaceLockstep::apart() const {
  double most = 0.0;
  for (int body = 0; body < job_.space->body_count(); ++body) {
    if (!job_.space->body(body).dynamic() || !fast_.present(body)) continue;
    const SpatialTwist a = fast_.spatial_velocity(body);
    const SpatialTwist b = other_.velocity(body);
    most = worst(most, fastest_point(numbers_, body,
                                     {space::vector3(a.velocity) - space::vector3(b.velocity),
                                      space::vector3(a.angular) - space::vector3(b.angular)}));
  }
  return most;
}

bool SpaceLockstep::step() {
  const int bodies = job_.space->body_count();
  std::vector<SpatialPose> poses;
  std::vector<SpatialTwist> velocities;
  for (int body = 0; body < bodies; ++body) {
    poses.push_back(fast_.spatial_pose(body));
    velocities.push_back(fast_.spatial_velocity(body));
  }
  bool more = false;
  seconds_fast_ += seconds_of([&] { more = fast_.step(); });
  if (!more) return false;
  passes_.clear();
  other_.set_state(next_, poses, velocities);
  const SpaceState before = other_.state();
  seconds_other_ += seconds_of([&] { more = other_.step(); });
  if (!more) return false;
  last_.step = next_++;
  last_.velocity = apart();
  last_.told_fast = fast_.last_residual();
  last_.residual_other = other_.last_residual();
  last_.contacts_fast = fast_.contact_count();
  last_.contacts_other = other_.contact_count();
  const SceneOutcome fast = fast_.outcome();
  const SceneOutcome other = other_.outcome();
  // The product solves island by island, and none in flight; the reference all of the scene. Compared are linearisations.
  const bool at_once = fast.substeps - fast_before_.substeps == 1;
  last_.solves_fast = at_once ? std::max(1, fast_.last_passes()) : static_cast<int>(fast.solves - fast_before_.solves);
  last_.solves_other = static_cast<int>(other.solves - other_before_.solves);
  last_.tie = other_.last_tie();
  fast_before_ = fast;
  other_before_ = other;
  last_.residual_fast = 0.0;
  last_.left_open = !at_once;
  if (at_once && resolved()) {
    const bool again = fast_.last_passes() > 1;
    const double left = again ? least_of_passes(before) : judge(before, 0).residual();
    last_.left_open = again && !(left <= sure_);
    if (!last_.left_open) last_.residual_fast = left;
  }
  return true;
}

// The velocities of the product's last step: shown are those at its end, w in its middle is what the momentum has changed by.
std::vector<Twist6> SpaceLockstep::velocity_within(const SpaceState& before) const {
  std::vector<Twist6> out;
  for (int body = 0; body < job_.space->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    const SpatialTwist shown = fast_.spatial_velocity(body);
    out.push_back({space::vector3(shown.velocity), space::vector3(shown.angular)});
    if (!job_.space->body(body).dynamic()) continue;
    const space::FreeMotion middle = free_spin(numbers_, body, before.turn[b], before.momentum[b], job_.options.h);
    const Vector3 after = momentum_of(numbers_, body, space::turn(fast_.spatial_pose(body).turn), out.back().angular);
    out.back().angular = middle.spin + middle.inertia.ldlt().solve(after - before.momentum[b]);
  }
  return out;
}

// By the rows of that of the reference's passes over the whole step which suits the product best.
double SpaceLockstep::least_of_passes(const SpaceState& before) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t pass = 0; pass < passes_.size(); ++pass) {
    if (passes_[pass].rows.h == job_.options.h) least = std::min(least, judge(before, pass).residual());
  }
  return least;
}

Shortfall SpaceLockstep::judge(const SpaceState& before, std::size_t pass) const {
  if (passes_.empty()) return {last_.velocity, 0.0, 0.0, {}};  // nothing acts: there is one answer
  std::vector<char> present;
  for (int body = 0; body < job_.space->body_count(); ++body) present.push_back(fast_.present(body) ? 1 : 0);
  const std::vector<Twist6> within = velocity_within(before);
  const std::vector<space::FreeMotion> middle = middles(numbers_, before, present, job_.options.h);
  const space::SpaceCoordinates coordinates(numbers_, present, inertias(middle));
  Vector claimed = Vector::Zero(coordinates.size());
  for (int body = 0; body < job_.space->body_count(); ++body) {
    coordinates.write(body, within[static_cast<std::size_t>(body)], claimed);
  }
  const auto speed = [&](const Vector& difference) {
    double most = 0.0;
    for (int body = 0; body < job_.space->body_count(); ++body) {
      if (coordinates.moves(body)) {
        most = worst(most, fastest_point(numbers_, body, coordinates.read(body, difference)));
      }
    }
    return most;
  };
  return judge_velocities(passes_[pass].rows, claimed, passes_[pass].own, coordinates.body_of(), job_.options.tolerance,
                          speed);
}

}  // namespace pegrasp::reference
