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

}  // namespace

SpatialState start_state(const SpatialNumbers& numbers) {
  SpatialState out;
  for (int body = 0; body < numbers.scene().body_count(); ++body) {
    out.position.push_back(numbers.start_centre(body));
    out.turn.push_back(numbers.start_turn(body));
    const bool moves = numbers.scene().body(body).kind != BodyKind::fixed;
    out.velocity.push_back(moves ? Twist6{numbers.linear_velocity(body), numbers.angular_velocity(body)} : Twist6{});
    out.momentum.push_back(Vector3::Zero());
    out.last.push_back(0.0);
    if (!numbers.scene().body(body).dynamic()) continue;
    out.momentum.back() = world_inertia(numbers.inertia(body), out.turn.back()) * numbers.angular_velocity(body);
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
  if (motion.world.empty() || !(h > 0.0)) return state.velocity[b];
  const KeyPose end = keyframe_at(motion.world, time + h);
  const Turn yaw = numbers.yaw(body);  // with which all that is prescribed turns
  Turn turned = yaw * end.turn * yaw.conjugate();
  Vector3 shift = yaw * end.shift;
  const int along = numbers.scene().spec().bodies[b].spatial().motion_in;
  if (along >= 0) {
    const KeyPose own = keyframe_at(motion.own, time + h);
    const Turn with = numbers.turned_at_start(along);
    shift += with * own.shift;
    turned = turned * (with * own.turn * with.conjugate());
  }
  const Turn goal = turned * numbers.start_turn(body);
  return {(numbers.start_centre(body) + shift - state.position[b]) / h,
          logarithm(goal * state.turn[b].conjugate()) / h};
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
