// SPDX-License-Identifier: Apache-2.0
// From which radius of curvature on a smooth part counts as flat (kernels/planar/manifold.hpp).
#pragma once

#include "kernels/integrate/wrench.hpp"
#include "kernels/planar/manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The radius of curvature [m] from which on a smooth part is flat for a step of h [s]: where the impulse p of the last
// solve, or that of the weight and of forces that the user has set, would turn it so far as its point of contact moves
// along, h p rho / I being about 1.
PEGRASP_HD inline double flat_radius(const SceneView& s, const NearPair& pair, double h) {
  if (!(h > 0.0)) return 1e300;
  const ModelView& m = *s.model;
  double inertia = 1e300;
  double weight = 0.0;
  const double g = norm({m.gravity_x, m.gravity_y});
  for (int k = 0; k < 2; ++k) {
    const int body = k == 0 ? pair.body_a : pair.body_b;
    if (!is_dynamic(s, body) || m.body_slides[body] != freedom_all) continue;
    inertia = min2(inertia, s.parameter(m.at.inertia + body));
    double force = g * s.parameter(m.at.mass + body);
    if (has_wrenches(s)) force += norm({s.wrenches->now[dof * body], s.wrenches->now[dof * body + 1]});
    weight = max2(weight, h * force);
  }
  const WarmContact* list = s.warm[s.tally->warm_parity];
  const int last = s.tally->warm_h > 0.0 ? s.tally->warm_count[s.tally->warm_parity] : 0;
  double kept = 0.0;
  for (int k = 0; k < last; ++k) {
    if (list[k].part_a == pair.part_a && list[k].part_b == pair.part_b) kept += list[k].normal;
  }
  constexpr double share = 0.3;
  return share * inertia / (h * max2(max2(weight, kept), 1e-300));
}
PEGRASP_HD inline void note_flatness(const SceneView& s, const NearPair& pair, double h, PairGeometry& g) {
  if (is_smooth(*s.model, pair)) g.flat_radius = flat_radius(s, pair, h);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
