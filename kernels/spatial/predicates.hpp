// SPDX-License-Identifier: Apache-2.0
// Predicates of success that look at geometry in 3D.
#pragma once

#include "kernels/scene/access.hpp"
#include "kernels/spatial/manifold.hpp"
#include "kernels/spatial/modes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD_LARGE bool gap_below(const SceneView& s, const Predicate& p) {
  const ModelView& m = *s.model;
  const Frame a = start_frame(s, m.part_body[p.part_a]);
  const Frame b = start_frame(s, m.part_body[p.part_b]);
  const Separation now = best_separation(part_view(s, p.part_a), part_view(s, p.part_b), a, b, everywhere);
  if (!(separation(now) <= p.value)) return false;
  if (p.side.x == 0.0 && p.side.y == 0.0) return true;
  if (now.mode == mode_none) return false;
  NearPair pair{};
  pair.part_a = p.part_a;
  pair.part_b = p.part_b;
  V3 n{0.0, 0.0, 0.0};
  mode_contacts(pair_geometry(s, pair, a, b), now.mode, 0.0, 0.0, [&](const ContactPoint& point) { n = point.n; });
  return dot(unrotate(a, n), {p.side.x, p.side.y, 0.0}) >= 0.5;
}

// A body as another sees it, or as the world does.
struct SeenPose {
  V3 position;
  Turn turn;
};
PEGRASP_HD inline SeenPose seen_pose(const double* pose, int body, int base) {
  const SeenPose own{position(pose, body), turn_of(pose, body)};
  if (base < 0) return own;
  const Turn back = conjugate(turn_of(pose, base));
  Frame frame{position(pose, base), {}};
  matrix_of(turn_of(pose, base), frame.row);
  return {untransform(frame, own.position), back * own.turn};
}

// Angle [rad] between two turns is at most `most`.
PEGRASP_HD inline bool turned_at_most(Turn a, Turn b, double most) { return norm(logarithm(a * conjugate(b))) <= most; }

PEGRASP_HD inline bool pose_within(const SceneView& s, const Predicate& p) {
  const SeenPose now = seen_pose(s.pose, p.body, p.body_b);
  V3 x = transform(start_frame(s, p.body), {p.point.x, p.point.y, p.point.z});
  if (p.body_b >= 0) x = untransform(start_frame(s, p.body_b), x);
  if (!(x.x >= p.low.x && x.x <= p.high.x && x.y >= p.low.y && x.y <= p.high.y && x.z >= p.low_z && x.z <= p.high_z)) {
    return false;
  }
  return turned_at_most(now.turn, seen_pose(s.initial_pose, p.body, p.body_b).turn, p.tilt);
}

// The margins of these (kernels/outcome/margin.hpp).
PEGRASP_HD_LARGE double gap_margin(const SceneView& s, const Predicate& p) {
  const ModelView& m = *s.model;
  const Frame a = start_frame(s, m.part_body[p.part_a]);
  const Frame b = start_frame(s, m.part_body[p.part_b]);
  const Separation now = best_separation(part_view(s, p.part_a), part_view(s, p.part_b), a, b, everywhere);
  const double margin = margin_mm * (p.value - separation(now));
  if (now.mode == mode_none || (p.side.x == 0.0 && p.side.y == 0.0)) return margin;
  NearPair pair{};
  pair.part_a = p.part_a;
  pair.part_b = p.part_b;
  V3 n{0.0, 0.0, 0.0};
  mode_contacts(pair_geometry(s, pair, a, b), now.mode, 0.0, 0.0, [&](const ContactPoint& point) { n = point.n; });
  return min2(margin, margin_of_side * (dot(unrotate(a, n), {p.side.x, p.side.y, 0.0}) - 0.5));
}
PEGRASP_HD inline double margin_of_turn(Turn a, Turn b, double most) {
  return margin_deg * (most - norm(logarithm(a * conjugate(b))));
}
PEGRASP_HD inline double pose_margin(const SceneView& s, const Predicate& p) {
  const SeenPose now = seen_pose(s.pose, p.body, p.body_b);
  V3 x = transform(start_frame(s, p.body), {p.point.x, p.point.y, p.point.z});
  if (p.body_b >= 0) x = untransform(start_frame(s, p.body_b), x);
  double shift = min2(min2(x.x - p.low.x, p.high.x - x.x), min2(x.y - p.low.y, p.high.y - x.y));
  shift = min2(shift, min2(x.z - p.low_z, p.high_z - x.z));
  return min2(margin_mm * shift, margin_of_turn(now.turn, seen_pose(s.initial_pose, p.body, p.body_b).turn, p.tilt));
}
PEGRASP_HD inline double hold_margin(const SceneView& s, const Predicate& p, const double* first) {
  const SeenPose now = seen_pose(s.pose, p.body, p.body_b);
  return min2(margin_mm * (p.value - norm(now.position - load3(first))),
              margin_of_turn(now.turn, load_turn(first + 3), p.tilt));
}

// Whether the body is where it was seen first, to within the predicate's slip and tilt.
PEGRASP_HD inline bool still_held(const SceneView& s, const Predicate& p, const double* first) {
  const SeenPose now = seen_pose(s.pose, p.body, p.body_b);
  return norm(now.position - load3(first)) <= p.value && turned_at_most(now.turn, load_turn(first + 3), p.tilt);
}
PEGRASP_HD inline void see_first(const SceneView& s, const Predicate& p, double* first) {
  const SeenPose now = seen_pose(s.pose, p.body, p.body_b);
  store3(now.position, first);
  store_turn(now.turn, first + 3);
}

// How deep [m] the part that is watched and what is to hold it overlap.
PEGRASP_HD_LARGE double overlap_of_watched(const SceneView& s) {
  const ModelView& m = *s.model;
  const Frame part = start_frame(s, m.watched);
  double least = 0.0;
  for (int body = 0; body < m.body_count; ++body) {
    if (m.body_holds[body] == 0) continue;
    const Frame holder = start_frame(s, body);
    for (int i = m.body_first_part[m.watched]; i < m.body_first_part[m.watched + 1]; ++i) {
      for (int k = m.body_first_part[body]; k < m.body_first_part[body + 1]; ++k) {
        least = min2(least, separation(best_separation(part_view(s, i), part_view(s, k), part, holder, everywhere)));
      }
    }
  }
  return -least;
}

// Adds a step of h [s] that is done to the measures of the part that is watched. counts: slip, tilt and margin do.
PEGRASP_HD inline void watch_part(const SceneView& s, double h, bool counts) {
  const ModelView& m = *s.model;
  SceneOutcome& outcome = s.tally->outcome;
  const double force = *s.hold_impulse / h;
  if (force > 0.0) {
    outcome.touch_last = s.tally->step * h;
    if (outcome.touch_first < 0.0) outcome.touch_first = outcome.touch_last;
    outcome.hold_force_max = max2(outcome.hold_force_max, force);
  }
  if (!counts) return;
  const SeenPose now = seen_pose(s.pose, m.watched, m.watched_from);
  if (outcome.hold_slip_max < 0.0) {
    store3(now.position, s.hold_pose);
    store_turn(now.turn, s.hold_pose + 3);
  }
  outcome.hold_slip_max = max2(outcome.hold_slip_max, norm(now.position - load3(s.hold_pose)));
  outcome.hold_tilt_max =
      max2(outcome.hold_tilt_max, norm(logarithm(now.turn * conjugate(load_turn(s.hold_pose + 3)))));
  outcome.hold_margin_min = min2(outcome.hold_margin_min, s.slip_margin[m.watched]);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
