// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/attempt.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/common/residual.hpp"

namespace pegrasp::reference::spatial {
namespace {

// Features closer to parallel than this [rad], and the turn within the step, touch along each other; at most `most_flat` (sine).
constexpr double flat_angle = 0.05;
constexpr double most_flat = 0.5;
// A pair that overlaps so many times deeper by the best facet with force than by a internal edge came there through a sibling part.
constexpr double much_deeper = 3.0;
// Of the penetration tolerance: overlap at the end with which a linearisation is accepted.
constexpr double accepted_overlap = 0.3;
// Of the largest impulse: what the solver leaves at a contact that has opened.
constexpr double no_impulse = 1e-12;
// So many times the usual passes are made before a step is refused, or taken with this share of the refused depth.
constexpr int patience = 2;
constexpr double worth_a_pass = 0.1;

double larger_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

}  // namespace

std::vector<FreeMotion> middles(const SpatialNumbers& numbers, const SpatialState& start, std::span<const char> present,
                                double h) {
  std::vector<FreeMotion> out(start.position.size());
  for (std::size_t b = 0; b < out.size(); ++b) {
    const int body = static_cast<int>(b);
    if (!numbers.scene().body(body).dynamic() || present[b] == 0) continue;
    out[b] = free_spin(numbers, body, start.turn[b], start.momentum[b], h);
  }
  return out;
}

std::vector<Matrix3> inertias(const std::vector<FreeMotion>& middle) {
  std::vector<Matrix3> out;
  for (const FreeMotion& m : middle) out.push_back(m.inertia);
  return out;
}

SpatialAttempt::SpatialAttempt(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& start,
                               std::span<const char> present, const std::vector<double>& joint_turn, double time,
                               const StepSolver& solve, SpaceImpulses& kept)
    : numbers_(numbers),
      scene_(numbers.scene()),
      options_(options),
      present_(present),
      solve_(solve),
      kept_(kept),
      middle_(middles(numbers, start, present, options.h)),
      coordinates_(numbers, present, inertias(middle_)),
      start_(start),
      view_{numbers,
            coordinates_,
            present,
            start_,
            {},
            {},
            {},
            {},
            {},
            {},
            {},
            joint_turn,
            true,
            time,
            options.h,
            options.recovery_speed * options.h,
            options.load_sharing && options.solver == SolverKind::newton,
            options.penetration_tolerance} {
  out_.end = start;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    Twist6 velocity = start.velocity[b];
    if (scene_.body(body).kind == BodyKind::kinematic) {
      velocity = prescribed_velocity(numbers, body, start, time, options.h);
    }
    const double falls = scene_.body(body).dynamic() ? options.h * scene_.gravity().norm() : 0.0;
    margin_.push_back(margin_of(body, velocity) + options.h * falls);
    if (present[b] == 0 || scene_.body(body).kind == BodyKind::fixed) velocity = {};
    view_.motion.push_back(velocity);
    view_.free.push_back({velocity.linear, middle_[b].spin});
    out_.end.velocity[b] = velocity;
  }
  // What the free motion is: of rows without contacts.
  view_.linearised_position = start_.position;
  view_.linearised_turn = start_.turn;
  view_.linearised_motion.resize(start_.position.size());
  const StepProblem unconstrained = make_rows(view_, {}).problem;
  const Vector free = unconstrained.velocity + unconstrained.external;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = coordinates_.read(body, free);
  }
  for (const JointSpec& joint : scene_.spec().joints) {
    if (!joint_present(joint, present)) continue;
    for (const JointRow& row : JointAt(numbers, joint, start_.position, start_.turn).rows()) {
      out_.joints_open = larger_or_nan(out_.joints_open, std::abs(row.value));
    }
  }
  start_parts_ = placed(start_);
  list_pairs();
  place_end();
}

double SpatialAttempt::margin_of(int body, const Twist6& velocity) const {
  return options_.detect_distance + options_.h * fastest_point(numbers_, body, velocity);
}

std::vector<PlacedSolid> SpatialAttempt::placed(const SpatialState& state) const {
  std::vector<PlacedSolid> out;
  for (int part = 0; part < scene_.part_count(); ++part) {
    const int body = scene_.part_body(part);
    const auto b = static_cast<std::size_t>(body);
    out.push_back(scene_.place(part, frame_of(numbers_, body, state.position[b], state.turn[b])));
  }
  return out;
}

// Pairs of parts whose boxes, grown by the margins, meet; of a half-space and another part, whose planes do.
void SpatialAttempt::list_pairs() {
  pairs_.clear();
  fresh_ = true;
  for (const PartPair& parts : scene_.pairs()) {
    const auto a = static_cast<std::size_t>(parts.body_a);
    const auto b = static_cast<std::size_t>(parts.body_b);
    if (present_[a] == 0 || present_[b] == 0) continue;
    const PlacedSolid& part_a = start_parts_[static_cast<std::size_t>(parts.part_a)];
    const PlacedSolid& part_b = start_parts_[static_cast<std::size_t>(parts.part_b)];
    const double eps = margin_[a] + margin_[b];
    if (!within_reach(part_a, part_b, eps)) continue;
    NearPair pair;
    pair.parts = parts;
    pair.eps = eps;
    pair.risk = eps - 2.0 * options_.detect_distance > std::min(part_a.solid->inradius, part_b.solid->inradius);
    pairs_.push_back(pair);
  }
}

void SpatialAttempt::place_end() {
  for (std::size_t b = 0; b < start_.position.size(); ++b) {
    const Twist6& v = out_.end.velocity[b];
    out_.end.position[b] = start_.position[b] + options_.h * v.linear;
    out_.end.turn[b] = (exponential(options_.h * v.angular) * start_.turn[b]).normalized();
  }
  end_parts_ = placed(out_.end);
}

bool SpatialAttempt::came_through_sibling(double s, double internal_edge) const {
  return s < much_deeper * internal_edge && s < -options_.penetration_tolerance;
}

// Whether a facet at a internal edge separates the parts, and more than all others by more than the tolerance.
bool SpatialAttempt::kept_by_internal_edge(double s, double internal_edge) const {
  return internal_edge >= 0.0 && internal_edge > s + options_.penetration_tolerance;
}

// The facet that is violated latest from the start pose to the end pose at hand.
void SpatialAttempt::choose(NearPair& pair) const {
  const auto a = static_cast<std::size_t>(pair.parts.part_a);
  const auto b = static_cast<std::size_t>(pair.parts.part_b);
  const LatestFacet latest =
      latest_facet(start_parts_[a], start_parts_[b], end_parts_[a], end_parts_[b], pair.risk, pair.eps);
  pair.start = std::max(latest.s0_max, latest.internal_edge0);
  pair.facet = pair.end_facet = latest.facet;
  pair.lead = pair.end_lead = latest.lead;
  pair.end = std::max(latest.s1, latest.internal_edge1);
  pair.near = pair.start <= pair.eps;
  pair.ahead = options_.look_ahead && !pair.risk && pair.start <= options_.detect_distance;
  pair.target = std::min(0.0, pair.start + options_.recovery_speed * options_.h);
  if (fresh_) {
    pair.apart = true;
    pair.overlapped = false;
  }
  if (!kept_by_internal_edge(latest.s1, latest.internal_edge1) &&
      !came_through_sibling(latest.s1, latest.internal_edge1))
    pair.apart = false;
}

void SpatialAttempt::choose_facets() {
  for (NearPair& pair : pairs_) {
    if (fresh_ || pair.risk) {
      choose(pair);
    } else {
      pair.facet = pair.end_facet;
      pair.lead = pair.end_lead;
    }
  }
  fresh_ = false;
}

// Where bodies go with the velocities that they have, whatever acts within the step.
void SpatialAttempt::look_ahead() {
  SpatialState ahead = start_;
  view_.ahead_motion = out_.end.velocity;  // of those that are kinematic
  for (std::size_t b = 0; b < ahead.position.size(); ++b) {
    if (!coordinates_.moves(static_cast<int>(b))) {
      ahead.position[b] = out_.end.position[b];
      ahead.turn[b] = out_.end.turn[b];
      continue;
    }
    const Twist6& v = view_.ahead_motion[b] = view_.free[b];
    ahead.position[b] += options_.h * v.linear;
    ahead.turn[b] = (exponential(options_.h * v.angular) * ahead.turn[b]).normalized();
  }
  view_.ahead_position = ahead.position;
  ahead_parts_ = placed(ahead);
}

std::vector<PairContact> SpatialAttempt::make_contacts(bool first_pass) const {
  std::vector<PairContact> out;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const NearPair& pair = pairs_[k];
    if (!pair.near || pair.apart) continue;
    const PartPair& parts = pair.parts;
    const bool ahead = first_pass && pair.ahead;
    const std::vector<PlacedSolid>& at = ahead ? ahead_parts_ : (first_pass ? start_parts_ : end_parts_);
    const std::vector<Twist6>& motion = ahead ? view_.ahead_motion : out_.end.velocity;
    const Vector3 turns =
        motion[static_cast<std::size_t>(parts.body_b)].angular - motion[static_cast<std::size_t>(parts.body_a)].angular;
    const double flat = std::min(most_flat, flat_angle + 2.0 * options_.h * turns.norm());
    for (const ContactPoint& contact :
         contacts_of(pair.facet, at[static_cast<std::size_t>(parts.part_a)], at[static_cast<std::size_t>(parts.part_b)],
                     flat, options_.penetration_tolerance)) {
      out.push_back({static_cast<int>(k), parts.body_a, parts.body_b, contact, pair.target,
                     numbers_.friction(parts.slot), scene_.arms(parts.body_a, parts.body_b), ahead});
    }
  }
  return out;
}

// The kept impulses, scaled to this step's length; features new to their pair of parts share what the pair carried, but for its moments, which start
// at nothing. Kept moments are in the contact's own directions.
StepSolution SpatialAttempt::start_from(const StepProblem& step, const std::vector<PairContact>& contacts) const {
  StepSolution start;
  const double ratio = kept_.h > 0.0 ? options_.h / kept_.h : 0.0;
  for (const PairContact& contact : contacts) {
    const NearPair& pair = pairs_[static_cast<std::size_t>(contact.pair)];
    const auto mates =
        std::count_if(contacts.begin(), contacts.end(), [&](const PairContact& c) { return c.pair == contact.pair; });
    double normal = 0.0;
    Vector3 tangent = Vector3::Zero();
    std::vector<double> moments(step.contacts[start.normal.size()].tangents.size() - 2, 0.0);
    for (const SpaceImpulses::OfContact& kept : kept_.contacts) {
      if (kept.part_a != pair.parts.part_a || kept.part_b != pair.parts.part_b) continue;
      if (kept.key == contact.at.key) {
        normal = kept.normal;
        tangent = kept.tangent;
        if (kept.moments.size() == moments.size()) moments = kept.moments;
        break;
      }
      normal += kept.normal / static_cast<double>(mates);
      tangent += kept.tangent / static_cast<double>(mates);
    }
    const Vector3 t = contact.at.normal.unitOrthogonal();
    const Vector3 o = contact.at.normal.cross(t);
    start.normal.push_back(ratio * normal);
    start.tangent.push_back({ratio * t.dot(tangent), ratio * o.dot(tangent)});
    for (const double moment : moments) start.tangent.back().push_back(ratio * moment);
  }
  const auto taken = [&](const std::vector<double>& from, std::size_t count, std::vector<double>& to) {
    for (std::size_t i = 0; i < count; ++i) to.push_back(from.size() == count ? ratio * from[i] : 0.0);
  };
  taken(kept_.limits, step.contacts.size() - contacts.size(), start.normal);
  start.tangent.resize(step.contacts.size());
  taken(kept_.motors, step.motors.size(), start.motor);
  taken(kept_.bilaterals, step.bilaterals.size(), start.bilateral);
  start.velocity = velocity_of_impulses(step, start);
  return start;
}

void SpatialAttempt::keep(const StepProblem& step, const std::vector<PairContact>& contacts,
                          const StepSolution& solution) {
  kept_.h = options_.h;
  kept_.contacts.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const PartPair& parts = pairs_[static_cast<std::size_t>(contacts[i].pair)].parts;
    Vector3 tangent = Vector3::Zero();
    std::vector<double> moments;
    if (step.contacts[i].mu > 0.0) {
      const Vector3 t = contacts[i].at.normal.unitOrthogonal();
      tangent = solution.tangent[i][0] * t + solution.tangent[i][1] * contacts[i].at.normal.cross(t);
      moments.assign(solution.tangent[i].begin() + 2, solution.tangent[i].end());
    }
    kept_.contacts.push_back({parts.part_a, parts.part_b, contacts[i].at.key, solution.normal[i], tangent, moments});
  }
  kept_.limits.assign(solution.normal.begin() + static_cast<std::ptrdiff_t>(contacts.size()), solution.normal.end());
  kept_.motors = solution.motor;
  kept_.bilaterals = solution.bilateral;
}

void SpatialAttempt::solve_pass(bool first_pass) {
  choose_facets();
  view_.first_pass = first_pass;
  view_.linearised_position = first_pass ? start_.position : out_.end.position;
  view_.linearised_turn = first_pass ? start_.turn : out_.end.turn;
  if (!first_pass) view_.linearised_motion = out_.end.velocity;
  if (first_pass && options_.look_ahead) look_ahead();
  contacts_ = make_contacts(first_pass);
  rows_ = make_rows(view_, contacts_);
  const StepProblem& step = rows_.problem;
  out_.contacts = static_cast<int>(contacts_.size());
  solution_ = start_from(step, contacts_);
  out_.residual = out_.mcp_residual = 0.0;
  if (!step.contacts.empty() || !step.motors.empty() || !step.bilaterals.empty()) {
    const SolvedStep solved = solve_(step, options_.warm_start ? &solution_ : nullptr);
    solution_ = solved.solution;
    out_.mcp_status = solved.result.status;
    out_.mcp_residual = solved.result.residual;
    out_.residual = natural_map_residual(step, solution_, coordinates_.body_of());
    out_.pivots += solved.statistics.pivots;
    out_.seconds += solved.statistics.seconds;
  }
  ++out_.solves;
  keep(step, contacts_, solution_);
  const Vector nu = velocity_of_impulses(step, solution_);
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = coordinates_.read(body, nu);
  }
  for (NearPair& pair : pairs_) pair.carries = false;
  double most = 0.0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) most = std::max(most, solution_.normal[i]);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    if (!(solution_.normal[i] > no_impulse * most)) continue;
    NearPair& pair = pairs_[static_cast<std::size_t>(contacts_[i].pair)];
    pair.carries = true;
    if (pair.lead <= options_.penetration_tolerance) out_.tie = true;
  }
}

void SpatialAttempt::measure(NearPair& pair) const {
  const PairSeparation end = best_separation(end_parts_[static_cast<std::size_t>(pair.parts.part_a)],
                                             end_parts_[static_cast<std::size_t>(pair.parts.part_b)], pair.eps);
  pair.end = end.value();
  if (pair.risk) pair.end = std::min(pair.end, on_the_way(pair));
  pair.end_facet = end.facet;
  pair.end_lead = end.lead;
  if (came_through_sibling(end.s, end.internal_edge)) {
    pair.apart = true;
  } else if (pair.end < 0.0) {
    pair.apart = false;
    pair.overlapped = true;
  } else if (!pair.overlapped && kept_by_internal_edge(end.s, end.internal_edge)) {
    pair.apart = true;
  }
}

// How far [m] the joints' rows and limits are from where the step was to take them.
double SpatialAttempt::joint_error() const {
  double error = 0.0;
  for (const JointSpec& joint : scene_.spec().joints) {
    if (!joint_present(joint, present_)) continue;
    const std::vector<JointRow> start = JointAt(numbers_, joint, start_.position, start_.turn).rows();
    const std::vector<JointRow> end = JointAt(numbers_, joint, out_.end.position, out_.end.turn).rows();
    for (std::size_t i = 0; i < start.size(); ++i) {
      error = larger_or_nan(error, std::abs(end[i].value - joint_target(start[i].value, view_.recovery)));
    }
  }
  for (const JointLimit& limit : active_limits(scene_, present_)) {
    const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
    const double last = view_.joint_turn[static_cast<std::size_t>(limit.joint)];
    const JointAt start(numbers_, joint, start_.position, start_.turn);
    const JointAt end(numbers_, joint, out_.end.position, out_.end.turn);
    const double target = limit_target(limit_gap(scene_, limit, start, last).gap, view_.recovery);
    const double turned = last + options_.h * end.turn_rate(out_.end.velocity);
    error = larger_or_nan(error, target - limit_gap(scene_, limit, end, turned).gap);
  }
  return error;
}

bool SpatialAttempt::accepted() {
  place_end();
  out_.depth = 0.0;
  out_.penetration = joint_error();
  double force_at_a_distance = 0.0;
  for (NearPair& pair : pairs_) {
    if (!pair.near) continue;
    measure(pair);
    out_.penetration = larger_or_nan(out_.penetration, pair.target - pair.end);
    out_.depth = larger_or_nan(out_.depth, -pair.end);
    if (pair.carries) force_at_a_distance = std::max(force_at_a_distance, pair.end - pair.target);
    out_.risk = out_.risk || pair.risk;
  }
  // A body that a solve made faster than its margin allowed for may have come to something that was never looked at.
  out_.outran = false;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (margin_of(body, out_.end.velocity[b]) - margin_[b] > options_.detect_distance) out_.outran = true;
  }
  if (out_.outran) {
    for (int body = 0; body < scene_.body_count(); ++body) {
      const auto b = static_cast<std::size_t>(body);
      margin_[b] = std::max(margin_[b], margin_of(body, out_.end.velocity[b]));
    }
    list_pairs();
  }
  return !out_.outran && out_.penetration <= accepted_overlap * options_.penetration_tolerance &&
         force_at_a_distance <= options_.penetration_tolerance;
}

// Turns are counted on by what the velocities of the solve make of them, so that a step may turn a joint by any angle.
void SpatialAttempt::count_turns() {
  out_.joint_turn = view_.joint_turn;
  std::size_t k = 0;
  for (const JointSpec& joint : scene_.spec().joints) {
    double& turned = out_.joint_turn[k++];
    if (!joint_present(joint, present_)) continue;
    const JointAt end(numbers_, joint, out_.end.position, out_.end.turn);
    turned = end.coordinate(Freedom::turn, turned + options_.h * end.turn_rate(out_.end.velocity)).value;
  }
}

void SpatialAttempt::finish_momenta() {
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    out_.end.momentum[b] += middle_[b].inertia * (out_.end.velocity[b].angular - middle_[b].spin);
  }
}

bool SpatialAttempt::leaves_much() const {
  return out_.outran || out_.penetration > worth_a_pass * options_.reject_depth ||
         !(out_.residual <= options_.tolerance);
}

SpaceEnd SpatialAttempt::run() {
  bool solved = true;  // the last pass
  const int usual = options_.max_passes;
  const int most = usual > 1 ? patience * usual : usual;
  for (int pass = 0; pass < most && !out_.agreed; ++pass) {
    if (pass >= usual && !leaves_much()) break;
    solve_pass(pass == 0);
    out_.agreed = accepted();
    out_.astray = !out_.agreed && !solved;
    solved = out_.residual <= options_.tolerance;
  }
  count_turns();
  finish_momenta();
  // Pairs listed afresh after the last solve have no contacts of that solve.
  out_.gained = !out_.outran && gains_energy();
  // The angular velocity that goes with the momentum at the pose that was reached.
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    const Matrix3 r = out_.end.turn[b].toRotationMatrix();
    out_.end.velocity[b].angular = (r * numbers_.inertia(body) * r.transpose()).ldlt().solve(out_.end.momentum[b]);
  }
  return out_;
}

}  // namespace pegrasp::reference::spatial
