// SPDX-License-Identifier: Apache-2.0
// Motors that take a body along its prescribed motion as far as their force goes (ActuatorKind::follow). Each has one
// row, which asks for a velocity along the way, across it, or about an axis:
//
//   v = (g(t + h) - x) / h - (1 - c) (g(t) - x) / h,   c = min(1, h sqrt(F / (m d))),   d = |g(t) - x|
//
// g: where the body is to be; x: where it is. A body that is where it is to be goes where it is to be next, exactly (d
// = 0). One that lags behind by d catches up in one step, but no faster than sqrt(F d / m) beyond the speed of g: half
// of the force F can stop it from that within d, so that it does not overshoot. A step without length asks for the
// velocity of the step before it.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/follow.hpp"
#else
#include "kernels/planar/follow.hpp"
#endif

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool is_follower(const ModelView& m, int actuator) {
  return m.actuator_kind[actuator] == static_cast<int>(ActuatorKind::follow);
}

// The velocity that follower k asks for in a (sub)step of h [s]; of a rotary one the angular part counts.
PEGRASP_HD_APART FollowMotion follow_motion(const SceneView& s, int k, double h) {
  const ModelView& m = *s.model;
  const int body = m.actuator_body[k];
  const double now = s.tally->time0;
  const double over = h > 0.0 ? h : s.last_h[body];
  if (!(over > 0.0)) return motion_of(s, body);
  const FollowPlace place = place_of(s, body);
  const FollowPlace goal = goal_at(s, body, now);
  const FollowMotion lag = motion_between(place, goal);
  const FollowMotion whole = h > 0.0 ? motion_between(place, goal_at(s, body, now + h))
                                     : motion_between(goal_at(s, body, now - over), goal) + lag;
  const bool rotary = m.actuator_rotary[k] != 0;
  const double inertia = rotary ? follow_inertia(s, body) : s.parameter(m.at.mass + body);
  const double limit =
      s.parameter(m.at.actuator + ParameterLayout::actuator_stride * k + ParameterLayout::actuator_limit);
  const double behind = inertia * (rotary ? turning(lag) : norm(lag.linear));
  double share = 1.0;
  if (over * over * limit < behind) share = over * square_root(limit / behind);
  return (1.0 / over) * (whole + (share - 1.0) * lag);
}

// Bound on the speed [m/s or rad/s] that follower k and those across it add.
PEGRASP_HD inline double follow_speed(const SceneView& s, int k, double h) {
  const FollowMotion motion = follow_motion(s, k, h);
  return s.model->actuator_rotary[k] != 0 ? turning(motion) : norm(motion.linear);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
