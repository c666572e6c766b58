// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/rows.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/reference/common/servo.hpp"
#include "src/reference/common/slip_turns.hpp"
#include "src/reference/spatial/contact_motion.hpp"
#include "src/reference/spatial/shell_rows.hpp"

namespace pegrasp::reference::spatial {
namespace {

bool is_prescribed(const SpatialScene& scene, int body) {
  return body >= 0 && scene.body(body).kind == BodyKind::kinematic;
}

double dot(const Twist6& row, const Twist6& velocity) {
  return row.linear.dot(velocity.linear) + row.angular.dot(velocity.angular);
}

// A row over two bodies, of which one may be the world (-1).
struct TwoBodyRow {
  int body_a, body_b;
  Twist6 a, b;
};

class Assembly {
 public:
  explicit Assembly(const StepView& view) : view_(view) {}

  void contact(const PairContact& c, std::span<const PairContact> all, StepRows& rows) const {
    Contact out;
    if (view_.load_sharing && c.shell.layer != Layer::shell) out.spring = spring(c, all);
    ContactPoint at = c.at;
    std::vector<Vector3> acts_at = position_of(c);
    const std::vector<Twist6>* const about = c.ahead ? &view_.ahead_motion : motion_about();
    const TwoBodyRow at_end = along(c, at.position, at.normal, acts_at);
    TwoBodyRow row = at_end;
    const ContactMotion on_the_way(view_, c);
    const ContactPoint before = on_the_way.about_an_end() ? on_the_way.at_start() : ContactPoint{};
    const Pushes pushes = on_the_way.about_an_end() ? pushes_of(c, before, at_end, *about) : Pushes::as_linearised;
    if (pushes == Pushes::as_at_start) {
      at = before;
      acts_at = view_.start.position;
      row = along(c, at.position, at.normal, acts_at);
    } else if (pushes == Pushes::along_the_mean) {
      row = mean_of(along(c, before.position, before.normal, view_.start.position), at_end);
      at.position = 0.5 * (before.position + at.position);
      at.normal = row.b.linear;
      for (std::size_t b = 0; b < acts_at.size(); ++b) acts_at[b] = 0.5 * (acts_at[b] + view_.start.position[b]);
    }
    const double left = c.at.gap - c.target;
    const double bias = closing_speed(c.shell.layer == Layer::shell ? left : gap_to_close(left));
    if (pushes == Pushes::as_linearised) {
      rows.contact_carry.push_back(finish(row, row, bias, about, out.normal, out.push, out.rate));
    } else {
      out.normal = gradient(row);
      rows.contact_carry.push_back(carry_of(row));
      out.rate = bias + prescribed_rate(row) - rate_of(row, *about);
    }
    out.mu = c.mu;
    friction(c, at, acts_at, out, rows.tangent_carry.emplace_back());
    const Vector3 t = at.normal.unitOrthogonal();
    rows.directions.push_back({t, at.normal.cross(t)});
    if (c.shell.layer == Layer::shell) {
      double gap = on_the_way.about_an_end() ? before.gap : c.at.gap;
      if (!std::isfinite(gap)) gap = c.shell.start;
      // Of a given force the rate of the rigid row has no gap.
      if (forces_at_start(view_.spring_force, view_.h))
        out.rate += (about == nullptr ? 0.0 : rate_of(row, *about)) - bias;
      put_shell_under(view_, c, std::max(0.0, -gap), rows.directions.back(), out);
    }
    add(std::move(out), rows);
  }

  void joint(const JointSpec& joint, StepRows& rows) const {
    const std::vector<JointRow> start = at_start(joint).rows();
    const std::vector<JointRow> here = at_linearisation(joint).rows();
    for (std::size_t i = 0; i < start.size(); ++i) {
      Bilateral row;
      const double target = joint_target(start[i].value, view_.recovery);
      rows.bilateral_carry.push_back(finish(of_joint(joint, here[i].gradient), of_joint(joint, start[i].gradient),
                                            view_.h > 0.0 ? (here[i].value - target) / view_.h : 0.0, motion_about(),
                                            row.row, row.push, row.rate));
      rows.problem.bilaterals.push_back(std::move(row));
    }
  }

  // Of the two joints of a coupling each has a part of the row.
  void coupling(const CouplingSpec& spec, StepRows& rows) const {
    const SceneSpec& scene = view_.numbers.scene().spec();
    const CouplingRow share = coupling_row(scene, spec, view_.numbers.scene().joint_arm());
    Bilateral out;
    out.row.resize(view_.coordinates.size());
    out.push.resize(view_.coordinates.size());
    Carry carry;
    double x_start[2], x_here[2];
    for (const int half : {0, 1}) {
      const int index = half == 0 ? spec.joint : spec.of_joint;
      const JointSpec& joint = scene.joints[static_cast<std::size_t>(index)];
      const Freedom freedom = only_turns(joint) ? Freedom::turn : Freedom::slide;
      const double last = view_.joint_turn[static_cast<std::size_t>(index)];
      const JointAt at = at_linearisation(joint);
      const double turned = view_.first_pass ? last : last + view_.h * at.turn_rate(view_.linearised_motion);
      const JointRow here = at.coordinate(freedom, turned);
      const JointRow start = at_start(joint).coordinate(freedom, last);
      x_start[half] = start.value;
      x_here[half] = here.value;
      SparseVector row, push;
      double rate = 0.0;
      const Carry part =
          finish(of_joint(joint, share.share[half] * here.gradient),
                 of_joint(joint, share.share[half] * start.gradient), 0.0, motion_about(), row, push, rate);
      carry = {carry.mean + part.mean, carry.now + part.now};
      out.row += row;
      out.push += push;
      out.rate += rate;
    }
    const double target = joint_target(share.value(x_start[0], x_start[1]), view_.recovery);
    if (view_.h > 0.0) out.rate += (share.value(x_here[0], x_here[1]) - target) / view_.h;
    rows.bilateral_carry.push_back(carry);
    rows.problem.bilaterals.push_back(std::move(out));
  }

  void limit(const JointLimit& limit, StepRows& rows) const {
    const SpatialScene& scene = view_.numbers.scene();
    const JointSpec& joint = scene.spec().joints[static_cast<std::size_t>(limit.joint)];
    const double last = view_.joint_turn[static_cast<std::size_t>(limit.joint)];
    const JointAt here = at_linearisation(joint);
    const JointAt start = at_start(joint);
    const double turn_here = view_.first_pass ? last : last + view_.h * here.turn_rate(view_.linearised_motion);
    const LimitGap gap = limit_gap(scene, limit, here, turn_here);
    const double target = limit_target(limit_gap(scene, limit, start, last).gap, view_.recovery);
    const double factor = gap.side * (limit.freedom == Freedom::slide ? 1.0 : scene.joint_arm());
    // A joint that hardly swings at the start has no direction of swing yet. One that has passed the middle of its cone
    // has another direction at the end.
    const bool other_way =
        joint.swing && (start.swing() < 0.5 * *joint.swing || start.swing_axis().dot(here.swing_axis()) < 0.5);
    const JointAt& pushed = other_way ? here : start;
    Contact out;
    rows.contact_carry.push_back(finish(of_joint(joint, factor * here.coordinate(limit.freedom, turn_here).gradient),
                                        of_joint(joint, factor * pushed.coordinate(limit.freedom, last).gradient),
                                        closing_speed(gap.gap - target), motion_about(), out.normal, out.push,
                                        out.rate));
    add(std::move(out), rows);
  }

  void servo(int k, StepRows& rows) const {
    const SpatialNumbers& numbers = view_.numbers;
    const ActuatorSpec& actuator = numbers.scene().spec().actuators[static_cast<std::size_t>(k)];
    if (actuator.kind == ActuatorKind::follow) {
      rows.problem.motors.push_back(follower(k, actuator));
      return;
    }
    if (drives_ball(numbers.scene().spec(), actuator)) {
      ball_servo(k, actuator, rows);
      return;
    }
    if (is_spring(numbers.scene().spec(), actuator)) {
      rows.problem.motors.push_back(spring_motor(k, actuator));
      return;
    }
    const JointRow at = driven(actuator);
    const TwoBodyRow row = of_joint(joint_of(actuator), at.gradient);
    const double acts_for = kick(driven_body(joint_of(actuator)));
    const double carry = prescribed_rate(row);
    Motor out;
    out.row = gradient(row);
    out.bound = acts_for * numbers.limit(k);
    out.bias = carry - numbers.target(k, view_.time + 0.5 * view_.h);
    if (actuator.kind == ActuatorKind::position_servo) {
      const ServoRow servo = pd_servo(k, actuator, at.value, row);
      out.bias = carry + servo.bias;
      out.compliance = servo.compliance;
    }
    rows.problem.motors.push_back(std::move(out));
  }

  // Along its line a spring is linearised as a joint is, so that one of any stiffness keeps its length at the end of
  // the step. Across the line it is a damper.
  Motor spring_motor(int k, const ActuatorSpec& actuator) const {
    const JointSpec& joint = joint_of(actuator);
    const JointAt start = at_start(joint);
    const ServoRow servo = spring_servo(k, actuator, start);
    const TwoBodyRow pushes = of_joint(joint, spring_row(actuator, start).gradient);
    Motor out;
    out.bound = kick(driven_body(joint)) * view_.numbers.limit(k);
    out.compliance = servo.compliance;
    if (actuator.component > 0 || !(view_.h > 0.0)) {
      out.row = gradient(pushes);
      out.bias = prescribed_rate(pushes) + servo.bias;
      return out;
    }
    const JointAt here = at_linearisation(joint);
    const double side = side_of(start, here);
    const JointRow length = here.coordinate(Freedom::slide, 0.0);
    const double moved = side * length.value - start.coordinate(Freedom::slide, 0.0).value;
    finish(of_joint(joint, side * length.gradient), pushes, moved / view_.h + servo.bias, motion_about(), out.row,
           out.push, out.bias);
    return out;
  }

  // How far [m] spring k is in the state `end` from the length that its impulse belongs to, by the share with which it
  // answers by motion.
  double spring_error(int k, const SpatialState& end, double impulse) const {
    const ActuatorSpec& actuator = view_.numbers.scene().spec().actuators[static_cast<std::size_t>(k)];
    const JointSpec& joint = joint_of(actuator);
    const JointAt start = at_start(joint);
    const JointAt at(view_.numbers, joint, end.position, end.turn);
    const ServoRow servo = spring_servo(k, actuator, start);
    const double moved =
        side_of(start, at) * at.coordinate(Freedom::slide, 0.0).value - start.coordinate(Freedom::slide, 0.0).value;
    const double yields =
        servo.compliance / gradient(of_joint(joint, spring_row(actuator, start).gradient)).squaredNorm();
    return std::abs(moved + view_.h * (servo.bias + servo.compliance * impulse)) / (1.0 + yields);
  }

  // The same of a spherical joint, about each axis of its frame a, within one bound.
  void ball_servo(int k, const ActuatorSpec& actuator, StepRows& rows) const {
    const SpatialNumbers& numbers = view_.numbers;
    const JointSpec& joint = joint_of(actuator);
    const JointAt at = at_start(joint);
    const double acts_for = kick(driven_body(joint));
    const double last = view_.start.last[static_cast<std::size_t>(driven_body(joint))];
    const Vector3 steady = numbers.targets(k, view_.time + 0.5 * view_.h);
    const Vector3 target = numbers.targets(k, view_.time + view_.h);
    const Vector3 left = at.short_of(target);
    const auto turning = [&](double from, double to) {
      const Turn before = exponential(numbers.targets(k, from));
      return Vector3(logarithm(exponential(numbers.targets(k, to)) * before.conjugate()) / (to - from));
    };
    Vector3 next = Vector3::Zero();
    if (view_.h > 0.0) next = turning(view_.time, view_.time + view_.h);
    const Vector3 past = last > 0.0 ? turning(view_.time - last, view_.time) : next;
    if (!(view_.h > 0.0)) next = past;
    for (int i = 0; i < 3; ++i) {
      const TwoBodyRow row = of_joint(joint, JointAt::turning(at.axes().col(i)));
      const double carry = prescribed_rate(row);
      Motor out;
      out.row = gradient(row);
      out.bound = acts_for * numbers.limit(k);
      out.bias = carry - steady[i];
      if (actuator.kind == ActuatorKind::position_servo) {
        make_servo(k, {left[i], next[i], past[i], speed_before(row), 0.0}, last, carry, out);
      }
      out.mates = 2 - i;
      rows.problem.motors.push_back(std::move(out));
    }
  }

  // What motors of a given force add to the momenta.
  void forces(Vector& external) const {
    const std::vector<ActuatorSpec>& actuators = view_.numbers.scene().spec().actuators;
    for (std::size_t k = 0; k < actuators.size(); ++k) {
      if (actuators[k].kind != ActuatorKind::force || !joint_present(joint_of(actuators[k]), view_.present)) continue;
      const JointSpec& joint = joint_of(actuators[k]);
      for (const int body : {joint.body_a, joint.body_b}) {
        if (body < 0) continue;
        const TwoBodyRow row = of_joint(joint, pull_of(static_cast<int>(k), actuators[k], body));
        view_.coordinates.write_force(body, body == joint.body_b ? row.b : row.a, external);
      }
    }
  }

 private:
  // Along which gradient a contact pushes that is linearised at an end pose.
  enum class Pushes { as_linearised, as_at_start, along_the_mean };
  // before: the contact at the start; at_end: its row at that end pose, to which the motion `about` leads. One that
  // closes within the step, and whose impulse along that row would do work on the bodies, as at a corner that a body
  // rolls over, pushes along the mean of the directions at the start and at the end: it then takes energy.
  Pushes pushes_of(const PairContact& c, const ContactPoint& before, const TwoBodyRow& at_end,
                   const std::vector<Twist6>& about) const {
    const auto spin = [&](int body) -> const Vector3& { return about[static_cast<std::size_t>(body)].angular; };
    const double parting = rate_of(at_end, about);
    const bool between_rounds = c.at.key[0] == static_cast<int>(FacetKind::round);
    const bool parts_far =
        !between_rounds && parting > 0.0 && view_.h * (spin(c.body_b) - spin(c.body_a)).norm() > far_turn;
    if (before.gap <= closed_tolerances * view_.penetration_tolerance) {
      return !view_.late_pass || parts_far ? Pushes::as_at_start : Pushes::as_linearised;
    }
    // The mean of normals between round features is that of no place on the way.
    if (!std::isfinite(before.gap) || between_rounds) return Pushes::as_linearised;
    const bool rests = is_quasistatic(view_.numbers.scene().spec());
    const bool works = !rests && parting + rate_of(at_end, view_.free_motion) > 0.0;
    return parts_far || works ? Pushes::along_the_mean : Pushes::as_linearised;
  }
  // The mean of the rows of a contact at two times, along a unit vector.
  static TwoBodyRow mean_of(const TwoBodyRow& x, const TwoBodyRow& y) {
    const double share = 1.0 / std::max((x.b.linear + y.b.linear).norm(), 1e-9);
    const auto mean = [share](const Twist6& one, const Twist6& other) -> Twist6 {
      return {share * (one.linear + other.linear), share * (one.angular + other.angular)};
    };
    return {x.body_a, x.body_b, mean(x.a, y.a), mean(x.b, y.b)};
  }
  // Adds the rows of friction to a contact: two of slip, then those of moments, if the bodies have arms.
  void friction(const PairContact& c, const ContactPoint& at, const std::vector<Vector3>& acts_at, Contact& out,
                std::vector<Carry>& carried) const {
    const Vector3 t = at.normal.unitOrthogonal();
    const Vector3 o = at.normal.cross(t);
    std::vector<TwoBodyRow> across{along(c, at.position, t, acts_at), along(c, at.position, o, acts_at)};
    const auto moment = [&](const Vector3& axis) {
      across.push_back({c.body_a, c.body_b, {Vector3::Zero(), -axis}, {Vector3::Zero(), axis}});
    };
    if (c.mu > 0.0 && c.arms.torsion > 0.0) moment(c.arms.torsion * at.normal);
    if (c.mu > 0.0 && c.arms.rolling > 0.0) {
      moment(c.arms.rolling * t);
      moment(c.arms.rolling * o);
    }
    const Vector without_motion = slip_without_motion(c, at, across);
    Eigen::Index k = 0;
    for (const TwoBodyRow& row : across) {
      out.tangents.push_back(gradient(row));
      carried.push_back(carry_of(row));
      out.tangent_rate.push_back(prescribed_rate(row) + without_motion[k++]);
    }
  }
  // What of the slip of a step does not depend on the solution, row by row: turns, and friction against their slip.
  Vector slip_without_motion(const PairContact& c, const ContactPoint& at,
                             const std::vector<TwoBodyRow>& across) const {
    constexpr Eigen::Index slides = 2;  // rows of slip
    const auto count = static_cast<Eigen::Index>(across.size());
    Vector still = Vector::Zero(count);
    if (!(view_.h > 0.0)) return still;
    const ContactMotion on_the_way(view_, c);
    const Vector3 slid = on_the_way.slip();
    for (Eigen::Index k = 0; k < slides; ++k) {
      const TwoBodyRow& row = across[static_cast<std::size_t>(k)];
      still[k] = row.b.linear.dot(slid) - rate_of(row, view_.end_motion);
    }
    const double last = on_the_way.last_step();
    const bool deflects = c.shell.layer == Layer::shell && !c.shell.law.tangential.rigid();
    if (view_.late_pass || !c.touches || !(last > 0.0) || deflects) return still;
    const std::vector<Twist6> motion = expected_motion(view_);
    const Vector3 arcs = on_the_way.slip_on_arcs(motion);
    const Vector3 ahead = on_the_way.expected_slip(motion, at.position);
    const Vector3 past = on_the_way.slip_before(at.normal, last) - on_the_way.turned_on(ahead);
    Vector before(count), after(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const TwoBodyRow& row = across[static_cast<std::size_t>(k)];
      before[k] = k < slides ? row.b.linear.dot(past) : rate_of(row, view_.start.motion);
      after[k] = k < slides ? row.b.linear.dot(ahead) : rate_of(row, motion);
      if (k < slides) still[k] += row.b.linear.dot(arcs);
    }
    return still + bias_across(before, after);
  }

  // A step of length 0 completes the last one: closed gaps must not close further, open ones are out of reach.
  double closing_speed(double gap) const {
    constexpr double any = 1e6;
    if (view_.h > 0.0) return gap / view_.h;
    return gap <= view_.penetration_tolerance ? 0.0 : any;
  }
  // The row of a motor that makes its body follow its prescribed motion.
  Motor follower(int k, const ActuatorSpec& actuator) const {
    const Vector3 direction = follow_direction(view_.numbers, k, view_.time + 0.5 * view_.h);
    Twist6 row;
    (actuator.rotary ? row.angular : row.linear) = direction;
    Motor out;
    out.row.resize(view_.coordinates.size());
    view_.coordinates.add(actuator.body, row, out.row);
    out.bound = kick(actuator.body) * view_.numbers.limit(k);
    out.bias = -dot(row, follow_velocity(view_.numbers, k, view_.start, view_.time, view_.h));
    return out;
  }
  // The speed of a row's coordinate before the step; of bodies with prescribed motion within it.
  double speed_before(const TwoBodyRow& row) const {
    const auto of = [&](int body, const Twist6& part) {
      if (body < 0) return 0.0;
      const auto b = static_cast<std::size_t>(body);
      return dot(part, view_.coordinates.moves(body) ? view_.start.velocity[b] : view_.motion[b]);
    };
    return of(row.body_a, row.a) + of(row.body_b, row.b);
  }
  // Makes a motor a servo with PD gains. carry: what bodies with prescribed motion add to its row.
  void make_servo(int k, ServoState at, double last, double carry, Motor& out) const {
    at.response = out.row.squaredNorm();
    const ServoRow servo = servo_row({view_.numbers.stiffness(k), view_.numbers.damping(k)}, at, last, view_.h);
    out.bias = carry + servo.bias;
    out.compliance = servo.compliance;
  }
  // The PD servo of actuator k, whose coordinate is `at` and has this row at the start.
  ServoRow pd_servo(int k, const ActuatorSpec& actuator, double at, const TwoBodyRow& row) const {
    const SpatialNumbers& numbers = view_.numbers;
    const double last = view_.start.last[static_cast<std::size_t>(driven_body(joint_of(actuator)))];
    const double target = numbers.target(k, view_.time + view_.h);
    const TargetSpeeds speeds =
        target_speeds(numbers.target(k, view_.time - last), numbers.target(k, view_.time), target, last, view_.h);
    return servo_row({numbers.stiffness(k), numbers.damping(k)},
                     {target - at, speeds.now, speeds.before, speed_before(row), gradient(row).squaredNorm()}, last,
                     view_.h);
  }
  static JointRow spring_row(const ActuatorSpec& actuator, const JointAt& at) {
    return actuator.component > 0 ? at.across(actuator.component) : at.coordinate(Freedom::slide, 0.0);
  }
  ServoRow spring_servo(int k, const ActuatorSpec& actuator, const JointAt& start) const {
    const JointRow row = spring_row(actuator, start);
    const double at = actuator.component > 0 ? view_.numbers.target(k, view_.time) : row.value;
    return pd_servo(k, actuator, at, of_joint(joint_of(actuator), row.gradient));
  }
  // -1 where the second point of a spring has gone through the first one.
  static double side_of(const JointAt& start, const JointAt& at) {
    return start.line().dot(at.line()) < 0.0 ? -1.0 : 1.0;
  }
  // With load sharing (docs/explanation/solvers.md) friction may not let bodies part: a part of an overlap is closed.
  double gap_to_close(double gap) const {
    const double overlap = -gap;
    if (!view_.load_sharing || overlap <= 0.0) return gap;
    return -std::clamp(2.0 * (overlap - 0.2 * view_.penetration_tolerance), 0.05 * overlap, overlap);
  }
  double spring(const PairContact& c, std::span<const PairContact> all) const {
    double inverse_mass = 0.0;
    for (const int body : {c.body_a, c.body_b})
      if (view_.coordinates.moves(body)) inverse_mass += 1.0 / view_.numbers.mass(body);
    const auto there = std::count_if(all.begin(), all.end(), [&](const PairContact& other) {
      return other.pair == c.pair && (other.at.position - c.at.position).norm() <= view_.penetration_tolerance;
    });
    const SpatialScene& scene = view_.numbers.scene();
    return lightness(scene.spec(), scene.joint_arm()) * inverse_mass * static_cast<double>(there);
  }
  static void add(Contact contact, StepRows& rows) {
    rows.problem.unilateral.push_back(static_cast<int>(rows.problem.contacts.size()));
    rows.problem.contacts.push_back(std::move(contact));
  }
  const JointSpec& joint_of(const ActuatorSpec& actuator) const {
    return view_.numbers.scene().spec().joints[static_cast<std::size_t>(actuator.joint)];
  }
  JointAt at_start(const JointSpec& joint) const {
    return {view_.numbers, joint, view_.start.position, view_.start.turn};
  }
  JointAt at_linearisation(const JointSpec& joint) const {
    return {view_.numbers, joint, view_.linearised_position, view_.linearised_turn};
  }
  JointRow driven(const ActuatorSpec& actuator) const {
    return at_start(joint_of(actuator))
        .coordinate(actuator.rotary ? Freedom::turn : Freedom::slide,
                    view_.joint_turn[static_cast<std::size_t>(actuator.joint)]);
  }
  // Impulse and angular impulse of a motor that gives what it is asked for, over the time that it acts on a body.
  JointGradient pull_of(int k, const ActuatorSpec& actuator, int body) const {
    const double last = view_.start.last[static_cast<std::size_t>(body)];
    Vector3 impulse = 0.5 * view_.h * view_.numbers.targets(k, view_.time + 0.5 * view_.h);
    if (last > 0.0) impulse += 0.5 * last * view_.numbers.targets(k, view_.time - 0.5 * last);
    if (!drives_ball(view_.numbers.scene().spec(), actuator)) return impulse.x() * driven(actuator).gradient;
    return JointAt::turning(at_start(joint_of(actuator)).axes() * impulse);
  }
  // How long forces act on a body where the step begins [s].
  double kick(int body) const { return 0.5 * (view_.start.last[static_cast<std::size_t>(body)] + view_.h); }
  int driven_body(const JointSpec& joint) const {
    return joint.body_a < 0 || view_.numbers.scene().body(joint.body_b).dynamic() ? joint.body_b : joint.body_a;
  }
  static TwoBodyRow of_joint(const JointSpec& joint, const JointGradient& g) {
    return {joint.body_a, joint.body_b, g.a, g.b};
  }

  // The relative velocity of the bodies' points at x along d, their centres of mass being there.
  static TwoBodyRow along(const PairContact& c, const Vector3& x, const Vector3& d,
                          const std::vector<Vector3>& centre) {
    const auto arm = [&](int body) { return Vector3(x - centre[static_cast<std::size_t>(body)]); };
    return {c.body_a, c.body_b, {-d, -arm(c.body_a).cross(d)}, {d, arm(c.body_b).cross(d)}};
  }
  const std::vector<Vector3>& position_of(const PairContact& c) const {
    return c.ahead ? view_.ahead_position : view_.linearised_position;
  }
  SparseVector gradient(const TwoBodyRow& row) const {
    SparseVector out(view_.coordinates.size());
    if (row.body_a >= 0) view_.coordinates.add(row.body_a, row.a, out);
    view_.coordinates.add(row.body_b, row.b, out);
    return out;
  }
  double prescribed_rate(const TwoBodyRow& row) const {
    const SpatialScene& scene = view_.numbers.scene();
    double rate = 0.0;
    if (is_prescribed(scene, row.body_a)) rate += dot(row.a, view_.motion[static_cast<std::size_t>(row.body_a)]);
    if (is_prescribed(scene, row.body_b)) rate += dot(row.b, view_.motion[static_cast<std::size_t>(row.body_b)]);
    return rate;
  }

  Carry carry_of(const TwoBodyRow& row) const {
    double before = 0.0;
    const auto add = [&](int body, const Twist6& part) {
      if (!is_prescribed(view_.numbers.scene(), body)) return;
      before += dot(part, view_.start.velocity[static_cast<std::size_t>(body)]);
    };
    add(row.body_a, row.a);
    add(row.body_b, row.b);
    const double now = prescribed_rate(row);
    return {0.5 * (before + now), now};
  }

  // A row of the gradient at q_L and that along which the impulse acts, and its carry_of(). `bias`: (psi(q_L) - target)
  // / h; `about`: nu_L or null. Where thin bodies turn so far that the impulse hardly moves the gap, its own serves.
  Carry finish(TwoBodyRow j, const TwoBodyRow& g, double bias, const std::vector<Twist6>* about, SparseVector& row,
               SparseVector& push, double& rate) const {
    constexpr double least = 0.1;
    if (about != nullptr) {
      const auto turn_with = [&](int body, Twist6& part) {
        if (body < 0) return;
        const Vector3 turned = view_.h * (*about)[static_cast<std::size_t>(body)].angular;
        part.angular = left_jacobian(turned).transpose() * part.angular;
      };
      turn_with(j.body_a, j.a);
      turn_with(j.body_b, j.b);
    }
    row = gradient(j);
    push = gradient(g);
    if (row.dot(push) < least * push.squaredNorm()) {  // at odds
      row = push;
      j = g;
    }
    rate = bias + prescribed_rate(j) - (about == nullptr ? 0.0 : rate_of(j, *about));
    return carry_of(j);
  }

  // The motion that rows are linearised about; none at the start.
  const std::vector<Twist6>* motion_about() const { return view_.first_pass ? nullptr : &view_.linearised_motion; }

  static double rate_of(const TwoBodyRow& row, const std::vector<Twist6>& motion) {
    double rate = 0.0;
    if (row.body_a >= 0) rate += dot(row.a, motion[static_cast<std::size_t>(row.body_a)]);
    if (row.body_b >= 0) rate += dot(row.b, motion[static_cast<std::size_t>(row.body_b)]);
    return rate;
  }

  const StepView& view_;
};

}  // namespace

double spring_error(const StepView& view, const SpatialState& end, std::span<const double> motors) {
  if (!(view.h > 0.0)) return 0.0;
  const SceneSpec& scene = view.numbers.scene().spec();
  const Assembly assembly(view);
  double worst = 0.0;
  std::size_t row = 0;
  for (const int k : active_servos(view.numbers, view.present, view.h)) {
    const ActuatorSpec& actuator = scene.actuators[static_cast<std::size_t>(k)];
    const double impulse = motors[row];
    row += drives_ball(scene, actuator) ? 3 : 1;
    if (!is_spring(scene, actuator) || actuator.component > 0) continue;
    const double error = assembly.spring_error(k, end, impulse);
    worst = error <= worst ? worst : error;  // or NaN
  }
  return worst;
}

StepRows make_rows(const StepView& view, std::span<const PairContact> contacts) {
  const int size = view.coordinates.size();
  StepRows rows;
  StepProblem& out = rows.problem;
  out.h = view.h > 0.0 ? view.h : 1.0;
  out.mass.resize(size, size);
  out.mass.setIdentity();
  out.balance = is_quasistatic(view.numbers.scene().spec());
  out.velocity = Vector::Zero(size);
  out.external = Vector::Zero(size);
  const SpatialScene& scene = view.numbers.scene();
  for (int body = 0; body < scene.body_count(); ++body) {
    if (!view.coordinates.moves(body)) continue;
    const auto b = static_cast<std::size_t>(body);
    const double kick = 0.5 * (view.start.last[b] + view.h);
    view.coordinates.write(body, view.free[b], out.velocity);
    const Vector3 drag = view.drag.empty() ? Vector3(Vector3::Zero()) : view.drag[b];
    const Vector3 pulled = view.numbers.pulled_speed(body, view.time, view.start.last[b], view.h);
    const Vector3 force = view.numbers.mass(body) * (kick * scene.gravity(body) + pulled);
    view.coordinates.write_force(body, {force, drag}, out.external);
  }
  const Assembly assembly(view);
  assembly.forces(out.external);
  for (const PairContact& contact : contacts) assembly.contact(contact, contacts, rows);
  for (const JointLimit& limit : active_limits(scene, view.present)) assembly.limit(limit, rows);
  for (const int k : active_servos(view.numbers, view.present, view.h)) assembly.servo(k, rows);
  for (const JointSpec& joint : scene.spec().joints) {
    if (joint_present(joint, view.present)) assembly.joint(joint, rows);
  }
  for (const CouplingSpec& coupling : scene.spec().couplings) {
    if (coupling_present(scene.spec(), coupling, view.present)) assembly.coupling(coupling, rows);
  }
  return rows;
}

}  // namespace pegrasp::reference::spatial
