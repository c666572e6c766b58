// SPDX-License-Identifier: Apache-2.0
// Predicates of success that look at planar geometry.
#pragma once

#include "kernels/planar/manifold.hpp"
#include "kernels/planar/modes.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool gap_below(const SceneView& s, const Predicate& p) {
  const ModelView& m = *s.model;
  const Frame a = start_frame(s, m.part_body[p.part_a]);
  const Frame b = start_frame(s, m.part_body[p.part_b]);
  const PartView part_a = part_view(m, p.part_a);
  const PartView part_b = part_view(m, p.part_b);
  const Separation now = best_separation(part_a, part_b, a, b);
  if (now.mode == mode_none || !(separation(now) <= p.value)) return false;
  if (p.side.x == 0.0 && p.side.y == 0.0) return true;
  NearPair pair{};
  pair.part_a = p.part_a;
  pair.part_b = p.part_b;
  const V2 n = mode_point(pair_geometry(m, pair, a, b), now.mode).n;
  return dot(unrotate(a, n), {p.side.x, p.side.y}) >= 0.5;
}

// What the predicate pose_within asks of: the turn, or where it counts but for whole multiples of an angle, the one of
// its equals that is nearest to the middle of the bounds.
PEGRASP_HD inline double counted_turn(const Predicate& p, double turn) {
  if (!(p.value > 0.0)) return turn;
  constexpr double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  const double multiples = ((turn - 0.5 * (p.low.theta + p.high.theta)) / p.value + round) - round;
  return turn - p.value * multiples;
}

PEGRASP_HD inline bool pose_within(const SceneView& s, const Predicate& p) {
  Frame body = start_frame(s, p.body);
  double turn = s.pose[3 * p.body + 2];
  V2 at = transform(body, {p.point.x, p.point.y});
  if (p.body_b >= 0) {
    const Frame base = start_frame(s, p.body_b);
    at = untransform(base, at);
    turn -= s.pose[3 * p.body_b + 2];
  }
  turn = counted_turn(p, turn);
  return at.x >= p.low.x && at.x <= p.high.x && at.y >= p.low.y && at.y <= p.high.y && turn >= p.low.theta &&
         turn <= p.high.theta;
}

// The margins of these (kernels/outcome/margin.hpp).
PEGRASP_HD inline double gap_margin(const SceneView& s, const Predicate& p) {
  const ModelView& m = *s.model;
  const Frame a = start_frame(s, m.part_body[p.part_a]);
  const Frame b = start_frame(s, m.part_body[p.part_b]);
  const Separation now = best_separation(part_view(m, p.part_a), part_view(m, p.part_b), a, b);
  const double margin = margin_mm * (p.value - separation(now));
  if (now.mode == mode_none || (p.side.x == 0.0 && p.side.y == 0.0)) return margin;
  NearPair pair{};
  pair.part_a = p.part_a;
  pair.part_b = p.part_b;
  const V2 n = mode_point(pair_geometry(m, pair, a, b), now.mode).n;
  return min2(margin, margin_of_side * (dot(unrotate(a, n), {p.side.x, p.side.y}) - 0.5));
}
PEGRASP_HD inline double pose_margin(const SceneView& s, const Predicate& p) {
  V2 at = transform(start_frame(s, p.body), {p.point.x, p.point.y});
  double turn = s.pose[3 * p.body + 2];
  if (p.body_b >= 0) {
    at = untransform(start_frame(s, p.body_b), at);
    turn -= s.pose[3 * p.body_b + 2];
  }
  turn = counted_turn(p, turn);
  const double shift = min2(min2(at.x - p.low.x, p.high.x - at.x), min2(at.y - p.low.y, p.high.y - at.y));
  return min2(margin_mm * shift, margin_deg * min2(turn - p.low.theta, p.high.theta - turn));
}

// The predicate `held`: the pose at which the body was seen first, in the frame of the body that holds it, and whether
// it still is within the limits.
PEGRASP_HD inline void see_first(const SceneView& s, const Predicate& p, double* first) {
  V2 at = position(s.pose, p.body);
  double turn = s.pose[3 * p.body + 2];
  if (p.body_b >= 0) {
    at = untransform(start_frame(s, p.body_b), at);
    turn -= s.pose[3 * p.body_b + 2];
  }
  first[0] = at.x;
  first[1] = at.y;
  first[2] = turn;
}
PEGRASP_HD inline bool still_held(const SceneView& s, const Predicate& p, const double* first) {
  double now[3];
  see_first(s, p, now);
  return norm({now[0] - first[0], now[1] - first[1]}) <= p.value && abs1(now[2] - first[2]) <= p.tilt;
}

PEGRASP_HD inline double hold_margin(const SceneView& s, const Predicate& p, const double* first) {
  double now[3];
  see_first(s, p, now);
  return min2(margin_mm * (p.value - norm({now[0] - first[0], now[1] - first[1]})),
              margin_deg * (p.tilt - abs1(now[2] - first[2])));
}

// Parts are watched in 3D alone.
PEGRASP_HD inline void watch_part(const SceneView&, double, bool) {}
PEGRASP_HD inline double overlap_of_watched(const SceneView&) { return 0.0; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
