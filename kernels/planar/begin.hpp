// SPDX-License-Identifier: Apache-2.0
// A planar body as a scene begins: pose, velocity, inverse mass.
#pragma once

#include "kernels/integrate/oscillation.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Where a body starts: where its parameters say, moved as its carrier is from where the scene describes that.
PEGRASP_HD inline void start_pose(const SceneView& s, int body, double* pose) {
  const ModelView& m = *s.model;
  for (int i = 0; i < 3; ++i) pose[i] = s.parameter(m.at.pose + 3 * body + i);
  const int carrier = m.body_carrier[body];
  if (carrier < 0) return;
  const double* described = m.body_described + 3 * carrier;
  double moved[3];
  for (int i = 0; i < 3; ++i) moved[i] = s.parameter(m.at.pose + 3 * carrier + i) - described[i];
  const V2 arm{pose[0] - described[0], pose[1] - described[1]};
  const V2 swing = rotate(make_frame(0.0, 0.0, moved[2]), arm) - arm;
  pose[0] += moved[0] + swing.x;
  pose[1] += moved[1] + swing.y;
  pose[2] += moved[2];
}

PEGRASP_HD inline void begin_body(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  start_pose(s, body, s.pose + 3 * body);
  for (int i = 0; i < 3; ++i) {
    s.initial_pose[3 * body + i] = s.pose[3 * body + i];
    s.twist[dof * body + i] = s.parameter(m.at.velocity + dof * body + i);
    s.acceleration[dof * body + i] = 0.0;
  }
  if (oscillates(m, body)) {
    double displacement[dof];
    oscillation_at(s, body, 0.0, displacement, s.twist + dof * body);
    for (int i = 0; i < dof; ++i) s.pose[3 * body + i] += displacement[i];
  }
  s.last_h[body] = 0.0;
  const SinCos t = sin_cos(s.pose[3 * body + 2]);
  s.start_frame[2 * body] = t.cos;
  s.start_frame[2 * body + 1] = t.sin;
  double* im = s.inv_mass + 4 * body;
  for (int i = 0; i < 4; ++i) im[i] = 0.0;
  if (!is_dynamic(s, body)) return;
  const double inverse = lightness(m) / s.parameter(m.at.mass + body);
  if (m.body_slides[body] == freedom_rail) {
    const V2 u{m.body_axis[2 * body], m.body_axis[2 * body + 1]};
    // A component of the given velocity that the joint blocks is dropped.
    double* nu = s.twist + dof * body;
    const double along = dot(u, {nu[0], nu[1]});
    nu[0] = along * u.x;
    nu[1] = along * u.y;
    nu[2] = 0.0;
    im[0] = inverse * u.x * u.x;
    im[1] = inverse * u.x * u.y;
    im[2] = inverse * u.y * u.y;
    return;
  }
  im[0] = im[2] = inverse;
  if (m.body_slides[body] == freedom_no_turns) {
    s.twist[dof * body + 2] = 0.0;
    return;
  }
  im[3] = lightness(m) / s.parameter(m.at.inertia + body);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
