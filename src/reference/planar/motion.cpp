// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/motion.hpp"

#include <algorithm>
#include <cmath>

#include "src/reference/planar/joints.hpp"

namespace pegrasp::reference {
namespace {

Vector3 keyframe_pose(const std::vector<Keyframe>& motion, double time) {
  if (time <= motion.front().time) return vector3(motion.front().pose);
  for (std::size_t k = 1; k < motion.size(); ++k) {
    if (time >= motion[k].time) continue;
    const double share = (time - motion[k - 1].time) / (motion[k].time - motion[k - 1].time);
    return vector3(motion[k - 1].pose) + share * (vector3(motion[k].pose) - vector3(motion[k - 1].pose));
  }
  return vector3(motion.back().pose);
}

}  // namespace

Vector3 prescribed_velocity(const PlanarNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity,
                            double time, double h) {
  const PlanarBody& b = numbers.scene().body(body);
  const BodySpec& spec = numbers.scene().spec().bodies[static_cast<std::size_t>(body)];
  if (spec.oscillation && h > 0.0) {
    const auto swing = numbers.swing(numbers.scene().spec(), body, time + h);
    if (spec.oscillation->end_velocity) return Vector3::Map(swing.rate.data());
    return (numbers.pose(body) + Vector3::Map(swing.displacement.data()) - pose) / h;
  }
  if (b.motion.empty() || !(h > 0.0)) return velocity;
  const double end = b.repeats ? time_in_period(b.motion, time + h) : time + h;
  return (numbers.pose(body) + keyframe_pose(b.motion, end) - pose) / h;
}

Vector3 follow_direction(const PlanarNumbers& numbers, int actuator, double time) {
  const PlanarActuator& motor = numbers.scene().actuators()[static_cast<std::size_t>(actuator)];
  if (motor.rotary) return {0.0, 0.0, 1.0};
  const std::vector<Keyframe>& motion = numbers.scene().body(motor.body).motion;
  Point way(0.0, 0.0);
  if (motion.empty()) way = numbers.velocity(motor.body).head<2>();
  for (std::size_t k = 1; k < motion.size(); ++k) {
    const Point step = (vector3(motion[k].pose) - vector3(motion[k - 1].pose)).head<2>();
    const bool begun = motion[k - 1].time <= time || way.norm() == 0.0;
    if (begun && step.norm() > 0.0) way = step;
  }
  way = way.norm() > 0.0 ? Point(way.normalized()) : Point(1.0, 0.0);
  const int component = numbers.scene().spec().actuators[static_cast<std::size_t>(actuator)].component;
  return component == 0 ? Vector3(way.x(), way.y(), 0.0) : Vector3(-way.y(), way.x(), 0.0);
}

Vector3 follow_velocity(const PlanarNumbers& numbers, int actuator, const Vector3& pose, const Vector3& velocity,
                        double time, double last, double h) {
  const PlanarActuator& motor = numbers.scene().actuators()[static_cast<std::size_t>(actuator)];
  const double over = h > 0.0 ? h : last;
  if (!(over > 0.0)) return velocity;
  const auto goal = [&](double t) -> Vector3 {
    const std::vector<Keyframe>& motion = numbers.scene().body(motor.body).motion;
    if (!motion.empty()) return numbers.pose(motor.body) + keyframe_pose(motion, t);
    return numbers.pose(motor.body) + std::max(0.0, t - numbers.drop_time(motor.body)) * numbers.velocity(motor.body);
  };
  const Vector3 lag = goal(time) - pose;
  const Vector3 goes = h > 0.0 ? Vector3(goal(time + h) - goal(time)) : Vector3(goal(time) - goal(time - over));
  const double distance = motor.rotary ? std::abs(lag[2]) : lag.head<2>().norm();
  const double inertia = motor.rotary ? numbers.inertia(motor.body) : numbers.mass(motor.body);
  const double fastest = std::sqrt(numbers.limit(actuator) * distance / inertia);
  const double share = fastest * over < distance ? fastest * over / distance : 1.0;
  return (goes + share * lag) / over;
}

Vector3 applied_impulse(const PlanarNumbers& numbers, int body, const std::vector<Vector3>& pose,
                        std::span<const char> present, double time, double last, double h) {
  const Vec2 gravity = numbers.scene().spec().gravity;
  Vector3 impulse = Vector3::Zero();
  if (!numbers.scene().body(body).follows) {
    impulse = 0.5 * (last + h) * numbers.mass(body) * Vector3(gravity.x, gravity.y, 0.0);
  }
  int k = -1;
  for (const PlanarActuator& actuator : numbers.scene().actuators()) {
    ++k;
    if (actuator.kind != ActuatorKind::force) continue;
    if (actuator.joint < 0) {
      if (actuator.body == body) impulse += given_impulse(numbers, k, time, last, h) * actuator.direction;
      continue;
    }
    const JointSpec& joint = numbers.scene().spec().joints[static_cast<std::size_t>(actuator.joint)];
    if ((joint.body_a != body && joint.body_b != body) || !joint_present(joint, present)) continue;
    const PlanarJointRow row = PlanarJointAt(numbers, joint, pose).coordinate(actuator.rotary);
    impulse += given_impulse(numbers, k, time, last, h) * (joint.body_a == body ? row.a : row.b);
  }
  return impulse;
}

double fastest_point(const PlanarBody& body, const Vector3& velocity) {
  return velocity.head<2>().norm() + std::abs(velocity[2]) * body.radius;
}

double driven_speed(const PlanarNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity, double time,
                    double last, double h) {
  const PlanarBody& b = numbers.scene().body(body);
  if (!b.dynamic() || is_quasistatic(numbers.scene())) return 0.0;
  const Vec2 gravity = numbers.scene().spec().gravity;
  const double kick = 0.5 * (last + h);
  double speed = b.follows ? 0.0 : kick * std::hypot(gravity.x, gravity.y);
  int k = -1;
  for (const PlanarActuator& actuator : numbers.scene().actuators()) {
    ++k;
    if (actuator.body != body || actuator.joint >= 0) continue;
    // A couple on a rail does nothing; a push across it is answered along the rail, and a servo that asks for v along
    // its own axis a asks for v / |u . a| along the rail u.
    const double along = b.slides && !actuator.rotary ? std::abs(b.axis.dot(actuator.direction.head<2>())) : 1.0;
    const double inverse =
        actuator.rotary ? (b.slides || !b.turns ? 0.0 : 1.0 / numbers.inertia(body)) : 1.0 / numbers.mass(body);
    const double arm = actuator.rotary ? b.radius : 1.0;
    const double by_limit = kick * arm * inverse * numbers.limit(k);
    const double target = std::abs(numbers.target(k, time + 0.5 * h));
    switch (actuator.kind) {
      case ActuatorKind::force:
        speed += arm * inverse * std::abs(given_impulse(numbers, k, time, last, h));
        break;
      case ActuatorKind::velocity_servo:
        speed += along > 0.0 ? std::min(by_limit, arm * target / along) : by_limit;
        break;
      case ActuatorKind::position_servo:
        speed += by_limit;
        break;
      case ActuatorKind::follow: {
        const ActuatorSpec& spec = numbers.scene().spec().actuators[static_cast<std::size_t>(k)];
        if (spec.component != 0) break;
        const Vector3 asked = follow_velocity(numbers, k, pose, velocity, time, last, h);
        speed += actuator.rotary ? arm * std::abs(asked[2]) : asked.head<2>().norm();
        break;
      }
    }
  }
  return speed;
}

}  // namespace pegrasp::reference
