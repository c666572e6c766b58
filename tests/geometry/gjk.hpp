// SPDX-License-Identifier: Apache-2.0
// Distance of two sets of points' hulls after Gilbert, Johnson and Keerthi, with a certificate: a pair of points of the
// hulls bounds the distance from above, an axis that separates them from below. Whatever the search does wrong, it
// cannot make the two meet elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "src/metrics/solid.hpp"

namespace pegrasp::gjk {

struct Bounds {
  double lower;  // may be negative: no axis was found that separates the two
  double upper;  // 0: they meet
};

namespace detail {

// Nearest point to the origin of the hull of a subset of a simplex.
struct Nearest {
  Vec3 point;
  double square = 1e300;
  int subset = 0;  // bits of the simplex' points
};

// The point of the subset's affine hull nearest to the origin, where it lies within the subset's hull; by Cramer's rule
// on the products of edges.
inline bool nearest_of(const std::array<Vec3, 4>& p, const std::array<int, 3>& index, int count, Vec3& point) {
  const Vec3 a = p[index[0]];
  if (count == 1) {
    point = a;
    return true;
  }
  const Vec3 u = p[index[1]] - a;
  const double uu = dot(u, u), au = -dot(a, u);
  if (count == 2) {
    if (!(uu > 0.0)) return false;
    const double t = au / uu;
    point = a + t * u;
    return t >= 0.0 && t <= 1.0;
  }
  const Vec3 v = p[index[2]] - a;
  const double vv = dot(v, v), uv = dot(u, v), av = -dot(a, v);
  const double det = uu * vv - uv * uv;
  if (!(det > 1e-14 * uu * vv)) return false;  // a sliver: its sides are subsets too
  const double s = (au * vv - av * uv) / det, t = (av * uu - au * uv) / det;
  if (!(s >= 0.0 && t >= 0.0 && s + t <= 1.0)) return false;
  point = a + (s * u + t * v);
  return true;
}

inline Nearest nearest_on_simplex(const std::array<Vec3, 4>& p, int size) {
  Nearest best;
  for (int subset = 1; subset < 1 << size; ++subset) {
    std::array<int, 3> index{};
    int count = 0;
    for (int k = 0; k < size && count < 4; ++k) {
      if ((subset >> k & 1) == 0) continue;
      if (count < 3) index[count] = k;
      ++count;
    }
    Vec3 point;
    if (count > 3 || !nearest_of(p, index, count, point)) continue;
    const double square = dot(point, point);
    if (square < best.square) best = {point, square, subset};
  }
  return best;
}

// Whether a tetrahedron holds the origin, by more than rounding: no face has it on the side away from the fourth
// corner.
inline bool holds_origin(const std::array<Vec3, 4>& p) {
  constexpr double noise = 1e-15;
  for (int k = 0; k < 4; ++k) {
    const Vec3 a = p[(k + 1) % 4], b = p[(k + 2) % 4], c = p[(k + 3) % 4];
    const Vec3 n = cross(b - a, c - a);
    const double inner = dot(n, p[k] - a), origin = -dot(n, a);
    const double least = noise * length(b - a) * length(c - a) * (length(p[k] - a) + length(a));
    if (!(inner * origin > 0.0) || std::fabs(inner) <= least || std::fabs(origin) <= least) return false;
  }
  return true;
}

}  // namespace detail

// Of b - a, the point that lies least along n.
inline Vec3 lowest(const std::vector<Vec3>& a, const std::vector<Vec3>& b, Vec3 n) {
  const auto along = [&n](Vec3 p, Vec3 q) { return dot(n, p) < dot(n, q); };
  return *std::min_element(b.begin(), b.end(), along) - *std::max_element(a.begin(), a.end(), along);
}

inline Bounds distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  constexpr int most_rounds = 60;  // a vertex may come back where rounding decides
  constexpr double close = 1e-14;
  std::array<Vec3, 4> simplex{};
  int size = 0;
  Vec3 nearest = b.front() - a.front();
  Bounds bounds{-1e300, length(nearest)};
  for (int round = 0; round < most_rounds; ++round) {
    const double length = pegrasp::length(nearest);
    bounds.upper = std::min(bounds.upper, length);
    if (!(length > 0.0)) return {bounds.lower, 0.0};
    const Vec3 low = lowest(a, b, nearest);
    bounds.lower = std::max(bounds.lower, dot(nearest, low) / length);
    if (bounds.upper - bounds.lower <= close) break;
    simplex[size++] = low;
    if (size == 4 && detail::holds_origin(simplex)) return {bounds.lower, 0.0};
    const detail::Nearest best = detail::nearest_on_simplex(simplex, size);
    if (!(best.square < 1e300)) break;
    int kept = 0;
    for (int k = 0; k < size; ++k) {
      if ((best.subset >> k & 1) != 0) simplex[kept++] = simplex[k];
    }
    if (kept == 4) break;
    size = kept;
    nearest = best.point;
  }
  return bounds;
}

}  // namespace pegrasp::gjk
