// SPDX-License-Identifier: Apache-2.0
// The contents of a problem file (docs/reference/stored-problems.md): complementarity problems and friction-contact
// problems, each with a name and its origin. Plain data, read and written by problem_file.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

struct StoredLinearisation;

// find l <= x <= u complementary to F(x) = m x + q + sum of value * x_i * x_j in row r.
struct StoredMcp {
  mcp::SparseMatrix m;       // (n, n)
  mcp::Vector q;             // (n)
  mcp::Vector lower, upper;  // (n), may be infinite
  mcp::Vector start;         // (n)
  std::vector<FormulatedStep::QuadraticTerm> quadratic;
  std::vector<VariableKind> kinds;                        // (n), or empty: not known
  std::shared_ptr<const StoredLinearisation> linearised;  // of a quadratic problem, or none
};

// A linear problem whose solution x gives the quadratic one a start, back * x, near a solution. The quadratic problem's
// own start has no impulses, and there Coulomb's rows have no gradient.
struct StoredLinearisation {
  StoredMcp problem;
  mcp::SparseMatrix back;  // (n of the quadratic problem, n)
};

// A friction-contact problem in local form (fclib's): u = W r + q, and at every contact
//   r in the cone |r_t| <= mu r_n,   u + mu |u_t| e_n in its dual,   at right angles to each other,
// which is Coulomb's law with u_n >= 0. Components of a contact stand together, the normal one first.
struct FrictionProblem {
  int dimension = 2;    // components of a contact: 2 in 2D, 3 in 3D
  mcp::SparseMatrix w;  // (m, m), m = dimension * contacts
  mcp::Vector q;        // (m)
  mcp::Vector mu;       // (contacts)
  mcp::Vector start;    // (m) a guess of r, or empty
  Eigen::Index contacts() const { return mu.size(); }
};

struct StoredProblem {
  std::string name;
  std::string family;       // problems of one kind, for summaries
  std::string scene;        // where it comes from: file or scene, empty when not known
  std::string formulation;  // in words, empty when not known
  std::int32_t step = -1;   // of the simulation, from 1; -1: not known
  double h = 0.0;           // [s]; 0: not known
  std::variant<StoredMcp, FrictionProblem> content;
};

// The problem as the solver takes it.
mcp::Problem to_problem(const StoredMcp& stored);

// The step as problem files hold it: in the quadratic form with its linearisation.
StoredMcp to_stored(const StepProblem& step, const Formulation& formulation);

}  // namespace pegrasp::reference
