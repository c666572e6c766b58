// SPDX-License-Identifier: Apache-2.0
// The rows of support points. The slip is that of the material point over the step, so that a puck that is at rest does
// not creep. They get the bias of kernels/contact/turn_of_slip.hpp.
#pragma once

#include "kernels/contact/turn_of_slip.hpp"
#include "kernels/planar/rows.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A support point: in its body's frame, and its arm where the step begins.
struct SupportAtStart {
  int body;
  V2 local, arm;
};
PEGRASP_HD inline SupportAtStart support_at_start(const SceneView& s, int point) {
  const int body = s.model->support_body[point];
  const int at = s.model->at.support + ParameterLayout::support_stride * point;
  const V2 local{s.parameter(at), s.parameter(at + 1)};
  return {body, local, rotate(start_frame(s, body), local)};
}

// The mean velocity of the point over h [s] with the velocity u of its body, from the start on (h > 0) or up to it
// (h < 0).
PEGRASP_HD inline V2 support_slip(const SceneView& s, const SupportAtStart& point, const double* u, double h) {
  if (h == 0.0 || u[2] == 0.0) return V2{u[0], u[1]} + u[2] * perp(point.arm);
  const Frame turned = make_frame(0.0, 0.0, s.pose[3 * point.body + 2] + h * u[2]);
  return V2{u[0], u[1]} + (1.0 / h) * (rotate(turned, point.local) - point.arm);
}

// What of the slip does not depend on the solution. In a body's first step nothing is known of its acceleration, and
// forces act for half as long: the slip is that of the end velocity at the start pose.
PEGRASP_HD inline V2 support_bias(const SceneView& s, const SupportAtStart& point, double h) {
  if (!(h > 0.0 && s.last_h[point.body] > 0.0)) return {0.0, 0.0};
  const double* u = s.twist + dof * point.body;
  double nu[dof];
  for (int i = 0; i < dof; ++i) {
    const int at = dof * point.body + i;
    nu[i] = s.tally->pass > 0 ? s.nu[at] : s.twist[at] + kick_time(s, point.body, h) * s.acceleration[at];
  }
  const V2 before = support_slip(s, point, u, -s.last_h[point.body]);
  const V2 after = support_slip(s, point, nu, h);
  const V2 still = after - (V2{nu[0], nu[1]} + nu[2] * perp(point.arm));
  return still + turn_of_slip(before, after);
}

PEGRASP_HD inline void support_rows(const SceneView& s, int index, const Block& block, const StepOptions& options) {
  const SupportAtStart point = support_at_start(s, index);
  const V2 bias = support_bias(s, point, options.h);
  const double none[dof] = {0.0, 0.0, 0.0};
  const double jx[dof] = {1.0, 0.0, -point.arm.y};
  const double jy[dof] = {0.0, 1.0, point.arm.x};
  set_row(s, s.rows[block.first_row], point.body, jx, point.body, none, bias.x, 0.0);
  set_row(s, s.rows[block.first_row + 1], point.body, jy, point.body, none, bias.y, 0.0);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
