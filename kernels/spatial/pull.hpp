// SPDX-License-Identifier: Apache-2.0
// Pulls: accelerations and forces on the centre of mass of a body that change with time, in 3D. Like forces that motors
// are set to give, they are those in the middle of a (sub)step (kernels/integrate/predict.hpp).
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// How the start of a body is turned away from where the scene describes it.
PEGRASP_HD inline Turn turned_at_start(const SceneView& s, int body) {
  const double* described = s.model->body_described + pose_size * body;
  return normalised(turn_of(s.initial_pose, body) * conjugate(load_turn(described + 3)));
}

PEGRASP_HD inline V3 turned_vector(Turn turn, V3 v) {
  V3 row[3];
  matrix_of(turn, row);
  return {dot(row[0], v), dot(row[1], v), dot(row[2], v)};
}

// The acceleration [m/s^2] that pull k gives its body at a time [s].
PEGRASP_HD inline V3 pull_at(const SceneView& s, int k, double time) {
  const ModelView& m = *s.model;
  const int last = m.pull_first_key[k + 1] - 1;
  int i = m.pull_first_key[k];
  while (i < last && m.pull_time[i + 1] <= time) ++i;
  V3 value = load3(m.pull_value + 3 * i);
  if (i < last && time > m.pull_time[i]) {
    const double f = (time - m.pull_time[i]) / (m.pull_time[i + 1] - m.pull_time[i]);
    value = value + f * (load3(m.pull_value + 3 * (i + 1)) - value);
  }
  if (m.pull_in[k] >= 0) value = turned_vector(turned_at_start(s, m.pull_in[k]), value);
  return m.pull_force[k] != 0 ? (1.0 / s.parameter(m.at.mass + m.pull_body[k])) * value : value;
}

// That of all pulls on a body.
PEGRASP_HD inline V3 pulled_by(const SceneView& s, int body, double time) {
  V3 sum{0.0, 0.0, 0.0};
  for (int k = 0; k < s.model->pull_count; ++k) {
    if (s.model->pull_body[k] == body) sum = sum + pull_at(s, k, time);
  }
  return sum;
}

// The velocity [m/s] that pulls give a body where a (sub)step of h [s] begins.
PEGRASP_HD inline V3 pulled_speed(const SceneView& s, int body, double h) {
  const double last = s.last_h[body], now = s.tally->time0;
  V3 sum = (0.5 * h) * pulled_by(s, body, now + 0.5 * h);
  if (last > 0.0) sum = sum + (0.5 * last) * pulled_by(s, body, now - 0.5 * last);
  return sum;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
