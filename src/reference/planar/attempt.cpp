// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/attempt.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/planar/joints.hpp"

namespace pegrasp::reference {

bool PlanarDimension::within_reach(const PlacedOutline& a, const PlacedOutline& b, double eps) {
  const double reach = a.outline->size + b.outline->size + eps;
  const Point centre_a = a.at(a.outline->centre);
  const Point centre_b = b.at(b.outline->centre);
  return (centre_b - centre_a).squaredNorm() <= reach * reach;
}

PlanarAttempt::PlanarAttempt(const PlanarNumbers& numbers, const StepOptions& options, const PlanarState& start,
                             std::span<const char> present, double time, const StepSolver& solve, PlanarImpulses& kept)
    : AttemptFrame(numbers, options, start, present, solve, kept, PlanarCoordinates(numbers, present)),
      state_{start.pose,
             start.velocity,
             start.last,
             start.acceleration,
             {},
             {},
             {},
             {},
             {},
             {},
             time,
             options.recovery_speed * options.h,
             options.penetration_tolerance},
      supports_(active_supports(numbers, present)),
      motors_(active_motors(numbers, present, options.h)) {
  move_freely(start, time);
  for (int part = 0; part < scene_.part_count(); ++part) {
    const auto b = static_cast<std::size_t>(scene_.part_body(part));
    start_parts_.push_back(scene_.place(part, Placement::of(pose_of(start.pose[b]))));
  }
  measure_open_joints();
  list_pairs();
  place_end();
}

// Sets the margins and the end velocities of the motion without contacts.
void PlanarAttempt::move_freely(const PlanarState& start, double time) {
  const double h = options_.h;
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    Vector3& velocity = state_.velocity[b];
    if (scene_.body(body).kind == BodyKind::kinematic) {
      velocity = prescribed_velocity(numbers_, body, start.pose[b], velocity, time, h);
    }
    margin_.push_back(margin_of(body, velocity) +
                      h * driven_speed(numbers_, body, start.pose[b], start.velocity[b], time, start.last[b], h));
    if (present_[b] == 0 || scene_.body(body).kind == BodyKind::fixed) velocity = Vector3::Zero();
    out_.end.velocity[b] = velocity;
    if (!coordinates_.moves(body)) continue;
    Vector free = Vector::Zero(coordinates_.size());
    coordinates_.write(body, applied_impulse(numbers_, body, start.pose, present_, time, start.last[b], h), free);
    out_.end.velocity[b] += coordinates_.read(body, free.cwiseQuotient(coordinates_.mass().diagonal()));
  }
}

// Quasistatic scenes: what nothing touches goes nowhere.
void PlanarAttempt::begin() {
  if (!is_quasistatic(scene_)) return;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = Vector3::Zero();
  }
  place_end();
}

// Quasistatic scenes: bodies on which no row acts stay, whatever else pulls them.
void PlanarAttempt::let_loose_bodies_stay() {
  const std::vector<char> acted = acted_on(step_);
  for (int i = 0; i < coordinates_.size(); ++i) {
    if (acted[static_cast<std::size_t>(i)] != 0) continue;
    step_.external[i] = 0.0;
    free_velocity_[static_cast<std::size_t>(coordinates_.body_of()[static_cast<std::size_t>(i)])] = Vector3::Zero();
  }
}

bool PlanarAttempt::is_unbalanced(int body) const {
  const auto b = static_cast<std::size_t>(body);
  if (!coordinates_.moves(body)) return false;
  const PlanarBody& moved = scene_.body(body);
  return reference::is_unbalanced(fastest_point(moved, out_.end.velocity[b]), fastest_point(moved, free_velocity_[b]));
}

double PlanarAttempt::unbalanced_speed() const {
  double worst = 0.0;
  for (int body = 0; is_quasistatic(scene_) && body < scene_.body_count(); ++body) {
    if (!is_unbalanced(body)) continue;
    worst = std::max(worst, fastest_point(scene_.body(body), out_.end.velocity[static_cast<std::size_t>(body)]));
  }
  return worst;
}

bool PlanarAttempt::hold_unbalanced() {
  bool any = false;
  for (int body = 0; is_quasistatic(scene_) && body < scene_.body_count(); ++body) {
    if (!is_unbalanced(body)) continue;
    out_.end.velocity[static_cast<std::size_t>(body)] = Vector3::Zero();
    any = true;
  }
  if (any) place_end();
  return any;
}

void PlanarAttempt::place_end() {
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

// Gives bodies that joints hold taut the inertia and the drag that the last solve's impulses ask for.
void PlanarAttempt::hold_taut() {
  held_ = held_taut(numbers_, state_.pose, state_.velocity, present_, kept_.bilaterals, kept_.h, options_.h);
  coordinates_ = PlanarCoordinates(numbers_, present_);
  state_.drag.clear();
  for (std::size_t b = 0; b < held_.size(); ++b) {
    if (held_[b].inertia > 0.0) coordinates_.add_inertia(static_cast<int>(b), held_[b].inertia);
    state_.drag.push_back(held_[b].drag);
  }
}

bool PlanarAttempt::swings_too_far() const {
  if (is_quasistatic(scene_)) return false;
  const PlanarAttemptEnd swing{state_.pose, state_.velocity, out_.end.velocity, present_, held_, solution_.bilateral};
  return reference::swings_too_far(numbers_, swing, options_);
}

const StepProblem& PlanarAttempt::linearise(bool first_pass) {
  state_.linearised_pose = first_pass ? state_.pose : out_.end.pose;
  state_.linearised_motion.assign(state_.pose.size(), Vector3::Zero());
  if (!first_pass) state_.linearised_motion = out_.end.velocity;
  state_.end_pose = out_.end.pose;
  state_.end_motion = out_.end.velocity;
  state_.free_motion = free_velocity_;
  state_.first_pass = first_pass;
  state_.late_pass = late_pass();
  state_.spring_force = options_.spring_force;
  if (!scene_.spec().joints.empty() && !is_quasistatic(scene_)) hold_taut();
  make_contacts(first_pass);
  step_ = make_step_problem(numbers_, coordinates_, state_, contacts_, present_, options_.h);
  if (is_quasistatic(scene_)) let_loose_bodies_stay();
  return step_;
}

// From this radius of curvature [m] on the impulse of the last solve, or that of the weight, turns a smooth part in a
// step about as far as its point of contact moves along: h p rho / I.
double PlanarAttempt::flat_radius(const PartPair& parts) const {
  if (!(options_.h > 0.0)) return std::numeric_limits<double>::infinity();
  double inertia = std::numeric_limits<double>::infinity(), weight = 0.0;
  for (const int body : {parts.body_a, parts.body_b}) {
    const PlanarBody& own = scene_.body(body);
    if (!own.dynamic() || own.slides || !own.turns) continue;
    inertia = std::min(inertia, numbers_.inertia(body));
    weight = std::max(weight,
                      options_.h * std::hypot(scene_.spec().gravity.x, scene_.spec().gravity.y) * numbers_.mass(body));
  }
  double kept = 0.0;
  for (const PlanarImpulses::OfContact& contact : kept_.contacts) {
    if (kept_.h > 0.0 && contact.part_a == parts.part_a && contact.part_b == parts.part_b) kept += contact.normal;
  }
  return 0.3 * inertia / (options_.h * std::max(weight, kept));
}

void PlanarAttempt::make_contacts(bool first_pass) {
  const std::vector<PlacedOutline>& at = first_pass ? start_parts_ : end_parts_;
  contacts_.clear();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const NearPair& pair = pairs_[k];
    if (!pair.near || pair.apart) continue;
    const PartPair& parts = pair.parts;
    const double turn = out_.end.velocity[static_cast<std::size_t>(parts.body_b)][2] -
                        out_.end.velocity[static_cast<std::size_t>(parts.body_a)][2];
    const double flat = flat_angle + 2.0 * options_.h * std::abs(turn);
    const auto part_a = static_cast<std::size_t>(parts.part_a);
    const auto part_b = static_cast<std::size_t>(parts.part_b);
    for (const ContactPoint& contact :
         contacts_of(pair.facet, at[part_a], at[part_b], flat, {options_.penetration_tolerance, flat_radius(parts)})) {
      PairContact made{static_cast<int>(k),
                       parts.body_a,
                       parts.body_b,
                       contact,
                       pair.target,
                       numbers_.friction(parts.slot),
                       {Layer::rigid, pair.shell, {}, pair.start}};
      if (moves_along_part(contact, at[part_a], at[part_b]))
        made.started = contacts_of(pair.facet, start_parts_[part_a], start_parts_[part_b], flat).front();
      if (!pair.shell.any()) {
        if (contact.role != Role::spring_alone) contacts_.push_back(made);
        continue;
      }
      PairContact soft = made;
      soft.target = 0.0;
      soft.shell.layer = Layer::shell;
      soft.shell.deflection = kept_.deflection_of(parts.part_a, parts.part_b, contact.key);
      if (contact.role != Role::core_alone) contacts_.push_back(soft);
      made.shell.layer = Layer::core;
      if (contact.role != Role::spring_alone && contact.gap <= pair.eps - pair.shell.thickness)
        contacts_.push_back(made);
    }
  }
}

std::optional<PlacedOutline> PlanarAttempt::expected_part(int part) const {
  if (is_quasistatic(scene_)) return std::nullopt;
  const int body = scene_.part_body(part);
  const auto b = static_cast<std::size_t>(body);
  if (!coordinates_.moves(body)) return end_part(part);
  const double kick = 0.5 * (state_.last[b] + options_.h);
  const Vector3 motion = state_.velocity[b] + kick * state_.acceleration[b];
  return scene_.place(part, Placement::of(pose_of(Vector3(state_.pose[b] + options_.h * motion))));
}

std::vector<double> PlanarAttempt::start_tangent(const StepProblem&, std::size_t, const double& tangent,
                                                 const PlanarImpulses::OfContact*, double ratio) const {
  return {ratio * tangent};
}

std::vector<double> PlanarAttempt::deflected(const StepProblem& step, std::size_t contact) const {
  const Vector nu = step.balance ? solution_.velocity : velocity_of_impulses(step, solution_);
  const double p = solution_.tangent[contact].empty() ? 0.0 : solution_.tangent[contact][0];
  return {reference::deflected(numbers_, state_, contacts_[contact], step.contacts[contact], p, nu, options_.h)};
}

PlanarImpulses::OfContact PlanarAttempt::kept_contact(const StepProblem& step, std::size_t contact) const {
  const PartPair& parts = pairs_[static_cast<std::size_t>(contacts_[contact].pair)].parts;
  const double tangent = step.contacts[contact].mu > 0.0 ? solution_.tangent[contact][0] : 0.0;
  return {parts.part_a, parts.part_b, contacts_[contact].at.key, solution_.normal[contact], tangent};
}

void PlanarAttempt::start_supports_and_motors(const StepProblem&, double ratio, StepSolution& start) const {
  for (const int k : supports_) {
    const Point p = ratio > 0.0 ? Point(ratio * kept_.supports[static_cast<std::size_t>(k)]) : Point::Zero();
    start.support.push_back({p.x(), p.y()});
  }
  for (const int k : motors_) {
    start.motor.push_back(ratio > 0.0 ? ratio * kept_.motors[static_cast<std::size_t>(k)] : 0.0);
  }
}

void PlanarAttempt::keep_supports_and_motors() {
  kept_.supports.resize(scene_.support_bodies().size(), Point::Zero());
  kept_.motors.resize(scene_.actuators().size(), 0.0);
  for (std::size_t i = 0; i < supports_.size(); ++i) {
    kept_.supports[static_cast<std::size_t>(supports_[i])] = {solution_.support[i][0], solution_.support[i][1]};
  }
  for (std::size_t i = 0; i < motors_.size(); ++i) {
    kept_.motors[static_cast<std::size_t>(motors_[i])] = solution_.motor[i];
  }
}

double PlanarAttempt::least_separation(const NearPair& pair) const { return std::min(pair.end, on_the_way(pair)); }

bool PlanarAttempt::turns_far(const NearPair& pair) const {
  constexpr double far = 0.3;  // [rad]
  const double turn_a = out_.end.velocity[static_cast<std::size_t>(pair.parts.body_a)][2];
  const double turn_b = out_.end.velocity[static_cast<std::size_t>(pair.parts.body_b)][2];
  return options_.h * std::abs(turn_b - turn_a) > far;
}

// The least separation [m] of a pair at risk on the way, if the parts overlapped so deeply that they may have gone
// through each other, else a huge number. In the middle of the way through they overlap by about both inradii; half of
// that is deep. Where no force between them turns the parts aside, less is, too: then nothing excuses it. Poses are no
// farther apart than half of both inradii, and farther only where the parts are separated.
double PlanarAttempt::on_the_way(const NearPair& pair) const {
  constexpr double deep = 0.5, touching = 0.05, stride = 0.5;  // of both inradii together
  constexpr int most = 1000;                                   // poses
  constexpr double none = 1e300;
  const auto body_a = static_cast<std::size_t>(pair.parts.body_a);
  const auto body_b = static_cast<std::size_t>(pair.parts.body_b);
  const PlacedOutline& a = start_part(pair.parts.part_a);
  const PlacedOutline& b = start_part(pair.parts.part_b);
  if (a.outline->half_plane() || b.outline->half_plane()) return none;  // it has no far side
  const Vector3& twist_a = out_.end.velocity[body_a];
  const Vector3& twist_b = out_.end.velocity[body_b];
  const double way = options_.h * (fastest_point(scene_.body(pair.parts.body_a), twist_a) +
                                   fastest_point(scene_.body(pair.parts.body_b), twist_b));
  if (way <= std::min(a.inradius(), b.inradius())) return none;
  const double thick = a.inradius() + b.inradius();
  const double least = std::max(stride * thick, way / most);
  const auto placed_at = [&](int part, std::size_t body, const Vector3& twist, double t) {
    return scene_.place(part, Placement::of(pose_of(state_.pose[body] + t * options_.h * twist)));
  };
  double lowest = none;
  for (double gone = std::max(least, pair.start); gone < way;) {
    const double t = gone / way;
    const double s = reference::best_separation(placed_at(pair.parts.part_a, body_a, twist_a, t),
                                                placed_at(pair.parts.part_b, body_b, twist_b, t))
                         .value();
    lowest = std::min(lowest, s);
    gone += std::max(least, s);
  }
  const double from = std::min(0.0, pair.start) - pair.shell.thickness;
  return lowest < from - (pair.carries ? deep : touching) * thick ? lowest : none;
}

// A limited coordinate whose range is no wider than the tolerance has two ends that are equally near: rounding chooses.
void PlanarAttempt::note_ties_of_limits(const StepProblem&) {
  std::size_t row = contacts_.size();
  for (const PlanarLimit& limit : planar_limits(scene_, present_)) {
    const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
    const JointRange& range = limit.turns ? *joint.turn : *joint.slide;
    const double width = (range.high - range.low) * (limit.turns ? scene_.joint_arm() : 1.0);
    if (solution_.normal[row++] > 0.0 && width <= options_.penetration_tolerance) out_.tie = true;
  }
}

double PlanarAttempt::kinetic_energy(int body, const Vector3& velocity) const {
  return 0.5 *
         (numbers_.mass(body) * velocity.head<2>().squaredNorm() + numbers_.inertia(body) * velocity[2] * velocity[2]);
}

double PlanarAttempt::endless_swing(int body, const Vector3& velocity) const {
  if (!scene_.body(body).endless || velocity[2] == 0.0) return 0.0;
  double farthest = 0.0;
  for (int other = 0; other < scene_.body_count(); ++other) {
    const auto o = static_cast<std::size_t>(other);
    if (!scene_.body(other).dynamic() || present_[o] == 0) continue;
    const Point arm = (state_.pose[o] - state_.pose[static_cast<std::size_t>(body)]).head<2>();
    farthest = std::max(farthest, arm.norm() + scene_.body(other).radius);
  }
  return std::abs(velocity[2]) * farthest;
}

void PlanarAttempt::hold(int body, const std::vector<int>& by) {
  const auto b = static_cast<std::size_t>(body);
  Vector3 velocity = Vector3::Zero();
  for (const int other : by) {
    const Vector3& v = out_.end.velocity[static_cast<std::size_t>(other)];
    const Vector3 arm = state_.pose[b] - state_.pose[static_cast<std::size_t>(other)];
    velocity += (v + v[2] * Vector3(-arm.y(), arm.x(), 0.0)) / static_cast<double>(by.size());
  }
  out_.end.velocity[b] = velocity;
  out_.end.pose[b] = state_.pose[b] + options_.h * velocity;
}

std::vector<double> PlanarAttempt::joint_values(const JointSpec& joint, bool at_end) const {
  std::vector<double> out;
  for (const PlanarJointRow& row : PlanarJointAt(numbers_, joint, at_end ? out_.end.pose : state_.pose).rows()) {
    out.push_back(row.value);
  }
  return out;
}

double PlanarAttempt::joint_coordinate(int joint, bool at_end) const {
  const JointSpec& spec = scene_.spec().joints[static_cast<std::size_t>(joint)];
  return PlanarJointAt(numbers_, spec, at_end ? out_.end.pose : state_.pose).coordinate(only_turns(spec)).value;
}

double PlanarAttempt::spring_error() const {
  if (solution_.motor.size() != motors_.size()) return 0.0;  // no solve so far
  return reference::spring_error(numbers_, coordinates_, state_, present_, options_.h, out_.end.pose, solution_.motor);
}

std::vector<PlanarAttempt::LimitGaps> PlanarAttempt::limit_gaps() const {
  std::vector<LimitGaps> out;
  for (const PlanarLimit& limit : planar_limits(scene_, present_)) {
    const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
    out.push_back({limit_gap(scene_, limit, PlanarJointAt(numbers_, joint, state_.pose)).gap,
                   limit_gap(scene_, limit, PlanarJointAt(numbers_, joint, out_.end.pose)).gap});
  }
  return out;
}

}  // namespace pegrasp::reference
