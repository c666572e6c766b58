// SPDX-License-Identifier: Apache-2.0
#include "src/reference/compare/fixed_point.hpp"

#include <algorithm>
#include <utility>

#include "src/reference/compare/best_point.hpp"

namespace pegrasp::reference {

mcp::Result solve_fixed_point(const StoredMcp& problem, const Vector& start, const mcp::Options& limits,
                              int most_steps) {
  // Khobotov's bounds of r |F(x) - F(y)| / |x - y|: above the first r falls, below the second it grows.
  constexpr double largest = 0.9, smallest = 0.4;
  BestPoint best(problem, limits, most_steps);
  const mcp::Problem asked = to_problem(problem);
  Vector x = within_bounds(problem, start);
  Vector f, f_near, near;
  double r = 1.0;
  while (true) {
    if (!asked.evaluate(x, f, nullptr)) {
      best.end(mcp::Status::evaluation_failed);
      break;
    }
    if (best.over(x, f)) break;
    double ratio = 0.0;
    for (int attempt = 0; attempt < 60; ++attempt) {
      near = within_bounds(problem, x - r * f);
      const double moved = (near - x).norm();
      if (!asked.evaluate(near, f_near, nullptr) || !(moved > 0.0)) break;
      ratio = r * (f_near - f).norm() / moved;
      if (ratio <= largest) break;
      r *= (2.0 / 3.0) * std::min(1.0, 1.0 / ratio);
    }
    if (f_near.size() != x.size()) {
      best.end(mcp::Status::evaluation_failed);
      break;
    }
    x = within_bounds(problem, x - r * f_near);
    if (ratio <= smallest) r *= 1.5;
  }
  return std::move(best.result);
}

}  // namespace pegrasp::reference
