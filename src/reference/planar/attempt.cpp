// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/attempt.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/common/residual.hpp"
#include "src/reference/planar/joints.hpp"
#include "src/reference/planar/motion.hpp"

namespace pegrasp::reference {
namespace {

// Edges closer to parallel than this [rad], and the turn within the step, touch along their overlap.
constexpr double flat_angle = 0.05;
// A pair that overlaps so many times deeper by the best facet with force than by a internal edge came there through a sibling
// part.
constexpr double much_deeper = 3.0;

double larger_or_nan(double a, double b) { return std::isnan(b) || b > a ? b : a; }

}  // namespace

StepAttempt::StepAttempt(const SceneNumbers& numbers, const StepOptions& options, const Motion& start,
                         std::span<const char> present, double time, const StepSolver& solve, KeptImpulses& kept)
    : numbers_(numbers),
      scene_(numbers.scene()),
      options_(options),
      present_(present),
      solve_(solve),
      kept_(kept),
      coordinates_(numbers, present),
      state_{start.pose, start.velocity, {}, {}, time, options.recovery_speed * options.h},
      supports_(active_supports(numbers, present)),
      motors_(active_motors(numbers, present, options.h)) {
  out_.end = start;
  const double h = options.h;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    Vector3& velocity = state_.velocity[b];
    if (scene_.body(body).kind == BodyKind::kinematic) {
      velocity = prescribed_velocity(numbers, body, start.pose[b], velocity, time, h);
    }
    margin_.push_back(margin_of(body, velocity) + h * driven_speed(numbers, body, time + h, h));
    if (present[b] == 0 || scene_.body(body).kind == BodyKind::fixed) velocity = Vector3::Zero();
    out_.end.velocity[b] = velocity;
    if (!coordinates_.moves(body)) continue;
    Vector free = Vector::Zero(coordinates_.size());
    coordinates_.write(body, h * applied_force(numbers, body, start.pose, present, time + h), free);
    out_.end.velocity[b] += coordinates_.read(body, free.cwiseQuotient(coordinates_.mass().diagonal()));
  }
  for (int part = 0; part < scene_.part_count(); ++part) {
    const auto b = static_cast<std::size_t>(scene_.part_body(part));
    start_parts_.push_back(scene_.place(part, Placement::of(pose_of(start.pose[b]))));
  }
  for (const JointSpec& joint : scene_.spec().joints) {
    if (!joint_present(joint, present)) continue;
    for (const PlanarJointRow& row : PlanarJointAt(scene_, joint, start.pose).rows()) {
      out_.joints_open = larger_or_nan(out_.joints_open, std::abs(row.value));
    }
  }
  list_pairs();
  place_end();
}

double StepAttempt::margin_of(int body, const Vector3& velocity) const {
  return options_.detect_distance + options_.h * fastest_point(scene_.body(body), velocity);
}

// Pairs of parts whose circles, grown by the margins, meet.
void StepAttempt::list_pairs() {
  pairs_.clear();
  fresh_ = true;
  for (const PartPair& parts : scene_.pairs()) {
    const auto a = static_cast<std::size_t>(parts.body_a);
    const auto b = static_cast<std::size_t>(parts.body_b);
    if (present_[a] == 0 || present_[b] == 0) continue;
    const PlacedOutline& part_a = start_parts_[static_cast<std::size_t>(parts.part_a)];
    const PlacedOutline& part_b = start_parts_[static_cast<std::size_t>(parts.part_b)];
    const double eps = margin_[a] + margin_[b];
    const double reach = part_a.outline->size + part_b.outline->size + eps;
    const Point centre_a = part_a.at(part_a.outline->centre);
    const Point centre_b = part_b.at(part_b.outline->centre);
    if (!((centre_b - centre_a).squaredNorm() <= reach * reach)) continue;
    NearPair pair;
    pair.parts = parts;
    pair.eps = eps;
    pair.risk = eps - 2.0 * options_.detect_distance > std::min(part_a.outline->inradius, part_b.outline->inradius);
    pairs_.push_back(pair);
  }
}

void StepAttempt::place_end() {
  std::vector<Placement> at;
  for (std::size_t b = 0; b < state_.pose.size(); ++b) {
    out_.end.pose[b] = state_.pose[b] + options_.h * out_.end.velocity[b];
    at.push_back(Placement::of(pose_of(out_.end.pose[b])));
  }
  end_parts_.clear();
  for (int part = 0; part < scene_.part_count(); ++part) {
    end_parts_.push_back(scene_.place(part, at[static_cast<std::size_t>(scene_.part_body(part))]));
  }
}

bool StepAttempt::came_through_sibling(double s, double internal_edge) const {
  return s < much_deeper * internal_edge && s < -options_.penetration_tolerance;
}

// The facet that is violated latest from the start pose to the end pose at hand.
void StepAttempt::choose(NearPair& pair) const {
  const auto a = static_cast<std::size_t>(pair.parts.part_a);
  const auto b = static_cast<std::size_t>(pair.parts.part_b);
  const LatestFacet latest = latest_facet(start_parts_[a], start_parts_[b], end_parts_[a], end_parts_[b], pair.risk);
  const double s0 = std::max(latest.s0_max, latest.internal_edge0);
  pair.facet = pair.end_facet = latest.facet;
  pair.lead = pair.end_lead = latest.lead;
  pair.end = std::max(latest.s1, latest.internal_edge1);
  pair.near = s0 <= pair.eps;
  pair.target = std::min(0.0, s0 + options_.recovery_speed * options_.h);
  if (fresh_) pair.apart = true;
  if (latest.internal_edge1 < 0.0 && !came_through_sibling(latest.s1, latest.internal_edge1)) pair.apart = false;
}

void StepAttempt::choose_facets() {
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

std::vector<PairContact> StepAttempt::make_contacts(bool first_pass) const {
  const std::vector<PlacedOutline>& at = first_pass ? start_parts_ : end_parts_;
  std::vector<PairContact> out;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const NearPair& pair = pairs_[k];
    if (!pair.near || pair.apart) continue;
    const PartPair& parts = pair.parts;
    const double turn = out_.end.velocity[static_cast<std::size_t>(parts.body_b)][2] -
                        out_.end.velocity[static_cast<std::size_t>(parts.body_a)][2];
    const double flat = flat_angle + 2.0 * options_.h * std::abs(turn);
    for (const ContactPoint& contact : contacts_of(pair.facet, at[static_cast<std::size_t>(parts.part_a)],
                                                   at[static_cast<std::size_t>(parts.part_b)], flat)) {
      out.push_back(
          {static_cast<int>(k), parts.body_a, parts.body_b, contact, pair.target, numbers_.friction(parts.slot)});
    }
  }
  return out;
}

// The kept impulses, scaled to this step's length; features new to their pair of parts share what the pair carried.
StepSolution StepAttempt::start_from(const StepProblem& step, const std::vector<PairContact>& contacts) const {
  StepSolution start;
  const double ratio = kept_.h > 0.0 ? options_.h / kept_.h : 0.0;
  for (const PairContact& contact : contacts) {
    const NearPair& pair = pairs_[static_cast<std::size_t>(contact.pair)];
    const auto mates =
        std::count_if(contacts.begin(), contacts.end(), [&](const PairContact& c) { return c.pair == contact.pair; });
    double normal = 0.0;
    double tangent = 0.0;
    for (const KeptImpulses::OfContact& kept : kept_.contacts) {
      if (kept.part_a != pair.parts.part_a || kept.part_b != pair.parts.part_b) continue;
      if (kept.key == contact.at.key) {
        normal = kept.normal;
        tangent = kept.tangent;
        break;
      }
      normal += kept.normal / static_cast<double>(mates);
      tangent += kept.tangent / static_cast<double>(mates);
    }
    start.normal.push_back(ratio * normal);
    start.tangent.push_back({ratio * tangent});
  }
  for (const int k : supports_) {
    const Point p = ratio > 0.0 ? Point(ratio * kept_.supports[static_cast<std::size_t>(k)]) : Point::Zero();
    start.support.push_back({p.x(), p.y()});
  }
  for (const int k : motors_) {
    start.motor.push_back(ratio > 0.0 ? ratio * kept_.motors[static_cast<std::size_t>(k)] : 0.0);
  }
  // Bodies that come or go change their number: then they start from none.
  const auto taken = [ratio](const std::vector<double>& from, std::size_t count, std::vector<double>& to) {
    for (std::size_t i = 0; i < count; ++i) to.push_back(from.size() == count ? ratio * from[i] : 0.0);
  };
  taken(kept_.limits, step.contacts.size() - contacts.size(), start.normal);
  start.tangent.resize(step.contacts.size());
  taken(kept_.bilaterals, step.bilaterals.size(), start.bilateral);
  start.velocity = velocity_of_impulses(step, start);
  return start;
}

void StepAttempt::keep(const StepProblem& step, const std::vector<PairContact>& contacts,
                       const StepSolution& solution) {
  kept_.h = options_.h;
  kept_.contacts.clear();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const PartPair& parts = pairs_[static_cast<std::size_t>(contacts[i].pair)].parts;
    const double tangent = step.contacts[i].mu > 0.0 ? solution.tangent[i][0] : 0.0;
    kept_.contacts.push_back({parts.part_a, parts.part_b, contacts[i].at.key, solution.normal[i], tangent});
  }
  kept_.supports.resize(scene_.support_bodies().size(), Point::Zero());
  kept_.motors.resize(scene_.actuators().size(), 0.0);
  for (std::size_t i = 0; i < supports_.size(); ++i) {
    kept_.supports[static_cast<std::size_t>(supports_[i])] = {solution.support[i][0], solution.support[i][1]};
  }
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    kept_.motors[static_cast<std::size_t>(motors_[i])] = solution.motor[i];
  }
  kept_.limits.assign(solution.normal.begin() + static_cast<std::ptrdiff_t>(contacts.size()), solution.normal.end());
  kept_.bilaterals = solution.bilateral;
}

void StepAttempt::solve_pass(bool first_pass) {
  choose_facets();
  state_.linearised_pose = first_pass ? state_.pose : out_.end.pose;
  state_.linearised_motion.assign(state_.pose.size(), Vector3::Zero());
  if (!first_pass) state_.linearised_motion = out_.end.velocity;
  const std::vector<PairContact> contacts = make_contacts(first_pass);
  const StepProblem step = make_step_problem(numbers_, coordinates_, state_, contacts, present_, options_.h);
  out_.contacts = static_cast<int>(contacts.size());
  StepSolution solution = start_from(step, contacts);
  out_.residual = out_.mcp_residual = 0.0;
  if (!step.contacts.empty() || !step.supports.empty() || !step.motors.empty() || !step.bilaterals.empty()) {
    const SolvedStep solved = solve_(step, options_.warm_start ? &solution : nullptr);
    solution = solved.solution;
    out_.mcp_status = solved.result.status;
    out_.mcp_residual = solved.result.residual;
    out_.residual = natural_map_residual(step, solution, coordinates_.body_of());
    out_.pivots += solved.statistics.pivots;
    out_.seconds += solved.statistics.seconds;
  }
  ++out_.solves;
  keep(step, contacts, solution);
  const Vector nu = velocity_of_impulses(step, solution);
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = coordinates_.read(body, nu);
  }
  // Of two ends of a limit that are as near, rounding chooses one.
  std::size_t row = contacts.size();
  for (const PlanarLimit& limit : planar_limits(scene_, present_)) {
    const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
    const JointRange& range = limit.turns ? *joint.turn : *joint.slide;
    const double width = (range.high - range.low) * (limit.turns ? scene_.joint_arm() : 1.0);
    if (solution.normal[row++] > 0.0 && width <= options_.penetration_tolerance) out_.tie = true;
  }
  for (NearPair& pair : pairs_) pair.carries = false;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (!(solution.normal[i] > 0.0)) continue;
    NearPair& pair = pairs_[static_cast<std::size_t>(contacts[i].pair)];
    pair.carries = true;
    if (pair.lead <= options_.penetration_tolerance) out_.tie = true;
  }
}

// How far [m] the joints' rows and limits are from where the step was to take them.
double StepAttempt::joint_error() const {
  double error = 0.0;
  for (const JointSpec& joint : scene_.spec().joints) {
    if (!joint_present(joint, present_)) continue;
    const std::vector<PlanarJointRow> start = PlanarJointAt(scene_, joint, state_.pose).rows();
    const std::vector<PlanarJointRow> end = PlanarJointAt(scene_, joint, out_.end.pose).rows();
    for (std::size_t i = 0; i < start.size(); ++i) {
      error = larger_or_nan(error, std::abs(end[i].value - joint_target(start[i].value, state_.recovery)));
    }
  }
  for (const PlanarLimit& limit : planar_limits(scene_, present_)) {
    const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
    const double before = limit_gap(scene_, limit, PlanarJointAt(scene_, joint, state_.pose)).gap;
    const double after = limit_gap(scene_, limit, PlanarJointAt(scene_, joint, out_.end.pose)).gap;
    error = larger_or_nan(error, limit_target(before, state_.recovery) - after);
  }
  return error;
}

bool StepAttempt::accepted() {
  place_end();
  out_.depth = 0.0;
  out_.penetration = joint_error();
  double force_at_a_distance = 0.0;
  for (NearPair& pair : pairs_) {
    if (!pair.near) continue;
    const PairSeparation end = best_separation(end_parts_[static_cast<std::size_t>(pair.parts.part_a)],
                                               end_parts_[static_cast<std::size_t>(pair.parts.part_b)]);
    pair.end = end.value();
    pair.end_facet = end.facet;
    pair.end_lead = end.lead;
    if (came_through_sibling(end.s, end.internal_edge)) {
      pair.apart = true;
    } else if (pair.end < 0.0) {
      pair.apart = false;  // and it keeps its contacts for the rest of the step, lest passes alternate
    }
    out_.penetration = larger_or_nan(out_.penetration, pair.target - pair.end);
    out_.depth = larger_or_nan(out_.depth, -pair.end);
    if (pair.carries) force_at_a_distance = std::max(force_at_a_distance, pair.end - pair.target);
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
  return !out_.outran && out_.penetration <= options_.penetration_tolerance &&
         force_at_a_distance <= options_.penetration_tolerance;
}

AttemptEnd StepAttempt::run() {
  bool solved = true;  // the last pass
  for (int pass = 0; pass < options_.max_passes && !out_.agreed; ++pass) {
    solve_pass(pass == 0);
    out_.agreed = accepted();
    out_.astray = !out_.agreed && !solved;
    solved = out_.residual <= options_.tolerance;
  }
  return out_;
}

}  // namespace pegrasp::reference
