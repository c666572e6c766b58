// SPDX-License-Identifier: Apache-2.0
// The contact of a pair with a smooth part (kernels/spatial/smooth_modes.hpp): one, at the farthest point of the smooth
// part against a face, else where both parts come closest.
//
// Included by kernels/spatial/manifold.hpp.
#pragma once

#include "kernels/spatial/cylinder_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline SmoothPair smooth_pair(const PairGeometry& g) {
  return smooth_pair(g.a, g.b, relative(g.a_pose, g.b_pose), relative(g.b_pose, g.a_pose));
}

// By how much a part is round where its outward normal is d (in its frame): the radius about which slip is measured.
PEGRASP_HD inline double round_at(const PartView& p, V3 d) {
  if (is_smooth(p)) return own_smooth(p).mean_radius(d);
  if (is_cylinder(p)) return way_to_axis(own_cylinder(p), d);
  return p.radius;
}

// In the world; the normal leads from a to b.
PEGRASP_HD_LARGE ContactPoint smooth_contact(const PairGeometry& g, int mode) {
  const SmoothPair pair = smooth_pair(g);
  const Frame& p_pose = pair.c_is_a ? g.b_pose : g.a_pose;
  const Frame& c_pose = pair.c_is_a ? g.a_pose : g.b_pose;
  const auto own_of_c = [&](V3 m) { return unrotate(c_pose, rotate(p_pose, m)); };
  if (mode_type(mode) != mode_round) {
    const V3 m = pair.p.normal(mode_i(mode));
    const V3 x = pair.seen.farthest(-m);
    const V3 n = rotate(p_pose, m);
    return {transform(p_pose, x), pair.c_is_a ? -n : n, dot(m, x) - pair.p.off[mode_i(mode)], mode,
            round_at(pair.c, own_of_c(-m)), 0.0};
  }
  const SmoothPeak at = smooth_peak(pair, smooth_kind(pair, mode), smooth_feature(pair, mode));
  const V3 n = rotate(p_pose, at.m);
  const double of_p = round_at(pair.p, at.m);
  const double of_c = round_at(pair.c, own_of_c(-at.m));
  if (pair.c_is_a) return {transform(p_pose, at.on_p), -n, at.s, mode, of_p, of_c};
  return {transform(p_pose, at.on_c), n, at.s, mode, of_c, of_p};
}

// Whether the smooth part lies over a face or a cap of the other, and not beside it.
PEGRASP_HD_LARGE bool smooth_lies_over(const PairGeometry& g, int mode) {
  if (mode_type(mode) == mode_round) return true;
  const SmoothPair pair = smooth_pair(g);
  const PartView& p = pair.p;
  const int f = mode_i(mode);
  const V3 m = p.normal(f);
  const V3 x = pair.seen.farthest(-m);
  if (is_cylinder(p)) {
    const Cylinder own = own_cylinder(p);
    return norm(own.across(x - own.bottom)) <= own.radius;
  }
  const int sides = p.corners(f);
  for (int k = 0; k < sides; ++k) {
    const V3 from = p.vertex(p.corner[p.first[f] + k]);
    const V3 to = p.vertex(p.corner[p.first[f] + (k + 1 == sides ? 0 : k + 1)]);
    if (dot(cross(to - from, m), x - from) > 0.0) return false;
  }
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
