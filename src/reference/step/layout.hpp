// SPDX-License-Identifier: Apache-2.0
// The positions of the unknowns of a formulated step, and the conversion from them to a solution and back.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

// psi_first + c_1 + c_2 + ...: the largest gap of `contacts`, one after the other (4.10).
struct Chain {
  std::vector<int> contacts;  // all of the set; the first is where the sum starts
  std::vector<int> slack;     // (contacts - 1) variables c
};

// Berard (3.6) to (3.15) with lengths over h, as formulations.md has them.
struct EganConstants {
  explicit EganConstants(double h) : one(1.0 / h), gamma(100.0 / h) {}
  double one, gamma;  // 1 m and 100 m [m/s]
};

// U(C), I(C_iota, C_kappa) or X as an I-constraint, of contacts that the scheme keeps.
struct ConstraintSet {
  std::vector<int> carriers, masks;  // contacts
  bool cross = false;
  bool literal = false;               // (4.10) to (4.13), else (4.14) or its extension to several carriers
  bool egan = false;                  // Berard (3.6) to (3.15); no chains
  std::vector<int> impulse;           // (carriers) variables p; none for a literal X
  std::vector<Chain> chains;          // from each carrier; literal: from the first alone
  std::vector<int> depth;             // (carriers) how far each is below 0: variables d, literal; Berard's h, egan
  int multiplier = -1;                // of (4.11), literal and egan
  std::vector<int> shortfall, share;  // (carriers, then masks) Berard's c and g, egan only
  int least = -1;                     // his d
};

// Friction at a contact or a support point: `count` variables from `first`, of which each unit gives directions.col(k)
// along the tangents, and the slip variable.
struct FrictionBlock {
  bool support = false;
  bool quadratic = false;      // else a pyramid of directions
  int index = -1;              // contact or support point
  Eigen::MatrixXd directions;  // (tangents, count)
  int first = -1;
  int slip = -1;
};

struct Layout {
  Formulation formulation;
  int velocities = 0;
  int bilateral = 0;  // first
  std::vector<ConstraintSet> sets;
  std::vector<std::vector<int>> impulses;  // (contacts) the variables p that act on each
  std::vector<double> offset;              // (contacts) what a gap's rate is besides G' nu [m/s]
  std::vector<FrictionBlock> friction;
  int motor = 0;  // first
  int count = 0;  // of all unknowns, velocities included
};

// Converts x, with the velocities in front, to the solution, and back. In `write` slack and slip variables follow from
// the velocity.
StepSolution read_solution(const StepProblem& step, const Layout& layout, const mcp::Vector& x);
mcp::Vector write_solution(const StepProblem& step, const Layout& layout, const StepSolution& solution);

// The solution without impulse, with the velocity M^-1 (M nu + p_ext).
StepSolution free_solution(const StepProblem& step);

}  // namespace pegrasp::reference
