// SPDX-License-Identifier: Apache-2.0
#include "reference/mcp/precise_lemke.hpp"

#include "reference/mcp/lemke_tableau.hpp"

namespace pegrasp::mcp {

bool solve_precisely(const LinearModel& model, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
                     std::int64_t& pivots, Vector& x) {
  if (model.q.size() > largest_precise) return false;
  const lemke::StandardForm<DoubleDouble> form(model.m, model.q, model.lower, model.upper);
  if (!form.regular() || form.size() > largest_precise) return false;
  if (lemke::solve(form, max_pivots, deadline, pivots, x) != lemke::End::solution || !x.allFinite()) return false;
  x = x.cwiseMax(model.lower).cwiseMin(model.upper);
  return true;
}

}  // namespace pegrasp::mcp
