// SPDX-License-Identifier: Apache-2.0
// Impulses on bodies as reports have them: vectors of the public API, whatever the dimension. For the host alone.
#pragma once

#include "kernels/base/dimension.hpp"
#include "pegrasp/geometry.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

inline Vec3 sum_of(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 times(double f, Vec3 a) { return {f * a.x, f * a.y, f * a.z}; }
inline Vec3 crossed(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline double inner(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// A vector of the dimension at hand in the public form.
template <class Vector>
Vec3 public_vector(const Vector& v) {
  if constexpr (is_spatial) {
    return {v.x, v.y, v.z};
  } else {
    return {v.x, v.y, 0.0};
  }
}
// An impulse on a body, and its moment about the body's centre of mass.
struct Push {
  Vec3 force;  // [N s]
  Vec3 turn;   // [N m s]
};
inline void add_push(Push& total, const Push& more) {
  total.force = sum_of(total.force, more.force);
  total.turn = sum_of(total.turn, more.turn);
}
// The opposite of a push on a body with the centre `from`, on a body with the centre `to`.
inline Push reaction(const Push& push, Vec3 from, Vec3 to) {
  const Vec3 arm = sum_of(from, times(-1.0, to));
  return {times(-1.0, push.force), times(-1.0, sum_of(push.turn, crossed(arm, push.force)))};
}

// A generalised impulse [linear, then angular].
inline Push push_of(const double* g) {
  if constexpr (is_spatial) {
    return {{g[0], g[1], g[2]}, {g[3], g[4], g[5]}};
  } else {
    return {{g[0], g[1], 0.0}, {0.0, 0.0, g[2]}};
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
