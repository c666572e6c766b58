// SPDX-License-Identifier: Apache-2.0
// Bodies in 3D that tests know everything about, and what must hold of every polyhedron.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "pegrasp/polyhedron.hpp"

namespace pegrasp::test {

inline const double golden = 0.5 * (1.0 + std::sqrt(5.0));

inline std::vector<Vec3> box_vertices(double x, double y, double z) {
  return {{0, 0, 0}, {x, 0, 0}, {x, y, 0}, {0, y, 0}, {0, 0, z}, {x, 0, z}, {x, y, z}, {0, y, z}};
}

inline std::vector<std::vector<int>> box_faces() {
  return {{3, 2, 1, 0}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
}

inline std::vector<std::vector<int>> triangulated(const std::vector<std::vector<int>>& faces) {
  std::vector<std::vector<int>> triangles;
  for (const std::vector<int>& f : faces) {
    for (std::size_t k = 1; k + 1 < f.size(); ++k) triangles.push_back({f[0], f[k], f[k + 1]});
  }
  return triangles;
}

// Edge 1.
inline std::vector<Vec3> tetrahedron_vertices() {
  const double s = 0.5 / std::sqrt(2.0);
  return {{s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}};
}

// Edge sqrt(2).
inline std::vector<Vec3> octahedron_vertices() {
  return {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
}

// Edge 2.
inline std::vector<Vec3> icosahedron_vertices() {
  std::vector<Vec3> all;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-golden, golden}) {
      all.push_back({0, a, b});
      all.push_back({a, b, 0});
      all.push_back({b, 0, a});
    }
  }
  return all;
}

// Edge 2 / golden.
inline std::vector<Vec3> dodecahedron_vertices() {
  std::vector<Vec3> all;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-1.0, 1.0}) {
      all.push_back({a, b, -1});
      all.push_back({a, b, 1});
      all.push_back({0, a / golden, b * golden});
      all.push_back({a / golden, b * golden, 0});
      all.push_back({b * golden, 0, a / golden});
    }
  }
  return all;
}

// Of n corners on the unit circle, from z = 0 to z = height.
inline std::vector<Vec3> prism_vertices(int n, double height) {
  std::vector<Vec3> all;
  for (const double z : {0.0, height}) {
    for (int k = 0; k < n; ++k) {
      const double angle = 2.0 * std::acos(-1.0) * k / n;
      all.push_back({std::cos(angle), std::sin(angle), z});
    }
  }
  return all;
}

// By the matrix of the quaternion, written out: not how the product does it.
inline Vec3 turned(Quaternion q, Vec3 v) {
  const double w = q.w, x = q.x, y = q.y, z = q.z;
  return {(w * w + x * x - y * y - z * z) * v.x + 2 * (x * y - w * z) * v.y + 2 * (x * z + w * y) * v.z,
          2 * (x * y + w * z) * v.x + (w * w - x * x + y * y - z * z) * v.y + 2 * (y * z - w * x) * v.z,
          2 * (x * z - w * y) * v.x + 2 * (y * z + w * x) * v.y + (w * w - x * x - y * y + z * z) * v.z};
}

inline std::vector<Vec3> placed(std::vector<Vec3> vertices, Quaternion q, Vec3 shift) {
  for (Vec3& v : vertices) {
    v = turned(q, v);
    v = {v.x + shift.x, v.y + shift.y, v.z + shift.z};
  }
  return vertices;
}

// Distance of a point outside the face of the polyhedron that it is farthest outside of; negative inside.
inline double outside(const Polyhedron& p, Vec3 v) {
  double most = -1e300;
  for (const PolyhedronFace& f : p.faces) {
    most = std::max(most, f.normal.x * v.x + f.normal.y * v.y + f.normal.z * v.z - f.offset);
  }
  return most;
}

// Everything that polyhedron.hpp promises of the faces, edges and cycles; `flat` is how far [m] a vertex of a face may
// lie below its plane.
inline void expect_consistent(const Polyhedron& p, double flat) {
  const int vertices = static_cast<int>(p.vertices.size()), faces = static_cast<int>(p.faces.size());
  const int edges = static_cast<int>(p.edges.size());
  EXPECT_EQ(vertices - edges + faces, 2);
  EXPECT_GE(vertices, 4);
  ASSERT_EQ(p.vertex_edges.size(), p.vertices.size());
  ASSERT_EQ(p.vertex_faces.size(), p.vertices.size());
  std::vector<int> sides(p.edges.size());
  for (int f = 0; f < faces; ++f) {
    const PolyhedronFace& face = p.faces[static_cast<std::size_t>(f)];
    const std::size_t n = face.vertices.size();
    ASSERT_GE(n, 3u);
    ASSERT_EQ(face.edges.size(), n);
    EXPECT_EQ(face.vertices[0], *std::min_element(face.vertices.begin(), face.vertices.end()));
    EXPECT_EQ(std::set<int>(face.vertices.begin(), face.vertices.end()).size(), n);
    const Vec3 m = face.normal;
    EXPECT_NEAR(m.x * m.x + m.y * m.y + m.z * m.z, 1.0, 1e-15);
    if (f > 0) {
      EXPECT_LT(p.faces[static_cast<std::size_t>(f) - 1].vertices, face.vertices);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const int a = face.vertices[k], b = face.vertices[(k + 1) % n];
      const PolyhedronEdge& edge = p.edges[static_cast<std::size_t>(face.edges[k])];
      ++sides[static_cast<std::size_t>(face.edges[k])];
      EXPECT_EQ(edge.tail, std::min(a, b));
      EXPECT_EQ(edge.head, std::max(a, b));
      EXPECT_EQ(a < b ? edge.left : edge.right, f);
      const Vec3 v = p.vertices[static_cast<std::size_t>(a)];
      EXPECT_GE(m.x * v.x + m.y * v.y + m.z * v.z, face.offset - flat) << "face " << f << ", vertex " << a;
    }
    for (const Vec3& v : p.vertices) EXPECT_LE(m.x * v.x + m.y * v.y + m.z * v.z, face.offset);
  }
  for (const int count : sides) EXPECT_EQ(count, 2);
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    const PolyhedronEdge& edge = p.edges[e];
    EXPECT_LT(edge.tail, edge.head);
    EXPECT_NE(edge.left, edge.right);
    if (e == 0) continue;
    EXPECT_LT(std::make_pair(p.edges[e - 1].tail, p.edges[e - 1].head), std::make_pair(edge.tail, edge.head));
  }
  std::size_t ends = 0;
  for (std::size_t v = 0; v < p.vertices.size(); ++v) {
    const std::vector<int>& around = p.vertex_edges[v];
    const std::size_t n = around.size();
    ends += n;
    ASSERT_GE(n, 3u);
    ASSERT_EQ(p.vertex_faces[v].size(), n);
    EXPECT_EQ(around[0], *std::min_element(around.begin(), around.end()));
    EXPECT_EQ(std::set<int>(around.begin(), around.end()).size(), n);
    EXPECT_EQ(std::set<int>(p.vertex_faces[v].begin(), p.vertex_faces[v].end()).size(), n);
    for (std::size_t k = 0; k < n; ++k) {
      // Counter-clockwise: the face is left of the edge by which one leaves the vertex, right of the next one.
      const int here = static_cast<int>(v), between = p.vertex_faces[v][k];
      const PolyhedronEdge& out = p.edges[static_cast<std::size_t>(around[k])];
      const PolyhedronEdge& in = p.edges[static_cast<std::size_t>(around[(k + 1) % n])];
      ASSERT_TRUE(out.tail == here || out.head == here);
      EXPECT_EQ(out.tail == here ? out.left : out.right, between);
      EXPECT_EQ(in.tail == here ? in.right : in.left, between);
    }
  }
  EXPECT_EQ(ends, 2 * p.edges.size());
}

// The solid turns inward at every edge.
inline void expect_convex_edges(const Polyhedron& p) {
  for (const PolyhedronEdge& edge : p.edges) {
    const Vec3 a = p.vertices[static_cast<std::size_t>(edge.tail)], b = p.vertices[static_cast<std::size_t>(edge.head)];
    const Vec3 l = p.faces[static_cast<std::size_t>(edge.left)].normal;
    const Vec3 r = p.faces[static_cast<std::size_t>(edge.right)].normal;
    EXPECT_GT((l.y * r.z - l.z * r.y) * (b.x - a.x) + (l.z * r.x - l.x * r.z) * (b.y - a.y) +
                  (l.x * r.y - l.y * r.x) * (b.z - a.z),
              0.0);
  }
}

inline void expect_counts(const Polyhedron& p, std::size_t vertices, std::size_t edges, std::size_t faces) {
  EXPECT_EQ(p.vertices.size(), vertices);
  EXPECT_EQ(p.edges.size(), edges);
  EXPECT_EQ(p.faces.size(), faces);
}

inline void expect_same(const Polyhedron& a, const Polyhedron& b) {
  ASSERT_EQ(a.vertices.size(), b.vertices.size());
  ASSERT_EQ(a.faces.size(), b.faces.size());
  for (std::size_t i = 0; i < a.vertices.size(); ++i) {
    EXPECT_EQ(a.vertices[i].x, b.vertices[i].x);
    EXPECT_EQ(a.vertices[i].y, b.vertices[i].y);
    EXPECT_EQ(a.vertices[i].z, b.vertices[i].z);
  }
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    EXPECT_EQ(a.faces[f].vertices, b.faces[f].vertices);
    EXPECT_EQ(a.faces[f].edges, b.faces[f].edges);
    EXPECT_EQ(a.faces[f].normal.x, b.faces[f].normal.x);
    EXPECT_EQ(a.faces[f].normal.y, b.faces[f].normal.y);
    EXPECT_EQ(a.faces[f].normal.z, b.faces[f].normal.z);
    EXPECT_EQ(a.faces[f].offset, b.faces[f].offset);
  }
  EXPECT_EQ(a.vertex_edges, b.vertex_edges);
  EXPECT_EQ(a.vertex_faces, b.vertex_faces);
}

}  // namespace pegrasp::test
