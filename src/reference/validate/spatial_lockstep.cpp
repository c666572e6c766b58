// SPDX-License-Identifier: Apache-2.0
#include "src/reference/validate/spatial_lockstep.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "src/reference/common/residual.hpp"
#include "src/reference/spatial/cone_solver.hpp"
#include "src/reference/spatial/fit_impulses.hpp"
#include "src/reference/spatial/sinking.hpp"
#include "src/reference/validate/step_islands.hpp"
#include "src/reference/validate/worst.hpp"

namespace pegrasp::reference {
namespace {

using spatial::SpatialState;
using spatial::Twist6;

Vector3 momentum_of(const spatial::SpatialNumbers& numbers, int body, const spatial::Turn& turn, const Vector3& spin) {
  const spatial::Matrix3 r = turn.toRotationMatrix();
  return r * numbers.inertia(body) * r.transpose() * spin;
}

}  // namespace

Shortfall assess_velocities(const StepProblem& step, const Vector& claimed, const StepSolution& own,
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
  // Solved to a hundredth of `enough`, because the natural map of the convex problem is no smaller than the error of
  // its velocities.
  constexpr double share = 0.01;
  const spatial::ConeProblem convex(step, claimed);
  const spatial::ConeSolution found = spatial::solve_cones(convex, convex.read(own), share * enough);
  const auto keep_better = [&](StepSolution other) {
    Shortfall left = measure(std::move(other));
    if (left.residual() < least.residual()) least = std::move(left);
  };
  keep_better(convex.write(found.impulses));
  // Without friction velocities are unique: those that need another fit are others.
  const std::vector<spatial::ConeBlock>& blocks = convex.blocks();
  if (std::any_of(blocks.begin(), blocks.end(), [](const spatial::ConeBlock& block) { return block.rubs(); }))
    keep_better(spatial::fit_impulses(step, convex, found.impulses, claimed));
  return least;
}

SpatialLockstep::SpatialLockstep(const ValidateCase& job, std::size_t trial, double enough)
    : LockstepFrame(job, trial, job.product_options.value_or(job.options), job.spatial_scene,
                    [this](const StepProblem& step, const StepSolution* start) { return solve(step, start); }),
      sure_(std::min(enough, tolerances_for(job).step_residual_99)),
      numbers_(*job.spatial_scene, job.trials[trial].parameters),
      solver_(spatial::spatial_solver()) {}

SolvedStep SpatialLockstep::solve(const StepProblem& step, const StepSolution* start) {
  SolvedStep solved = solver_(step, start);
  passes_.push_back({step, solved.solution});
  return solved;
}

double SpatialLockstep::apart() const {
  double most = 0.0;
  for (int body = 0; body < job_.spatial_scene->body_count(); ++body) {
    if (!job_.spatial_scene->body(body).dynamic() || !fast_.present(body)) continue;
    const SpatialTwist a = fast_.spatial_middle_velocity(body);
    const SpatialTwist b = other_.middle_velocity(body);
    most = worst(most, fastest_point(numbers_, body,
                                     {spatial::vector3(a.velocity) - spatial::vector3(b.velocity),
                                      spatial::vector3(a.angular) - spatial::vector3(b.angular)}));
  }
  return most;
}

// The product accepted a step if it took it at once, with passes left.
bool SpatialLockstep::sank(const std::vector<SpatialPose>& before) const {
  const bool at_once = fast_.outcome().substeps - fast_before_.substeps == 1;
  if (!at_once || fast_.last_passes() >= job_.options.max_passes || fast_.last_status() != status_ok) return false;
  std::vector<char> present;
  std::vector<spatial::Placement> start, end;
  const auto frame = [](const SpatialPose& pose) {
    return spatial::Placement{spatial::vector3(pose.position), spatial::turn(pose.turn).toRotationMatrix()};
  };
  for (int body = 0; body < job_.spatial_scene->body_count(); ++body) {
    present.push_back(fast_.present(body) ? 1 : 0);
    start.push_back(frame(before[static_cast<std::size_t>(body)]));
    end.push_back(frame(fast_.spatial_pose(body)));
  }
  return !(spatial::sinking(*job_.spatial_scene, present, start, end) <= job_.options.penetration_tolerance);
}

bool SpatialLockstep::step() {
  const int bodies = job_.spatial_scene->body_count();
  std::vector<SpatialPose> poses;
  std::vector<SpatialTwist> velocities, motions, accelerations;
  std::vector<double> last;
  for (int body = 0; body < bodies; ++body) {
    poses.push_back(fast_.spatial_pose(body));
    velocities.push_back(fast_.spatial_middle_velocity(body));
    last.push_back(fast_.last_substep(body));
    motions.push_back(fast_.spatial_last_velocity(body));
    accelerations.push_back(fast_.spatial_last_acceleration(body));
  }
  if (!step_product()) return false;
  last_.sank = sank(poses);
  passes_.clear();
  place_reference(poses, velocities, last, motions, accelerations);
  const SpatialState before = other_.state();
  if (!step_reference()) return false;
  last_.velocity = apart();
  const bool at_once = note_step() == 1;
  // The product solves island by island and skips free flight; the reference simulator solves the whole scene.
  // Linearisations are what can be compared.
  if (at_once) last_.solves_fast = std::max(1, fast_.last_passes());
  last_.residual_fast = 0.0;
  last_.left_open = !at_once;
  last_.both_found = false;
  last_.at_last = true;
  if (at_once && resolved()) {
    const bool again = fast_.last_passes() > 1;
    const ByPasses by = again ? by_all_passes(before) : by_first_pass(before);
    last_.at_last = by.at_last;
    last_.both_found = by.otherwise;
    last_.left_open = again && !(by.residual <= sure_);
    if (!last_.left_open) last_.residual_fast = by.residual;
  }
  return true;
}

// The velocities within the product's last step. The product shows those at the end; the angular velocity in the middle
// of the step follows from the change of momentum.
std::vector<Twist6> SpatialLockstep::velocity_within(const SpatialState& before) const {
  std::vector<Twist6> out;
  for (int body = 0; body < job_.spatial_scene->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    const SpatialTwist shown = fast_.spatial_middle_velocity(body);
    out.push_back({spatial::vector3(shown.velocity), spatial::vector3(shown.angular)});
    if (!job_.spatial_scene->body(body).dynamic()) continue;
    const spatial::FreeMotion middle = free_spin(numbers_, body, before.turn[b], before.momentum[b], job_.options.h);
    const Vector3 after = momentum_of(numbers_, body, spatial::turn(fast_.spatial_pose(body).turn), out.back().angular);
    out.back().angular = middle.spin + middle.inertia.ldlt().solve(after - before.momentum[b]);
  }
  return out;
}

// The velocities within the product's last step, in the coordinates of the reference simulator's rows.
class SpatialLockstep::Claim {
 public:
  Claim(const SpatialLockstep& own, const SpatialState& before) : own_(own), coordinates_(coordinates_of(own, before)) {
    velocity_ = Vector::Zero(coordinates_.size());
    const std::vector<Twist6> within = own.velocity_within(before);
    for (int body = 0; body < bodies(); ++body) {
      coordinates_.write(body, within[static_cast<std::size_t>(body)], velocity_);
    }
  }
  std::span<const int> body_of() const { return coordinates_.body_of(); }

  Shortfall assess(const Pass& pass) const {
    return assess_within(pass.rows, pass.own, std::vector<char>(body_of().size(), 1));
  }
  Shortfall assess_island(const Pass& pass, const std::vector<char>& island) const {
    const IslandStep step = step_of_island(pass.rows, pass.own, island);
    return assess_within(step.rows, step.solution, island);
  }

 private:
  static spatial::SpatialCoordinates coordinates_of(const SpatialLockstep& own, const SpatialState& before) {
    std::vector<char> present;
    for (int body = 0; body < own.job_.spatial_scene->body_count(); ++body) {
      present.push_back(own.fast_.present(body) ? 1 : 0);
    }
    return {own.numbers_, present, inertias(middles(own.numbers_, before, present, own.job_.options.h))};
  }
  int bodies() const { return own_.job_.spatial_scene->body_count(); }

  Shortfall assess_within(const StepProblem& rows, const StepSolution& impulses,
                          const std::vector<char>& counted) const {
    const auto speed = [&](const Vector& difference) {
      Vector here = Vector::Zero(difference.size());
      for (Eigen::Index k = 0; k < here.size(); ++k) {
        if (counted[static_cast<std::size_t>(k)] != 0) here[k] = difference[k];
      }
      double most = 0.0;
      for (int body = 0; body < bodies(); ++body) {
        if (!coordinates_.moves(body)) continue;
        most = worst(most, fastest_point(own_.numbers_, body, coordinates_.read(body, here)));
      }
      return most;
    };
    return assess_velocities(rows, velocity_, impulses, body_of(), own_.job_.options.tolerance, speed);
  }

  const SpatialLockstep& own_;
  spatial::SpatialCoordinates coordinates_;
  Vector velocity_;
};

bool SpatialLockstep::in_substeps() const {
  return std::any_of(passes_.begin(), passes_.end(), [&](const Pass& pass) { return pass.rows.h != job_.options.h; });
}

SpatialLockstep::ByPasses SpatialLockstep::by_first_pass(const SpatialState& before) const {
  if (passes_.empty()) return {last_.velocity, true};  // nothing acts: there is one answer
  const Claim claim(*this, before);
  const double residual = claim.assess(passes_.front()).residual();
  if (passes_.size() == 1 || in_substeps()) return {residual, passes_.size() == 1};
  const double last = claim.assess(passes_.back()).residual();
  const bool otherwise = !(residual <= sure_) && last <= sure_;
  return {otherwise ? last : residual, last <= sure_, otherwise};
}

SpatialLockstep::ByPasses SpatialLockstep::by_all_passes(const SpatialState& before) const {
  if (passes_.empty()) return {last_.velocity, true};
  const Claim claim(*this, before);
  std::vector<const Pass*> whole;
  std::vector<const StepProblem*> rows;
  for (const Pass& pass : passes_) {
    if (pass.rows.h != job_.options.h) continue;  // of a substep
    whole.push_back(&pass);
    rows.push_back(&pass.rows);
  }
  if (whole.empty()) return {std::numeric_limits<double>::infinity(), false};
  ByPasses out{0.0, !in_substeps()};  // in substeps the last attempt at the whole step was rejected
  for (const std::vector<char>& island : islands_of(rows, claim.body_of())) {
    double least = claim.assess_island(*whole.back(), island).residual();
    out.at_last = out.at_last && least <= sure_;
    for (std::size_t pass = 0; pass + 1 < whole.size() && !(least <= sure_); ++pass) {
      least = std::min(least, claim.assess_island(*whole[pass], island).residual());
    }
    out.residual = worst(out.residual, least);
  }
  return out;
}

}  // namespace pegrasp::reference
