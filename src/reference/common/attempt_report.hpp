// SPDX-License-Identifier: Apache-2.0
// What an attempt at a step reports, and what it leaves to the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/common/shell.hpp"
#include "src/reference/common/step_solver.hpp"

namespace pegrasp::reference {

// What a contact of the last pass did.
struct ContactPush {
  int body_a, body_b;
  double normal;   // [N s]
  double tangent;  // [N s] size of all that shares the bound of friction
  double mu;
  double force_a = 0.0, force_b = 0.0;  // of either body: the (sub)step over the time for which its impulses act
};

// What an attempt reports beside the state that it ends in.
struct AttemptReport {
  bool agreed = false;        // the geometry at the end agrees with the linearisation: the end is accepted
  bool astray = false;        // diverging: not agreed, and the solve of the pass before the last one did not converge
  bool gained = false;        // the step made kinetic energy that nothing put in, or jointed bodies turn too far
  bool infeasible = false;    // a certificate shows that no motion obeys the last pass
  bool risk = false;          // some pair was fast enough to pass through each other within the step
  bool tie = false;           // a pair that carries force has two equally good facets, so that rounding chose one
  bool lands = false;         // bodies land within the step, which is to be halved: nothing was solved
  bool outran = false;        // after the last solve a body is faster than the margin that near pairs were listed with
  double penetration = 0.0;   // [m] overlap at the end, or error of a joint, beyond what the step was to reach
  double depth = 0.0;         // [m] overlap at the end
  double joints_open = 0.0;   // [m] largest error of a joint's rows at the start
  double residual = 0.0;      // [m/s] natural-map residual of the last solve
  double mcp_residual = 0.0;  // residual of the last solve's complementarity problem
  mcp::Status mcp_status = mcp::Status::solved;
  int contacts = 0;  // of the last pass
  int solves = 0;
  std::int64_t pivots = 0;
  double seconds = 0.0;  // in the solver
  std::vector<ContactPush> pushes;
  bool held = false;  // it holds bodies still that gained more than is explained

  // Whether the attempt is refused as long as a smaller substep is left, or else leaves a status bit.
  bool too_deep(const StepOptions& options) const { return !agreed && (penetration > options.reject_depth || outran); }
  bool unsolved(const StepOptions& options) const { return gained || astray || !(residual <= options.tolerance); }
};

// Impulses of the last solve by feature. The next solve starts from them. `Tangent`: the friction impulse as it is
// kept.
template <class FeatureKey, class Tangent>
struct CarriedImpulses {
  struct OfContact {
    int part_a, part_b;
    FeatureKey key;
    double normal;                     // [N s]
    Tangent tangent;                   // [N s]
    std::vector<double> moments = {};  // in 3D: torsion and rolling over their arms, in the contact's own directions
    Layer layer = Layer::rigid;
    // Of a shell in its surface, world [m]: where the step begins, and at its end if it is taken.
    std::vector<double> deflection = {}, deflected = {};
  };
  double h = 0.0;  // [s] length of the step that they belong to; 0: none are kept
  std::vector<OfContact> contacts;
  std::vector<double> limits, bilaterals;  // in the order of their rows
  std::vector<double> motors;              // in 2D by actuator, in 3D in the order of their rows
  bool infeasible = false;                 // no motion obeyed the last solve
  // Takes the step to which the impulses belong: its deflections are those that the next one begins with.
  void take_step() {
    for (OfContact& contact : contacts) contact.deflection = contact.deflected;
  }
  // The deflection that a feature of these parts has where the step begins; that of the mean where it is new.
  std::vector<double> deflection_of(int part_a, int part_b, const FeatureKey& key) const {
    std::vector<double> sum;
    double count = 0.0;
    for (const OfContact& kept : contacts) {
      if (kept.part_a != part_a || kept.part_b != part_b || kept.layer != Layer::shell) continue;
      if (kept.key == key) return kept.deflection;
      if (kept.deflection.empty()) continue;
      sum.resize(kept.deflection.size(), 0.0);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += kept.deflection[i];
      count += 1.0;
    }
    for (double& x : sum) x /= count;
    return sum;
  }
};

}  // namespace pegrasp::reference
