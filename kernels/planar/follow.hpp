// SPDX-License-Identifier: Apache-2.0
// Where a planar body that follows its prescribed motion is to be. kernels/joint/follow.hpp makes use of it.
#pragma once

#include "kernels/planar/motion.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A place and a turn [rad]; and what leads from one to another, or a velocity.
struct FollowPlace {
  V2 at;
  double turn;
};
struct FollowMotion {
  V2 linear;
  double angular;
};

PEGRASP_HD inline FollowMotion motion_between(const FollowPlace& from, const FollowPlace& to) {
  return {to.at - from.at, to.turn - from.turn};
}
PEGRASP_HD inline FollowMotion operator*(double factor, const FollowMotion& m) {
  return {factor * m.linear, factor * m.angular};
}
PEGRASP_HD inline FollowMotion operator+(const FollowMotion& a, const FollowMotion& b) {
  return {a.linear + b.linear, a.angular + b.angular};
}
PEGRASP_HD inline double turning(const FollowMotion& m) { return abs1(m.angular); }

PEGRASP_HD inline FollowPlace place_of(const SceneView& s, int body) {
  return {position(s.pose, body), s.pose[3 * body + 2]};
}
PEGRASP_HD inline FollowMotion motion_of(const SceneView& s, int body) {
  const double* nu = s.twist + dof * body;
  return {{nu[0], nu[1]}, nu[2]};
}

PEGRASP_HD inline bool has_keyframes(const ModelView& m, int body) {
  return m.body_first_keyframe[body] < m.body_first_keyframe[body + 1];
}

// Where the body is to be at time t [s]: where its keyframes are, or its initial velocity takes it since it appeared.
PEGRASP_HD inline FollowPlace goal_at(const SceneView& s, int body, double t) {
  const ModelView& m = *s.model;
  double moved[3];
  if (has_keyframes(m, body)) {
    prescribed_pose(m, body, t, moved);
  } else {
    const double since = max2(0.0, t - s.parameter(m.at.drop_time + body));
    for (int i = 0; i < 3; ++i) moved[i] = since * s.parameter(m.at.velocity + dof * body + i);
  }
  const double* start = s.initial_pose + 3 * body;
  return {{start[0] + moved[0], start[1] + moved[1]}, start[2] + moved[2]};
}

// The way that it is to go at time t: a unit vector.
PEGRASP_HD inline V2 way_at(const SceneView& s, int body, double t) {
  const ModelView& m = *s.model;
  if (has_keyframes(m, body)) {
    int k = m.body_first_keyframe[body];
    while (k < m.body_first_keyframe[body + 1] - 1 && m.keyframe_time[k + 1] <= t) ++k;
    return {m.keyframe_way[3 * k], m.keyframe_way[3 * k + 1]};
  }
  const int at = m.at.velocity + dof * body;
  const V2 v{s.parameter(at), s.parameter(at + 1)};
  const double speed = norm(v);
  return speed > 0.0 ? (1.0 / speed) * v : V2{1.0, 0.0};
}

// Direction number `component`: the way, or across it.
PEGRASP_HD inline V2 follow_direction(const SceneView& s, int body, int component, double t) {
  const V2 way = way_at(s, body, t);
  return component == 0 ? way : perp(way);
}
PEGRASP_HD inline double follow_turn(const FollowMotion& m, int) { return m.angular; }

PEGRASP_HD inline double follow_inertia(const SceneView& s, int body) {
  return s.parameter(s.model->at.inertia + body);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
