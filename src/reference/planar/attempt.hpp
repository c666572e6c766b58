// SPDX-License-Identifier: Apache-2.0
// One attempt at a step of length h (docs/architecture.md, The step; docs/explanation/pair-modes.md, 3 to 7):
//
//   near pairs -> free motion -> [ facet of every pair -> rows -> solve -> measure at the end pose ] x 1..5
//
// In the first pass a pair's facet is the one violated latest along the free motion; afterwards the one that separates
// most at the end of the last solve. Accepted is an end where no pair overlaps by more than the tolerance beyond its
// target and none that carries force has come apart by more.
#pragma once

#include <functional>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/planar/rows.hpp"
#include "src/reference/step/formulate.hpp"

namespace pegrasp::reference {

// Solves a step; `start` is near the solution, or null.
using StepSolver = std::function<SolvedStep(const StepProblem& step, const StepSolution* start)>;

// Coulomb's law exactly: without supports the plane's friction is linear in its two directions, with them it is the
// quadratic form. workspace: see mcp::solve().
SolvedStep solve_exactly(const StepProblem& step, const StepSolution* start, mcp::Workspace* workspace = nullptr);
// The same with a workspace that its copies share: for one scene.
StepSolver exact_solver();
// The natural residual of the problem that solve_exactly() solves, in its units, at given velocities and impulses.
// Infinite where one of them is not a number.
double complementarity_residual(const StepProblem& step, const StepSolution& solution);

// Impulses of the last solve by feature: where the next one starts from.
struct KeptImpulses {
  struct OfContact {
    int part_a, part_b;
    FeatureKey key;
    double normal, tangent;  // [N s]
  };
  double h = 0.0;  // [s] step that they belong to, 0: none are kept
  std::vector<OfContact> contacts;
  std::vector<Point> supports;             // by support point
  std::vector<double> motors;              // by actuator
  std::vector<double> limits, bilaterals;  // in the order of their rows
};

// (bodies) each
struct Motion {
  std::vector<Vector3> pose, velocity;
};

struct AttemptEnd {
  Motion end;
  bool agreed = false;        // the geometry at the end agrees with the linearisation
  bool astray = false;        // not agreed, and the last pass but one was not solved
  bool tie = false;           // a pair that carries force has two facets that are equally good: rounding chose
  bool outran = false;        // the last solve made a body faster than the near pairs were listed for
  double penetration = 0.0;   // [m] at the end, beyond what the step set out to reach
  double depth = 0.0;         // [m] at the end
  double joints_open = 0.0;   // [m] at the start: how far joints are from what they hold
  double residual = 0.0;      // [m/s] natural map of the last solve
  double mcp_residual = 0.0;  // of the last solve's complementarity problem
  mcp::Status mcp_status = mcp::Status::solved;
  int contacts = 0;
  int solves = 0;
  std::int64_t pivots = 0;
  double seconds = 0.0;  // in the solver
};

class StepAttempt {
 public:
  // options.h: of this attempt. time: at its start.
  StepAttempt(const SceneNumbers& numbers, const StepOptions& options, const Motion& start,
              std::span<const char> present, double time, const StepSolver& solve, KeptImpulses& kept);
  AttemptEnd run();

 private:
  struct NearPair {
    PartPair parts;
    double eps = 0.0;    // [m] how far the two can close in
    bool risk = false;   // could pass through each other within the step
    bool near = true;    // within eps at the start
    bool apart = false;  // kept apart by a facet at a internal edge, or left to a sibling's contacts: no contacts
    Facet facet, end_facet;
    double lead = 0.0, end_lead = 0.0;  // [m] of them over the best facet of another direction
    double end = 0.0;                   // [m] separation at the end pose
    double target = 0.0;                // [m]
    bool carries = false;
  };

  double margin_of(int body, const Vector3& velocity) const;
  void list_pairs();
  void place_end();
  void choose(NearPair& pair) const;
  void choose_facets();
  std::vector<PairContact> make_contacts(bool first_pass) const;
  StepSolution start_from(const StepProblem& step, const std::vector<PairContact>& contacts) const;
  void keep(const StepProblem& step, const std::vector<PairContact>& contacts, const StepSolution& solution);
  void solve_pass(bool first_pass);
  double joint_error() const;
  bool accepted();
  bool came_through_sibling(double s, double internal_edge) const;

  const SceneNumbers& numbers_;
  const ReferenceScene& scene_;
  const StepOptions& options_;
  std::span<const char> present_;
  const StepSolver& solve_;
  KeptImpulses& kept_;
  Coordinates coordinates_;
  StepState state_;
  std::vector<double> margin_;  // (bodies) [m]
  std::vector<PlacedOutline> start_parts_, end_parts_;
  std::vector<NearPair> pairs_;
  bool fresh_ = true;  // pairs were listed since facets were last chosen
  std::vector<int> supports_, motors_;
  AttemptEnd out_;
};

}  // namespace pegrasp::reference
