// SPDX-License-Identifier: Apache-2.0
// Friction-contact problems as complementarity problems, and the residual that assesses all their solvers.
#pragma once

#include "src/reference/io/stored_problem.hpp"

namespace pegrasp::reference {

// max over contacts of |r - P(r - u^)|, P the projection on the friction cone, u^ = u + mu |u_t| e_n: fclib's natural
// map, largest contact instead of its root of the sum of squares. Zero at solutions only. NaN counts as infinite.
double friction_residual(const FrictionProblem& problem, const mcp::Vector& r);
double friction_residual(const FrictionProblem& problem, const mcp::Vector& r, const mcp::Vector& u);  // u = W r + q

// Unknowns are scaled: impulses r / impulse, velocities u / velocity, so that quadratic rows are as large as linear
// ones.
struct FrictionMcp {
  StoredMcp stored;
  int dimension = 2;
  int directions = 0;  // of the pyramid, 0: quadratic law
  double impulse = 1.0;
  double velocity = 1.0;
};

// The pyramid: 0 <= r_n _|_ u_n,  0 <= b_k _|_ d_k' u_t + s,  0 <= s _|_ mu r_n - sum b_k,  r_t = sum d_k b_k. Exact in
// the plane, where the directions are +t and -t; in 3D `directions` of them, evenly turned.
FrictionMcp linearised_mcp(const FrictionProblem& problem, int directions = 8);
// Coulomb's law in 3D (Williams' thesis 4.30 to 4.40): mu r_n u_t + s r_t = 0,  0 <= s _|_ (mu r_n)^2 - |r_t|^2.
FrictionMcp quadratic_mcp(const FrictionProblem& problem);

mcp::Vector impulses(const FrictionMcp& mcp, const mcp::Vector& x);  // x -> r
mcp::Vector unknowns(const FrictionMcp& mcp, const FrictionProblem& problem,
                     const mcp::Vector& r);  // r -> a start near it

}  // namespace pegrasp::reference
