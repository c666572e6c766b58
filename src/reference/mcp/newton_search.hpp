// SPDX-License-Identifier: Apache-2.0
// The outer iteration: linearise at x, follow the path of the linear model to the Newton point, and search between the
// two.
//
// It is globalised by the Fischer-Burmeister merit (merit.hpp; Ferris, Kanzow and Munson 1999): a non-monotone Armijo
// search on the segment from x to the Newton point, which stays within the bounds; a watchdog that accepts full steps
// for a while (Grippo, Lampariello and Lucidi 1991); a projected gradient step where Newton's direction does not
// descend. A run that fails is repeated from the start with other settings.
#pragma once

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/certify.hpp"
#include "src/reference/mcp/linear_solver.hpp"

namespace pegrasp::mcp {

class NewtonSearch {
 public:
  // problem: bounds finite or infinite. result.x: the start; filled by run().
  NewtonSearch(const Problem& problem, const Options& options, Budget& budget, PivotOrders& orders, Result& result);

  void run();

 private:
  // The settings that a restart changes.
  struct Settings {
    int memory;             // of the non-monotone search; 1: monotone
    int watchdog;           // full steps let pass; 0: none
    bool search;            // false: every Newton step is taken whole
    double regularisation;  // lambda from the first iteration on; 0: only where a model fails
    int majors;
    bool gradient_first;  // some projected gradient steps before the first model
  };
  struct Point {
    Vector x, f;
    double merit = infinity;
    double residual = infinity;
  };
  enum class End { solved, stuck, majors, out_of_budget };

  bool evaluate(const Vector& x, Point& point, SparseMatrix* jacobian);
  void keep(const Point& point);
  End descend(const Point& from, const Settings& settings);
  bool newton_point(const Point& at, double& lambda, Vector& z);
  bool search_segment(const Point& from, const Vector& direction, double reference, double slope, Point& to);
  bool gradient_step(const Point& from, double reference, Point& to);
  bool solve_linear();
  bool set_linear_model(const Vector& around);
  bool solve_precisely();
  bool certify(int nodes, Digits digits = Digits::usual, Branching branching = Branching::at_point);
  bool good(const Point& point);

  const Problem& problem_;
  const Options& options_;
  Budget& budget_;
  Result& result_;
  int n_;
  LinearSolver linear_;
  int majors_ = 0;
  bool solved_ = false, tried_precisely_ = false;
  SparseMatrix jacobian_;
};

}  // namespace pegrasp::mcp
