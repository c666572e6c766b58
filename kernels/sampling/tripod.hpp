// SPDX-License-Identifier: Apache-2.0
// Three support points on a circle about the centre of mass, from the loads they carry.
//
// Statics about the centre of mass: sum_i N_i r_i = 0 with |r_i| = R. So N_1 u_1 + N_2 u_2 = -N_3 u_3, and the law of
// cosines gives cos(u_1, u_2) = (N_3^2 - N_1^2 - N_2^2) / (2 N_1 N_2); likewise for u_1, u_3. Equal loads: 120 degrees.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/sincos.hpp"
#include "kernels/sampling/philox.hpp"

namespace pegrasp {

// Loads that cannot hold the centre of mass are redrawn; the reader refuses distributions that succeed in fewer than 1
// draw of 100, so that this many failures in a row do not happen (0.99^100000).
constexpr std::uint32_t most_redraws = 100000;

struct TripodPoints {
  double x[3], y[3];  // [m]
  double load[3];     // [N]
};

// Whether three points on a circle can carry these relative loads: all positive and none as large as the others' sum.
PEGRASP_HD inline bool can_carry(const double (&load)[3]) {
  // at equality the three points are in line through the centre of mass, which a body does not stand on
  constexpr double margin = 1e-9;
  const double total = load[0] + load[1] + load[2];
  bool can = total > 0.0;
  for (int k = 0; k < 3; ++k) can = can && load[k] > margin * total && load[k] < (0.5 - margin) * total;
  return can;
}

// Draws loads, load k of a tripod by draw(k, key), until three points can carry them; returns how often they had to be
// redrawn, `most` when none could.
template <class Draw>
PEGRASP_HD std::uint32_t draw_until_carried(const Draw& draw, std::uint32_t most, std::uint32_t stream, DrawKey key,
                                            double (&load)[3]) {
  for (key.redraw = 0; key.redraw < most; ++key.redraw) {
    for (int k = 0; k < 3; ++k) {
      key.stream = stream + 2 + static_cast<std::uint32_t>(k);
      load[k] = draw(k, key);
    }
    if (can_carry(load)) break;
  }
  return key.redraw;
}

// radius [m], turn [rad] of the first point from +x, load relative (can_carry), weight [N] to be shared out.
PEGRASP_HD inline TripodPoints points_on_circle(double radius, double turn, const double (&load)[3], double weight) {
  const double a = load[0], b = load[1], c = load[2];
  const double total = a + b + c;
  const double cos_b = (c * c - a * a - b * b) / (2.0 * a * b);
  const double cos_c = (b * b - a * a - c * c) / (2.0 * a * c);
  const double sin_b = std::sqrt(cos_b * cos_b < 1.0 ? 1.0 - cos_b * cos_b : 0.0);
  const double sin_c = std::sqrt(cos_c * cos_c < 1.0 ? 1.0 - cos_c * cos_c : 0.0);
  const double ux[3] = {1.0, cos_b, cos_c}, uy[3] = {0.0, sin_b, -sin_c};
  const strict::SinCos t = strict::sin_cos(turn);
  TripodPoints points;
  for (int k = 0; k < 3; ++k) {
    points.x[k] = radius * (t.cos * ux[k] - t.sin * uy[k]);
    points.y[k] = radius * (t.sin * ux[k] + t.cos * uy[k]);
    points.load[k] = weight * (load[k] / total);
  }
  return points;
}

}  // namespace pegrasp
