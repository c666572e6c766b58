// SPDX-License-Identifier: Apache-2.0
// Kinematic bodies that oscillate (Berard's thesis, 5.3 and 6.1). About the pose of its parameters such a body is
// displaced by
//
//   x_i(t) = -A_i sin(W t + C_i) / W^2,   W = 2 pi f,
//
// so that its acceleration is A_i sin(W t + C_i). The angular components make a rotation vector, which is symmetric
// about zero; so the body keeps its place for ever.
#pragma once

#include "kernels/base/sincos.hpp"
#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool oscillates(const ModelView& m, int body) { return m.body_oscillation[body] >= 0; }

// The displacement (dof) at time t [s], and its rate. Nothing where the frequency is not positive.
PEGRASP_HD inline void oscillation_at(const SceneView& s, int body, double t, double* displacement, double* rate) {
  constexpr double turn = 6.28318530717958647692;  // [rad]
  const ModelView& m = *s.model;
  const int at = m.at.oscillation + (1 + 2 * dof) * m.body_oscillation[body];
  const double frequency = s.parameter(at);
  const double periods = frequency * t;
  const double phase = turn * (periods - static_cast<double>(static_cast<long long>(periods)));
  const double w = turn * frequency;
  for (int i = 0; i < dof; ++i) {
    const double amplitude = w > 0.0 ? s.parameter(at + 1 + i) / w : 0.0;
    const SinCos angle = sin_cos(phase + s.parameter(at + 1 + dof + i));
    displacement[i] = w > 0.0 ? -amplitude * angle.sin / w : 0.0;
    rate[i] = -amplitude * angle.cos;
  }
}

// The time [s] within a body's keyframes: t, or where its motion repeats, t less whole periods.
PEGRASP_HD inline double keyframe_clock(const ModelView& m, int body, double t) {
  if (m.body_repeats[body] == 0) return t;
  const double begin = m.keyframe_time[m.body_first_keyframe[body]];
  const double period = m.keyframe_time[m.body_first_keyframe[body + 1] - 1] - begin;
  if (!(t > begin + period)) return t;
  const double periods = (t - begin) / period;
  return t - period * static_cast<double>(static_cast<long long>(periods));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
