// SPDX-License-Identifier: Apache-2.0
// One time step of a scene, as the sources write it: bodies, gaps, friction directions and disjunctions. The
// formulations (formulate.hpp) turn it into complementarity problems. It does not depend on shapes or on the dimension:
// velocities are one vector nu (v) over all dynamic bodies, and gradients are sparse columns of that length.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <vector>

namespace pegrasp::reference {

using Vector = Eigen::VectorXd;
using SparseVector = Eigen::SparseVector<double>;
using SparseMatrix = Eigen::SparseMatrix<double>;

// A potential contact C: the gap psi with its gradient, and the friction directions: one in 2D; t and o in 3D. In 3D
// moments over their arms may follow, which share the bound.
struct Contact {
  SparseVector normal;                 // (v) column of G_n: d psi / dt = normal' nu + rate
  std::vector<SparseVector> tangents;  // (v) each: sliding velocity is tangents[k]' nu + tangent_rate[k]
  double gap = 0.0;                    // psi [m] at the start of the step, less the gap that the step must reach
  double rate = 0.0;                   // partial psi / partial t [m/s]: prescribed motion of the other body
  std::vector<double> tangent_rate;    // [m/s]
  double mu = 0.0;
  // Compliance of a spring for load sharing, 1/m_a + 1/m_b [1/kg] times the number of contacts of the pair in one
  // place; 0: no spring.
  double spring = 0.0;
  SparseVector push =
      {};  // (v) along which its impulse acts; empty: `normal`. At another pose of a turning body they differ
  // Of a contact with a compliant shell [m/s per N s]: what the impulse adds to the gap's rate, and to the slip.
  double compliance = 0.0, tangent_compliance = 0.0;
  // [m/s] What the deflection at the start adds to them; it is part of gap, rate and tangent_rate.
  double lack = 0.0;
  std::vector<double> tangent_lack = {};
};

// I(C_iota, C_kappa) (thesis 4.9): indices of contacts. At least one gap of both lists stays non-negative; those in
// `carriers` may carry force, those in `masks` may not. With one carrier (4.14), with several (4.10) to (4.13).
struct InterContact {
  std::vector<int> carriers;
  std::vector<int> masks;
};

// X(C_a, C_b) (thesis 4.15): psi_a >= 0 or psi_b >= 0. Written as an I-constraint (thesis, 4.2.3) it has force
// carriers: those of a and b that `carriers` names; empty: all.
struct CrossContact {
  std::vector<int> a, b;
  std::vector<int> carriers;
};

// A support point that slides on the plane below (Berard 3.25). Its impulse opposes the slip of the point, and its
// length is at most `bound`.
struct SupportPoint {
  std::vector<SparseVector> tangents;  // (v) each: sliding velocity is tangents[k]' nu + rate[k]
  double bound = 0.0;                  // h mu_s lambda_ns [N s]
  std::vector<double> rate = {};       // [m/s]; empty: zero
};

// A servo: w = row' nu + bias + compliance p, p in [-bound, bound].
struct Motor {
  SparseVector row;         // (v)
  double bias = 0.0;        // [m/s]
  double compliance = 0.0;  // [m/s per N s]
  double bound = 0.0;       // [N s]
  int mates =
      0;  // motors behind it that share its bound: together |p| <= bound (of a spherical joint; the MCP has none)
  SparseVector push = {};  // (v) as of a contact: of a spring
};

// A bilateral constraint (thesis 4.31): psi_b / h + row' nu + rate = 0.
struct Bilateral {
  SparseVector row;  // (v)
  double gap = 0.0;
  double rate = 0.0;
  SparseVector push = {};  // (v) as of a contact
};

// The direction along which the impulse of a contact, a servo or a bilateral constraint acts.
inline const SparseVector& push_of(const Contact& c) { return c.push.size() > 0 ? c.push : c.normal; }
inline const SparseVector& push_of(const Motor& m) { return m.push.size() > 0 ? m.push : m.row; }
inline const SparseVector& push_of(const Bilateral& b) { return b.push.size() > 0 ? b.push : b.row; }

// Whether the bound of a motor means anything in a step of h [s]: that of a spring is beyond all forces, and says
// nothing of the size of its impulse.
inline bool is_limited(const Motor& m, double h) {
  constexpr double beyond_all = 1e8;  // [N]
  return m.bound < beyond_all * h;
}

struct StepProblem {
  double h = 0.0;     // [s]
  SparseMatrix mass;  // (v, v) M, symmetric positive definite
  Vector velocity;    // (v) nu at the start
  Vector external;    // (v) p_ext = h f [N s, N m s]
  std::vector<Contact> contacts;
  std::vector<int> unilateral;  // U(C) (thesis 4.7): contacts that carry force unconditionally
  std::vector<InterContact> inter;
  std::vector<CrossContact> cross;
  std::vector<SupportPoint> supports;
  std::vector<Motor> motors;
  std::vector<Bilateral> bilaterals;
  bool balance = false;  // quasistatic: M is so small that impulses balance, and do not tell velocities
};

// The solution of a step, in physical quantities, whichever formulation found it. Impulses are in the order of the
// lists of the StepProblem.
struct StepSolution {
  Vector velocity;                           // (v) nu at the end
  std::vector<double> normal;                // (contacts) [N s]; 0 for those that carry none
  std::vector<std::vector<double>> tangent;  // (contacts, tangents) [N s]
  std::vector<std::vector<double>> support;  // (supports, tangents) [N s]
  std::vector<double> motor;                 // (motors) [N s]
  std::vector<double> bilateral;             // (bilaterals) [N s]
};

}  // namespace pegrasp::reference
