// SPDX-License-Identifier: Apache-2.0
// Pairs of polyhedra for fuzz tests: shapes of several kinds, and poses in which features are parallel, touch, coincide
// or lie deep in each other, exactly or but for a tiny turn or shift.
#pragma once

#include <cmath>
#include <vector>

#include "pegrasp/polyhedron.hpp"
#include "src/metrics/solid_distance.hpp"
#include "tests/metrics/solids.hpp"

namespace pegrasp::pairs {

using test::in_world;
using test::turned;
using test::unit;

inline double power_of_ten(scenes::Random& random, double from, double to) {
  return std::pow(10.0, random.uniform(from, to));
}
inline int below(scenes::Random& random, std::size_t count) { return static_cast<int>(random.below(count)); }

enum Shape { hull, box, needle, plate, tetrahedron, octahedron, shape_kinds };

inline Polyhedron draw_box(scenes::Random& random, double x, double y, double z) {
  const double s = random.uniform(0.5, 1.0);
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) corners.push_back({(k & 1 ? s : -s) * x, (k & 2 ? s : -s) * y, (k & 4 ? s : -s) * z});
  return make_polyhedron(corners);
}

// About a metre across; one in ten is a hundredth of that.
inline Polyhedron draw_shape(scenes::Random& random, int kind) {
  const double scale = random.below(10) == 0 ? 0.01 : 1.0;
  if (kind == box) {
    const double x = random.uniform(0.2, 1.0), y = random.uniform(0.2, 1.0);
    return draw_box(random, scale * x, scale * y, scale * random.uniform(0.2, 1.0));
  }
  if (kind == needle) return draw_box(random, scale, 0.02 * scale, 0.02 * scale);
  if (kind == plate) return draw_box(random, scale, scale, 0.02 * scale);
  std::vector<Vec3> points;
  if (kind == octahedron) {
    for (int k = 0; k < 6; ++k) {
      const double x = k % 2 == 0 ? scale : -scale;
      points.push_back({k / 2 == 0 ? x : 0.0, k / 2 == 1 ? x : 0.0, k / 2 == 2 ? x : 0.0});
    }
    return make_polyhedron(points);
  }
  const int count = kind == hull ? 5 + below(random, 8) : 4;
  for (int k = 0; k < count; ++k) points.push_back(scale * test::random_point(random, 1.0));
  return make_polyhedron(points);
}

// The shortest turn that takes unit vector a to unit vector b.
inline Quaternion turn_to(scenes::Random& random, Vec3 a, Vec3 b) {
  const double c = dot(a, b);
  if (c < -0.999999) {  // about any axis across
    const Vec3 across = cross(a, test::random_direction(random));
    return test::turn_about(across, std::acos(-1.0));
  }
  const Vec3 n = cross(a, b);
  const double w = 1.0 + c, s = 1.0 / std::sqrt(w * w + dot(n, n));
  return {s * w, s * n.x, s * n.y, s * n.z};
}

struct Pair {
  Polyhedron a, b;
};

inline Vec3 point_of_face(scenes::Random& random, const Polyhedron& p, int f) {
  const std::vector<int>& loop = p.faces[f].vertices;
  const double u = random.uniform(0.0, 1.0), v = random.uniform(0.0, 1.0);
  const Vec3 x = p.vertices[loop[0]], y = p.vertices[loop[1]], z = p.vertices[loop[2]];
  return x + (u * (1.0 - v) * (y - x) + u * v * (z - x));
}
inline Vec3 along_edge(const Polyhedron& p, const PolyhedronEdge& e) {
  return unit(p.vertices[e.head] - p.vertices[e.tail]);
}
// Half way between the normals of the edge's faces.
inline Vec3 outward(const Polyhedron& p, const PolyhedronEdge& e) {
  return unit(p.faces[e.left].normal + p.faces[e.right].normal);
}
inline Vec3 point_of_edge(scenes::Random& random, const Polyhedron& p, const PolyhedronEdge& e) {
  const Vec3 x = p.vertices[e.tail];
  return x + random.uniform(0.0, 1.0) * (p.vertices[e.head] - x);
}

// Where b is, so that its turn is `turn` and its own point `on_b` is at `at`.
inline SpatialPose placing(const Quaternion& turn, Vec3 on_b, Vec3 at) { return {at - turned(turn, on_b), turn}; }

// A turn of any angle about the unit vector n, after q.
inline Quaternion spun(scenes::Random& random, Vec3 n, const Quaternion& q) {
  return test::turn_after(test::turn_about(n, random.uniform(-3.2, 3.2)), q);
}

enum Placing {
  anywhere,
  near_by,
  face_on_face,
  edge_along_edge,
  vertex_on_vertex,
  vertex_on_edge,
  edge_in_face,
  ridge_on_ridge,
  same_axes,
  same_pose,
  placing_kinds
};

// b's pose beside a at `pose_a`.
inline SpatialPose draw_pose(scenes::Random& random, const Pair& pair, const SpatialPose& pose_a, int kind) {
  const Polyhedron &a = pair.a, &b = pair.b;
  const Quaternion any = test::random_turn(random);
  const auto& edge_a = a.edges[below(random, a.edges.size())];
  const auto& edge_b = b.edges[below(random, b.edges.size())];
  const auto& face_a = a.faces[below(random, a.faces.size())];
  const int face_b = below(random, b.faces.size());
  const Vec3 corner_b = b.vertices[below(random, b.vertices.size())];
  const Vec3 along = turned(pose_a.turn, along_edge(a, edge_a));
  const Vec3 on_edge_a = in_world(pose_a, point_of_edge(random, a, edge_a));
  switch (kind) {
    case anywhere:
      return {test::random_point(random, 2.0), any};
    case near_by:
      return {pose_a.position + test::random_point(random, 0.3), any};
    case face_on_face: {
      const Vec3 n = turned(pose_a.turn, face_a.normal);
      const Quaternion onto = spun(random, n, turn_to(random, b.faces[face_b].normal, -1.0 * n));
      const int f = static_cast<int>(&face_a - a.faces.data());
      return placing(onto, point_of_face(random, b, face_b), in_world(pose_a, point_of_face(random, a, f)));
    }
    case edge_along_edge: {
      const Quaternion onto = spun(random, along, turn_to(random, along_edge(b, edge_b), along));
      return placing(onto, point_of_edge(random, b, edge_b), on_edge_a);
    }
    case vertex_on_vertex:
      return placing(any, corner_b, in_world(pose_a, a.vertices[below(random, a.vertices.size())]));
    case vertex_on_edge:
      return placing(any, corner_b, on_edge_a);
    case edge_in_face: {
      const Vec3 n = turned(pose_a.turn, face_a.normal);
      const Vec3 in_face = unit(cross(n, test::random_direction(random)));
      const int f = static_cast<int>(&face_a - a.faces.data());
      return placing(spun(random, in_face, turn_to(random, along_edge(b, edge_b), in_face)),
                     point_of_edge(random, b, edge_b), in_world(pose_a, point_of_face(random, a, f)));
    }
    case ridge_on_ridge: {
      const Vec3 out = turned(pose_a.turn, outward(a, edge_a));
      const Quaternion facing = turn_to(random, outward(b, edge_b), -1.0 * out);
      const Quaternion onto = test::turn_after(turn_to(random, turned(facing, along_edge(b, edge_b)), along), facing);
      const Quaternion askew = test::turn_about(out, power_of_ten(random, -9.0, -2.0));
      return placing(test::turn_after(askew, onto), point_of_edge(random, b, edge_b), on_edge_a);
    }
    case same_axes: {
      const Vec3 corner_a = a.vertices[below(random, a.vertices.size())];
      return placing(pose_a.turn, 0.5 * below(random, 3) * corner_b,
                     in_world(pose_a, 0.5 * below(random, 3) * corner_a));
    }
    default:
      return pose_a;
  }
}

// Half of the poses are left as they are, the others turned or moved by a tiny amount.
inline SpatialPose nearly(scenes::Random& random, const SpatialPose& pose) {
  SpatialPose result = pose;
  if (random.below(2) == 0) return result;
  const double angle = power_of_ten(random, -15.0, -2.0);
  result.turn = test::turn_after(test::turn_about(test::random_direction(random), angle), pose.turn);
  const double shift = power_of_ten(random, -15.0, -2.0);
  result.position = pose.position + shift * test::random_direction(random);
  return result;
}

}  // namespace pegrasp::pairs
