// SPDX-License-Identifier: Apache-2.0
// Facets of smooth parts against corners, arcs and other smooth parts: the direction n that separates most,
//   s = max over n of  n . D - h_A(n) - h_B(-n)
//   ds/dphi = t . (p_B(-n) - p_A(n)),   d2s/dphi2 = -s - rho_A - rho_B
// with farthest points p, radii of curvature rho, and t = n turned by 90 degrees. Where s exceeds minus the smallest
// radii of curvature, the largest value is the only one of its kind (a ball of that radius rolls freely inside).
#pragma once

#include "kernels/planar/part.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A facet in a's frame: the normal from a to b, the touching points of both, and whether the normal is among those of
// corner j or i of a part that is not smooth.
struct SmoothFacet {
  double s;
  V2 n, on_a, on_b;
  bool inside;
};

// Smooth part p against corner i of q.
PEGRASP_HD inline SmoothFacet smooth_on_corner(const PartView& p, const PartView& q, int i, const Frame& q_in_p) {
  const V2 c = transform(q_in_p, q.centre(i));
  const V2 own = to_axes(p.curve(), c - p.centre(0));
  const NearestPoint at = nearest_point(curve_of(p.curve()), p.curve()[curve_least_radius], {own.x, own.y});
  const V2 n = from_axes(p.curve(), {at.normal.x, at.normal.y});
  return {at.s - q.cr[i], n, p.centre(0) + from_axes(p.curve(), {at.point.x, at.point.y}), c - q.cr[i] * n,
          in_cone(q, i, -unrotate(q_in_p, n))};
}

// Two smooth parts along one direction.
struct SmoothPair {
  const PartView& a;
  const PartView& b;
  const Frame& b_in_a;

  struct At {
    double s, rise;
    V2 on_a, on_b;
  };
  PEGRASP_HD At along(V2 n) const {
    const V2 on_a = smooth_point(a, n);
    const V2 on_b = transform(b_in_a, smooth_point(b, -unrotate(b_in_a, n)));
    const V2 d = on_b - on_a;
    return {dot(n, d), dot(perp(n), d), on_a, on_b};
  }
  PEGRASP_HD double radii(V2 n) const { return corner_radius(a, 0, n) + corner_radius(b, 0, -unrotate(b_in_a, n)); }
  // The maximum between two directions less than half a turn apart, to the first of which s rises and from the second
  // of which it falls.
  PEGRASP_HD SmoothFacet highest(V2 low, V2 high) const {
    V2 n = unit(low + high);
    At here = along(n);
    double before = 4.0;
    for (int i = 0; i < 100; ++i) {
      if (here.rise > 0.0) {
        low = n;
      } else {
        high = n;
      }
      const double bend = here.s + radii(n);
      const double step = here.rise / bend;
      constexpr double close = 1e-15;
      if (here.rise == 0.0 || (bend > 0.0 && abs1(step) <= close)) break;
      V2 next = unit(n + step * perp(n));
      if (!(bend > 0.0 && abs1(step) <= 0.5 * before && cross(low, next) > 0.0 && cross(next, high) > 0.0)) {
        next = unit(low + high);
      }
      before = norm(next - n);
      if (!(before > close)) break;
      n = next;
      here = along(n);
    }
    return {here.s, n, here.on_a, here.on_b, true};
  }
  PEGRASP_HD static V2 unit(V2 v) { return (1.0 / norm(v)) * v; }
  PEGRASP_HD static V2 turned(V2 v, double c, double s) { return {c * v.x - s * v.y, s * v.x + c * v.y}; }

  // From n uphill.
  PEGRASP_HD SmoothFacet climb(V2 n, double c, double s) const {
    const bool up = along(n).rise > 0.0;
    const double sine = up ? s : -s;
    V2 next = n;
    for (int k = 0; k < 64; ++k) {
      next = turned(n, c, sine);
      if ((along(next).rise > 0.0) != up) break;
      n = next;
    }
    return up ? highest(n, next) : highest(next, n);
  }
};

PEGRASP_HD inline SmoothFacet smooth_on_smooth(const PartView& a, const PartView& b, const Frame& b_in_a) {
  const SmoothPair pair{a, b, b_in_a};
  const V2 way = transform(b_in_a, b.centre(0)) - a.centre(0);
  const double length = norm(way);
  constexpr double diagonal = 0.70710678118654752440;
  const V2 start = length > 0.0 ? (1.0 / length) * way : V2{1.0, 0.0};
  const SmoothFacet found = pair.climb(start, diagonal, diagonal);
  if (found.s > -(a.curve()[curve_least_radius] + b.curve()[curve_least_radius])) return found;
  // Deep down: the best of some directions, and uphill from there.
  constexpr int samples = 32;
  constexpr double c = 0.98078528040323044913;  // of a turn by 1/32
  constexpr double s = 0.19509032201612826785;
  V2 n = start;
  V2 best = n;
  double most = -1e300;
  for (int k = 0; k < samples; ++k) {
    const double here = pair.along(n).s;
    if (here > most) {
      most = here;
      best = n;
    }
    n = SmoothPair::turned(n, c, s);
  }
  if (!(most > found.s)) return found;
  const SmoothFacet deep = pair.climb(SmoothPair::unit(best), c, s);
  return deep.s > found.s ? deep : found;
}

// Corners i of a and j of b, at least one of which is a smooth part.
PEGRASP_HD_RARE SmoothFacet smooth_facet(PartView a, int i, PartView b, int j, Frame b_in_a) {
  if (a.curve() != nullptr && b.curve() != nullptr) return smooth_on_smooth(a, b, b_in_a);
  if (a.curve() != nullptr) return smooth_on_corner(a, b, j, b_in_a);
  const Frame a_in_b = inverse(b_in_a);
  const SmoothFacet seen = smooth_on_corner(b, a, i, a_in_b);
  return {seen.s, -rotate(b_in_a, seen.n), transform(b_in_a, seen.on_b), transform(b_in_a, seen.on_a), seen.inside};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
