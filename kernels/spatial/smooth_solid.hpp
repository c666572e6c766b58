// SPDX-License-Identifier: Apache-2.0
// The superellipsoid |x/a|^n + |y/b|^n + |z/c|^n = 1 (n = 2, 3, ... 16; 2: an ellipsoid): its farthest point along a
// direction, how that moves as the direction turns, and its point that is nearest to a given one.
//
// With X = |x|/a and so on the outward normal is along (X^(n-1)/a, Y^(n-1)/b, Z^(n-1)/c), so that the farthest point
// along (u, v, w) has X : Y : Z = (a |u|)^(1/(n-1)) : (b |v|)^(1/(n-1)) : (c |w|)^(1/(n-1)).
//
// A part with three faces is one: its vertex is the centre, the faces' normals are the axes, their offsets the
// half-axes [m], and the use of the first is the order n.
#pragma once

#include "kernels/base/root.hpp"
#include "kernels/spatial/part.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool is_smooth(const PartView& p) { return !for_device && p.faces == 3; }
PEGRASP_HD inline bool is_smooth(const ModelView& m, int part) {
  return !for_device && m.part_first_face[part + 1] - m.part_first_face[part] == 3;
}
PEGRASP_HD inline double component(V3 v, int k) { return k == 0 ? v.x : (k == 1 ? v.y : v.z); }
PEGRASP_HD inline double largest_of(V3 v) { return max2(v.x, max2(v.y, v.z)); }
PEGRASP_HD inline double least_of(V3 v) { return min2(v.x, min2(v.y, v.z)); }

// In some frame.
struct SmoothSolid {
  V3 centre;
  V3 axis[3];
  V3 half;  // [m]
  int n;

  PEGRASP_HD V3 to_own(V3 d) const { return {dot(axis[0], d), dot(axis[1], d), dot(axis[2], d)}; }
  PEGRASP_HD V3 from_own(V3 d) const { return d.x * axis[0] + (d.y * axis[1] + d.z * axis[2]); }

  // In its own axes, from the centre. d: of any length but 0.
  PEGRASP_HD V3 own_farthest(V3 d) const {
    const V3 u{half.x * d.x, half.y * d.y, half.z * d.z};
    if (n == 2) {
      const double h = 1.0 / norm(u);
      return {half.x * (h * u.x), half.y * (h * u.y), half.z * (h * u.z)};
    }
    const double most = largest_of({abs1(u.x), abs1(u.y), abs1(u.z)});
    const V3 place{whole_root(abs1(u.x) / most, n - 1), whole_root(abs1(u.y) / most, n - 1),
                   whole_root(abs1(u.z) / most, n - 1)};
    const double sum = whole_power(place.x, n) + whole_power(place.y, n) + whole_power(place.z, n);
    const double size = 1.0 / whole_root(sum, n);
    return {signed_as(half.x * (size * place.x), u.x), signed_as(half.y * (size * place.y), u.y),
            signed_as(half.z * (size * place.z), u.z)};
  }
  PEGRASP_HD V3 farthest(V3 d) const { return centre + from_own(own_farthest(to_own(d))); }

  // How the farthest point moves as the unit direction d turns: a symmetric matrix in the axes of the solid, whose
  // values along the surface are the radii of curvature. Where the surface has no curvature they are at most `flat`
  // half-axes.
  PEGRASP_HD Symmetric own_bend(V3 d) const {
    constexpr double flat = 100.0;
    const V3 x = own_farthest(d);
    const double rest[3] = {bend_share(x.x, half.x), bend_share(x.y, half.y), bend_share(x.z, half.z)};
    const V3 slope{slope_of(x.x, half.x), slope_of(x.y, half.y), slope_of(x.z, half.z)};
    const double steep = norm(slope);
    const double most = flat * largest_of(half);
    double free[3];  // of each coordinate without the others
    for (int k = 0; k < 3; ++k) free[k] = steep < most * rest[k] || n == 2 ? steep / rest[k] : most;
    const V3 along{free[0] * d.x, free[1] * d.y, free[2] * d.z};
    const double over = 1.0 / dot(d, along);
    return {free[0] - over * along.x * along.x, -over * along.x * along.y, -over * along.x * along.z,
            free[1] - over * along.y * along.y, -over * along.y * along.z, free[2] - over * along.z * along.z};
  }
  // t1 . bend t2 for vectors across the unit direction d.
  PEGRASP_HD void bends(V3 d, V3 t1, V3 t2, double& xx, double& xy, double& yy) const {
    const Symmetric bend = own_bend(to_own(d));
    const V3 o1 = to_own(t1), o2 = to_own(t2);
    const V3 b1 = bend * o1, b2 = bend * o2;
    xx = dot(o1, b1);
    xy = dot(o1, b2);
    yy = dot(o2, b2);
  }
  // The outward normal, of any length, at a point of the surface, or of a solid that is a multiple of this one.
  PEGRASP_HD V3 own_normal(V3 x) const {
    return {signed_as(slope_of(x.x, half.x), x.x), signed_as(slope_of(x.y, half.y), x.y),
            signed_as(slope_of(x.z, half.z), x.z)};
  }
  // The unit direction d, turned as it does while the farthest point moves as far as it would with d by `turn`, if d
  // turned on at the same rate. Where the surface is flat, points are better to follow than directions.
  PEGRASP_HD V3 turned_by_point(V3 d, V3 turn) const {
    const V3 own = to_own(d);
    const V3 x = own_farthest(own) + own_bend(own) * to_own(turn);
    const V3 out = own_normal(x);
    return (1.0 / norm(out)) * from_own(out);
  }
  // A point of the surface in 32 bits, as in NearPair::rims: its place x / a, y / b, z / c on an octahedron whose lower
  // half is folded out. Not 0.
  PEGRASP_HD unsigned code_of(V3 point) const {
    const V3 own = to_own(point - centre);
    const V3 place{own.x / half.x, own.y / half.y, own.z / half.z};
    const double sum = 1.0 / (abs1(place.x) + abs1(place.y) + abs1(place.z));
    double u = sum * place.x;
    double v = sum * place.y;
    if (place.z < 0.0) {
      const double folded = signed_as(1.0 - abs1(v), u);
      v = signed_as(1.0 - abs1(u), v);
      u = folded;
    }
    const auto whole = [](double t) {
      return 1u + static_cast<unsigned>(clamp(0.5 * (t + 1.0), 0.0, 1.0) * code_steps);
    };
    return whole(u) << 16 | whole(v);
  }
  PEGRASP_HD V3 point_of(unsigned code) const {
    const auto part = [](unsigned t) { return 2.0 * (static_cast<double>(t - 1u) / code_steps) - 1.0; };
    double u = part(code >> 16);
    double v = part(code & 0xffffu);
    const double w = 1.0 - abs1(u) - abs1(v);
    if (w < 0.0) {
      const double folded = signed_as(1.0 - abs1(v), u);
      v = signed_as(1.0 - abs1(u), v);
      u = folded;
    }
    const double sum = whole_power(abs1(u), n) + whole_power(abs1(v), n) + whole_power(abs1(w), n);
    const double size = 1.0 / whole_root(sum, n);
    return centre + from_own({half.x * (size * u), half.y * (size * v), half.z * (size * w)});
  }
  // The mean of both radii of curvature where d is the normal [m], at most ten half-axes.
  PEGRASP_HD double mean_radius(V3 d) const {
    constexpr double flat = 10.0;
    const Symmetric bend = own_bend(to_own(d));
    return min2(0.5 * (bend.xx + bend.yy + bend.zz), flat * largest_of(half));
  }

 private:
  static constexpr double code_steps = 65533.0;
  PEGRASP_HD static double signed_as(double size, double sign) { return sign < 0.0 ? -size : size; }
  // First and second derivative of |x/a|^n, over n.
  PEGRASP_HD double slope_of(double x, double a) const { return whole_power(abs1(x) / a, n - 1) / a; }
  PEGRASP_HD double bend_share(double x, double a) const { return (n - 1) * whole_power(abs1(x) / a, n - 2) / (a * a); }
};

PEGRASP_HD inline SmoothSolid own_smooth(const PartView& p) {
  return {p.vertex(0), {p.normal(0), p.normal(1), p.normal(2)}, {p.off[0], p.off[1], p.off[2]}, p.use[0]};
}
PEGRASP_HD inline SmoothSolid seen_smooth(const PartView& p, const Frame& frame) {
  return {transform(frame, p.vertex(0)),
          {rotate(frame, p.normal(0)), rotate(frame, p.normal(1)), rotate(frame, p.normal(2))},
          {p.off[0], p.off[1], p.off[2]},
          p.use[0]};
}

// The point of the surface that is nearest to x: how far x lies outside, less than 0 within, and the outward normal
// there.
struct NearestOnSolid {
  double s;
  V3 normal, point;
};

// The nearest point y has x = y + lambda grad, so that each of its coordinates is a function of lambda that falls, and
// so does what the equation of the surface has too much. Coordinates are taken to be >= 0.
struct NearestSearch {
  V3 half, x;
  int n;

  // Y of Y + k Y^(n-1) = X, and how fast it falls with k. Within the solid k < 0, and Y is the lower one of two.
  PEGRASP_HD double place(double at, double k, double& fall) const {
    double y = at;
    if (k > 0.0) y = min2(at, whole_root(at / k, n - 1));
    for (int i = 0; i < 60; ++i) {
      const double low = whole_power(y, n - 2);
      const double slope = 1.0 + k * (n - 1) * low;
      if (!(slope > 1e-9)) break;
      const double next = y - (y + k * low * y - at) / slope;
      const double step = abs1(next - y);
      y = next;
      if (!(step > 1e-16 * y)) break;
    }
    const double low = whole_power(y, n - 2);
    fall = low * y / max2(1.0 + k * (n - 1) * low, 1e-9);
    return y;
  }
  struct At {
    double excess, fall;
    V3 y;  // of the half-axes
  };
  PEGRASP_HD At at(double lambda) const {
    At out{-1.0, 0.0, {}};
    double y[3];
    for (int k = 0; k < 3; ++k) {
      const double a = component(half, k);
      double fall = 0.0;
      y[k] = place(component(x, k) / a, lambda / (a * a), fall);
      const double power = whole_power(y[k], n - 1);
      out.excess += power * y[k];
      out.fall += n * power * fall / (a * a);
    }
    out.y = {y[0], y[1], y[2]};
    return out;
  }
  // The y of the solution.
  PEGRASP_HD V3 solve() const {
    At now = at(0.0);
    if (now.excess == 0.0) return now.y;
    const bool outside = now.excess > 0.0;
    const double scale = least_of(half) * least_of(half);
    double low = outside ? 0.0 : -scale;
    double high = outside ? scale : 0.0;
    for (int i = 0; outside && i < 60 && at(high).excess > 0.0; ++i) high *= 4.0;
    double lambda = 0.0;
    for (int i = 0; i < 100; ++i) {
      (now.excess > 0.0 ? low : high) = lambda;
      double next = lambda + now.excess / now.fall;
      if (!(now.fall > 0.0 && next > low && next < high)) next = 0.5 * (low + high);
      const double step = abs1(next - lambda);
      lambda = next;
      now = at(lambda);
      if (now.excess == 0.0 || !(step > 1e-16 * scale)) break;
    }
    return now.y;
  }
  // The same of an ellipsoid, by Newton's method from below; lambda is counted from minus the least half-axis squared.
  PEGRASP_HD V3 solve_ellipsoid() const {
    const double least = least_of(half);
    const double square[3] = {half.x * half.x, half.y * half.y, half.z * half.z};
    const double top[3] = {half.x * x.x, half.y * x.y, half.z * x.z};
    double rest[3];
    double lambda = 0.0;
    for (int k = 0; k < 3; ++k) {
      rest[k] = square[k] - least * least;
      lambda = max2(lambda, top[k] - rest[k]);
    }
    double y[3] = {};
    for (int i = 0; i < 100; ++i) {
      double excess = -1.0;
      double fall = 0.0;
      for (int k = 0; k < 3; ++k) {
        const double under = rest[k] + lambda;
        y[k] = top[k] > 0.0 && under > 0.0 ? top[k] / under : 0.0;
        excess += y[k] * y[k];
        if (under > 0.0) fall += 2.0 * y[k] * y[k] / under;
      }
      if (!(excess > 0.0) || !(fall > 0.0)) {
        if (i == 0 && excess < 0.0) {  // deep inside, on a plane of symmetry: the coordinate across it is free
          const int k = half.x == least ? 0 : (half.y == least ? 1 : 2);
          y[k] = square_root(y[k] * y[k] - excess);
        }
        break;
      }
      const double next = lambda + excess / fall;
      if (!(next > lambda)) break;
      lambda = next;
    }
    return {y[0], y[1], y[2]};
  }
};

PEGRASP_HD_LARGE NearestOnSolid nearest_on_solid(const SmoothSolid& solid, V3 x) {
  const V3 own = solid.to_own(x - solid.centre);
  const NearestSearch search{solid.half, {abs1(own.x), abs1(own.y), abs1(own.z)}, solid.n};
  const V3 y = solid.n == 2 ? search.solve_ellipsoid() : search.solve();
  const auto with_sign = [](double size, double sign) { return sign < 0.0 ? -size : size; };
  const V3 slope{with_sign(whole_power(y.x, solid.n - 1) / solid.half.x, own.x),
                 with_sign(whole_power(y.y, solid.n - 1) / solid.half.y, own.y),
                 with_sign(whole_power(y.z, solid.n - 1) / solid.half.z, own.z)};
  const double steep = norm(slope);
  if (!(steep > 0.0)) return {-solid.half.x, solid.axis[0], solid.centre + solid.half.x * solid.axis[0]};
  NearestOnSolid out;
  out.normal = solid.from_own((1.0 / steep) * slope);
  out.point = solid.farthest(out.normal);
  out.s = dot(out.normal, x - out.point);
  return out;
}

// A bound from below on how far x lies outside: by the tangent of the gauge of the solid (1 on the surface, 2 at twice
// the distance from the centre), which is convex; within by the way along the ray from the centre.
PEGRASP_HD inline double least_distance(const SmoothSolid& solid, V3 x) {
  const V3 own = solid.to_own(x - solid.centre);
  const V3 place{abs1(own.x) / solid.half.x, abs1(own.y) / solid.half.y, abs1(own.z) / solid.half.z};
  const int n = solid.n;
  const double gauge = whole_root(whole_power(place.x, n) + whole_power(place.y, n) + whole_power(place.z, n), n);
  if (!(gauge > 0.0)) return -1e300;
  if (gauge < 1.0) return -norm(own) * (1.0 - gauge) / gauge;
  const V3 slope{whole_power(place.x / gauge, n - 1) / solid.half.x, whole_power(place.y / gauge, n - 1) / solid.half.y,
                 whole_power(place.z / gauge, n - 1) / solid.half.z};
  return (gauge - 1.0) / norm(slope);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
