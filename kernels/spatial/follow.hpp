// SPDX-License-Identifier: Apache-2.0
// Where a body in 3D that follows its prescribed motion is to be. kernels/joint/follow.hpp makes use of it.
#pragma once

#include "kernels/spatial/motion.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A place and a turn; and what leads from one to another (a rotation vector, the shorter way), or a velocity.
struct FollowPlace {
  V3 at;
  Turn turn;
};
struct FollowMotion {
  V3 linear;
  V3 angular;
};

PEGRASP_HD inline FollowMotion motion_between(const FollowPlace& from, const FollowPlace& to) {
  return {to.at - from.at, logarithm(to.turn * conjugate(from.turn))};
}
PEGRASP_HD inline FollowMotion operator*(double factor, const FollowMotion& m) {
  return {factor * m.linear, factor * m.angular};
}
PEGRASP_HD inline FollowMotion operator+(const FollowMotion& a, const FollowMotion& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
PEGRASP_HD inline double turning(const FollowMotion& m) { return norm(m.angular); }

PEGRASP_HD inline FollowPlace place_of(const SceneView& s, int body) {
  return {position(s.pose, body), turn_of(s.pose, body)};
}
PEGRASP_HD inline FollowMotion motion_of(const SceneView& s, int body) {
  return {linear(s.twist, body), angular(s.twist, body)};
}

PEGRASP_HD inline bool has_keyframes(const ModelView& m, int body) {
  return m.body_first_keyframe[body] < m.body_first_keyframe[body + 1];
}
PEGRASP_HD inline V3 initial_velocity(const SceneView& s, int body, int component) {
  const int at = s.model->at.velocity + dof * body + component;
  return {s.parameter(at), s.parameter(at + 1), s.parameter(at + 2)};
}

// Where the body is to be at time t [s]: where its keyframes are, or its initial velocity takes it since it appeared.
PEGRASP_HD inline FollowPlace goal_at(const SceneView& s, int body, double t) {
  const ModelView& m = *s.model;
  V3 moved;
  Turn turned;
  if (has_keyframes(m, body)) {
    prescribed_pose(m, m.keyframe_pose, body, t, moved, turned);
    turn_by_yaw(s, body, moved, turned);
  } else {
    const double since = max2(0.0, t - s.parameter(m.at.drop_time + body));
    moved = since * initial_velocity(s, body, 0);
    turned = exponential(since * initial_velocity(s, body, 3));
  }
  return {position(s.initial_pose, body) + moved, turned * turn_of(s.initial_pose, body)};
}

// The way that it is to go at time t: a unit vector.
PEGRASP_HD inline V3 way_at(const SceneView& s, int body, double t) {
  const ModelView& m = *s.model;
  if (has_keyframes(m, body)) {
    int k = m.body_first_keyframe[body];
    while (k < m.body_first_keyframe[body + 1] - 1 && m.keyframe_time[k + 1] <= t) ++k;
    V3 way = load3(m.keyframe_way + 3 * k);
    Turn none{1.0, 0.0, 0.0, 0.0};
    turn_by_yaw(s, body, way, none);
    return way;
  }
  const V3 v = initial_velocity(s, body, 0);
  const double speed = norm(v);
  return speed > 0.0 ? (1.0 / speed) * v : V3{1.0, 0.0, 0.0};
}

// Direction number `component`: the way, the level direction across it (of an upright way: y), or across both.
PEGRASP_HD inline V3 follow_direction(const SceneView& s, int body, int component, double t) {
  constexpr double upright = 0.999;
  const V3 way = way_at(s, body, t);
  if (component == 0) return way;
  V3 across = cross(abs1(way.z) > upright ? V3{1.0, 0.0, 0.0} : V3{0.0, 0.0, 1.0}, way);
  across = (1.0 / norm(across)) * across;
  return component == 1 ? across : cross(way, across);
}
PEGRASP_HD inline double follow_turn(const FollowMotion& m, int component) {
  return component == 0 ? m.angular.x : (component == 1 ? m.angular.y : m.angular.z);
}

// No less than what the body has about any axis.
PEGRASP_HD inline double follow_inertia(const SceneView& s, int body) {
  const int at = s.model->at.inertia + 6 * body;
  return s.parameter(at) + s.parameter(at + 3) + s.parameter(at + 5);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
