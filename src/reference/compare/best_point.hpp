// SPDX-License-Identifier: Apache-2.0
// What the compared solvers share: they keep the best point that they saw and stop at the same limits.
#pragma once

#include <chrono>
#include <cmath>

#include "src/reference/io/stored_problem.hpp"
#include "src/reference/mcp/stop.hpp"

namespace pegrasp::reference {

class BestPoint {
 public:
  BestPoint(const StoredMcp& problem, const mcp::Options& limits, int most_steps)
      : problem_(problem), limits_(limits), most_steps_(most_steps) {}

  // x within its bounds, f = F(x). True when the iteration is over; else one more step is counted.
  bool over(const Vector& x, const Vector& f) {
    const double residual = mcp::natural_residual(x, f, problem_.lower, problem_.upper);
    if (residual < result.residual || result.x.size() == 0) {
      result.residual = residual;
      result.x = x;
    }
    if (residual <= limits_.tolerance) return end(mcp::Status::solved);
    if (!std::isfinite(residual)) return end(mcp::Status::no_progress, "diverged");
    if (result.statistics.majors >= most_steps_) return end(mcp::Status::iteration_limit);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (mcp::stop_asked() || spent.count() > limits_.time_limit_s) return end(mcp::Status::time_limit);
    ++result.statistics.majors;
    return false;
  }
  bool end(mcp::Status status, const char* message = "") {
    result.status = status;
    result.message = message;
    return true;
  }

  mcp::Result result;

 private:
  const StoredMcp& problem_;
  const mcp::Options& limits_;
  int most_steps_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

inline Vector within_bounds(const StoredMcp& problem, const Vector& x) {
  return x.cwiseMax(problem.lower).cwiseMin(problem.upper);
}

}  // namespace pegrasp::reference
