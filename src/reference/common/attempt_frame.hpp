// SPDX-License-Identifier: Apache-2.0
// One attempt at a step of length h, in 2D and in 3D (docs/architecture.md, The step; docs/explanation/pair-modes.md):
//
//   near pairs -> free motion -> [ facet of every pair -> rows -> solve -> measure at the end pose ] x 1..max_passes
//
// The first pass takes, for each pair, the facet that is violated latest along the free motion. Later passes take the
// facet that separates most at the end of the last solve. An end is accepted if no pair overlaps by more than the
// accepted share of the penetration tolerance beyond its target, no joint is off by more, and no pair that carries
// force is apart by more than the tolerance.
//
// attempt_choice.hpp, attempt_end.hpp and attempt_landing.hpp have the rest of its functions. `Dimension` names the
// types of one dimension and holds what differs in single expressions (planar/attempt.hpp, spatial/attempt.hpp).
// Everything else that differs is a virtual function.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/common/attempt_report.hpp"
#include "src/reference/common/feasibility.hpp"
#include "src/reference/common/flush.hpp"
#include "src/reference/common/hold_still.hpp"
#include "src/reference/common/joint_targets.hpp"
#include "src/reference/common/residual.hpp"
#include "src/reference/common/scene_parts.hpp"
#include "src/reference/common/step_solver.hpp"

namespace pegrasp::reference {

// The larger of two numbers, or NaN if one of them is NaN.
inline double larger_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

// Edges closer to parallel than this [rad], plus twice the turn within the step, touch along their overlap.
constexpr double flat_angle = 0.05;
// A pair that overlaps so many times deeper than by an internal edge came there through another part of the body.
constexpr double much_deeper = 3.0;
// Passes in which contacts that are closed at the start of the step push along their normals there.
constexpr int passes_from_start = 3;

template <class Dimension>
class AttemptFrame {
 public:
  using Numbers = typename Dimension::Numbers;
  using Scene = typename Dimension::Scene;
  using State = typename Dimension::State;
  using Velocity = typename Dimension::Velocity;
  using Facet = typename Dimension::Facet;
  using Placed = typename Dimension::Placed;
  using Coordinates = typename Dimension::Coordinates;
  using PairContact = typename Dimension::PairContact;
  using Impulses = typename Dimension::Impulses;
  using End = typename Dimension::End;

  AttemptFrame(const AttemptFrame&) = delete;  // derived classes refer to their own members
  AttemptFrame& operator=(const AttemptFrame&) = delete;
  virtual ~AttemptFrame() = default;
  // Makes the passes. Call it once.
  End run();

 protected:
  struct NearPair {
    PartPair parts;
    double eps = 0.0;         // [m] how far the two can approach each other within the step
    bool risk = false;        // they could pass through each other within the step
    bool through = false;     // at risk: the last solve led through
    bool settled = false;     // in 2D: takes the facet of the end pose from now on
    bool near = true;         // within eps at the start
    bool apart = false;       // has no contacts: an internal edge keeps it apart, or a sibling part's contacts do
    bool overlapped = false;  // overlapped after a solve: it keeps its contacts, or passes could alternate
    Facet facet, end_facet;
    double lead = 0.0, end_lead = 0.0;  // [m] of the facets over the best one of another direction
    double start = 0.0, end = 0.0;      // [m] separation at the start pose and at the end pose
    double target = 0.0;                // [m] separation that the step has to reach
    ShellLaw shell;
    bool carries = false;  // force, in the last solve
    double off = 0.0;      // [m] by how much it ends elsewhere than the forces of its shell say
  };
  struct LimitGaps {
    double before, after;  // [m] how far inside its range a limited coordinate is at the start and at the end
  };

  // options.h is the length of this attempt. The referenced arguments must outlive the attempt.
  AttemptFrame(const Numbers& numbers, const StepOptions& options, const State& start, std::span<const char> present,
               const StepSolver& solve, Impulses& kept, Coordinates coordinates)
      : numbers_(numbers),
        scene_(numbers.scene()),
        options_(options),
        present_(present),
        solve_(solve),
        kept_(kept),
        coordinates_(std::move(coordinates)),
        recovery_(options.recovery_speed * options.h) {
    out_.end = start;
    start_velocity_ = start.velocity;
  }

  // --- what the dimensions do differently --------------------------------------------------------------------------
  // Sets the end pose and end_parts_ from the end velocities.
  virtual void place_end() = 0;
  // Sets contacts_ for the pass and returns its rows, which the attempt keeps until the next pass.
  virtual const StepProblem& linearise(bool first_pass) = 0;
  // Whether contacts that were closed at the start push along their normals at the end, which ends passes sooner.
  bool late_pass() const { return pass_ >= passes_from_start; }
  // The friction impulse that a contact's solve starts from. `same`: what is kept of the same feature, or null.
  virtual std::vector<double> start_tangent(const StepProblem& step, std::size_t contact,
                                            const typename Dimension::Tangent& tangent,
                                            const typename Impulses::OfContact* same, double ratio) const = 0;
  virtual typename Impulses::OfContact kept_contact(const StepProblem& step, std::size_t contact) const = 0;
  // The same two for supports and motors.
  virtual void start_supports_and_motors(const StepProblem& step, double ratio, StepSolution& start) const = 0;
  virtual void keep_supports_and_motors() = 0;
  virtual std::vector<double> joint_values(const JointSpec& joint, bool at_end) const = 0;  // [m] of its rows
  virtual double joint_coordinate(int joint, bool at_end) const = 0;  // [m or rad] of a joint that has one
  virtual double spring_error() const = 0;                            // [m] at the end
  virtual std::vector<LimitGaps> limit_gaps() const = 0;
  // The deflection in the surface that the impulses leave a contact with a shell, world [m].
  virtual std::vector<double> deflected(const StepProblem& step, std::size_t contact) const = 0;
  virtual void note_ties_of_limits(const StepProblem&) {}
  virtual void begin() {}  // the motion from which the first pass chooses facets, where that is not the free one
  // Where a part is at the end of the step if the velocity of its body changes as in the last (sub)step; nothing in
  // quasistatic scenes.
  virtual std::optional<Placed> expected_part(int part) const = 0;
  // Bodies that a solve leaves unbalanced, in quasistatic scenes: their speed [m/s]; holds them, if there are any.
  virtual double unbalanced_speed() const { return 0.0; }
  virtual bool hold_unbalanced() { return false; }
  // The separation of a pair at risk [m]: at the end pose, or less if the parts went through each other on the way.
  virtual double least_separation(const NearPair& pair) const = 0;
  // Whether the bodies turn so far that facets at the start and at the end say little of the way between.
  virtual bool turns_far(const NearPair&) const { return false; }
  virtual void finish() {}
  // Whether bodies that joints connect turn too far for the attempt to be true (docs/explanation/solvers.md, "Light
  // links").
  virtual bool swings_too_far() const = 0;
  // Bound on the speed [m/s] at which the boundary of a half-plane or half-space that turns passes others; else 0.
  virtual double endless_swing(int body, const Velocity& velocity) const = 0;
  virtual double kinetic_energy(int body, const Velocity& velocity) const = 0;  // [J]
  // Makes the body end as if it had moved with the mean of the velocities with which these bodies would take it along;
  // without any it rests. Called after finish().
  virtual void hold(int body, const std::vector<int>& by) = 0;
  virtual void after_hold() {}

  // --- what they share ---------------------------------------------------------------------------------------------
  const Placed& start_part(int part) const { return start_parts_[static_cast<std::size_t>(part)]; }
  const Placed& end_part(int part) const { return end_parts_[static_cast<std::size_t>(part)]; }
  double margin_of(int body, const Velocity& velocity) const {
    return options_.detect_distance +
           options_.h * (Dimension::fastest_point(numbers_, body, velocity) + endless_swing(body, velocity));
  }
  void measure_open_joints();
  void list_pairs();

  const Numbers& numbers_;
  const Scene& scene_;
  const StepOptions& options_;
  std::span<const char> present_;
  const StepSolver& solve_;
  Impulses& kept_;
  Coordinates coordinates_;
  double recovery_;             // [m] of an overlap or of a joint's error that the step may undo
  std::vector<double> margin_;  // (bodies) [m] how far a body can get within the step
  std::vector<Placed> start_parts_, end_parts_;
  std::vector<NearPair> pairs_;
  std::vector<PairContact> contacts_;  // of the last pass
  StepSolution solution_;              // of the last pass
  End out_;
  std::vector<Velocity> free_velocity_;  // (bodies) of the free motion

 private:
  // Separations are those of the cores under shells.
  bool came_through_sibling(const NearPair& pair, double s, double internal_edge) const {
    s += pair.shell.thickness;
    internal_edge += pair.shell.thickness;
    return s < much_deeper * internal_edge && s < -options_.penetration_tolerance;
  }
  void expect(NearPair& pair) const;
  void choose(NearPair& pair) const;
  std::vector<int> beside(int own, int other) const;
  template <class Vector>
  bool covered_by(const std::vector<int>& parts, const std::vector<Placed>& at,
                  const TouchedSurface<Vector>& surface) const;
  bool hidden(const NearPair& pair, const Facet& facet) const;
  bool leave_hidden_facet(const NearPair& pair, bool along_motion, Facet& facet, double& lead) const;
  double way_of(const NearPair& pair, const std::vector<Velocity>& velocity) const;
  double least_separation_at_start(const NearPair& pair) const;
  void leave_latest_out_of_reach(NearPair& pair, double internal_edge) const;
  bool leave_facet_out_of_reach(const NearPair& pair, bool along_motion, Facet& facet, double& lead) const;
  void choose_facets();
  StepSolution start_from(const StepProblem& step) const;
  void keep(const StepProblem& step);
  void solve_pass(bool first_pass);
  bool bodies_land(const StepProblem& step) const;
  void solve_rows(const StepProblem& step);
  bool squeezed() const;
  bool answer_infeasible(const StepProblem& step);
  void mark_carrying_pairs();
  void note_pushes(const StepProblem& step);
  void measure(NearPair& pair) const;
  double shell_error(const NearPair& pair) const;
  std::vector<double> coupling_values(bool at_end) const;
  double joint_error() const;
  void check_margins();
  bool accepted();
  bool worth_another_pass() const;

  double pushing_speed() const;
  std::vector<BodyAccount> accounts() const;
  std::vector<int> pushers(int body) const;
  std::vector<char> gaining(bool infeasible) const;
  void hold_still();

  std::vector<Velocity> start_velocity_;
  const StepProblem* rows_of_pass_ = nullptr;
  int pass_ = 0;
  bool fresh_ = true;  // pairs were listed since facets were last chosen
};

template <class Dimension>
void AttemptFrame<Dimension>::measure_open_joints() {
  for (const JointSpec& joint : scene_.spec().joints) {
    if (!joint_present(joint, present_)) continue;
    for (const double value : joint_values(joint, false)) {
      out_.joints_open = larger_or_nan(out_.joints_open, std::abs(value));
    }
  }
  for (const double value : coupling_values(false)) out_.joints_open = larger_or_nan(out_.joints_open, std::abs(value));
}

// The values [m] of the couplings that act.
template <class Dimension>
std::vector<double> AttemptFrame<Dimension>::coupling_values(bool at_end) const {
  std::vector<double> out;
  for (const CouplingSpec& coupling : scene_.spec().couplings) {
    if (!coupling_present(scene_.spec(), coupling, present_)) continue;
    out.push_back(coupling_row(scene_.spec(), coupling, scene_.joint_arm())
                      .value(joint_coordinate(coupling.joint, at_end), joint_coordinate(coupling.of_joint, at_end)));
  }
  return out;
}

// Lists the pairs of parts whose bounds, grown by the margins, meet.
template <class Dimension>
void AttemptFrame<Dimension>::list_pairs() {
  pairs_.clear();
  fresh_ = true;
  for (const PartPair& parts : scene_.pairs()) {
    const auto a = static_cast<std::size_t>(parts.body_a);
    const auto b = static_cast<std::size_t>(parts.body_b);
    if (present_[a] == 0 || present_[b] == 0) continue;
    const Placed& part_a = start_part(parts.part_a);
    const Placed& part_b = start_part(parts.part_b);
    const double eps = margin_[a] + margin_[b];
    if (!Dimension::within_reach(part_a, part_b, eps)) continue;
    NearPair pair;
    pair.parts = parts;
    pair.eps = eps;
    pair.shell = law_of(scene_.spec(), parts, [this](int body) { return scene_.body(body).first_part; });
    pair.risk = eps - 2.0 * options_.detect_distance > std::min(part_a.inradius(), part_b.inradius());
    pairs_.push_back(pair);
  }
}

// The kept impulses, scaled to this step's length. Features that are new to their pair share what that carried.
template <class Dimension>
StepSolution AttemptFrame<Dimension>::start_from(const StepProblem& step) const {
  StepSolution start;
  const double ratio = kept_.h > 0.0 ? options_.h / kept_.h : 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const PairContact& contact = contacts_[i];
    const PartPair& parts = pairs_[static_cast<std::size_t>(contact.pair)].parts;
    const auto mates =
        std::count_if(contacts_.begin(), contacts_.end(), [&](const PairContact& c) { return c.pair == contact.pair; });
    double normal = 0.0;
    typename Dimension::Tangent tangent = Dimension::no_tangent();
    const typename Impulses::OfContact* same = nullptr;
    for (const typename Impulses::OfContact& kept : kept_.contacts) {
      if (kept.part_a != parts.part_a || kept.part_b != parts.part_b) continue;
      if (kept.layer != contact.shell.layer) continue;
      if (kept.key == contact.at.key) {
        normal = kept.normal;
        tangent = kept.tangent;
        same = &kept;
        break;
      }
      normal += kept.normal / static_cast<double>(mates);
      tangent += kept.tangent / static_cast<double>(mates);
    }
    start.normal.push_back(ratio * normal);
    start.tangent.push_back(start_tangent(step, i, tangent, same, ratio));
  }
  start_supports_and_motors(step, ratio, start);
  // Where bodies came or went, the number of rows has changed: these rows then start without impulse.
  const auto take = [ratio](const std::vector<double>& from, std::size_t count, std::vector<double>& to) {
    for (std::size_t i = 0; i < count; ++i) to.push_back(from.size() == count ? ratio * from[i] : 0.0);
  };
  take(kept_.limits, step.contacts.size() - contacts_.size(), start.normal);
  start.tangent.resize(step.contacts.size());
  take(kept_.bilaterals, step.bilaterals.size(), start.bilateral);
  start.velocity = velocity_of_impulses(step, start);
  return start;
}

template <class Dimension>
void AttemptFrame<Dimension>::keep(const StepProblem& step) {
  kept_.h = options_.h;
  kept_.contacts.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    kept_.contacts.push_back(kept_contact(step, i));
    const ShellContact& shell = contacts_[i].shell;
    kept_.contacts.back().layer = shell.layer;
    if (shell.layer != Layer::shell) continue;
    kept_.contacts.back().deflection = shell.deflection;
    kept_.contacts.back().deflected = deflected(step, i);
  }
  kept_.limits.assign(solution_.normal.begin() + static_cast<std::ptrdiff_t>(contacts_.size()), solution_.normal.end());
  kept_.bilaterals = solution_.bilateral;
  keep_supports_and_motors();
}

// Whether any contact is with a body that has prescribed motion.
template <class Dimension>
bool AttemptFrame<Dimension>::squeezed() const {
  const auto prescribed = [&](int body) {
    return scene_.spec().bodies[static_cast<std::size_t>(body)].kind == BodyKind::kinematic;
  };
  return std::any_of(contacts_.begin(), contacts_.end(), [&](const PairContact& contact) {
    const PartPair& parts = pairs_[static_cast<std::size_t>(contact.pair)].parts;
    return prescribed(parts.body_a) || prescribed(parts.body_b);
  });
}

// Takes the motion that obeys the rows least badly where a certificate shows that none obeys them.
template <class Dimension>
bool AttemptFrame<Dimension>::answer_infeasible(const StepProblem& step) {
  if (!squeezed() || !proven_infeasible(step, options_.penetration_tolerance)) return false;
  if (std::optional<StepSolution> least = least_violation(step, options_.penetration_tolerance)) {
    solution_ = std::move(*least);
    out_.residual = natural_map_residual(step, solution_, coordinates_.body_of());
  }
  out_.infeasible = out_.residual > options_.tolerance;
  return out_.infeasible;
}

template <class Dimension>
void AttemptFrame<Dimension>::solve_rows(const StepProblem& step) {
  const bool suspect = kept_.infeasible;
  out_.infeasible = false;
  if (suspect) {
    out_.residual = natural_map_residual(step, solution_, coordinates_.body_of());
    if (out_.residual > options_.tolerance && answer_infeasible(step)) return;
  }
  const SolvedStep solved = solve_(step, options_.warm_start ? &solution_ : nullptr);
  solution_ = solved.solution;
  out_.mcp_status = solved.result.status;
  out_.mcp_residual = solved.result.residual;
  out_.residual = step.balance ? natural_map_residual(step, solution_, solution_.velocity, coordinates_.body_of())
                               : natural_map_residual(step, solution_, coordinates_.body_of());
  out_.pivots += solved.statistics.pivots;
  out_.seconds += solved.statistics.seconds;
  if (!suspect && !(out_.residual <= options_.tolerance)) answer_infeasible(step);
}

template <class Dimension>
void AttemptFrame<Dimension>::solve_pass(bool first_pass) {
  choose_facets();
  const StepProblem& step = linearise(first_pass);
  rows_of_pass_ = &step;
  out_.lands = first_pass && options_.landing_halvings > 0 && !options_.look_ahead && bodies_land(step);
  if (out_.lands) return;
  out_.contacts = static_cast<int>(contacts_.size());
  solution_ = start_from(step);
  out_.residual = out_.mcp_residual = 0.0;
  if (!step.contacts.empty() || !step.supports.empty() || !step.motors.empty() || !step.bilaterals.empty()) {
    solve_rows(step);
  }
  ++out_.solves;
  keep(step);
  kept_.infeasible = out_.infeasible;
  if (out_.infeasible) kept_.h = 0.0;  // impulses without end are nothing to start from
  const Vector nu = step.balance ? solution_.velocity : velocity_of_impulses(step, solution_);
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = coordinates_.read(body, nu);
  }
  out_.residual = larger_or_nan(out_.residual, unbalanced_speed());
  note_ties_of_limits(step);
  mark_carrying_pairs();
  note_pushes(step);
}

template <class Dimension>
void AttemptFrame<Dimension>::measure(NearPair& pair) const {
  const auto end = Dimension::best_separation(end_part(pair.parts.part_a), end_part(pair.parts.part_b), pair.eps);
  pair.end = end.value();
  if (pair.risk) {
    const double least = least_separation(pair);
    if (Dimension::settles) {
      pair.settled = least >= pair.end && (pair.settled || pair.through || turns_far(pair));
    }
    pair.through = least < pair.end;
    pair.end = least;
  }
  pair.end_facet = end.facet;
  pair.end_lead = end.lead;
  if (end.s < 0.0) leave_hidden_facet(pair, false, pair.end_facet, pair.end_lead);
  const double least = end.s - way_of(pair, out_.end.velocity);  // of its separation at the start
  if (least < least_separation_at_start(pair)) leave_facet_out_of_reach(pair, false, pair.end_facet, pair.end_lead);
  if (came_through_sibling(pair, end.s, end.internal_edge)) {
    pair.apart = true;
  } else if (pair.end < 0.0) {
    pair.apart = false;
    pair.overlapped = true;
  } else if (Dimension::drops_contacts && !pair.overlapped &&
             Dimension::kept_by_internal_edge(end.s, end.internal_edge, options_.penetration_tolerance)) {
    pair.apart = true;
  }
}

// How far [m] the joints' rows and limits, and springs, are from where the step was to take them.
template <class Dimension>
double AttemptFrame<Dimension>::joint_error() const {
  double error = 0.0;
  for (const JointSpec& joint : scene_.spec().joints) {
    if (!joint_present(joint, present_)) continue;
    const std::vector<double> start = joint_values(joint, false);
    const std::vector<double> end = joint_values(joint, true);
    for (std::size_t i = 0; i < start.size(); ++i) {
      error = larger_or_nan(error, std::abs(end[i] - joint_target(start[i], recovery_)));
    }
  }
  const std::vector<double> coupled = coupling_values(false);
  const std::vector<double> coupled_end = coupling_values(true);
  for (std::size_t i = 0; i < coupled.size(); ++i) {
    error = larger_or_nan(error, std::abs(coupled_end[i] - joint_target(coupled[i], recovery_)));
  }
  for (const LimitGaps& gap : limit_gaps()) {
    error = larger_or_nan(error, limit_target(gap.before, recovery_) - gap.after);
  }
  return scene_.spec().joints.empty() ? error : larger_or_nan(error, spring_error());
}

template <class Dimension>
typename AttemptFrame<Dimension>::End AttemptFrame<Dimension>::run() {
  free_velocity_ = out_.end.velocity;
  begin();
  bool solved = true;  // the last pass converged
  bool lost = false;   // some pass before the last one did not
  const int usual = options_.max_passes;
  const int most = usual > 1 ? Dimension::patience * usual : usual;
  for (int pass = 0; pass < most && !out_.agreed; ++pass) {
    if (pass >= usual && !worth_another_pass()) break;
    pass_ = pass;
    solve_pass(pass == 0);
    if (out_.lands) break;
    out_.agreed = accepted();
    out_.astray = !out_.agreed && !solved;
    solved = out_.residual <= options_.tolerance;
    lost = lost || (!solved && !out_.agreed);
  }
  finish();
  if (!scene_.spec().joints.empty() && swings_too_far()) out_.gained = true;
  // A pass that is linearised where a failed one has left the bodies may find a way out that is none.
  if (lost && !out_.unsolved(options_)) {
    const std::vector<char> gains = gaining(false);
    out_.gained = std::any_of(gains.begin(), gains.end(), [](char mark) { return mark != 0; });
  }
  if (out_.unsolved(options_)) hold_still();
  return out_;
}

}  // namespace pegrasp::reference
