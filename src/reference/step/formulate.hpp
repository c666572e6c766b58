// SPDX-License-Identifier: Apache-2.0
// A step as a complementarity problem, in the forms of the sources, and back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pegrasp/mcp.hpp"
#include "reference/step/step_problem.hpp"

namespace pegrasp::reference {

enum class Form {
  lcp,        // velocities eliminated, friction linearised (thesis 6.1); no bilaterals
  mixed,      // velocities, joints and impulses as unknowns, friction linearised (thesis 6.3, 4.41 to 4.51)
  quadratic,  // the same with Coulomb's quadratic law: a nonlinear MCP (thesis 4.30 to 4.40, Berard 2.77)
};
enum class Scheme {
  stewart_trinkle,  // psi / h + G_n' nu >= 0
  anitescu_potra,   // G_n' nu >= 0 at contacts that are closed (gap <= 0), none at others
};

struct Formulation {
  Form form = Form::mixed;
  Scheme scheme = Scheme::stewart_trinkle;
  // Directions of the friction pyramid where there are two tangents (space, support points); in the plane a contact always
  // has the two directions +t, -t. At least 3; even numbers are centrally symmetric.
  int directions = 8;
};

// What a variable of the problem is: for dumps, tests and messages.
enum class VariableKind {
  velocity,
  bilateral,
  normal,
  mask,
  several_carriers,
  friction,
  slip,
  support,
  support_slip,
  motor
};

struct FormulatedStep {
  mcp::Problem problem;
  mcp::Vector start;                // cold: free velocity, no impulse
  std::vector<VariableKind> kinds;  // (n)
  // Linear forms: F = m x + q. Quadratic form: F = m x + q + sum of value * x_i * x_j in row r.
  mcp::SparseMatrix m;
  mcp::Vector q;
  struct QuadraticTerm {
    int row, i, j;
    double value;
  };
  std::vector<QuadraticTerm> quadratic;
  std::function<StepSolution(const mcp::Vector& x)> read;  // (n) -> solution
  std::function<mcp::Vector(const StepSolution& solution)>
      write;  // solution -> (n): a start near it; slips are computed
};

FormulatedStep formulate(const StepProblem& step, const Formulation& formulation);

struct SolvedStep {
  StepSolution solution;
  mcp::Result result;          // of the final problem
  mcp::Statistics statistics;  // of all problems solved for it
};

// Solves one step. Quadratic form: the linearised problem first, then from its solution (64.6 % became 99.6 % with
// PATH); `start`, when given, comes before both.
SolvedStep solve_step(const StepProblem& step, const Formulation& formulation, const mcp::Options& options = {},
                      const StepSolution* start = nullptr);

}  // namespace pegrasp::reference
