// SPDX-License-Identifier: Apache-2.0
#include "src/reference/validate/step_islands.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace pegrasp::reference {
namespace {

// Calls f(gradient) for every row of a step. The impulse of a contact or a joint acts on the bodies of the gradient.
template <class F>
void for_each_gradient(const StepProblem& step, const F& f) {
  for (const Contact& contact : step.contacts) f(contact.normal);
  for (const SupportPoint& support : step.supports) f(support.tangents.front());
  for (const Motor& motor : step.motors) f(motor.row);
  for (const Bilateral& bilateral : step.bilaterals) f(bilateral.row);
}

// Whether a row acts on these coordinates. All its coordinates are of one island.
bool acts_on(const SparseVector& row, const std::vector<char>& coordinates) {
  for (SparseVector::InnerIterator it(row); it; ++it) {
    if (coordinates[static_cast<std::size_t>(it.index())] != 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::vector<char>> islands_of(std::span<const StepProblem* const> passes, std::span<const int> body_of) {
  std::map<int, int> parent;
  for (const int body : body_of) parent[body] = body;
  const auto root = [&](int body) {
    while (parent[body] != body) body = parent[body];
    return body;
  };
  for (const StepProblem* pass : passes) {
    for_each_gradient(*pass, [&](const SparseVector& row) {
      int last = -1;
      for (SparseVector::InnerIterator it(row); it; ++it) {
        const int body = root(body_of[static_cast<std::size_t>(it.index())]);
        if (last >= 0) parent[std::max(last, body)] = std::min(last, body);
        last = root(body);
      }
    });
  }
  std::map<int, std::vector<char>> islands;
  for (std::size_t k = 0; k < body_of.size(); ++k) {
    std::vector<char>& island = islands[root(body_of[k])];
    island.resize(body_of.size(), 0);
    island[k] = 1;
  }
  std::vector<std::vector<char>> out;
  for (auto& [body, island] : islands) out.push_back(std::move(island));
  return out;
}

IslandStep step_of_island(const StepProblem& step, const StepSolution& solution, const std::vector<char>& coordinates) {
  IslandStep out;
  out.rows.h = step.h;
  out.rows.mass = step.mass;
  out.rows.velocity = step.velocity;
  out.rows.external = step.external;
  out.solution.velocity = solution.velocity;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    if (!acts_on(step.contacts[i].normal, coordinates)) continue;
    out.rows.unilateral.push_back(static_cast<int>(out.rows.contacts.size()));
    out.rows.contacts.push_back(step.contacts[i]);
    out.solution.normal.push_back(solution.normal[i]);
    out.solution.tangent.push_back(solution.tangent[i]);
  }
  for (std::size_t i = 0; i < step.supports.size(); ++i) {
    if (!acts_on(step.supports[i].tangents.front(), coordinates)) continue;
    out.rows.supports.push_back(step.supports[i]);
    out.solution.support.push_back(solution.support[i]);
  }
  for (std::size_t i = 0; i < step.motors.size(); ++i) {
    if (!acts_on(step.motors[i].row, coordinates)) continue;
    out.rows.motors.push_back(step.motors[i]);
    out.solution.motor.push_back(solution.motor[i]);
  }
  for (std::size_t i = 0; i < step.bilaterals.size(); ++i) {
    if (!acts_on(step.bilaterals[i].row, coordinates)) continue;
    out.rows.bilaterals.push_back(step.bilaterals[i]);
    out.solution.bilateral.push_back(solution.bilateral[i]);
  }
  return out;
}

}  // namespace pegrasp::reference
