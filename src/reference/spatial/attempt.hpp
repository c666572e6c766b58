// SPDX-License-Identifier: Apache-2.0
// One attempt at a step of length h in 3D (docs/architecture.md, The step; docs/explanation/pair-modes.md, 3 to 8):
//
//   near pairs -> free motion -> [ facet of every pair -> rows -> solve -> measure at the end pose ] x 1..5 (10)
//
// In the first pass a pair's facet is the one violated latest along the free motion; afterwards the one that separates most at the end of
// the last solve. Accepted is an end where no pair overlaps by more than 0.3 of the tolerance beyond its target, no joint is off by more, and
// no pair that carries force has come apart by more than the tolerance. Passes beyond the usual five are made where those left much.
#pragma once

#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/planar/attempt.hpp"
#include "src/reference/spatial/rows.hpp"

namespace pegrasp::reference::spatial {

// Impulses of the last solve by feature: where the next one starts from.
struct SpaceImpulses {
  struct OfContact {
    int part_a, part_b;
    FeatureKey key;
    double normal;                // [N s]
    Vector3 tangent;              // world
    std::vector<double> moments;  // over their arms, by the contact's own directions
  };
  double h = 0.0;  // [s] step that they belong to, 0: none are kept
  std::vector<OfContact> contacts;
  std::vector<double> limits;  // in the order of the limits that act, as the next two
  std::vector<double> motors;
  std::vector<double> bilaterals;
};

struct SpaceEnd {
  SpatialState end;
  std::vector<double> joint_turn;  // (joints) there, counted on
  bool agreed = false;             // the geometry at the end agrees with the linearisation
  bool astray = false;             // not agreed, and the last pass but one was not solved
  bool gained = false;             // energy that nobody put in
  bool risk = false;               // a pair could have passed through each other
  bool tie = false;                // a pair that carries force has two facets that are equally good: rounding chose
  bool outran = false;             // the last solve made a body faster than the near pairs were listed for
  double penetration = 0.0;        // [m] at the end, beyond what the step set out to reach; joints too
  double depth = 0.0;              // [m] overlap at the end
  double joints_open = 0.0;        // [m] by which joints were apart at the start
  double residual = 0.0;           // [m/s] natural map of the last solve
  double mcp_residual = 0.0;       // of the last solve's complementarity problem
  mcp::Status mcp_status = mcp::Status::solved;
  int contacts = 0;
  int solves = 0;
  std::int64_t pivots = 0;
  double seconds = 0.0;  // in the solver
};

// (bodies) of dynamic bodies that are present.
std::vector<FreeMotion> middles(const SpatialNumbers& numbers, const SpatialState& start, std::span<const char> present,
                                double h);
std::vector<Matrix3> inertias(const std::vector<FreeMotion>& middle);

class SpatialAttempt {
 public:
  // options.h: of this attempt. time: at its start. joint_turn: (joints) where turns are counted on from.
  SpatialAttempt(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& start,
                 std::span<const char> present, const std::vector<double>& joint_turn, double time,
                 const StepSolver& solve, SpaceImpulses& kept);
  SpatialAttempt(const SpatialAttempt&) = delete;  // what rows are made from refers to its own
  SpatialAttempt& operator=(const SpatialAttempt&) = delete;
  SpaceEnd run();

 private:
  struct NearPair {
    PartPair parts;
    double eps = 0.0;   // [m] how far the two can close in
    bool risk = false;  // could pass through each other within the step
    bool near = true;   // within eps at the start
    bool ahead =
        false;  // touches at the start: the first pass linearises it where the bodies go with the velocities that they have
    bool apart = false;       // kept apart by a facet at a internal edge, or left to a sibling's contacts: no contacts
    bool overlapped = false;  // after a solve: keeps its contacts for the rest of the step, lest passes alternate
    Facet facet, end_facet;
    double lead = 0.0, end_lead = 0.0;  // [m] of them over the best facet of another direction
    double start = 0.0, end = 0.0;      // [m] separation at the two poses
    double target = 0.0;                // [m]
    bool carries = false;
  };

  double margin_of(int body, const Twist6& velocity) const;
  void list_pairs();
  void place_end();
  std::vector<PlacedSolid> placed(const SpatialState& state) const;
  void choose(NearPair& pair) const;
  void choose_facets();
  void look_ahead();
  std::vector<PairContact> make_contacts(bool first_pass) const;
  StepSolution start_from(const StepProblem& step, const std::vector<PairContact>& contacts) const;
  void keep(const StepProblem& step, const std::vector<PairContact>& contacts, const StepSolution& solution);
  void solve_pass(bool first_pass);
  bool accepted();
  bool leaves_much() const;  // that another pass may mend
  void measure(NearPair& pair) const;
  double on_the_way(const NearPair& pair) const;
  double joint_error() const;
  bool came_through_sibling(double s, double internal_edge) const;
  bool kept_by_internal_edge(double s, double internal_edge) const;
  bool turns_as_it_should(int body) const;
  bool gains_energy() const;
  void count_turns();
  void finish_momenta();

  const SpatialNumbers& numbers_;
  const SpatialScene& scene_;
  const StepOptions& options_;
  std::span<const char> present_;
  const StepSolver& solve_;
  SpaceImpulses& kept_;
  std::vector<FreeMotion> middle_;  // (bodies)
  SpaceCoordinates coordinates_;
  SpatialState start_;
  StepView view_;
  std::vector<double> margin_;  // (bodies) [m]
  std::vector<PlacedSolid> start_parts_, end_parts_, ahead_parts_;
  std::vector<NearPair> pairs_;
  bool fresh_ = true;      // pairs were listed since facets were last chosen
  StepRows rows_;          // of the last pass
  StepSolution solution_;  // of the last pass
  std::vector<PairContact> contacts_;
  SpaceEnd out_;
};

}  // namespace pegrasp::reference::spatial
