// SPDX-License-Identifier: Apache-2.0
// One attempt at a step in 2D: what src/reference/common/attempt_frame.hpp leaves to the dimension. The method is that
// of docs/explanation/pair-modes.md.
#pragma once

#include <optional>
#include <vector>

#include "src/reference/common/attempt_choice.hpp"
#include "src/reference/common/attempt_end.hpp"
#include "src/reference/common/attempt_landing.hpp"
#include "src/reference/planar/flush.hpp"
#include "src/reference/planar/motion.hpp"
#include "src/reference/planar/rows.hpp"
#include "src/reference/planar/taut.hpp"

namespace pegrasp::reference {

struct PlanarImpulses : CarriedImpulses<FeatureKey, double> {
  std::vector<Point> supports;  // [N s] by support point
};

struct PlanarEnd : AttemptReport {
  PlanarState end;
};

struct PlanarDimension {
  using Numbers = PlanarNumbers;
  using Scene = PlanarScene;
  using State = PlanarState;
  using Velocity = Vector3;
  using Facet = reference::Facet;
  using Placed = PlacedOutline;
  using Coordinates = PlanarCoordinates;
  using PairContact = reference::PairContact;
  using Impulses = PlanarImpulses;
  using Tangent = double;
  using End = PlanarEnd;

  static constexpr double accepted_overlap = 1.0;  // share of the penetration tolerance
  static constexpr double no_impulse = 0.0;        // share of the largest impulse that counts as none
  static constexpr int patience = 1;               // times the usual number of passes
  static constexpr bool drops_contacts = false;    // of pairs that an internal edge keeps apart after a solve
  // A pair at risk that a solve did not lead through takes the facet of the end pose from then on, if it turns far or
  // an earlier solve led through; and the step may be divided beyond the usual smallest substep.
  static constexpr bool settles = true;

  static double no_tangent() { return 0.0; }
  static double fastest_point(const PlanarNumbers& numbers, int body, const Vector3& velocity) {
    return reference::fastest_point(numbers.scene().body(body), velocity);
  }
  // Whether the circles that hold the parts, grown by eps [m] together, meet.
  static bool within_reach(const PlacedOutline& a, const PlacedOutline& b, double eps);
  static LatestFacet latest_facet(const PlacedOutline& a0, const PlacedOutline& b0, const PlacedOutline& a1,
                                  const PlacedOutline& b1, bool through, double, const FacetFilter& counts = {}) {
    return reference::latest_facet(a0, b0, a1, b1, through, counts);
  }
  static ChosenFacet last_to_separate(const PlacedOutline& a0, const PlacedOutline& b0, const PlacedOutline& a1,
                                      const PlacedOutline& b1, const FacetFilter& counts) {
    return reference::last_to_separate(a0, b0, a1, b1, counts);
  }
  static FacetTouch<Point> touch_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b, double around) {
    return reference::touch_of(facet, a, b, around);
  }
  static bool reaches_beyond(const PlacedOutline& part, const Point& x, const Point& out, double slack) {
    return reference::reaches_beyond(part, x, out, slack);
  }
  static CoveredSpan covered_span(const PlacedOutline& part, const Point& from, const Point& to, double slack) {
    return reference::covered_span(part, from, to, slack);
  }
  static PairSeparation best_separation(const PlacedOutline& a, const PlacedOutline& b, double) {
    return reference::best_separation(a, b);
  }
  static bool kept_by_internal_edge(double, double internal_edge, double) { return !(internal_edge < 0.0); }
};

class PlanarAttempt final : public AttemptFrame<PlanarDimension> {
 public:
  // options.h is the length of this attempt [s], `time` its start [s]. present: (bodies), not 0 where a body takes
  // part. kept: the impulses of the last solve, which this attempt replaces by its own.
  PlanarAttempt(const PlanarNumbers& numbers, const StepOptions& options, const PlanarState& start,
                std::span<const char> present, double time, const StepSolver& solve, PlanarImpulses& kept);

 private:
  void begin() override;
  double unbalanced_speed() const override;
  bool hold_unbalanced() override;
  std::optional<PlacedOutline> expected_part(int part) const override;
  bool is_unbalanced(int body) const;
  void let_loose_bodies_stay();
  void move_freely(const PlanarState& start, double time);
  void place_end() override;
  const StepProblem& linearise(bool first_pass) override;
  std::vector<double> start_tangent(const StepProblem& step, std::size_t contact, const double& tangent,
                                    const PlanarImpulses::OfContact* same, double ratio) const override;
  PlanarImpulses::OfContact kept_contact(const StepProblem& step, std::size_t contact) const override;
  void start_supports_and_motors(const StepProblem& step, double ratio, StepSolution& start) const override;
  void keep_supports_and_motors() override;
  std::vector<double> joint_values(const JointSpec& joint, bool at_end) const override;
  double joint_coordinate(int joint, bool at_end) const override;
  double spring_error() const override;
  std::vector<LimitGaps> limit_gaps() const override;
  std::vector<double> deflected(const StepProblem& step, std::size_t contact) const override;
  void note_ties_of_limits(const StepProblem& step) override;
  double kinetic_energy(int body, const Vector3& velocity) const override;
  void hold(int body, const std::vector<int>& by) override;
  double endless_swing(int body, const Vector3& velocity) const override;
  double least_separation(const NearPair& pair) const override;
  double on_the_way(const NearPair& pair) const;
  bool turns_far(const NearPair& pair) const override;
  double flat_radius(const PartPair& parts) const;
  void make_contacts(bool first_pass);
  void hold_taut();
  bool swings_too_far() const override;

  StepState state_;
  StepProblem step_;  // rows of the last pass
  std::vector<int> supports_, motors_;
  std::vector<PlanarHeld> held_;  // in the last pass
};

}  // namespace pegrasp::reference
