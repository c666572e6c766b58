// SPDX-License-Identifier: Apache-2.0
// Vectors, turns and frames in 3D: plain data, + - * / sqrt and our own sine and cosine only.
#pragma once

#include "kernels/base/arctangent.hpp"
#include "kernels/base/scalars.hpp"
#include "kernels/base/sincos.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct V3 {
  double x;
  double y;
  double z;
};

using V = V3;  // of the dimension at hand

PEGRASP_HD inline V3 operator+(V3 a, V3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
PEGRASP_HD inline V3 operator-(V3 a, V3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
PEGRASP_HD inline V3 operator*(double s, V3 a) { return {s * a.x, s * a.y, s * a.z}; }
PEGRASP_HD inline V3 operator-(V3 a) { return {-a.x, -a.y, -a.z}; }
PEGRASP_HD inline double dot(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
PEGRASP_HD inline V3 cross(V3 a, V3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
PEGRASP_HD inline double norm(V3 a) { return square_root(dot(a, a)); }
PEGRASP_HD inline V3 load3(const double* x) { return {x[0], x[1], x[2]}; }
PEGRASP_HD inline void store3(V3 a, double* x) {
  x[0] = a.x;
  x[1] = a.y;
  x[2] = a.z;
}

// A unit vector across the unit vector n: along the cross product with the axis that n leans to least (the first of
// them).
PEGRASP_HD inline V3 any_across(V3 n) {
  const double x = abs1(n.x), y = abs1(n.y), z = abs1(n.z);
  const V3 t = x <= y && x <= z ? V3{0.0, n.z, -n.y} : (y <= z ? V3{-n.z, 0.0, n.x} : V3{n.y, -n.x, 0.0});
  return (1.0 / norm(t)) * t;
}

// Unit quaternion, body to world.
struct Turn {
  double w, x, y, z;
};
PEGRASP_HD inline Turn load_turn(const double* q) { return {q[0], q[1], q[2], q[3]}; }
PEGRASP_HD inline void store_turn(Turn t, double* q) {
  q[0] = t.w;
  q[1] = t.x;
  q[2] = t.y;
  q[3] = t.z;
}
PEGRASP_HD inline Turn operator*(Turn a, Turn b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
PEGRASP_HD inline Turn normalised(Turn t) {
  const double length = square_root(t.w * t.w + t.x * t.x + t.y * t.y + t.z * t.z);
  return {t.w / length, t.x / length, t.y / length, t.z / length};
}
// exp(phi): the turn about phi by |phi| [rad].
PEGRASP_HD inline Turn exponential(V3 phi) {
  constexpr double small = 1e-4;  // [rad^2] below it the series is exact to rounding
  const double angle2 = dot(phi, phi);
  if (angle2 < small) {
    const double half_sine = 0.5 - angle2 * (1.0 / 48.0 - angle2 * (1.0 / 3840.0));
    const V3 v = half_sine * phi;
    return normalised({1.0 - angle2 * (0.125 - angle2 * (1.0 / 384.0)), v.x, v.y, v.z});
  }
  const double angle = square_root(angle2);
  const SinCos t = sin_cos(0.5 * angle);
  const V3 v = (t.sin / angle) * phi;
  return normalised({t.cos, v.x, v.y, v.z});
}

// g^T J_l(phi) as a vector, J_l(phi) being the left Jacobian of exp: g - a phi x g + b phi x (phi x g),
// a = (1 - cos t) / t^2, b = (t - sin t) / t^3, t = |phi|. t2: t^2.
PEGRASP_HD inline V3 through_left_jacobian(V3 g, V3 phi, double t2) {
  constexpr double small = 1e-3;  // [rad^2] below it the series is exact to rounding
  double a = 0.5 - t2 * (1.0 / 24.0 - t2 * (1.0 / 720.0));
  double b = 1.0 / 6.0 - t2 * (1.0 / 120.0 - t2 * (1.0 / 5040.0));
  if (t2 > small) {
    const double t = square_root(t2);
    const SinCos turn = sin_cos(t);
    a = (1.0 - turn.cos) / t2;
    b = (t - turn.sin) / (t2 * t);
  }
  const V3 once_across = cross(phi, g);
  return g - a * once_across + b * cross(phi, once_across);
}
// exp(phi) r - r = J_l(phi) (phi x r).
PEGRASP_HD inline V3 swing(V3 phi, V3 r) { return through_left_jacobian(cross(phi, r), -phi, dot(phi, phi)); }

PEGRASP_HD inline Turn conjugate(Turn t) { return {t.w, -t.x, -t.y, -t.z}; }
// The rotation vector phi, |phi| <= pi, with exp(phi) = t, a unit quaternion.
PEGRASP_HD inline V3 logarithm(Turn t) {
  constexpr double small = 1e-12;  // sine of half the angle below which the quotient is 2 to rounding
  if (t.w < 0.0) t = {-t.w, -t.x, -t.y, -t.z};
  const V3 v{t.x, t.y, t.z};
  const double sine = norm(v);
  return (sine > small ? 2.0 * angle_of(sine, t.w) / sine : 2.0) * v;
}

// Rotation matrix by rows and origin: x_world = R x_body + origin.
struct Frame {
  V3 origin;
  V3 row[3];
};
PEGRASP_HD inline void matrix_of(Turn q, V3* row) {
  row[0] = {1.0 - 2.0 * (q.y * q.y + q.z * q.z), 2.0 * (q.x * q.y - q.w * q.z), 2.0 * (q.x * q.z + q.w * q.y)};
  row[1] = {2.0 * (q.x * q.y + q.w * q.z), 1.0 - 2.0 * (q.x * q.x + q.z * q.z), 2.0 * (q.y * q.z - q.w * q.x)};
  row[2] = {2.0 * (q.x * q.z - q.w * q.y), 2.0 * (q.y * q.z + q.w * q.x), 1.0 - 2.0 * (q.x * q.x + q.y * q.y)};
}
PEGRASP_HD inline V3 rotate(const Frame& f, V3 v) { return {dot(f.row[0], v), dot(f.row[1], v), dot(f.row[2], v)}; }
PEGRASP_HD inline V3 unrotate(const Frame& f, V3 v) {
  return {f.row[0].x * v.x + f.row[1].x * v.y + f.row[2].x * v.z,
          f.row[0].y * v.x + f.row[1].y * v.y + f.row[2].y * v.z,
          f.row[0].z * v.x + f.row[1].z * v.y + f.row[2].z * v.z};
}
PEGRASP_HD inline V3 transform(const Frame& f, V3 v) { return rotate(f, v) + f.origin; }
PEGRASP_HD inline V3 untransform(const Frame& f, V3 v) { return unrotate(f, v - f.origin); }
// Frame of b seen from a: x_a = relative(a, b) x_b.
PEGRASP_HD inline Frame relative(const Frame& a, const Frame& b) {
  Frame r;
  r.origin = unrotate(a, b.origin - a.origin);
  // columns of b in a's frame
  const V3 x = unrotate(a, {b.row[0].x, b.row[1].x, b.row[2].x});
  const V3 y = unrotate(a, {b.row[0].y, b.row[1].y, b.row[2].y});
  const V3 z = unrotate(a, {b.row[0].z, b.row[1].z, b.row[2].z});
  r.row[0] = {x.x, y.x, z.x};
  r.row[1] = {x.y, y.y, z.y};
  r.row[2] = {x.z, y.z, z.z};
  return r;
}

// Symmetric 3 x 3 matrix: xx, xy, xz, yy, yz, zz.
struct Symmetric {
  double xx, xy, xz, yy, yz, zz;
};
PEGRASP_HD inline Symmetric load_symmetric(const double* a) { return {a[0], a[1], a[2], a[3], a[4], a[5]}; }
PEGRASP_HD inline void store_symmetric(const Symmetric& s, double* a) {
  a[0] = s.xx;
  a[1] = s.xy;
  a[2] = s.xz;
  a[3] = s.yy;
  a[4] = s.yz;
  a[5] = s.zz;
}
PEGRASP_HD inline V3 operator*(const Symmetric& s, V3 v) {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}
PEGRASP_HD inline Symmetric inverse(const Symmetric& s) {
  const double a = s.yy * s.zz - s.yz * s.yz;
  const double b = s.xz * s.yz - s.xy * s.zz;
  const double c = s.xy * s.yz - s.xz * s.yy;
  const double d = 1.0 / (s.xx * a + s.xy * b + s.xz * c);
  return {d * a,
          d * b,
          d * c,
          d * (s.xx * s.zz - s.xz * s.xz),
          d * (s.xy * s.xz - s.xx * s.yz),
          d * (s.xx * s.yy - s.xy * s.xy)};
}
// R s R^T for the rotation with these rows.
PEGRASP_HD inline Symmetric turned(const Symmetric& s, const V3* row) {
  const V3 x = s * row[0], y = s * row[1], z = s * row[2];
  return {dot(row[0], x), dot(row[0], y), dot(row[0], z), dot(row[1], y), dot(row[1], z), dot(row[2], z)};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
