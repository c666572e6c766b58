// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/motion.hpp"

namespace pegrasp::reference::spatial {
namespace {

Matrix3 world_inertia(const Matrix3& inertia, const Turn& turn) {
  const Matrix3 r = turn.toRotationMatrix();
  return r * inertia * r.transpose();
}

KeyPose keyframe_at(const std::vector<KeyPose>& motion, double time) {
  if (time <= motion.front().time) return motion.front();
  for (std::size_t k = 1; k < motion.size(); ++k) {
    if (time >= motion[k].time) continue;
    const KeyPose& from = motion[k - 1];
    const double share = (time - from.time) / (motion[k].time - from.time);
    return {time, from.shift + share * (motion[k].shift - from.shift),
            exponential(share * logarithm(motion[k].turn * from.turn.conjugate())) * from.turn};
  }
  return motion.back();
}

// Where a body that oscillates is at time t, and its velocity. The rotation vector goes round with the yaw as the
// displacement does; the spin of exp(phi) is the derivative of the rotation, by a difference that is exact to rounding
// in the last digits that count here: (exp(phi + d) exp(phi - d)^-1) / 2d.
struct SpatialSwing {
  Vector3 shift;
  Turn turn;
  Twist6 velocity;
};
SpatialSwing swing_of(const SpatialNumbers& numbers, int body, double t) {
  constexpr double d = 1e-4;  // [s]
  const auto swing = numbers.swing(numbers.scene().spec(), body, t);
  const Turn yaw = numbers.yaw(body);
  const Vector3 shift(swing.displacement[0], swing.displacement[1], swing.displacement[2]);
  const Vector3 phi(swing.displacement[3], swing.displacement[4], swing.displacement[5]);
  const Vector3 rate(swing.rate[0], swing.rate[1], swing.rate[2]);
  const Vector3 turning(swing.rate[3], swing.rate[4], swing.rate[5]);
  const Turn later = exponential(phi + d * turning), sooner = exponential(phi - d * turning);
  const Vector3 spin = logarithm(later * sooner.conjugate()) / (2.0 * d);
  return {yaw * shift, yaw * exponential(phi) * yaw.conjugate(), {yaw * rate, yaw * spin}};
}

}  // namespace

SpatialState start_state(const SpatialNumbers& numbers) {
  SpatialState out;
  for (int body = 0; body < numbers.scene().body_count(); ++body) {
    out.position.push_back(numbers.start_centre(body));
    out.turn.push_back(numbers.start_turn(body));
    const bool moves = numbers.scene().body(body).kind != BodyKind::fixed;
    out.velocity.push_back(moves ? Twist6{numbers.linear_velocity(body), numbers.angular_velocity(body)} : Twist6{});
    if (!numbers.scene().body(body).turns) out.velocity.back().angular = Vector3::Zero();
    if (numbers.scene().spec().bodies[static_cast<std::size_t>(body)].oscillation) {
      const SpatialSwing swing = swing_of(numbers, body, 0.0);
      out.position.back() += swing.shift;
      out.turn.back() = (swing.turn * out.turn.back()).normalized();
      out.velocity.back() = swing.velocity;
    }
    out.momentum.push_back(Vector3::Zero());
    out.last.push_back(0.0);
    out.motion.push_back(out.velocity.back());
    out.acceleration.emplace_back();
    if (!numbers.scene().body(body).dynamic()) continue;
    out.momentum.back() = world_inertia(numbers.inertia(body), out.turn.back()) * out.velocity.back().angular;
  }
  return out;
}

Placement frame_of(const SpatialNumbers& numbers, int body, const Vector3& position, const Turn& turn) {
  const Matrix3 axes = turn.toRotationMatrix();
  return {position - axes * numbers.centre(body), axes};
}

FreeMotion free_spin(const SpatialNumbers& numbers, int body, const Turn& turn, const Vector3& momentum, double h) {
  constexpr int rounds = 5;
  const Matrix3 inertia = numbers.inertia(body);
  FreeMotion out;
  out.inertia = world_inertia(inertia, turn);
  out.spin = out.inertia.ldlt().solve(momentum);
  for (int round = 0; round < rounds; ++round) {
    out.inertia = world_inertia(inertia, exponential(0.5 * h * out.spin) * turn);
    out.spin = out.inertia.ldlt().solve(momentum);
  }
  return out;
}

Twist6 prescribed_velocity(const SpatialNumbers& numbers, int body, const SpatialState& state, double time, double h) {
  const auto b = static_cast<std::size_t>(body);
  const KeyPoses& motion = numbers.scene().body(body).motion;
  const BodySpec& spec = numbers.scene().spec().bodies[b];
  const Turn yaw = numbers.yaw(body);  // with which all that is prescribed turns
  if (spec.oscillation && h > 0.0) {
    const SpatialSwing swing = swing_of(numbers, body, time + h);
    if (spec.oscillation->end_velocity) return swing.velocity;
    return {(numbers.start_centre(body) + swing.shift - state.position[b]) / h,
            logarithm(swing.turn * numbers.start_turn(body) * state.turn[b].conjugate()) / h};
  }
  if (motion.world.empty() || !(h > 0.0)) return state.velocity[b];
  const double at_end = numbers.scene().body(body).repeats ? time_in_period(motion.world, time + h) : time + h;
  const KeyPose end = keyframe_at(motion.world, at_end);
  Turn turned = yaw * end.turn * yaw.conjugate();
  Vector3 shift = yaw * end.shift;
  const int along = numbers.scene().spec().bodies[b].spatial().motion_in;
  if (along >= 0) {
    const KeyPose own = keyframe_at(motion.own, at_end);
    const Turn with = numbers.turned_at_start(along);
    shift += with * own.shift;
    turned = turned * (with * own.turn * with.conjugate());
  }
  const Turn goal = turned * numbers.start_turn(body);
  return {(numbers.start_centre(body) + shift - state.position[b]) / h,
          logarithm(goal * state.turn[b].conjugate()) / h};
}

void place_oscillating(const SpatialNumbers& numbers, int body, double t, SpatialState& state) {
  const SpatialSwing swing = swing_of(numbers, body, t);
  const auto b = static_cast<std::size_t>(body);
  state.position[b] = numbers.start_centre(body) + swing.shift;
  state.turn[b] = (swing.turn * numbers.start_turn(body)).normalized();
}

Vector3 follow_direction(const SpatialNumbers& numbers, int actuator, double time) {
  constexpr double upright = 0.999;
  const ActuatorSpec& spec = numbers.scene().spec().actuators[static_cast<std::size_t>(actuator)];
  if (spec.rotary) return Vector3::Unit(spec.component);
  const std::vector<KeyPose>& motion = numbers.scene().body(spec.body).motion.world;
  Vector3 way = Vector3::Zero();
  if (motion.empty()) way = numbers.linear_velocity(spec.body);
  for (std::size_t k = 1; k < motion.size(); ++k) {
    const Vector3 step = motion[k].shift - motion[k - 1].shift;
    const bool begun = motion[k - 1].time <= time || way.norm() == 0.0;
    if (begun && step.norm() > 0.0) way = step;
  }
  if (!motion.empty()) way = numbers.yaw(spec.body) * (way.norm() > 0.0 ? way : Vector3(Vector3::UnitX()));
  way = way.norm() > 0.0 ? Vector3(way.normalized()) : Vector3(Vector3::UnitX());
  const Vector3 other = std::abs(way.z()) > upright ? Vector3::UnitX() : Vector3::UnitZ();
  const Vector3 across = other.cross(way).normalized();
  return spec.component == 0 ? way : spec.component == 1 ? across : Vector3(way.cross(across));
}

Twist6 follow_velocity(const SpatialNumbers& numbers, int actuator, const SpatialState& state, double time, double h) {
  const ActuatorSpec& spec = numbers.scene().spec().actuators[static_cast<std::size_t>(actuator)];
  const int body = spec.body;
  const auto b = static_cast<std::size_t>(body);
  const double over = h > 0.0 ? h : state.last[b];
  if (!(over > 0.0)) return state.velocity[b];
  struct Goal {
    Vector3 place;
    Turn turn;
  };
  const auto goal = [&](double t) -> Goal {
    const std::vector<KeyPose>& motion = numbers.scene().body(body).motion.world;
    const Vector3 start = numbers.start_centre(body);
    if (motion.empty()) {
      const double since = std::max(0.0, t - numbers.drop_time(body));
      return {start + since * numbers.linear_velocity(body),
              exponential(since * numbers.angular_velocity(body)) * numbers.start_turn(body)};
    }
    const KeyPose key = keyframe_at(motion, t);
    const Turn yaw = numbers.yaw(body);
    return {start + yaw * key.shift, yaw * key.turn * yaw.conjugate() * numbers.start_turn(body)};
  };
  const auto turned = [](const Turn& from, const Turn& to) { return Vector3(logarithm(to * from.conjugate())); };
  const Goal now = goal(time);
  const Vector3 lag = now.place - state.position[b];
  const Vector3 twisted = turned(state.turn[b], now.turn);
  Vector3 goes, spins;  // within the step, on to the goal at its end
  if (h > 0.0) {
    const Goal then = goal(time + h);
    goes = then.place - state.position[b];
    spins = turned(state.turn[b], then.turn);
  } else {
    const Goal before = goal(time - over);
    goes = now.place - before.place + lag;
    spins = turned(before.turn, now.turn) + twisted;
  }
  const double distance = spec.rotary ? twisted.norm() : lag.norm();
  const double inertia = spec.rotary ? numbers.inertia(body).trace() : numbers.mass(body);
  const double fastest = std::sqrt(numbers.limit(actuator) * distance / inertia);
  const double left = fastest * over < distance ? 1.0 - fastest * over / distance : 0.0;  // behind at the end
  return {(goes - left * lag) / over, (spins - left * twisted) / over};
}

double fastest_point(const SpatialNumbers& numbers, int body, const Twist6& velocity) {
  const BodyModel& model = numbers.scene().body(body);
  const double radius = model.radius + (numbers.centre(body) - model.middle).norm();
  return velocity.linear.norm() + velocity.angular.norm() * radius;
}

double spin_energy(const SpatialNumbers& numbers, int body, const Turn& turn, const Vector3& momentum) {
  return 0.5 * momentum.dot(world_inertia(numbers.inertia(body), turn).ldlt().solve(momentum));
}

}  // namespace pegrasp::reference::spatial
