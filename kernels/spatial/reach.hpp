// SPDX-License-Identifier: Apache-2.0
// How far bodies and parts in 3D reach within a step.
#pragma once

#include "kernels/integrate/wrench.hpp"
#include "kernels/joint/follow.hpp"
#include "kernels/scene/access.hpp"
#include "kernels/spatial/cylinder.hpp"
#include "kernels/spatial/pull.hpp"
#include "kernels/spatial/smooth_solid.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The speed [m/s] of a body's points by the wrench that the user has set, where a (sub)step of h begins.
PEGRASP_HD inline double set_speed(const SceneView& s, int body, double h) {
  double set[dof];
  set_impulse(s, body, h, set);
  const V3 push = s.inv_mass[mass_size * body] * along_rails(s, body, load3(set));
  const V3 turn = turned(load_symmetric(s.inertia + 18 * body + 6), start_frame(s, body).row) * load3(set + 3);
  return norm(push) + norm(turn) * reach_of(s, body);
}

// Bound on the speed [m/s] that forces can add to a body where a (sub)step of h begins, beyond its present velocity.
PEGRASP_HD inline double driven_speed(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  if (!is_dynamic(s, body) || !remembers_motion(m)) return 0.0;
  const double kick = kick_time(s, body, h);
  double speed = has_weight(s, body) ? kick * norm({m.gravity_x, m.gravity_y, m.gravity_z}) : 0.0;
  if (m.pull_count > 0) speed += norm(pulled_speed(s, body, h));
  if (has_wrenches(s)) speed += set_speed(s, body, h);
  for (int k = 0; k < m.actuator_count; ++k) {
    // What joints pass on shows in the solve: bodies that outrun their margins are listed anew.
    if (m.actuator_body[k] != body || m.actuator_joint[k] >= 0) continue;
    const int at = m.at.actuator + ParameterLayout::actuator_stride * k;
    const auto kind = static_cast<ActuatorKind>(m.actuator_kind[k]);
    if (kind == ActuatorKind::follow) {
      const double arm = m.actuator_rotary[k] != 0 ? reach_of(s, body) : 1.0;
      if (m.actuator_component[k] == 0) speed += arm * follow_speed(s, k, h);
      continue;
    }
    const double impulse = kind == ActuatorKind::force ? abs1(given_impulse(s, k, s.last_h[body], h))
                                                       : kick * s.parameter(at + ParameterLayout::actuator_limit);
    const double most = impulse / s.parameter(m.at.mass + body);
    if (kind != ActuatorKind::velocity_servo) {
      speed += most;
      continue;
    }
    const double target = abs1(actuator_target(s, k, s.tally->time0 + 0.5 * h));
    // No faster than its target; along rails that are askew the body is faster than its motor.
    const double share = norm(along_rails(s, body, motor_axis(m, k)));
    speed += share * most > target ? target / share : most;
  }
  return speed;
}

// Box of a part at the start pose, grown by its body's margin.
PEGRASP_HD inline void part_box(const SceneView& s, int part, double* box) {
  const ModelView& m = *s.model;
  const Frame frame = start_frame(s, m.part_body[part]);
  const double margin = s.margin[m.part_body[part]];
  const PartView p = part_view(s, part);
  if (p.vertices == 0) {  // a half-space
    store3({-1e300, -1e300, -1e300}, box);
    store3({1e300, 1e300, 1e300}, box + 3);
    return;
  }
  V3 low = transform(frame, p.vertex(0));
  V3 high = low;
  for (int i = 1; i < p.vertices; ++i) {
    const V3 x = transform(frame, p.vertex(i));
    low = {min2(low.x, x.x), min2(low.y, x.y), min2(low.z, x.z)};
    high = {max2(high.x, x.x), max2(high.y, x.y), max2(high.z, x.z)};
  }
  const double reach = margin + p.radius;
  V3 wide{reach, reach, reach};
  if constexpr (smooth_parts) {
    if (is_smooth(p)) {
      const SmoothSolid c = seen_smooth(p, frame);
      wide = {c.farthest({1.0, 0.0, 0.0}).x - c.centre.x + margin, c.farthest({0.0, 1.0, 0.0}).y - c.centre.y + margin,
              c.farthest({0.0, 0.0, 1.0}).z - c.centre.z + margin};
    }
  }
  if (is_cylinder(p)) {
    const V3 u = rotate(frame, p.normal(1));
    wide = {margin + p.radius * square_root(max2(0.0, 1.0 - u.x * u.x)),
            margin + p.radius * square_root(max2(0.0, 1.0 - u.y * u.y)),
            margin + p.radius * square_root(max2(0.0, 1.0 - u.z * u.z))};
  }
  store3(low - wide, box);
  store3(high + wide, box + 3);
}

// Support spheres touch level half-spaces alone, and some half-spaces support spheres alone, which the per-scene
// strategy's list of pairs of parts knows.
PEGRASP_HD inline bool is_support_sphere(const ModelView& m, int part) { return m.part_support_sphere[part] >= 0; }
PEGRASP_HD inline bool bears_support_spheres(const SceneView& s, int part) {
  return s.model->part_radius[part] < 0.0 && part_view(s, part).normal(0).z != 0.0;
}

// Whether a part is a half-space and all of another part's box, which its margin has grown, lies farther off than the
// half-space's own.
PEGRASP_HD inline bool clear_of_half_space(const SceneView& s, int part, int other) {
  const ModelView& m = *s.model;
  if (m.part_radius[part] >= 0.0) return false;
  const int body = m.part_body[part];
  const PartView p = part_view(s, part);
  const Frame frame = start_frame(s, body);
  const V3 n = rotate(frame, p.normal(0));
  const double* box = s.box + box_size * other;
  const V3 lowest{n.x > 0.0 ? box[0] : box[3], n.y > 0.0 ? box[1] : box[4], n.z > 0.0 ? box[2] : box[5]};
  return dot(n, lowest - frame.origin) - p.off[0] > s.margin[body];
}

// Of parts whose bodies may touch and whose boxes meet.
PEGRASP_HD inline bool parts_may_touch(const SceneView& s, int a, int b) {
  const ModelView& m = *s.model;
  if (is_support_sphere(m, a) ? !bears_support_spheres(s, b) : m.part_support_sphere[b] == support_spheres_only)
    return false;
  if (is_support_sphere(m, b) ? !bears_support_spheres(s, a) : m.part_support_sphere[a] == support_spheres_only)
    return false;
  return !clear_of_half_space(s, a, b) && !clear_of_half_space(s, b, a);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
