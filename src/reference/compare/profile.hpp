// SPDX-License-Identifier: Apache-2.0
// Sums of a comparison, and the performance profile of Dolan and More (Benchmarking optimization software with
// performance profiles, Mathematical Programming 91, 2002).
#pragma once

#include <string>
#include <vector>

#include "src/reference/compare/attempt.hpp"

namespace pegrasp::reference {

// attempts: (solvers, problems).
struct Comparison {
  std::vector<std::string> solvers;
  std::vector<std::string> problems;  // names
  std::vector<std::string> files;     // (problems)
  std::vector<std::vector<Attempt>> attempts;
};

struct SolverSums {
  int problems = 0, solved = 0, infeasible = 0, unsolved = 0, not_applicable = 0;
  double residual_max = 0.0;                                           // over solved problems
  double residual_median = 0.0;                                        // over the problems it applies to, solved or not
  double seconds_median = 0.0, seconds_90 = 0.0, seconds_total = 0.0;  // over the problems it applies to
};
SolverSums sums(const std::vector<Attempt>& attempts);

// rho_s(tau): the share of problems that solver s solves in at most tau times the time of the fastest, for every tau at
// which some rho jumps. Problems that some solver has proven infeasible are left out; without any other there are no
// rows.
struct Profile {
  std::vector<double> tau;               // rising, from 1
  std::vector<std::vector<double>> rho;  // (solvers, tau)
  int problems = 0;
};
Profile performance_profile(const std::vector<std::vector<Attempt>>& attempts);

std::string profile_csv(const Comparison& comparison);  // tau,SOLVER,...
std::string solves_csv(const Comparison& comparison);   // a row a problem and solver

}  // namespace pegrasp::reference
