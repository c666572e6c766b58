// SPDX-License-Identifier: Apache-2.0
// Solves a linear mixed complementarity problem to full accuracy: paths from several starts, and repairs where they
// fail.
#pragma once

#include <chrono>

#include "src/reference/mcp/pivot_engine.hpp"
#include "src/reference/mcp/scaling.hpp"
#include "src/reference/mcp/stop.hpp"

namespace pegrasp::mcp {

using Clock = std::chrono::steady_clock;

// The pivots and the time that one solve may still spend, over all its parts.
struct Budget {
  std::int64_t pivots;
  Clock::time_point deadline;
  bool out_of_pivots() const { return pivots <= 0; }
  bool out_of_time() const {
    return stop_asked() || (deadline != Clock::time_point::max() && Clock::now() >= deadline);
  }
  double seconds_left() const {
    if (deadline == Clock::time_point::max()) return infinity;
    return std::chrono::duration<double>(deadline - Clock::now()).count();
  }
};

class LinearSolver {
 public:
  // The pattern of m may change with every set_model(); n may not.
  LinearSolver(int n, const Options& options, Statistics& statistics, Budget& budget, PivotOrders& orders);

  // Scaled with respect to z.
  void set_model(LinearModel model, const Vector& z);
  const LinearModel& model() const { return model_; }

  // Follows one path from z (regular start), in the units of z. Returns where it ended.
  PathEnd path(std::vector<Place>& place, Vector& z);
  // Follows one path from a ray, from the bounds.
  PathEnd ray_path(std::vector<Place>& place, Vector& z, const Vector& covering);
  // Goes from the basis `place` near z to the solution, by paths with ever smaller tolerances, as long as they help.
  // Returns the residual that was reached.
  double polish(std::vector<Place>& place, Vector& z);
  // A regular start at z, and one from where its path ended. z becomes the better of the points found. True when
  // solved.
  bool solve_quickly(Vector& z);
  // A regular start at the bounds, then rays.
  bool solve_from_elsewhere(Vector& z);
  // Relaxes rows by nearly the tolerance, for walls that contradict each other by less; from z, `start` and the bounds.
  bool solve_relaxed(const Vector& start, Vector& z);
  // Solves with twice the digits and relaxed rows, for walls that contradict each other only slightly. True when the
  // path came to an end, at the sum z + z_low, which may or may not be a solution.
  bool follow_precisely(Vector& z, Vector& z_low);
  // Solves perturbed problems, with less and less perturbation.
  bool solve_perturbed(Vector& z);
  // Starts from the basis that z suggests, for a point found by other means.
  bool refine(Vector& z);

  double residual(const Vector& z) const;
  bool good(const Vector& z) const;     // accepted (acceptance.hpp)
  bool done(const Vector& best) const;  // good, or the budget is spent
  // Which variable of each triple a point suggests as basic: a bound where z is at the bound.
  std::vector<Place> places(const Vector& z) const;

 private:
  PathEnd follow(std::vector<Place>& place, Vector& z, const Vector* covering, double feasibility_tolerance);
  Vector relaxed_q(double amount) const;
  double attempt(const std::vector<Place>& place, const Vector& start, const Vector* covering, Vector& best);
  double perturbed(const Vector& start, double lambda, Vector& best);

  int n_;
  const Options& options_;
  Statistics& statistics_;
  Budget& budget_;
  double tolerance_;  // of good()
  PivotEngine engine_;
  LinearModel model_, scaled_;
  Scaling scaling_;
};

}  // namespace pegrasp::mcp
