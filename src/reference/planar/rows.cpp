// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/reference/common/servo.hpp"
#include "src/reference/common/slip_turns.hpp"
#include "src/reference/planar/joints.hpp"
#include "src/reference/planar/motion.hpp"

namespace pegrasp::reference {
namespace {

// Row of the velocity of the point x of a body along d, seen from its centre of mass at q.
Vector3 point_row(const Vector3& q, const Point& x, const Point& d) {
  return {d.x(), d.y(), cross(x - q.head<2>(), d)};
}

double position_gain(const PlanarNumbers& numbers, int k, double h) {
  return h * numbers.stiffness(k) + numbers.damping(k);
}
// Gaps up to this many penetration tolerances are closed where the step begins.
constexpr double closed_tolerances = 2.0;
// Beyond so much turn [rad] in a step late passes keep the directions of its start.
constexpr double far_turn = 0.05;
// A gap [m] beyond reach.
constexpr double out_of_reach = 1e6;

double contact_time(const PlanarNumbers& numbers, const StepState& state, const PairContact& c, double h) {
  const auto last = [&](int body) { return state.last[static_cast<std::size_t>(body)]; };
  return acting_time(numbers.scene().body(c.body_a).dynamic(), last(c.body_a), numbers.scene().body(c.body_b).dynamic(),
                     last(c.body_b), h);
}

class Assembly {
 public:
  Assembly(const PlanarNumbers& numbers, const PlanarCoordinates& coordinates, const StepState& state, double h)
      : numbers_(numbers), coordinates_(coordinates), state_(state), h_(h) {}

  Contact contact(const PairContact& c) const {
    Contact out = rigid_contact(c);
    if (c.shell.layer == Layer::shell) put_shell_under(c, out);
    return out;
  }

  // Makes the rows of a rigid contact those of a shell.
  void put_shell_under(const PairContact& c, Contact& out) const {
    const bool at_start_alone = forces_at_start(state_.spring_force, h_);
    const double acts = contact_time(numbers_, state_, c, h_);
    const double depth = std::max(0.0, -(state_.first_pass ? c.at.gap : at_start(c).gap));
    const SpringRow normal =
        spring_row(c.shell.law.normal, depth, acts, h_, response(out.normal, push_of(out)), at_start_alone);
    if (at_start_alone) out.gap = 0.0;
    out.rate += normal.lack;
    out.lack = normal.lack;
    out.compliance = normal.compliance;
    if (c.shell.law.tangential.rigid()) return;
    const double before = c.shell.deflection.empty() ? 0.0 : -c.shell.deflection[0];
    SpringRow tangent = spring_row(c.shell.law.tangential, before, acts, h_, response(out.tangents[0], out.tangents[0]),
                                   at_start_alone);
    if (!at_start_alone) tangent.lack -= before / h_;  // the slip of the step alone is in the row
    out.tangent_rate[0] += tangent.lack;
    out.tangent_lack = {tangent.lack};
    out.tangent_compliance = tangent.compliance;
  }

  Contact rigid_contact(const PairContact& c) const {
    Contact out;
    ContactPoint at = c.at;
    bool pushes_as_before = false;
    if (!state_.first_pass) {
      const ContactPoint before = at_start(c);
      const bool closed = before.gap <= closed_tolerances * state_.closed;
      const Row last = relative_row(c, state_.linearised_pose, state_.linearised_motion, c.at.position, c.at.normal);
      const double freely =
          relative_row(c, state_.linearised_pose, state_.free_motion, c.at.position, c.at.normal).linearised;
      const bool parts_far = last.linearised > 0.0 && turns_far(c);
      if (!closed && !is_quasistatic(numbers_.scene()) && (last.linearised + freely > 0.0 || parts_far))
        return passing(c, before);
      pushes_as_before = closed && (!state_.late_pass || parts_far) && acts_alike(c, before, last.gradient);
      if (pushes_as_before) at = before;
    }
    const std::vector<Vector3>& pose = pushes_as_before ? state_.pose : state_.linearised_pose;
    const Row normal = relative_row(c, pose, state_.linearised_motion, at.position, at.normal);
    out.normal = normal.gradient;
    out.rate = normal.rate;
    out.gap = gap_of_row(c.at.gap - c.target) - h_ * normal.linearised;
    const Point along = turned_left(at.normal);
    const Row tangent = relative_row(c, pose, state_.end_motion, at.position, along);
    out.tangents = {tangent.gradient};
    out.tangent_rate = {tangent.rate};
    if (h_ > 0.0) out.tangent_rate[0] += along.dot(slip(c)) / h_ - tangent.linearised;
    out.mu = c.mu;
    return out;
  }

  SupportPoint support(int k) const {
    const int body = numbers_.scene().support_bodies()[static_cast<std::size_t>(k)];
    const Vector3& q = state_.pose[static_cast<std::size_t>(body)];
    const Point x = Placement::of(pose_of(q))(numbers_.support_point(k));
    SupportPoint out;
    for (const Point& d : {Point(1.0, 0.0), Point(0.0, 1.0)}) {
      out.tangents.emplace_back(coordinates_.size());
      coordinates_.add(body, point_row(q, x, d), out.tangents.back());
    }
    out.bound = kick(body) * numbers_.support_friction(k) * numbers_.support_load(k);
    if (h_ > 0.0 && state_.last[static_cast<std::size_t>(body)] > 0.0) {
      const Point slip = slip_without_motion(body, numbers_.support_point(k));
      out.rate = {slip.x(), slip.y()};
    }
    return out;
  }

  Motor motor(int k) const {
    const PlanarActuator& actuator = numbers_.scene().actuators()[static_cast<std::size_t>(k)];
    Motor out;
    if (actuator.kind == ActuatorKind::follow) return follower(k, actuator.body);
    if (is_spring(numbers_.scene().spec(), numbers_.scene().spec().actuators[static_cast<std::size_t>(k)]))
      return spring(k, actuator);
    double at = 0.0;     // the coordinate
    double carry = 0.0;  // what bodies that are kinematic add to its rate
    if (actuator.joint < 0) {
      out.row.resize(coordinates_.size());
      coordinates_.add(actuator.body, actuator.direction, out.row);
      at = actuator.direction.dot(state_.pose[static_cast<std::size_t>(actuator.body)]);
    } else {
      const JointSpec& spec = joint(actuator.joint);
      const PlanarJointRow driven = PlanarJointAt(numbers_, spec, state_.pose).coordinate(actuator.rotary);
      const Row row = joint_row(spec, driven);
      out.row = row.gradient;
      at = driven.value;
      carry = row.rate;
    }
    out.bound = kick(driven_body(actuator)) * numbers_.limit(k);
    if (actuator.kind == ActuatorKind::velocity_servo) {
      out.bias = carry - numbers_.target(k, state_.time + 0.5 * h_);
      return out;
    }
    const ServoRow servo = pd_servo(k, actuator, {out.row, carry}, at);
    out.bias = carry + servo.bias;
    out.compliance = servo.compliance;
    return out;
  }

  // Along its line a spring is linearised as a joint is, so that one of any stiffness keeps its length at the end of
  // the step. Across the line it is a damper.
  Motor spring(int k, const PlanarActuator& actuator) const {
    const JointSpec& spec = joint(actuator.joint);
    const PlanarJointAt start(numbers_, spec, state_.pose);
    const PlanarJointAt here(numbers_, spec, state_.linearised_pose);
    Motor out;
    out.bound = kick(driven_body(actuator)) * numbers_.limit(k);
    const ServoRow servo = spring_servo(k, actuator, start);
    out.compliance = servo.compliance;
    const bool across = is_across(k);
    const Row push = joint_row(spec, across ? start.across() : start.slide());
    if (across || !(h_ > 0.0)) {
      out.row = push.gradient;
      out.bias = push.rate + servo.bias;
      return out;
    }
    const double side = side_of(start, here);
    const PlanarJointRow length = here.slide();
    const Row row = joint_row(spec, {length.value, side * length.a, side * length.b});
    out.row = row.gradient;
    out.push = push.gradient;
    out.bias = row.rate + (side * length.value - start.slide().value) / h_ - row.linearised + servo.bias;
    return out;
  }

  // How far [m] spring k is at `end` (bodies) from the length that its impulse belongs to, by the share with which it
  // answers by motion.
  double spring_error(int k, const PlanarActuator& actuator, const std::vector<Vector3>& end, double impulse) const {
    if (is_across(k)) return 0.0;
    const JointSpec& spec = joint(actuator.joint);
    const PlanarJointAt start(numbers_, spec, state_.pose);
    const PlanarJointAt at(numbers_, spec, end);
    const ServoRow servo = spring_servo(k, actuator, start);
    const double gone = side_of(start, at) * at.slide().value - start.slide().value;
    const SparseVector row = joint_row(spec, start.slide()).gradient;
    const double yields = servo.compliance / response(row, row);
    return std::abs(gone + h_ * (servo.bias + servo.compliance * impulse)) / (1.0 + yields);
  }

  Motor follower(int k, int body) const {
    const auto b = static_cast<std::size_t>(body);
    const Vector3 direction = follow_direction(numbers_, k, state_.time + 0.5 * h_);
    Motor out;
    out.row.resize(coordinates_.size());
    coordinates_.add(body, direction, out.row);
    out.bound = kick(body) * numbers_.limit(k);
    out.bias = -direction.dot(
        follow_velocity(numbers_, k, state_.pose[b], state_.velocity[b], state_.time, state_.last[b], h_));
    return out;
  }

  void joint_rows(const JointSpec& spec, StepProblem& out) const {
    const std::vector<PlanarJointRow> start = PlanarJointAt(numbers_, spec, state_.pose).rows();
    const std::vector<PlanarJointRow> here = PlanarJointAt(numbers_, spec, state_.linearised_pose).rows();
    for (std::size_t i = 0; i < start.size(); ++i) {
      const Row row = joint_row(spec, here[i]);
      Bilateral bilateral;
      bilateral.row = row.gradient;
      bilateral.push = joint_row(spec, start[i]).gradient;
      bilateral.rate = row.rate;
      const double left = here[i].value - joint_target(start[i].value, state_.recovery);
      bilateral.gap = h_ > 0.0 ? left - h_ * row.linearised : 0.0;
      out.bilaterals.push_back(std::move(bilateral));
    }
  }

  Bilateral coupling(const CouplingSpec& spec) const {
    const CouplingRow row = coupling_row(numbers_.scene().spec(), spec, numbers_.scene().joint_arm());
    Bilateral out;
    out.row.resize(coordinates_.size());
    out.push.resize(coordinates_.size());
    double linearised = 0.0;
    double x_start[2], x_here[2];
    for (const int half : {0, 1}) {
      const JointSpec& of = joint(half == 0 ? spec.joint : spec.of_joint);
      const PlanarJointRow start = PlanarJointAt(numbers_, of, state_.pose).coordinate(only_turns(of));
      const PlanarJointRow here = PlanarJointAt(numbers_, of, state_.linearised_pose).coordinate(only_turns(of));
      const Row part = joint_row(of, here);
      out.row += row.share[half] * part.gradient;
      out.push += row.share[half] * joint_row(of, start).gradient;
      out.rate += row.share[half] * part.rate;
      linearised += row.share[half] * part.linearised;
      x_start[half] = start.value;
      x_here[half] = here.value;
    }
    const double left =
        row.value(x_here[0], x_here[1]) - joint_target(row.value(x_start[0], x_start[1]), state_.recovery);
    out.gap = h_ > 0.0 ? left - h_ * linearised : 0.0;
    return out;
  }

  Contact limit(const PlanarLimit& limit) const {
    const PlanarScene& scene = numbers_.scene();
    const JointSpec& spec = joint(limit.joint);
    const PlanarJointAt start(numbers_, spec, state_.pose);
    const PlanarJointAt here(numbers_, spec, state_.linearised_pose);
    const LimitGap gap = limit_gap(scene, limit, here);
    const double factor = gap.side * (limit.turns ? scene.joint_arm() : 1.0);
    const Row row = joint_row(spec, here.coordinate(limit.turns));
    Contact out;
    out.normal = factor * row.gradient;
    out.push = factor * joint_row(spec, start.coordinate(limit.turns)).gradient;
    out.rate = factor * row.rate;
    out.gap = gap_of_row(gap.gap - limit_target(limit_gap(scene, limit, start).gap, state_.recovery)) -
              h_ * factor * row.linearised;
    return out;
  }

 private:
  struct Row {
    SparseVector gradient;
    double rate = 0.0;        // what bodies kinematic add
    double linearised = 0.0;  // the row's velocity in the motion that led to the linearisation pose
  };
  // The PD servo of actuator k, whose coordinate is `at` and has this row at the start of the step.
  ServoRow pd_servo(int k, const PlanarActuator& actuator, const Row& row, double at) const {
    const double last = state_.last[static_cast<std::size_t>(driven_body(actuator))];
    const double target = numbers_.target(k, state_.time + h_);
    const TargetSpeeds speeds =
        target_speeds(numbers_.target(k, state_.time - last), numbers_.target(k, state_.time), target, last, h_);
    Vector before = Vector::Zero(coordinates_.size());
    for (int body = 0; body < numbers_.scene().body_count(); ++body) {
      coordinates_.write(body, state_.velocity[static_cast<std::size_t>(body)], before);
    }
    return servo_row({numbers_.stiffness(k), numbers_.damping(k)},
                     {target - at, speeds.now, speeds.before, row.rate + row.gradient.dot(before),
                      response(row.gradient, row.gradient)},
                     last, h_);
  }
  ServoRow spring_servo(int k, const PlanarActuator& actuator, const PlanarJointAt& start) const {
    const JointSpec& spec = joint(actuator.joint);
    if (is_across(k)) return pd_servo(k, actuator, joint_row(spec, start.across()), numbers_.target(k, state_.time));
    return pd_servo(k, actuator, joint_row(spec, start.slide()), start.slide().value);
  }
  bool is_across(int k) const { return numbers_.scene().spec().actuators[static_cast<std::size_t>(k)].component > 0; }
  // -1 where the second point of a spring has gone through the first one.
  static double side_of(const PlanarJointAt& start, const PlanarJointAt& at) {
    return start.line().dot(at.line()) < 0.0 ? -1.0 : 1.0;
  }
  double gap_of_row(double gap) const { return h_ > 0.0 ? gap : (gap <= state_.closed ? 0.0 : out_of_reach); }
  double kick(int body) const { return 0.5 * (state_.last[static_cast<std::size_t>(body)] + h_); }
  // The dynamic body that a motor drives; of two bodies of a joint the second.
  int driven_body(const PlanarActuator& actuator) const {
    if (actuator.joint < 0) return actuator.body;
    const JointSpec& driven = joint(actuator.joint);
    return driven.body_a < 0 || numbers_.scene().body(driven.body_b).dynamic() ? driven.body_b : driven.body_a;
  }
  const JointSpec& joint(int index) const { return numbers_.scene().spec().joints[static_cast<std::size_t>(index)]; }
  Row joint_row(const JointSpec& spec, const PlanarJointRow& row) const {
    Row out{SparseVector(coordinates_.size())};
    for (const auto& [body, j] : {std::pair{spec.body_a, row.a}, std::pair{spec.body_b, row.b}}) {
      if (body < 0) continue;
      const auto b = static_cast<std::size_t>(body);
      coordinates_.add(body, j, out.gradient);
      if (!coordinates_.moves(body)) out.rate += j.dot(state_.velocity[b]);
      out.linearised += j.dot(state_.linearised_motion[b]);
    }
    return out;
  }
  // Velocity of b against a at the point x along d, the bodies being at these poses; linearised: in this motion.
  Row relative_row(const PairContact& c, const std::vector<Vector3>& pose, const std::vector<Vector3>& motion,
                   const Point& x, const Point& d) const {
    Row out{SparseVector(coordinates_.size())};
    for (const auto& [body, sign] : {std::pair{c.body_a, -1.0}, std::pair{c.body_b, 1.0}}) {
      const auto b = static_cast<std::size_t>(body);
      const Vector3 j = sign * point_row(pose[b], x, d);
      coordinates_.add(body, j, out.gradient);
      if (!coordinates_.moves(body)) out.rate += j.dot(state_.velocity[b]);
      out.linearised += j.dot(motion[b]);
    }
    return out;
  }
  // The mean velocity of a support point over `time` [s] of this motion, from the start on or, if negative, up to it.
  Point slip_over(int body, const Point& local, const Vector3& motion, double time) const {
    const Vector3& q = state_.pose[static_cast<std::size_t>(body)];
    if (time == 0.0) {
      const Point arm = Placement::of(pose_of(q)).direction(local);
      return motion.head<2>() + motion[2] * turned_left(arm);
    }
    const Placement here = Placement::of(pose_of(q));
    const Placement there = Placement::of(pose_of(Vector3(q + time * motion)));
    return (there(local) - here(local)) / time;
  }
  // What of the slip of a support point does not depend on the solution: what its turn over the step adds to its
  // velocity, and what friction against a slip that turns asks for.
  Point slip_without_motion(int body, const Point& local) const {
    const auto b = static_cast<std::size_t>(body);
    const Vector3 motion = state_.first_pass ? Vector3(state_.velocity[b] + kick(body) * state_.acceleration[b])
                                             : state_.linearised_motion[b];
    const Point before = slip_over(body, local, state_.velocity[b], -state_.last[b]);
    const Point after = slip_over(body, local, motion, h_);
    const Point still = after - slip_over(body, local, motion, 0.0);
    return still + bias_across(before, after);
  }
  static Row mean_of(const Row& x, const Row& y) {
    return {0.5 * (x.gradient + y.gradient), 0.5 * (x.rate + y.rate), 0.5 * (x.linearised + y.linearised)};
  }
  bool turns_far(const PairContact& c) const {
    const auto rate = [&](int body) { return state_.linearised_motion[static_cast<std::size_t>(body)][2]; };
    return h_ * std::abs(rate(c.body_b) - rate(c.body_a)) > far_turn;
  }
  // A contact that closes within the step, and whose impulse along the direction at the end would do work on the
  // bodies, as at a corner that a body rolls over. Along the mean of the directions at the start and at the end it
  // takes energy.
  Contact passing(const PairContact& c, const ContactPoint& before) const {
    const auto mean = [&](const Point& first, const Point& last) {
      return mean_of(relative_row(c, state_.pose, state_.linearised_motion, before.position, first),
                     relative_row(c, state_.linearised_pose, state_.linearised_motion, c.at.position, last));
    };
    const Row normal = mean(before.normal, c.at.normal);
    const Row tangent = mean(turned_left(before.normal), turned_left(c.at.normal));
    const Point along = 0.5 * (turned_left(before.normal) + turned_left(c.at.normal));
    Contact out;
    out.normal = normal.gradient;
    out.rate = normal.rate;
    out.gap = gap_of_row(c.at.gap - c.target) - h_ * normal.linearised;
    out.tangents = {tangent.gradient};
    out.tangent_rate = {tangent.rate + along.dot(slip(c)) / h_ - tangent.linearised};
    out.mu = c.mu;
    return out;
  }

  // What the row's velocity gains by an impulse along `push`.
  double response(const SparseVector& row, const SparseVector& push) const {
    double sum = 0.0;
    for (SparseVector::InnerIterator it(push); it; ++it) {
      const auto k = static_cast<int>(it.index());
      sum += row.coeff(k) * it.value() / coordinates_.mass().coeff(k, k);
    }
    return sum;
  }

  // Whether an impulse where a smooth part touched at the start does much the same as one where it touches now.
  bool acts_alike(const PairContact& c, const ContactPoint& before, const SparseVector& now) const {
    if (!c.started) return true;
    const SparseVector first =
        relative_row(c, state_.pose, state_.linearised_motion, before.position, before.normal).gradient;
    return response(now, first) >= 0.8 * std::max(response(first, first), response(now, now));
  }

  // The body whose corner touches (on the side of b: 1, of a: -1), the other, and the middle of the corner.
  struct Sides {
    std::size_t corner, facet;
    double side;
    Point core;
  };
  static Sides sides(const PairContact& c) {
    const bool of_a = c.at.key[0] == static_cast<int>(FacetKind::edge_of_b);
    const double side = of_a ? -1.0 : 1.0;
    return {static_cast<std::size_t>(of_a ? c.body_a : c.body_b), static_cast<std::size_t>(of_a ? c.body_b : c.body_a),
            side, c.at.position + side * c.at.round * c.at.normal};
  }
  static Placement placement(const std::vector<Vector3>& pose, std::size_t body) {
    return Placement::of(pose_of(pose[body]));
  }
  // The contact as it was where the step begins: the corner goes with its body, the facet with the other.
  ContactPoint at_start(const PairContact& c) const {
    if (c.started) return *c.started;
    const Sides at = sides(c);
    const auto back = [&](std::size_t body, const Point& x) {
      return placement(state_.pose, body)(placement(state_.linearised_pose, body).back(x));
    };
    const Point core = back(at.corner, at.core);
    ContactPoint out = c.at;
    if (c.at.key[0] == static_cast<int>(FacetKind::corners)) {
      const double apart = c.at.round + c.at.round_other;
      const Point way = core - back(at.facet, at.core - (c.at.gap + apart) * c.at.normal);
      if (way.norm() > 0.0) out.normal = way.normalized();
      out.gap = way.norm() - apart;
    } else {
      const Placement start = placement(state_.pose, at.facet);
      const Placement here = placement(state_.linearised_pose, at.facet);
      const Point facet = here.direction_back(c.at.normal);
      out.normal = start.direction(facet);
      out.gap = c.at.gap - at.side * facet.dot(here.back(at.core) - start.back(core));
    }
    out.position = core - at.side * c.at.round * out.normal;
    return out;
  }
  // How far b slides over a on the way to the end poses at hand: where the core ends, seen from where the other body
  // takes its beginning; and what the corner rolls.
  Point slip(const PairContact& c) const {
    const Sides at = sides(c);
    const Placement from = placement(state_.pose, at.corner);
    const Placement to = placement(state_.end_pose, at.corner);
    const Point begin = state_.first_pass ? at.core : from(to.back(at.core));
    const Point end = state_.first_pass ? to(from.back(at.core)) : at.core;
    const Point taken = placement(state_.end_pose, at.facet)(placement(state_.pose, at.facet).back(begin));
    const auto turn = [&](std::size_t body) { return state_.end_pose[body][2] - state_.pose[body][2]; };
    return at.side * (end - taken + (turn(at.corner) - turn(at.facet)) * turned_left(c.at.position - at.core));
  }

  const PlanarNumbers& numbers_;
  const PlanarCoordinates& coordinates_;
  const StepState& state_;
  double h_;
};

}  // namespace

PlanarCoordinates::PlanarCoordinates(const PlanarNumbers& numbers, std::span<const char> present)
    : scene_(&numbers.scene()), first_(present.size(), -1) {
  std::vector<double> diagonal;
  const double lighter = lightness(scene_->spec(), scene_->joint_arm());
  for (int body = 0; body < scene_->body_count(); ++body) {
    const auto b = static_cast<std::size_t>(body);
    if (!scene_->body(body).dynamic() || present[b] == 0) continue;
    first_[b] = size();
    const double mass = numbers.mass(body) / lighter;
    if (scene_->body(body).slides) {
      diagonal.push_back(mass);
    } else if (!scene_->body(body).turns) {
      diagonal.insert(diagonal.end(), {mass, mass});
    } else {
      diagonal.insert(diagonal.end(), {mass, mass, numbers.inertia(body) / lighter});
    }
    body_of_.resize(diagonal.size(), body);
  }
  mass_.resize(size(), size());
  mass_.reserve(Eigen::VectorXi::Constant(size(), 1));
  for (int i = 0; i < size(); ++i) mass_.insert(i, i) = diagonal[static_cast<std::size_t>(i)];
  if (size() > 0) mass_.makeCompressed();  // Eigen reads past the end of an empty one
}

void PlanarCoordinates::write(int body, const Vector3& full, Vector& reduced) const {
  const int first = first_[static_cast<std::size_t>(body)];
  if (first < 0) return;
  if (scene_->body(body).slides) {
    reduced[first] = scene_->body(body).axis.dot(full.head<2>());
  } else if (!scene_->body(body).turns) {
    reduced.segment<2>(first) = full.head<2>();
  } else {
    reduced.segment<3>(first) = full;
  }
}

Vector3 PlanarCoordinates::read(int body, const Vector& reduced) const {
  const int first = first_[static_cast<std::size_t>(body)];
  if (!scene_->body(body).turns) return {reduced[first], reduced[first + 1], 0.0};
  if (!scene_->body(body).slides) return reduced.segment<3>(first);
  const Point v = reduced[first] * scene_->body(body).axis;
  return {v.x(), v.y(), 0.0};
}

void PlanarCoordinates::add(int body, const Vector3& j, SparseVector& gradient) const {
  const int first = first_[static_cast<std::size_t>(body)];
  if (first < 0) return;
  if (scene_->body(body).slides) {
    gradient.coeffRef(first) += scene_->body(body).axis.dot(j.head<2>());
  } else {
    const int count = scene_->body(body).turns ? 3 : 2;
    for (int i = 0; i < count; ++i) gradient.coeffRef(first + i) += j[i];
  }
}

double deflected(const PlanarNumbers& numbers, const StepState& state, const PairContact& c, const Contact& row,
                 double p, const Vector& nu, double h) {
  if (c.shell.law.tangential.rigid() || !(row.mu > 0.0)) return 0.0;
  const double acts = contact_time(numbers, state, c, h);
  if (!(acts > 0.0)) return 0.0;
  const double before = c.shell.deflection.empty() ? 0.0 : -c.shell.deflection[0];
  const double slip = row.tangents[0].dot(nu) + row.tangent_rate[0] - row.tangent_lack[0];
  return -deflection_after(c.shell.law.tangential, before, acts, h, p, -slip, forces_at_start(state.spring_force, h));
}

std::vector<int> active_supports(const PlanarNumbers& numbers, std::span<const char> present) {
  std::vector<int> out;
  int k = 0;
  for (const int body : numbers.scene().support_bodies()) {
    if (present[static_cast<std::size_t>(body)] != 0) out.push_back(k);
    ++k;
  }
  return out;
}

std::vector<int> active_motors(const PlanarNumbers& numbers, std::span<const char> present, double h) {
  std::vector<int> out;
  int k = -1;
  for (const PlanarActuator& actuator : numbers.scene().actuators()) {
    ++k;
    if (actuator.kind == ActuatorKind::force) continue;
    const bool takes_part =
        actuator.joint < 0
            ? present[static_cast<std::size_t>(actuator.body)] != 0
            : joint_present(numbers.scene().spec().joints[static_cast<std::size_t>(actuator.joint)], present);
    if (!takes_part) continue;
    // Without gains to speak of a position servo does nothing.
    const double response = h > 0.0 ? h * position_gain(numbers, k, h) : position_gain(numbers, k, 1.0);
    if (actuator.kind == ActuatorKind::position_servo && !(response > least_gain)) continue;
    out.push_back(k);
  }
  return out;
}

double spring_error(const PlanarNumbers& numbers, const PlanarCoordinates& coordinates, const StepState& state,
                    std::span<const char> present, double h, const std::vector<Vector3>& end,
                    std::span<const double> motors) {
  if (!(h > 0.0)) return 0.0;
  const Assembly assembly(numbers, coordinates, state, h);
  double worst = 0.0;
  std::size_t row = 0;
  for (const int k : active_motors(numbers, present, h)) {
    const double impulse = motors[row++];
    const auto at = static_cast<std::size_t>(k);
    if (!is_spring(numbers.scene().spec(), numbers.scene().spec().actuators[at])) continue;
    const double error = assembly.spring_error(k, numbers.scene().actuators()[at], end, impulse);
    worst = error <= worst ? worst : error;  // or NaN
  }
  return worst;
}

StepProblem make_step_problem(const PlanarNumbers& numbers, const PlanarCoordinates& coordinates,
                              const StepState& state, std::span<const PairContact> contacts,
                              std::span<const char> present, double h) {
  StepProblem out;
  out.h = h > 0.0 ? h : 1.0;
  out.mass = coordinates.mass();
  out.balance = is_quasistatic(numbers.scene());
  out.velocity = Vector::Zero(coordinates.size());
  out.external = Vector::Zero(coordinates.size());
  for (int body = 0; body < numbers.scene().body_count(); ++body) {
    if (!coordinates.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    coordinates.write(body, state.velocity[b], out.velocity);
    Vector3 impulse = applied_impulse(numbers, body, state.pose, present, state.time, state.last[b], h);
    if (!state.drag.empty()) impulse[2] += state.drag[b];
    coordinates.write(body, impulse, out.external);
  }
  const Assembly assembly(numbers, coordinates, state, h);
  for (const PairContact& contact : contacts) {
    out.unilateral.push_back(static_cast<int>(out.contacts.size()));
    out.contacts.push_back(assembly.contact(contact));
  }
  for (const PlanarLimit& limit : planar_limits(numbers.scene(), present)) {
    out.unilateral.push_back(static_cast<int>(out.contacts.size()));
    out.contacts.push_back(assembly.limit(limit));
  }
  for (const int k : active_supports(numbers, present)) out.supports.push_back(assembly.support(k));
  for (const int k : active_motors(numbers, present, h)) out.motors.push_back(assembly.motor(k));
  for (const JointSpec& joint : numbers.scene().spec().joints) {
    if (joint_present(joint, present)) assembly.joint_rows(joint, out);
  }
  for (const CouplingSpec& coupling : numbers.scene().spec().couplings) {
    if (coupling_present(numbers.scene().spec(), coupling, present))
      out.bilaterals.push_back(assembly.coupling(coupling));
  }
  return out;
}

}  // namespace pegrasp::reference
