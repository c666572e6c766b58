// SPDX-License-Identifier: Apache-2.0
// Convex solids for tests: boxes, tetrahedra, hulls of random points; and what the tests of the oracles need to be
// independent of them: a turn by the quaternion's vector form, support by trying all vertices, planes through vertices.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "src/geometry/vectors.hpp"
#include "src/metrics/solid.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {

inline Vec3 unit(Vec3 a) { return (1.0 / length(a)) * a; }

inline Vec3 turned(const Quaternion& q, Vec3 v) {
  const Vec3 u{q.x, q.y, q.z};
  const Vec3 t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}

inline Vec3 turned_back(const Quaternion& q, Vec3 v) { return turned({q.w, -q.x, -q.y, -q.z}, v); }

inline Vec3 in_world(const SpatialPose& pose, Vec3 v) { return pose.position + turned(pose.turn, v); }

// First b, then a.
inline Quaternion turn_after(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

inline Quaternion turn_about(Vec3 axis, double angle) {
  const Vec3 u = std::sin(0.5 * angle) * unit(axis);
  return {std::cos(0.5 * angle), u.x, u.y, u.z};
}

// The pose that moves everything at `pose` by `motion`.
inline SpatialPose moved(const SpatialPose& motion, const SpatialPose& pose) {
  return {in_world(motion, pose.position), turn_after(motion.turn, pose.turn)};
}

inline ConvexSolid box_solid(double hx, double hy, double hz) {
  return {{{-hx, -hy, -hz},
           {hx, -hy, -hz},
           {hx, hy, -hz},
           {-hx, hy, -hz},
           {-hx, -hy, hz},
           {hx, -hy, hz},
           {hx, hy, hz},
           {-hx, hy, hz}},
          {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
}

inline ConvexSolid unit_cube() { return box_solid(0.5, 0.5, 0.5); }

// Of any four points that are not in one plane.
inline ConvexSolid tetrahedron(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
  if (dot(cross(b - a, c - a), d - a) > 0.0) std::swap(b, c);
  return {{a, b, c, d}, {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}};
}

// All of a cube's corners with an even number of minus signs, or all others: half-edge 1.
inline ConvexSolid regular_tetrahedron(bool even) {
  const double s = even ? 1.0 : -1.0;
  return tetrahedron({s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s});
}

// Hull of points in general position, by trying all triples. Points inside are left out.
inline ConvexSolid hull_of(const std::vector<Vec3>& points) {
  ConvexSolid solid;
  std::vector<int> place(points.size(), -1);
  const auto use = [&](std::size_t i) {
    if (place[i] < 0) {
      place[i] = static_cast<int>(solid.vertices.size());
      solid.vertices.push_back(points[i]);
    }
    return place[i];
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        const Vec3 normal = cross(points[j] - points[i], points[k] - points[i]);
        bool above = false, below = false;
        for (std::size_t p = 0; p < points.size(); ++p) {
          if (p == i || p == j || p == k) continue;
          const double height = dot(normal, points[p] - points[i]);
          above = above || height > 0.0;
          below = below || height <= 0.0;
        }
        if (above && below) continue;
        if (below) {
          solid.faces.push_back({use(i), use(j), use(k)});
        } else {
          solid.faces.push_back({use(i), use(k), use(j)});
        }
      }
    }
  }
  return solid;
}

inline Vec3 random_point(scenes::Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}

inline Vec3 random_direction(scenes::Random& random) {
  while (true) {
    const Vec3 v = random_point(random, 1.0);
    const double square = dot(v, v);
    if (square > 0.01 && square <= 1.0) return unit(v);
  }
}

inline Quaternion random_turn(scenes::Random& random) {
  while (true) {
    const Quaternion q{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (square < 0.01 || square > 1.0) continue;
    const double s = 1.0 / std::sqrt(square);
    return {s * q.w, s * q.x, s * q.y, s * q.z};
  }
}

inline SpatialPose random_pose(scenes::Random& random, double reach) {
  return {random_point(random, reach), random_turn(random)};
}

// The hull of `count` points in a box whose sides are at most 1.
inline ConvexSolid random_solid(scenes::Random& random, int count) {
  const Vec3 half{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const Vec3 p = random_point(random, 1.0);
    points.push_back({half.x * p.x, half.y * p.y, half.z * p.z});
  }
  return hull_of(points);
}

inline std::vector<Vec3> placed_vertices(const ConvexSolid& solid, const SpatialPose& pose) {
  std::vector<Vec3> placed;
  for (const Vec3& vertex : solid.vertices) placed.push_back(in_world(pose, vertex));
  return placed;
}

// How far b is beyond a along a unit vector.
inline double separation_along(const std::vector<Vec3>& a, const std::vector<Vec3>& b, Vec3 direction) {
  double high_a = -std::numeric_limits<double>::infinity();
  double low_b = std::numeric_limits<double>::infinity();
  for (const Vec3& point : a) high_a = std::max(high_a, dot(direction, point));
  for (const Vec3& point : b) low_b = std::min(low_b, dot(direction, point));
  return low_b - high_a;
}

struct FacePlane {
  Vec3 normal;  // unit, outward
  double offset;
};

// The planes of a placed solid, by the first three vertices of each face.
inline std::vector<FacePlane> face_planes(const ConvexSolid& solid, const SpatialPose& pose) {
  const std::vector<Vec3> at = placed_vertices(solid, pose);
  std::vector<FacePlane> planes;
  for (const std::vector<int>& face : solid.faces) {
    const Vec3 normal = unit(cross(at[face[1]] - at[face[0]], at[face[2]] - at[face[0]]));
    planes.push_back({normal, dot(normal, at[face[0]])});
  }
  return planes;
}

// How far a point is out of the planes: positive outside.
inline double height_over(const std::vector<FacePlane>& planes, Vec3 point) {
  double height = -std::numeric_limits<double>::infinity();
  for (const FacePlane& plane : planes) height = std::max(height, dot(plane.normal, point) - plane.offset);
  return height;
}

}  // namespace pegrasp::test
