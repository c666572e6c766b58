// SPDX-License-Identifier: Apache-2.0
#include "src/reference/workbench/formulated_scene.hpp"

#include <algorithm>
#include <utility>

#include "src/reference/mcp/stop.hpp"
#include "src/reference/mcp/thread_time.hpp"
#include "src/reference/step/solve_near.hpp"

namespace pegrasp::reference {

FormulatedScene::FormulatedScene(SceneSpec scene, const StepOptions& options, FormulationChoice choice)
    : spec_(std::move(scene)), options_(options), choice_(std::move(choice)), present_(spec_.bodies.size(), false) {
  if (choice_.formulation.scheme != Scheme::anitescu_potra) return;
  choice_.rules.keep_overlaps = true;
  // Bodies that touch are closed whatever the rounding of their gap.
  constexpr double rounding = 1e-6;
  choice_.formulation.closed_gap = std::max(choice_.formulation.closed_gap, rounding * options_.detect_distance);
}

void FormulatedScene::restart(double time) {
  begin_ = time;
  first_ = steps_;
}

void FormulatedScene::appear() {
  for (std::size_t b = 0; b < present_.size(); ++b) {
    present_[b] = drop_time(static_cast<int>(b)) <= time() + 1e-9 * options_.h;
  }
}

bool FormulatedScene::step() {
  if (!finite_ || time() >= options_.duration - 1e-9 * options_.h) return false;
  appear();
  last_ = {};
  const StepProblem now = problem(last_.traps);
  // Limits of joints have no directions of friction.
  last_.contacts = static_cast<int>(
      std::count_if(now.contacts.begin(), now.contacts.end(), [](const Contact& c) { return !c.tangents.empty(); }));
  mcp::Options limits;
  limits.certify_nodes = choice_.certify_nodes;
  limits.max_pivots = choice_.max_pivots;
  const mcp::StopScope stop(stop_);
  // Going on as in the last step; where bodies are new, uniformly.
  const bool same = steps_ > first_ && present_ == before_present_;
  const Vector expected = same ? Vector(2.0 * now.velocity - before_) : now.velocity;
  const double begin = mcp::thread_seconds();
  const SolvedStep solved = solve_near(now, expected, choice_.formulation, limits, &workspace_);
  last_.seconds = mcp::thread_seconds() - begin;
  last_.status = solved.result.status;
  last_.residual = solved.result.residual;
  last_.unknowns = static_cast<int>(solved.result.x.size());
  before_ = now.velocity;
  before_present_ = present_;
  finite_ = move(solved.solution);
  ++steps_;
  return true;
}

}  // namespace pegrasp::reference
