// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/attempt.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/spatial/cylinder_touch.hpp"
#include "src/reference/spatial/shell_rows.hpp"

namespace pegrasp::reference::spatial {
namespace {

// Features whose directions differ by more than this (sine) never touch along each other.
constexpr double most_flat = 0.5;

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
                               const StepSolver& solve, SpatialImpulses& kept, std::vector<FreeMotion> middle)
    : AttemptFrame(numbers, options, start, present, solve, kept,
                   SpatialCoordinates(numbers, present, inertias(middle))),
      middle_(std::move(middle)),
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
  move_freely(time);
  measure_open_joints();
  start_parts_ = placed(start_);
  list_pairs();
  place_end();
}

// The speed [m/s] that those of the body's own motors add which make it follow its prescribed motion.
double SpatialAttempt::followers_speed(int body, double time) const {
  double speed = 0.0;
  for (int k = 0; k < static_cast<int>(scene_.spec().actuators.size()); ++k) {
    const ActuatorSpec& actuator = scene_.spec().actuators[static_cast<std::size_t>(k)];
    if (actuator.kind != ActuatorKind::follow || actuator.body != body || actuator.component != 0) continue;
    Twist6 asked = follow_velocity(numbers_, k, start_, time, options_.h);
    (actuator.rotary ? asked.linear : asked.angular) = Vector3::Zero();
    speed += fastest_point(numbers_, body, asked);
  }
  return speed;
}

// Sets the margins and the end velocities of the motion without contacts.
void SpatialAttempt::move_freely(double time) {
  for (int body = 0; body < scene_.body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    Twist6 velocity = start_.velocity[b];
    if (scene_.body(body).kind == BodyKind::kinematic) {
      velocity = prescribed_velocity(numbers_, body, start_, time, options_.h);
    }
    const double kick = 0.5 * (start_.last[b] + options_.h);
    const Vector3 pulled = numbers_.pulled_speed(body, time, start_.last[b], options_.h);
    const bool at_rest = scene_.body(body).dynamic() && is_quasistatic(scene_.spec());
    const double falls =
        scene_.body(body).dynamic() && !at_rest ? kick * scene_.gravity(body).norm() + pulled.norm() : 0.0;
    margin_.push_back(margin_of(body, at_rest ? start_.motion[b] : velocity) +
                      options_.h * (falls + followers_speed(body, time)));
    if (present_[b] == 0 || scene_.body(body).kind == BodyKind::fixed) velocity = {};
    view_.motion.push_back(velocity);
    view_.free.push_back({velocity.linear, middle_[b].spin});
    out_.end.velocity[b] = velocity;
  }
  // The free motion is what the rows without contacts give.
  view_.linearised_position = start_.position;
  view_.linearised_turn = start_.turn;
  view_.linearised_motion.resize(start_.position.size());
  const StepProblem unconstrained = make_rows(view_, {}).problem;
  const Vector free = unconstrained.velocity + unconstrained.external;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = coordinates_.read(body, free);
  }
}

// Quasistatic scenes: what nothing touches goes nowhere.
void SpatialAttempt::begin() {
  if (!is_quasistatic(scene_.spec())) return;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (coordinates_.moves(body)) out_.end.velocity[static_cast<std::size_t>(body)] = {};
  }
  place_end();
}

// Quasistatic scenes: bodies on which no row acts stay, whatever else pulls them.
void SpatialAttempt::let_loose_bodies_stay() {
  const std::vector<char> acted = acted_on(rows_.problem);
  for (std::size_t i = 0; i < acted.size(); ++i) {
    if (acted[i] != 0) continue;
    rows_.problem.external[static_cast<Eigen::Index>(i)] = 0.0;
    free_velocity_[static_cast<std::size_t>(coordinates_.body_of()[i])] = {};
  }
}

bool SpatialAttempt::is_unbalanced(int body) const {
  const auto b = static_cast<std::size_t>(body);
  return is_quasistatic(scene_.spec()) && coordinates_.moves(body) &&
         reference::is_unbalanced(fastest_point(numbers_, body, out_.end.velocity[b]),
                                  fastest_point(numbers_, body, free_velocity_[b]));
}

double SpatialAttempt::unbalanced_speed() const {
  double worst = 0.0;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!is_unbalanced(body)) continue;
    worst = std::max(worst, fastest_point(numbers_, body, out_.end.velocity[static_cast<std::size_t>(body)]));
  }
  return worst;
}

bool SpatialAttempt::hold_unbalanced() {
  bool any = false;
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!is_unbalanced(body)) continue;
    out_.end.velocity[static_cast<std::size_t>(body)] = {};
    any = true;
  }
  if (any) place_end();
  return any;
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

void SpatialAttempt::place_end() {
  for (std::size_t b = 0; b < start_.position.size(); ++b) {
    const Twist6& v = out_.end.velocity[b];
    out_.end.position[b] = start_.position[b] + options_.h * v.linear;
    out_.end.turn[b] = (exponential(options_.h * v.angular) * start_.turn[b]).normalized();
  }
  end_parts_ = placed(out_.end);
}

std::optional<PlacedSolid> SpatialAttempt::expected_part(int part) const {
  if (is_quasistatic(scene_.spec())) return std::nullopt;
  const int body = scene_.part_body(part);
  const auto b = static_cast<std::size_t>(body);
  if (!coordinates_.moves(body)) return end_part(part);
  const double kick = 0.5 * (start_.last[b] + options_.h);
  const Vector3 velocity = start_.motion[b].linear + kick * start_.acceleration[b].linear;
  const Vector3 spin = start_.motion[b].angular + kick * start_.acceleration[b].angular;
  return scene_.place(part, frame_of(numbers_, body, start_.position[b] + options_.h * velocity,
                                     (exponential(options_.h * spin) * start_.turn[b]).normalized()));
}

// Whether the pair touches at the start. The first pass linearises its contacts where the bodies go with the velocities
// that they have.
bool SpatialAttempt::looks_ahead(const NearPair& pair) const {
  return options_.look_ahead && !pair.risk && pair.start <= options_.detect_distance;
}

// Places the bodies where they go with the velocities that they have, without what acts within the step.
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
  view_.ahead_turn = ahead.turn;
  ahead_parts_ = placed(ahead);
}

// Gives bodies that joints hold taut the inertia and the drag that the last solve's impulses ask for.
void SpatialAttempt::hold_taut() {
  held_ = held_taut(numbers_, start_, present_, middle_, kept_.bilaterals, kept_.h, options_.h);
  std::vector<Matrix3> inertia = inertias(middle_);
  view_.drag.clear();
  for (std::size_t b = 0; b < held_.size(); ++b) {
    if (held_[b].held) inertia[b] += held_[b].inertia;
    view_.drag.push_back(held_[b].drag);
  }
  coordinates_ = SpatialCoordinates(numbers_, present_, inertia);
}

// `velocity` has the spin that belongs to the end's momentum by now; `motion` is that of the solve.
bool SpatialAttempt::swings_too_far() const {
  if (is_quasistatic(scene_.spec())) return false;
  const SpatialAttemptEnd swing{start_, middle_, out_.end.motion, present_, held_, solution_.bilateral};
  return spatial::swings_too_far(numbers_, swing, options_);
}

const StepProblem& SpatialAttempt::linearise(bool first_pass) {
  view_.first_pass = first_pass;
  view_.late_pass = late_pass();
  view_.spring_force = options_.spring_force;
  view_.free_motion = free_velocity_;
  view_.linearised_position = first_pass ? start_.position : out_.end.position;
  view_.linearised_turn = first_pass ? start_.turn : out_.end.turn;
  if (!first_pass) view_.linearised_motion = out_.end.velocity;
  if (first_pass && options_.look_ahead) look_ahead();
  const bool ahead = first_pass && options_.look_ahead;
  view_.end_position = ahead ? view_.ahead_position : out_.end.position;
  view_.end_turn = ahead ? view_.ahead_turn : out_.end.turn;
  view_.end_motion = ahead ? view_.ahead_motion : out_.end.velocity;
  if (!scene_.spec().joints.empty() && !is_quasistatic(scene_.spec())) hold_taut();
  make_contacts(first_pass);
  rows_ = make_rows(view_, contacts_);
  if (is_quasistatic(scene_.spec())) let_loose_bodies_stay();
  return rows_.problem;
}

void SpatialAttempt::make_contacts(bool first_pass) {
  contacts_.clear();
  if (first_pass) rims_.clear();
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const NearPair& pair = pairs_[k];
    if (!pair.near || pair.apart) continue;
    const PartPair& parts = pair.parts;
    const bool ahead = first_pass && looks_ahead(pair);
    const std::vector<PlacedSolid>& at = ahead ? ahead_parts_ : (first_pass ? start_parts_ : end_parts_);
    const std::vector<Twist6>& motion = ahead ? view_.ahead_motion : out_.end.velocity;
    const Vector3 turns =
        motion[static_cast<std::size_t>(parts.body_b)].angular - motion[static_cast<std::size_t>(parts.body_a)].angular;
    const double flat = std::min(most_flat, flat_angle + 2.0 * options_.h * turns.norm());
    const PlacedSolid& a = at[static_cast<std::size_t>(parts.part_a)];
    const PlacedSolid& b = at[static_cast<std::size_t>(parts.part_b)];
    EarlierRims& rims = rims_[{parts.part_a, parts.part_b}];
    rims.shell = pair.shell.any();
    const std::vector<ContactPoint> points = contacts_of(pair.facet, a, b, flat, options_.penetration_tolerance, rims);
    remember_rims(points, a, b, rims);
    for (const ContactPoint& contact : points) {
      PairContact made{static_cast<int>(k),
                       parts,
                       parts.body_a,
                       parts.body_b,
                       contact,
                       pair.target,
                       numbers_.friction(parts.slot),
                       scene_.arms(parts.body_a, parts.body_b),
                       pair.start <= closed_tolerances * options_.penetration_tolerance,
                       ahead,
                       {Layer::rigid, pair.shell, {}, pair.start}};
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

// Moments of features that are new to their pair start at nothing.
std::vector<double> SpatialAttempt::start_tangent(const StepProblem& step, std::size_t contact, const Vector3& tangent,
                                                  const SpatialImpulses::OfContact* same, double ratio) const {
  std::vector<double> moments(step.contacts[contact].tangents.size() - 2, 0.0);
  if (same != nullptr && same->moments.size() == moments.size()) moments = same->moments;
  const Vector3 t = contacts_[contact].at.normal.unitOrthogonal();
  const Vector3 o = contacts_[contact].at.normal.cross(t);
  std::vector<double> out{ratio * t.dot(tangent), ratio * o.dot(tangent)};
  for (const double moment : moments) out.push_back(ratio * moment);
  return out;
}

std::vector<double> SpatialAttempt::deflected(const StepProblem& step, std::size_t contact) const {
  const Vector nu = step.balance ? solution_.velocity : velocity_of_impulses(step, solution_);
  return spatial::deflected(view_, contacts_[contact], step.contacts[contact], rows_.directions[contact],
                            solution_.tangent[contact], nu);
}

SpatialImpulses::OfContact SpatialAttempt::kept_contact(const StepProblem& step, std::size_t contact) const {
  const PartPair& parts = pairs_[static_cast<std::size_t>(contacts_[contact].pair)].parts;
  const Vector3& normal = contacts_[contact].at.normal;
  const std::vector<double>& impulse = solution_.tangent[contact];
  Vector3 tangent = Vector3::Zero();
  std::vector<double> moments;
  if (step.contacts[contact].mu > 0.0) {
    const Vector3 t = normal.unitOrthogonal();
    tangent = impulse[0] * t + impulse[1] * normal.cross(t);
    moments.assign(impulse.begin() + 2, impulse.end());
  }
  return {parts.part_a, parts.part_b, contacts_[contact].at.key, solution_.normal[contact], tangent, moments};
}

void SpatialAttempt::start_supports_and_motors(const StepProblem& step, double ratio, StepSolution& start) const {
  const bool same = kept_.motors.size() == step.motors.size();
  for (std::size_t i = 0; i < step.motors.size(); ++i) start.motor.push_back(same ? ratio * kept_.motors[i] : 0.0);
}

void SpatialAttempt::keep_supports_and_motors() { kept_.motors = solution_.motor; }

std::vector<double> SpatialAttempt::joint_values(const JointSpec& joint, bool at_end) const {
  const SpatialState& at = at_end ? out_.end : start_;
  std::vector<double> out;
  for (const JointRow& row : JointAt(numbers_, joint, at.position, at.turn).rows()) out.push_back(row.value);
  return out;
}

double SpatialAttempt::joint_coordinate(int joint, bool at_end) const {
  const JointSpec& spec = scene_.spec().joints[static_cast<std::size_t>(joint)];
  const SpatialState& state = at_end ? out_.end : start_;
  const JointAt at(numbers_, spec, state.position, state.turn);
  const double last = view_.joint_turn[static_cast<std::size_t>(joint)];
  const double turned = at_end ? last + options_.h * at.turn_rate(out_.end.velocity) : last;
  return at.coordinate(only_turns(spec) ? Freedom::turn : Freedom::slide, turned).value;
}

double SpatialAttempt::spring_error() const {
  if (solution_.motor.size() != rows_.problem.motors.size()) return 0.0;  // no solve so far
  return spatial::spring_error(view_, out_.end, solution_.motor);
}

std::vector<SpatialAttempt::LimitGaps> SpatialAttempt::limit_gaps() const {
  std::vector<LimitGaps> out;
  for (const JointLimit& limit : active_limits(scene_, present_)) {
    const JointSpec& joint = scene_.spec().joints[static_cast<std::size_t>(limit.joint)];
    const double last = view_.joint_turn[static_cast<std::size_t>(limit.joint)];
    const JointAt start(numbers_, joint, start_.position, start_.turn);
    const JointAt end(numbers_, joint, out_.end.position, out_.end.turn);
    const double turned = last + options_.h * end.turn_rate(out_.end.velocity);
    out.push_back({limit_gap(scene_, limit, start, last).gap, limit_gap(scene_, limit, end, turned).gap});
  }
  return out;
}

double SpatialAttempt::least_separation(const NearPair& pair) const { return std::min(pair.end, on_the_way(pair)); }

// Turns are counted with the velocities of the solve, so that a step may turn a joint by any angle.
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

double SpatialAttempt::kinetic_energy(int body, const Twist6& velocity) const {
  const Matrix3& inertia = middle_[static_cast<std::size_t>(body)].inertia;
  return 0.5 * (numbers_.mass(body) * velocity.linear.squaredNorm() + velocity.angular.dot(inertia * velocity.angular));
}

double SpatialAttempt::endless_swing(int body, const Twist6& velocity) const {
  const double spin = velocity.angular.norm();
  if (!scene_.body(body).endless || spin == 0.0) return 0.0;
  double farthest = 0.0;
  for (int other = 0; other < scene_.body_count(); ++other) {
    const auto o = static_cast<std::size_t>(other);
    const BodyModel& model = scene_.body(other);
    if (!model.dynamic() || present_[o] == 0) continue;
    const double reach = model.radius + (numbers_.centre(other) - model.middle).norm();
    farthest =
        std::max(farthest, (start_.position[o] - start_.position[static_cast<std::size_t>(body)]).norm() + reach);
  }
  return spin * farthest;
}

void SpatialAttempt::hold(int body, const std::vector<int>& by) {
  const auto b = static_cast<std::size_t>(body);
  Twist6 velocity;
  for (const int other : by) {
    const auto o = static_cast<std::size_t>(other);
    const Twist6& v = out_.end.velocity[o];
    const Vector3 arm = start_.position[b] - start_.position[o];
    velocity.linear += (v.linear + v.angular.cross(arm)) / static_cast<double>(by.size());
    velocity.angular += v.angular / static_cast<double>(by.size());
  }
  out_.end.velocity[b] = out_.end.motion[b] = velocity;
  out_.end.position[b] = start_.position[b] + options_.h * velocity.linear;
  out_.end.turn[b] = (exponential(options_.h * velocity.angular) * start_.turn[b]).normalized();
  const Matrix3 r = out_.end.turn[b].toRotationMatrix();
  out_.end.momentum[b] = r * numbers_.inertia(body) * r.transpose() * velocity.angular;
}

void SpatialAttempt::finish_momenta() {
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    out_.end.momentum[b] += middle_[b].inertia * (out_.end.velocity[b].angular - middle_[b].spin);
  }
}

void SpatialAttempt::finish() {
  count_turns();
  if (is_quasistatic(scene_.spec())) {
    out_.end.motion = out_.end.velocity;
    return;
  }
  finish_momenta();
  // Pairs that were listed again after the last solve have no contacts in that solve.
  out_.gained = !out_.outran && gains_energy();
  out_.end.motion = out_.end.velocity;
  // The angular velocity that belongs to the momentum at the pose that was reached.
  for (int body = 0; body < scene_.body_count(); ++body) {
    if (!coordinates_.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    const Matrix3 r = out_.end.turn[b].toRotationMatrix();
    out_.end.velocity[b].angular = (r * numbers_.inertia(body) * r.transpose()).ldlt().solve(out_.end.momentum[b]);
  }
}

}  // namespace pegrasp::reference::spatial
