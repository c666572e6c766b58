// SPDX-License-Identifier: Apache-2.0
// One attempt at a step in 3D: what src/reference/common/attempt_frame.hpp leaves to the dimension. The method is that
// of docs/explanation/pair-modes.md.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/reference/common/attempt_choice.hpp"
#include "src/reference/common/attempt_end.hpp"
#include "src/reference/common/attempt_landing.hpp"
#include "src/reference/spatial/facets.hpp"
#include "src/reference/spatial/flush.hpp"
#include "src/reference/spatial/rows.hpp"
#include "src/reference/spatial/taut.hpp"

namespace pegrasp::reference::spatial {

// The friction impulse is kept as a vector in the world, as the two directions of a contact change with its normal.
using SpatialImpulses = CarriedImpulses<FeatureKey, Vector3>;

struct SpatialEnd : AttemptReport {
  SpatialState end;
  std::vector<double> joint_turn;  // (joints) [rad] at the end, counted over whole turns
};

struct SpatialDimension {
  using Numbers = SpatialNumbers;
  using Scene = SpatialScene;
  using State = SpatialState;
  using Velocity = Twist6;
  using Facet = spatial::Facet;
  using Placed = PlacedSolid;
  using Coordinates = SpatialCoordinates;
  using PairContact = spatial::PairContact;
  using Impulses = SpatialImpulses;
  using Tangent = Vector3;
  using End = SpatialEnd;

  static constexpr double accepted_overlap = 0.3;  // share of the penetration tolerance
  static constexpr double no_impulse = 1e-12;   // share of the largest impulse that the solver leaves at open contacts
  static constexpr int patience = 2;            // times the usual number of passes, where they left much
  static constexpr bool drops_contacts = true;  // of pairs that an internal edge keeps apart after a solve
  static constexpr bool settles = false;

  static Vector3 no_tangent() { return Vector3::Zero(); }
  static double fastest_point(const SpatialNumbers& numbers, int body, const Twist6& velocity) {
    return spatial::fastest_point(numbers, body, velocity);
  }
  static bool within_reach(const PlacedSolid& a, const PlacedSolid& b, double eps) {
    return spatial::within_reach(a, b, eps);
  }
  static LatestFacet latest_facet(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1,
                                  const PlacedSolid& b1, bool through, double reach, const FacetFilter& counts = {}) {
    return spatial::latest_facet(a0, b0, a1, b1, through, reach, counts);
  }
  static ChosenFacet last_to_separate(const PlacedSolid& a0, const PlacedSolid& b0, const PlacedSolid& a1,
                                      const PlacedSolid& b1, const FacetFilter& counts) {
    return spatial::last_to_separate(a0, b0, a1, b1, counts);
  }
  static FacetTouch<Vector3> touch_of(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double around) {
    return spatial::touch_of(facet, a, b, around);
  }
  static bool reaches_beyond(const PlacedSolid& part, const Vector3& x, const Vector3& out, double slack) {
    return spatial::reaches_beyond(part, x, out, slack);
  }
  static CoveredSpan covered_span(const PlacedSolid& part, const Vector3& from, const Vector3& to, double slack) {
    return spatial::covered_span(part, from, to, slack);
  }
  static PairSeparation best_separation(const PlacedSolid& a, const PlacedSolid& b, double reach) {
    return spatial::best_separation(a, b, reach);
  }
  // Whether a facet at an internal edge separates the parts, and by more than all others plus the tolerance.
  static bool kept_by_internal_edge(double s, double internal_edge, double tolerance) {
    return internal_edge >= 0.0 && internal_edge > s + tolerance;
  }
};

// (bodies) free motion of the dynamic bodies that are present, at the middle of the step.
std::vector<FreeMotion> middles(const SpatialNumbers& numbers, const SpatialState& start, std::span<const char> present,
                                double h);
std::vector<Matrix3> inertias(const std::vector<FreeMotion>& middle);

class SpatialAttempt final : public AttemptFrame<SpatialDimension> {
 public:
  // options.h is the length of this attempt [s], `time` its start [s]. present: (bodies), not 0 where a body takes
  // part. joint_turn: (joints) [rad] at the start, counted over whole turns. kept: the impulses of the last solve,
  // which this attempt replaces by its own.
  SpatialAttempt(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& start,
                 std::span<const char> present, const std::vector<double>& joint_turn, double time,
                 const StepSolver& solve, SpatialImpulses& kept)
      : SpatialAttempt(numbers, options, start, present, joint_turn, time, solve, kept,
                       middles(numbers, start, present, options.h)) {}

 private:
  SpatialAttempt(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& start,
                 std::span<const char> present, const std::vector<double>& joint_turn, double time,
                 const StepSolver& solve, SpatialImpulses& kept, std::vector<FreeMotion> middle);

  void move_freely(double time);
  void begin() override;
  double unbalanced_speed() const override;
  bool hold_unbalanced() override;
  std::optional<PlacedSolid> expected_part(int part) const override;
  bool is_unbalanced(int body) const;
  void let_loose_bodies_stay();
  void place_end() override;
  const StepProblem& linearise(bool first_pass) override;
  std::vector<double> start_tangent(const StepProblem& step, std::size_t contact, const Vector3& tangent,
                                    const SpatialImpulses::OfContact* same, double ratio) const override;
  SpatialImpulses::OfContact kept_contact(const StepProblem& step, std::size_t contact) const override;
  void start_supports_and_motors(const StepProblem& step, double ratio, StepSolution& start) const override;
  void keep_supports_and_motors() override;
  std::vector<double> joint_values(const JointSpec& joint, bool at_end) const override;
  double joint_coordinate(int joint, bool at_end) const override;
  double spring_error() const override;
  std::vector<LimitGaps> limit_gaps() const override;
  std::vector<double> deflected(const StepProblem& step, std::size_t contact) const override;
  double least_separation(const NearPair& pair) const override;
  void finish() override;
  double kinetic_energy(int body, const Twist6& velocity) const override;
  void hold(int body, const std::vector<int>& by) override;
  double endless_swing(int body, const Twist6& velocity) const override;
  void after_hold() override { count_turns(); }

  std::vector<PlacedSolid> placed(const SpatialState& state) const;
  bool looks_ahead(const NearPair& pair) const;
  void look_ahead();
  void hold_taut();
  bool swings_too_far() const override;
  void make_contacts(bool first_pass);
  double on_the_way(const NearPair& pair) const;
  bool turns_as_it_should(int body) const;
  double work_of_kinematic_bodies() const;
  double followers_speed(int body, double time) const;
  bool gains_energy() const;
  void count_turns();
  void finish_momenta();

  std::vector<FreeMotion> middle_;  // (bodies)
  std::vector<Held> held_;          // (bodies) in the last pass
  SpatialState start_;
  StepView view_;
  std::vector<PlacedSolid> ahead_parts_;
  std::map<std::pair<int, int>, EarlierRims> rims_;  // (pairs of parts) of the passes so far
  StepRows rows_;                                    // of the last pass
};

}  // namespace pegrasp::reference::spatial
