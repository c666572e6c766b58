// SPDX-License-Identifier: Apache-2.0
// How far planar bodies and parts reach within a step.
#pragma once

#include "kernels/integrate/wrench.hpp"
#include "kernels/joint/follow.hpp"
#include "kernels/planar/part.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The speed [m/s] of a body's points by the wrench that the user has set, where a (sub)step of h begins.
PEGRASP_HD inline double set_speed(const SceneView& s, int body, double h) {
  double set[dof], nu[dof] = {0.0, 0.0, 0.0};
  set_impulse(s, body, h, set);
  apply_impulse(s, body, set[0], set[1], set[2], nu);
  return norm({nu[0], nu[1]}) + abs1(nu[2]) * s.model->body_radius[body];
}

// Bound on the speed [m/s] that forces and motors can add to a body where a (sub)step of h begins. A body on a rail
// along u has M^-1 = u u^T / m, whose trace is its response to a push along the rail. A servo with target v along its
// own axis a moves the body at v / |u . a| along the rail.
PEGRASP_HD inline double driven_speed(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  if (!is_dynamic(s, body) || !remembers_motion(m)) return 0.0;
  const bool slides = m.body_slides[body] == freedom_rail;
  const double kick = kick_time(s, body, h);
  double speed = has_weight(s, body) ? kick * norm({m.gravity_x, m.gravity_y}) : 0.0;
  if (has_wrenches(s)) speed += set_speed(s, body, h);
  for (int k = 0; k < m.actuator_count; ++k) {
    // The solve shows what joints transmit: pairs are listed again for bodies that leave their margins.
    if (m.actuator_body[k] != body || m.actuator_joint[k] >= 0) continue;
    const int at = m.at.actuator + ParameterLayout::actuator_stride * k;
    const bool rotary = m.actuator_rotary[k] != 0;
    const double arm = rotary ? m.body_radius[body] : 1.0;
    const double* im = s.inv_mass + 4 * body;
    const double inverse = rotary ? im[3] : (slides ? im[0] + im[2] : im[0]);
    const double by_force = kick * arm * inverse;
    switch (static_cast<ActuatorKind>(m.actuator_kind[k])) {
      case ActuatorKind::force:
        speed += arm * inverse * abs1(given_impulse(s, k, s.last_h[body], h));
        break;
      case ActuatorKind::velocity_servo: {
        const V2 u{m.body_axis[2 * body], m.body_axis[2 * body + 1]};
        const V2 a{m.actuator_axis[2 * k], m.actuator_axis[2 * k + 1]};
        const double target = abs1(actuator_target(s, k, s.tally->time0 + 0.5 * h));
        const double share = slides && !rotary ? abs1(dot(u, a)) : 1.0;
        const double most = by_force * s.parameter(at + ParameterLayout::actuator_limit);
        speed += share * most > arm * target ? arm * target / share : most;
        break;
      }
      case ActuatorKind::follow:
        if (m.actuator_component[k] == 0) speed += arm * follow_speed(s, k, h);
        break;
      case ActuatorKind::position_servo:
        speed += by_force * s.parameter(at + ParameterLayout::actuator_limit);
        break;
    }
  }
  return speed;
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
  if (p.curve() != nullptr) {  // its rectangle's box
    const V2 u = rotate(frame, from_axes(p.curve(), {p.curve()[curve_a], 0.0}));
    const V2 v = rotate(frame, from_axes(p.curve(), {0.0, p.curve()[curve_b]}));
    const V2 c = transform(frame, p.centre(0));
    const V2 half{abs1(u.x) + abs1(v.x) + margin, abs1(u.y) + abs1(v.y) + margin};
    box[0] = c.x - half.x;
    box[1] = c.y - half.y;
    box[2] = c.x + half.x;
    box[3] = c.y + half.y;
    return;
  }
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

// Whether two parts whose boxes meet may touch. The box of a half-plane is unbounded, so it is near everything.
PEGRASP_HD inline bool parts_may_touch(const SceneView&, int, int) { return true; }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
