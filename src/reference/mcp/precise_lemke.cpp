// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/precise_lemke.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/reference/mcp/lemke_tableau.hpp"

namespace pegrasp::mcp {
namespace {

// Paths that come to an end take one or two pivots a row. Many more: Lemke's exponential worst case, or rounding.
constexpr std::int64_t pivots_per_row = 20, least_pivots = 1000;

}  // namespace

bool solve_precisely(const LinearModel& model, std::int64_t max_pivots, std::chrono::steady_clock::time_point deadline,
                     std::int64_t& pivots, Vector& x, Vector& x_low) {
  if (model.q.size() > largest_precise) return false;
  const lemke::StandardForm<DoubleDouble> form(model.m, model.q, model.lower, model.upper, deadline);
  if (!form.regular() || form.size() > largest_precise) return false;
  const std::int64_t most = std::min<std::int64_t>(max_pivots, pivots_per_row * form.size() + least_pivots);
  std::vector<DoubleDouble> end;
  lemke::solve(form, most, deadline, pivots, end);
  const auto finite = [](DoubleDouble value) { return std::isfinite(value.high()) && std::isfinite(value.low()); };
  if (!std::all_of(end.begin(), end.end(), finite)) return false;
  x = x_low = Vector::Zero(model.q.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const DoubleDouble low = model.lower[i], high = model.upper[i], value = end[static_cast<std::size_t>(i)];
    const DoubleDouble inside = value < low ? low : (value > high ? high : value);
    x[i] = inside.high();
    x_low[i] = inside.low();
  }
  return true;
}

}  // namespace pegrasp::mcp
