// SPDX-License-Identifier: Apache-2.0
// Planar vectors and frames of the kernels: plain data, + - * / sqrt only.
#pragma once

#include "kernels/base/scalars.hpp"
#include "kernels/base/sincos.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct V2 {
  double x;
  double y;
};

using V = V2;  // of the dimension at hand

PEGRASP_HD inline V2 operator+(V2 a, V2 b) { return {a.x + b.x, a.y + b.y}; }
PEGRASP_HD inline V2 operator-(V2 a, V2 b) { return {a.x - b.x, a.y - b.y}; }
PEGRASP_HD inline V2 operator*(double s, V2 a) { return {s * a.x, s * a.y}; }
PEGRASP_HD inline V2 operator-(V2 a) { return {-a.x, -a.y}; }
PEGRASP_HD inline double dot(V2 a, V2 b) { return a.x * b.x + a.y * b.y; }
PEGRASP_HD inline double cross(V2 a, V2 b) { return a.x * b.y - a.y * b.x; }
PEGRASP_HD inline V2 perp(V2 a) { return {-a.y, a.x}; }  // turned by +90 degrees

PEGRASP_HD inline double norm(V2 a) { return square_root(dot(a, a)); }

// Frame: x_world = R(theta) x_body + origin, with the sine and cosine kept.
struct Frame {
  V2 origin;
  double c;
  double s;
};

PEGRASP_HD inline Frame make_frame(double x, double y, double theta) {
  const SinCos t = sin_cos(theta);
  return {{x, y}, t.cos, t.sin};
}
PEGRASP_HD inline V2 rotate(const Frame& f, V2 v) { return {f.c * v.x - f.s * v.y, f.s * v.x + f.c * v.y}; }
PEGRASP_HD inline V2 unrotate(const Frame& f, V2 v) { return {f.c * v.x + f.s * v.y, f.c * v.y - f.s * v.x}; }
PEGRASP_HD inline V2 transform(const Frame& f, V2 v) { return rotate(f, v) + f.origin; }
PEGRASP_HD inline V2 untransform(const Frame& f, V2 v) { return unrotate(f, v - f.origin); }
// Frame of b seen from a: x_a = relative(a, b) x_b.
PEGRASP_HD inline Frame relative(const Frame& a, const Frame& b) {
  return {unrotate(a, b.origin - a.origin), a.c * b.c + a.s * b.s, a.c * b.s - a.s * b.c};
}
PEGRASP_HD inline Frame inverse(const Frame& f) { return {unrotate(f, -f.origin), f.c, -f.s}; }

// One of two.
PEGRASP_HD inline V2 either(bool first, V2 a, V2 b) { return {first ? a.x : b.x, first ? a.y : b.y}; }
PEGRASP_HD inline Chosen<Frame> either(bool first, const Frame& a, const Frame& b) {
#if defined(__CUDACC__)
  return {either(first, a.origin, b.origin), first ? a.c : b.c, first ? a.s : b.s};
#else
  return first ? a : b;
#endif
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
