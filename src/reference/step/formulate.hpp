// SPDX-License-Identifier: Apache-2.0
// Writes a step as a complementarity problem, in the forms of the sources, and reads its solution back.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

enum class Form {
  lcp,        // velocities and joints eliminated, friction linearised (thesis 6.1; joints: 2.37)
  mixed,      // velocities, joints and impulses as unknowns, friction linearised (thesis 6.3, 4.41 to 4.51)
  quadratic,  // the same with Coulomb's quadratic law: a nonlinear MCP (thesis 4.30 to 4.40, Berard 2.77)
  // As mixed, with normal rows  G_n' nu + psi / h - mu s + Delta >= 0  _|_  p_n >= 0, s the slip variable: the
  // conditions for the optimum of a convex quadratic program (Hart (16)), with a monotone matrix. Delta is mu s of the
  // last iterate, and where iterates no longer change the solution is that of `mixed`. Unilateral contacts only.
  convex,
};
enum class Scheme {
  stewart_trinkle,  // psi / h + G_n' nu >= 0
  anitescu_potra,   // G_n' nu >= 0 at contacts that are closed (gap <= 0), none at others
  // The rows of Stewart and Trinkle without masses and velocities at the start: applied forces, contacts and supports
  // balance (Berard 3.29, 3.37 to 3.43). Mixed: Model-DLC; quadratic: Model-DQC. Form::lcp has no such scheme.
  quasistatic,
};

// How disjunctions become square problems. The thesis leaves them with an inequality 0 <= g without a variable of its
// own (4.11). bench/studies/thesis/formulations.md derives the first form from the second. Sets with one carrier are
// (4.14) in both.
enum class SetRows {
  // 0 <= g + (g_iota - psi_i) _|_ p_i >= 0, a chain c for each carrier, no d; X as an I-constraint (thesis, 4.2.3)
  reduced,
  // (4.10) to (4.13) with a multiplier for (4.11) that acts nowhere; X as (4.10) and (4.11), without force
  literal,
  // Egan's disjunction (Berard 3.6 to 3.15), X as an I-constraint. Gaps count in metres; his gamma is 100 m: scenes and
  // gaps are to be smaller.
  egan,
};

struct Formulation {
  Form form = Form::mixed;
  Scheme scheme = Scheme::stewart_trinkle;
  // The number of directions of the friction pyramid where there are two tangents (3D, support points). A contact in 2D
  // always has the two directions +t and -t. At least 3; even numbers are centrally symmetric.
  int directions = 8;
  // In the quadratic form: contacts with one tangent keep the rows of the linear law (4.48), (4.49), which is Coulomb's
  // law there.
  bool linear_in_plane = false;
  SetRows set_rows = SetRows::reduced;
  double closed_gap = 0.0;  // [m] Anitescu-Potra: contacts no further apart than this are closed
  // Form::convex: Delta [m/s] of each contact. Empty: 0 (Anitescu and Hart's relaxed cone), and solve_step() iterates.
  std::vector<double> relaxation = {};
};

// The meaning of a variable of the problem, for dumps, tests and messages.
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
  motor,
  inequality  // the multiplier of (4.11), SetRows::literal only
};

struct Layout;

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
      write;                             // solution -> (n): a start near it; slips are computed
  std::shared_ptr<const Layout> layout;  // where the unknowns lie; Form::lcp: with those that are eliminated
};

// Throws std::invalid_argument, one line, for an invalid step (an index out of range, h <= 0), and for Form::lcp where
// redundant joints cannot be eliminated.
FormulatedStep formulate(const StepProblem& step, const Formulation& formulation);

// The linear problem from whose solution x the quadratic form starts, at back * x. In 2D that solution also solves the
// quadratic form; with two tangents it is near a solution.
struct LinearisedStep {
  FormulatedStep step;     // Form::mixed
  mcp::SparseMatrix back;  // (n of the quadratic form, n)
};
// `formulated`: formulate(step, formulation) with Form::quadratic.
LinearisedStep linearise(const StepProblem& step, const Formulation& formulation, const FormulatedStep& formulated);

struct SolvedStep {
  StepSolution solution;
  mcp::Result result;          // of the final problem
  mcp::Statistics statistics;  // of all problems solved for it
};

// Solves one step. The quadratic form is started from the solution of the linearised problem, with which PATH solved
// 99.6 % of the steps instead of 64.6 %. `start`, if given, is tried before both. workspace: see mcp::solve().
SolvedStep solve_step(const StepProblem& step, const Formulation& formulation, const mcp::Options& options = {},
                      const StepSolution* start = nullptr, mcp::Workspace* workspace = nullptr);

void add(mcp::Statistics& sum, const mcp::Statistics& more);

}  // namespace pegrasp::reference
