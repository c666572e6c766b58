// SPDX-License-Identifier: Apache-2.0
// The superellipse |x/a|^n + |y/b|^n = 1 (n = 2, 3, ... 16) in its own axes: its farthest point along a direction, its
// radius of curvature, and its point that is nearest to a given one.
//
// With X = |x|/a and Y = |y|/b the outward normal at (X, Y) is along (X^(n-1)/a, Y^(n-1)/b). So the farthest point
// along (u, v) has X : Y = (a |u|)^(1/(n-1)) : (b |v|)^(1/(n-1)). Half a quadrant is walked by t = Y/X in [0, 1], where
// X = (1 + t^n)^(-1/n); of the other half the axes change places. The normal along (1/a, t^(n-1)/b) is smooth in t even
// at t = 0, where for n > 2 the curve is flat and its points jump as functions of the normal.
#pragma once

#include "kernels/base/root.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Numbers of a curve in the model: half-axes [m], the order, cosine and sine of its turn against the body, the smallest
// radius of curvature [m], and ranges of normals along which its surface lies in sibling parts (`from` and `to`,
// counter-clockwise, body frame; both 0: none).
enum CurveNumber : int {
  curve_a = 0,
  curve_b = 1,
  curve_order = 2,
  curve_cos = 3,
  curve_sin = 4,
  curve_least_radius = 5,
  curve_covered = 6,
};
constexpr int curve_ranges = 4;
constexpr int curve_size = curve_covered + 4 * curve_ranges;

struct XY {
  double x, y;
};

struct Curve {
  double a, b;
  int n;
};

// A point of the curve in the first quadrant, by X and Y.
struct CurvePlace {
  double x, y;
};

// Half a quadrant's point by t = Y/X.
PEGRASP_HD inline CurvePlace place_by_ratio(int n, double t) {
  const double x = 1.0 / whole_root(1.0 + whole_power(t, n), n);
  return {x, t * x};
}

// The farthest point along a direction (u, v) with u, v >= 0.
PEGRASP_HD inline CurvePlace farthest_place(const Curve& curve, double u, double v) {
  const double p = curve.a * u;
  const double q = curve.b * v;
  if (p >= q) return place_by_ratio(curve.n, p > 0.0 ? whole_root(q / p, curve.n - 1) : 0.0);
  const CurvePlace swapped = place_by_ratio(curve.n, whole_root(p / q, curve.n - 1));
  return {swapped.y, swapped.x};
}

PEGRASP_HD inline double with_sign(double size, double sign) { return sign < 0.0 ? -size : size; }

PEGRASP_HD inline XY farthest_point(const Curve& curve, XY d) {
  const CurvePlace at = farthest_place(curve, abs1(d.x), abs1(d.y));
  return {with_sign(curve.a * at.x, d.x), with_sign(curve.b * at.y, d.y)};
}

// Radius of curvature [m] at a place, or `most` where the curve is flatter than that.
PEGRASP_HD inline double curvature_radius(const Curve& curve, CurvePlace at, double most) {
  const double p = whole_power(at.x, curve.n - 1) / curve.a;
  const double q = whole_power(at.y, curve.n - 1) / curve.b;
  const double slope = square_root(p * p + q * q);
  const double bend = (curve.n - 1) * whole_power(at.x * at.y, curve.n - 2);
  const double top = slope * slope * slope * (curve.a * curve.a) * (curve.b * curve.b);
  return top < most * bend ? top / bend : most;
}

// Where a point lies against half a quadrant at t, the point having coordinates >= 0 and axes being swapped for the
// other half: g > 0 if the nearest point has a larger t; its slope in t; the distance along the normal there.
struct HalfQuadrant {
  double a, b;  // [m]
  int n;
  double px, py;  // the point

  struct At {
    double g, slope, s;
    XY normal;
    CurvePlace place;
  };
  PEGRASP_HD At at(double t) const {
    const double low_power = whole_power(t, n - 2);
    const double power = low_power * t;  // t^(n-1)
    const double root = 1.0 / whole_root(1.0 + power * t, n);
    const CurvePlace place{root, t * root};
    const XY m{1.0 / a, power / b};
    const double dx = px - a * place.x;
    const double dy = py - b * place.y;
    const double rate = whole_power(root, n + 1);  // of Y; that of X is -t^(n-1) times as much
    const double size = square_root(m.x * m.x + m.y * m.y);
    const XY normal{m.x / size, m.y / size};
    return {m.x * dy - m.y * dx, -m.x * b * rate - (n - 1) * low_power / b * dx - m.y * a * power * rate,
            normal.x * dx + normal.y * dy, normal, place};
  }
  // The root of g between two values of t, at the first of which g >= 0 and at the second <= 0.
  PEGRASP_HD At nearest(double low, double high, double t) const {
    At here = at(t);
    double before = high - low;
    for (int i = 0; i < 80; ++i) {
      if (here.g > 0.0) {
        low = t;
      } else {
        high = t;
      }
      double next = t - here.g / here.slope;
      const bool falls = here.slope < 0.0;
      constexpr double close = 1e-15;
      if (here.g == 0.0 || (falls && abs1(next - t) <= close)) break;
      if (!(falls && next > low && next < high && abs1(next - t) <= 0.5 * before)) next = 0.5 * (low + high);
      before = abs1(next - t);
      if (!(before > close)) break;
      t = next;
      here = at(t);
    }
    return here;
  }
};

// The point of the curve that is nearest to c: how far c lies outside, less than 0 within, the outward normal there,
// and the place.
struct NearestPoint {
  double s;
  XY normal, point;
  CurvePlace place;
};

PEGRASP_HD inline NearestPoint nearest_of(const HalfQuadrant::At& at, bool swapped, const Curve& curve, XY c) {
  const XY n = swapped ? XY{at.normal.y, at.normal.x} : at.normal;
  const CurvePlace place = swapped ? CurvePlace{at.place.y, at.place.x} : at.place;
  return {at.s,
          {with_sign(n.x, c.x), with_sign(n.y, c.y)},
          {with_sign(curve.a * place.x, c.x), with_sign(curve.b * place.y, c.y)},
          place};
}

// least_radius: of curvature. What lies no deeper than that has one nearest point; deeper down the curve is sampled.
PEGRASP_HD inline NearestPoint nearest_point(const Curve& curve, double least_radius, XY c) {
  const double px = abs1(c.x);
  const double py = abs1(c.y);
  const HalfQuadrant half[2] = {{curve.a, curve.b, curve.n, px, py}, {curve.b, curve.a, curve.n, py, px}};
  const int which = half[0].at(1.0).g > 0.0 ? 1 : 0;
  const double p = half[which].px / half[which].a;
  const double q = half[which].py / half[which].b;
  const HalfQuadrant::At found = half[which].nearest(0.0, 1.0, p > q ? q / p : (p > 0.0 || q > 0.0 ? 1.0 : 0.5));
  if (found.s > -least_radius) return nearest_of(found, which == 1, curve, c);
  constexpr int samples = 12;
  int best_half = which;
  int best = 0;
  double s = -1e300;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i <= samples; ++i) {
      const HalfQuadrant::At here = half[k].at(i / static_cast<double>(samples));
      if (!(here.s > s) || (i == samples && here.g > 0.0)) continue;
      s = here.s;
      best_half = k;
      best = i;
    }
  }
  if (s < found.s) return nearest_of(found, which == 1, curve, c);
  const double t = best / static_cast<double>(samples);
  const double step = 1.0 / samples;
  const bool up = half[best_half].at(t).g > 0.0;
  const double low = up ? t : max2(0.0, t - step);
  const double high = up ? min2(1.0, t + step) : t;
  const HalfQuadrant::At deep = half[best_half].nearest(low, high, 0.5 * (low + high));
  return deep.s > found.s ? nearest_of(deep, best_half == 1, curve, c) : nearest_of(found, which == 1, curve, c);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
