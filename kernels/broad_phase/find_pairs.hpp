// SPDX-License-Identifier: Apache-2.0
// Broad phase: the pairs of convex parts that could touch within the step.
//
// Every body gets a margin, the farthest any of its points can move in the step plus the detection distance; parts whose
// boxes, grown by their bodies' margins, overlap are near. The margin is computed from velocities, never tuned (thesis
// eq. 5.1); when a solve makes a body faster than its margin allowed for, `accepted` calls for new pairs.
#pragma once

#include "geometry/part.hpp"
#include "integrate/predict.hpp"
#include "scene/access.hpp"
#include "scene/team.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Bound on the speed [m/s] that forces and motors can add to a body in h, beyond its present velocity. A body on a rail
// along u has M^-1 = u u^T / m: its trace is what a push along the rail is answered with, and a servo that asks for v
// along its own axis a asks for v / |u . a| along the rail.
PEGRASP_HD inline double driven_speed(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  if (!is_dynamic(s, body)) return 0.0;
  const bool slides = m.body_slides[body] != 0;
  double speed = h * norm({m.gravity_x, m.gravity_y});
  for (int k = 0; k < m.actuator_count; ++k) {
    if (m.actuator_body[k] != body) continue;
    const int at = m.at_actuator + ParameterLayout::actuator_stride * k;
    const bool rotary = m.actuator_rotary[k] != 0;
    const double arm = rotary ? m.body_radius[body] : 1.0;
    const double* im = s.inv_mass + 4 * body;
    const double inverse = rotary ? im[3] : (slides ? im[0] + im[2] : im[0]);
    const double target = abs1(s.parameter(at));
    const double by_force = h * arm * inverse;
    switch (static_cast<ActuatorKind>(m.actuator_kind[k])) {
      case ActuatorKind::force:
        speed += by_force * target;
        break;
      case ActuatorKind::velocity_servo: {
        const V2 u{m.body_axis[2 * body], m.body_axis[2 * body + 1]};
        const V2 a{m.actuator_axis[2 * k], m.actuator_axis[2 * k + 1]};
        const double share = slides && !rotary ? abs1(dot(u, a)) : 1.0;
        const double most = by_force * s.parameter(at + 1);
        speed += share * most > arm * target ? arm * target / share : most;
        break;
      }
      case ActuatorKind::position_servo:
        speed += by_force * s.parameter(at + 1);
        break;
    }
  }
  return speed;
}

PEGRASP_HD inline double motion_margin(const SceneView& s, const double* nu, int body, const StepOptions& options) {
  return options.detect_distance + options.h * speed_bound(s, nu, body);
}

// Box of a part at the start pose, grown by its body's margin.
PEGRASP_HD inline void part_box(const SceneView& s, int part, double* box) {
  const ModelView& m = *s.model;
  const int body = m.part_body[part];
  const Frame frame = start_frame(s, body);
  const double margin = s.margin[body];
  if (m.part_radius[part] < 0.0) {
    box[0] = box[1] = -1e300;
    box[2] = box[3] = 1e300;
    return;
  }
  const PartView p = part_view(m, part);
  constexpr int few = 8;
  if (p.corners <= few) {
    box[0] = box[1] = 1e300;
    box[2] = box[3] = -1e300;
    for (int i = 0; i < p.corners; ++i) {
      const V2 c = transform(frame, p.centre(i));
      const double r = p.cr[i] + margin;
      box[0] = min2(box[0], c.x - r);
      box[1] = min2(box[1], c.y - r);
      box[2] = max2(box[2], c.x + r);
      box[3] = max2(box[3], c.y + r);
    }
    return;
  }
  const V2 c = transform(frame, {m.part_centre[2 * part], m.part_centre[2 * part + 1]});
  const double r = m.part_radius[part] + margin;
  box[0] = c.x - r;
  box[1] = c.y - r;
  box[2] = c.x + r;
  box[3] = c.y + r;
}

PEGRASP_HD inline bool boxes_meet(const double* a, const double* b) {
  return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3];
}

PEGRASP_HD inline void append_pairs(const SceneView& s, int body_pair) {
  const ModelView& m = *s.model;
  const int a = m.body_pair_a[body_pair];
  const int b = m.body_pair_b[body_pair];
  SceneTally& t = *s.tally;
  for (int k = m.body_pair_first_part[body_pair]; k < m.body_pair_first_part[body_pair + 1]; ++k) {
    const int part_a = m.part_pair_a[k];
    const int part_b = m.part_pair_b[k];
    if (!boxes_meet(s.box + 4 * part_a, s.box + 4 * part_b)) continue;
    if (t.pair_count < s.capacity.pairs) {
      NearPair& pair = s.pairs[t.pair_count];
      pair.part_a = part_a;
      pair.part_b = part_b;
      pair.body_a = a;
      pair.body_b = b;
      pair.slot = body_pair;
      pair.eps = s.margin[a] + s.margin[b];
    }
    ++t.pair_count;
  }
}

// `nu`: velocities whose motion the margins must cover. Leaves the near pairs in s.pairs, in the model's order; too many
// set the capacity bit and the demand.
template <class Team>
PEGRASP_HD void list_pairs(Team& team, SceneView& s) {
  const ModelView& m = *s.model;
  for_each(team, m.part_count, [&](int part) { part_box(s, part, s.box + 4 * part); });
  for_each(team, m.body_count, [&](int body) {
    double* box = s.body_box + 4 * body;
    box[0] = box[1] = 1e300;
    box[2] = box[3] = -1e300;
    if (!s.present[body]) return;
    for (int part = m.body_first_part[body]; part < m.body_first_part[body + 1]; ++part) {
      const double* b = s.box + 4 * part;
      box[0] = min2(box[0], b[0]);
      box[1] = min2(box[1], b[1]);
      box[2] = max2(box[2], b[2]);
      box[3] = max2(box[3], b[3]);
    }
  });
  for_each(team, m.body_pair_count, [&](int k) {
    const int a = m.body_pair_a[k];
    const int b = m.body_pair_b[k];
    s.pair_flag[k] = s.present[a] && s.present[b] && boxes_meet(s.body_box + 4 * a, s.body_box + 4 * b) ? 1 : 0;
  });
  once(team, [&] {
    s.tally->pair_count = 0;
    s.tally->pairs_fresh = 1;
    for (int k = 0; k < m.body_pair_count; ++k) {
      if (s.pair_flag[k]) append_pairs(s, k);
    }
    if (s.tally->pair_count > s.capacity.pairs) {
      s.tally->step_status |= status_capacity;
      s.tally->outcome.contacts_demand = max2(s.tally->outcome.contacts_demand, 2 * s.tally->pair_count);
      s.tally->pair_count = 0;
    }
  });
}

// Margin of the attempt at hand.
PEGRASP_HD inline void first_margin(const SceneView& s, int body, const StepOptions& options) {
  double* nu = s.nu + dof * body;
  for (int i = 0; i < dof; ++i) nu[i] = s.twist[dof * body + i];
  if (s.model->body_kind[body] == static_cast<int>(BodyKind::kinematic)) {
    prescribed_twist(s, body, s.tally->time0, options.h, nu);
  }
  s.margin[body] = motion_margin(s, s.nu, body, options) + options.h * driven_speed(s, body, options.h);
}

template <class Team>
PEGRASP_HD_APART void find_pairs(Team& team, SceneView& s, const StepOptions& options) {
  for_each(team, s.model->body_count, [&](int body) { first_margin(s, body, options); });
  list_pairs(team, s);
}

// Whether the solved velocities outrun the margins; then the margins grow and the pairs are listed again.
template <class Team>
PEGRASP_HD bool refresh_pairs(Team& team, SceneView& s, const StepOptions& options) {
  double excess = -1.0;
  for (int body = team.rank(); body < s.model->body_count; body += team.size()) {
    excess = max_or_nan(excess, motion_margin(s, s.nu, body, options) - s.margin[body]);
  }
  excess = team.max(excess);
  team.sync();
  if (!(excess > options.detect_distance)) return false;
  for_each(team, s.model->body_count,
           [&](int body) { s.margin[body] = max2(s.margin[body], motion_margin(s, s.nu, body, options)); });
  list_pairs(team, s);
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
