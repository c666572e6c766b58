// SPDX-License-Identifier: Apache-2.0
#include "src/reference/step/solve_near.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace pegrasp::reference {
namespace {

// A disjunction: what constrains, and what of it may carry.
struct Alternatives {
  std::vector<int> contacts, carriers;
};

class Search {
 public:
  Search(const StepProblem& step, const Vector& expected, const Formulation& formulation, const mcp::Options& options,
         mcp::Workspace* workspace)
      : step_(step), expected_(expected), formulation_(formulation), options_(options), workspace_(workspace) {
    options_.certify = false;  // of the whole step alone is it said that it has no solution
    for (const InterContact& set : step.inter) {
      Alternatives all{set.carriers, set.carriers};
      all.contacts.insert(all.contacts.end(), set.masks.begin(), set.masks.end());
      sets_.push_back(std::move(all));
    }
    for (const CrossContact& set : step.cross) {
      Alternatives all{set.a, set.carriers};
      all.contacts.insert(all.contacts.end(), set.b.begin(), set.b.end());
      if (all.carriers.empty()) all.carriers = all.contacts;
      sets_.push_back(std::move(all));
    }
  }

  // A solution of the step with what binds of its disjunctions: as the contact in front, or as they are written.
  std::optional<StepSolution> find(bool fronts) {
    StepProblem part = step_;
    part.inter.clear();
    part.cross.clear();
    std::vector<bool> taken(sets_.size(), false);
    std::optional<StepSolution> last;
    for (bool more = true; more;) {
      SolvedStep solved = solve_step(part, formulation_, options_, last ? &*last : nullptr, workspace_);
      add(spent_, solved.statistics);
      if (solved.result.status != mcp::Status::solved) return {};
      last = std::move(solved.solution);
      more = false;
      for (std::size_t k = 0; k < sets_.size(); ++k) {
        if (taken[k] || gap(top(sets_[k].contacts, last->velocity), last->velocity) >= -options_.tolerance) continue;
        taken[k] = more = true;
        take(k, fronts, part);
      }
    }
    return last;
  }

  const mcp::Statistics& spent() const { return spent_; }

 private:
  // At the end of the step, over h.
  double gap(int i, const Vector& velocity) const {
    const Contact& contact = step_.contacts[static_cast<std::size_t>(i)];
    return contact.normal.dot(velocity) + contact.gap / step_.h + contact.rate;
  }
  int top(const std::vector<int>& contacts, const Vector& velocity) const {
    return *std::max_element(contacts.begin(), contacts.end(),
                             [&](int i, int j) { return gap(i, velocity) < gap(j, velocity); });
  }

  // The contact in front where the expected motion ends; of several, the one to which the bodies move the least.
  int front(const std::vector<int>& contacts) const {
    const double highest = gap(top(contacts, expected_), expected_);
    const auto rank = [&](int i) {
      const bool in_front = gap(i, expected_) >= highest - options_.tolerance;
      const Contact& contact = step_.contacts[static_cast<std::size_t>(i)];
      return in_front ? std::abs(contact.normal.dot(expected_) + contact.rate) : mcp::infinity;
    };
    return *std::min_element(contacts.begin(), contacts.end(), [&](int i, int j) { return rank(i) < rank(j); });
  }

  void take(std::size_t k, bool as_front, StepProblem& part) const {
    const std::size_t inter = step_.inter.size();
    if (as_front) {
      const int i = front(sets_[k].carriers);
      const std::vector<int>& there = part.unilateral;
      if (std::find(there.begin(), there.end(), i) == there.end()) part.unilateral.push_back(i);
    } else if (k < inter) {
      part.inter.push_back(step_.inter[k]);
    } else {
      part.cross.push_back(step_.cross[k - inter]);
    }
  }

  const StepProblem& step_;
  const Vector& expected_;
  const Formulation& formulation_;
  mcp::Options options_;
  mcp::Workspace* workspace_;
  std::vector<Alternatives> sets_;
  mcp::Statistics spent_;
};

}  // namespace

bool solves(const FormulatedStep& formulated, const StepSolution& solution, double residual) {
  const mcp::Vector x = formulated.write(solution);
  mcp::Vector f;
  return formulated.problem.evaluate(x, f, nullptr) &&
         mcp::natural_residual(x, f, formulated.problem.lower, formulated.problem.upper) <= residual;
}

SolvedStep solve_near(const StepProblem& step, const Vector& expected, const Formulation& formulation,
                      const mcp::Options& options, mcp::Workspace* workspace) {
  // Anitescu and Potra's scheme leaves out disjunctions with an open gap, and shells give way.
  const bool plain =
      formulation.scheme == Scheme::anitescu_potra || (step.inter.empty() && step.cross.empty()) ||
      std::any_of(step.contacts.begin(), step.contacts.end(), [](const Contact& c) { return c.compliance > 0.0; });
  if (plain) return solve_step(step, formulation, options, nullptr, workspace);
  const FormulatedStep whole = formulate(step, formulation);
  Search search(step, expected, formulation, options, workspace);
  std::optional<StepSolution> start;
  for (const bool fronts : {true, false}) {
    std::optional<StepSolution> found = search.find(fronts);
    if (!found) continue;
    start = std::move(found);
    if (solves(whole, *start, options.tolerance)) break;
  }
  SolvedStep solved = solve_step(step, formulation, options, start ? &*start : nullptr, workspace);
  add(solved.statistics, search.spent());
  return solved;
}

}  // namespace pegrasp::reference
