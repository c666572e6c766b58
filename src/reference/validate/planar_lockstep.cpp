// SPDX-License-Identifier: Apache-2.0
#include "src/reference/validate/planar_lockstep.hpp"

#include "src/reference/validate/step_assessment.hpp"

namespace pegrasp::reference {
namespace {

// Once so many steps of a trial are no solutions, the verdict is clear, and no more random starts are spent on it.
constexpr int most_searched = 3;

}  // namespace

PlanarLockstep::PlanarLockstep(const ValidateCase& job, std::size_t trial, double enough)
    : LockstepFrame(job, trial, job.options, job.planar_scene,
                    [this](const StepProblem& step, const StepSolution* start) { return solve(step, start); }),
      enough_(enough),
      numbers_(*job.planar_scene, job.trials[trial].parameters) {}

SolvedStep PlanarLockstep::solve(const StepProblem& step, const StepSolution* start) {
  SolvedStep solved = solve_exactly(step, start, &workspace_);
  last_pass_ = LastPass{step, solved.solution};
  return solved;
}

bool PlanarLockstep::step() {
  const int bodies = job_.planar_scene->body_count();
  ProductStep product;
  for (int body = 0; body < bodies; ++body) {
    product.poses.push_back(fast_.pose(body));
    product.velocities.push_back(fast_.middle_velocity(body));
    product.last.push_back(fast_.last_substep(body));
    product.accelerations.push_back(fast_.last_acceleration(body));
  }
  if (!step_product()) return false;
  last_pass_.reset();
  place_reference(product.poses, product.velocities, product.last, product.accelerations);
  if (!step_reference()) return false;
  for (int body = 0; body < bodies; ++body) {
    product.present.push_back(fast_.present(body) ? 1 : 0);
    product.answer.push_back(vector3(fast_.middle_velocity(body)));
  }
  product.substeps = note_step();
  product.step = last_.step;
  const Shortfall left = assess(product);
  last_.residual_fast = left.residual();
  last_.complementarity_fast = left.complementarity;
  return true;
}

// What the rows of the reference simulator's last pass leave of the product's answer, or other rows that its rules
// allow.
Shortfall PlanarLockstep::assess(const ProductStep& product) {
  const StepAssessment assessment(numbers_, product.present, product.answer);
  std::vector<Vector3> end;
  for (int body = 0; body < job_.planar_scene->body_count(); ++body)
    end.push_back(vector3(other_.middle_velocity(body)));
  last_.velocity = assessment.apart(end);
  last_.both_found = false;
  last_.left_open = false;
  if (!resolved()) return {};
  const bool rows = last_pass_ && assessment.leads_to(last_pass_->step, last_pass_->solution, end);
  const Shortfall left = rows ? assessment.assess(last_pass_->step, &last_pass_->solution, job_.options.tolerance)
                              : assessment.assess_flight(end);
  if (left.residual() <= enough_) return left;
  const bool starts = !last_.tie && unexplained_ < most_searched;
  if (const auto found = other_solution(job_, last_.trial, product, enough_, starts)) {
    last_.both_found = true;
    return *found;
  }
  // A substep starts where the one before ended, so that differences of rounding may grow from one to the next.
  last_.left_open = product.substeps > 1;
  unexplained_ += last_.tie || last_.left_open ? 0 : 1;
  return left;
}

}  // namespace pegrasp::reference
