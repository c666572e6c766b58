// SPDX-License-Identifier: Apache-2.0
// Polyhedra from points and from meshes: known bodies, what is merged and dropped, every error message.
#include "pegrasp/polyhedron.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/scene/polyhedron_shapes.hpp"

namespace pegrasp {
namespace {

using test::box_faces;
using test::box_vertices;
using test::expect_consistent;
using test::expect_counts;
using test::expect_same;
using test::placed;
using test::triangulated;

constexpr Quaternion oblique{0.1, 0.5, -0.7, 0.5};  // of unit length

void expect_error(const std::vector<Vec3>& vertices, const std::string& words,
                  double tolerance = polyhedron_tolerance) {
  std::string message;
  try {
    make_polyhedron(vertices, tolerance);
  } catch (const ShapeError& error) {
    message = error.what();
  }
  EXPECT_EQ(message.rfind("polyhedron: ", 0), 0u) << message;
  EXPECT_NE(message.find(words), std::string::npos) << "message: '" << message << "', wanted: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

void expect_mesh_error(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces,
                       const std::string& words) {
  std::string message;
  try {
    make_polyhedron(vertices, faces);
  } catch (const ShapeError& error) {
    message = error.what();
  }
  EXPECT_EQ(message.rfind("polyhedron: ", 0), 0u) << message;
  EXPECT_NE(message.find(words), std::string::npos) << "message: '" << message << "', wanted: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Polyhedron, PlatonicSolidsAndPrisms) {
  struct Known {
    std::vector<Vec3> vertices;
    std::size_t vertex_count, edge_count, face_count, corners, degree;
  };
  for (const Known& k :
       {Known{test::tetrahedron_vertices(), 4, 6, 4, 3, 3}, Known{box_vertices(1, 1, 1), 8, 12, 6, 4, 3},
        Known{test::octahedron_vertices(), 6, 12, 8, 3, 4}, Known{test::dodecahedron_vertices(), 20, 30, 12, 5, 3},
        Known{test::icosahedron_vertices(), 12, 30, 20, 3, 5}}) {
    for (const bool turned : {false, true}) {
      const Polyhedron p = make_polyhedron(turned ? placed(k.vertices, oblique, {0.3, -2.0, 1.0}) : k.vertices);
      expect_counts(p, k.vertex_count, k.edge_count, k.face_count);
      test::expect_convex_edges(p);
      expect_consistent(p, 1e-14);
      for (const PolyhedronFace& face : p.faces) EXPECT_EQ(face.vertices.size(), k.corners);
      for (const std::vector<int>& faces : p.vertex_faces) EXPECT_EQ(faces.size(), k.degree);
    }
  }
  for (const int n : {3, 6, 17, 300}) {
    const std::size_t m = static_cast<std::size_t>(n);
    for (const bool turned : {false, true}) {
      const std::vector<Vec3> vertices = test::prism_vertices(n, 0.5);
      const Polyhedron p = make_polyhedron(turned ? placed(vertices, oblique, {5, 6, 7}) : vertices);
      expect_counts(p, 2 * m, 3 * m, m + 2);
      expect_consistent(p, 1e-14);
    }
  }
}

TEST(Polyhedron, CubeInDetail) {
  const Polyhedron cube = make_polyhedron(box_vertices(1, 1, 1));
  EXPECT_EQ(cube.faces[0].vertices, (std::vector<int>{0, 1, 5, 4}));
  EXPECT_EQ(cube.faces[0].normal.y, -1.0);
  EXPECT_EQ(cube.faces[0].normal.x, 0.0);
  EXPECT_FALSE(std::signbit(cube.faces[0].normal.x));
  EXPECT_EQ(cube.faces[0].offset, 0.0);
  EXPECT_EQ(cube.edges[0].tail, 0);
  EXPECT_EQ(cube.edges[0].head, 1);
  EXPECT_EQ(cube.edges[0].left, 0);                                                     // y = 0 runs 0 -> 1
  EXPECT_EQ(cube.faces[static_cast<std::size_t>(cube.edges[0].right)].normal.z, -1.0);  // z = 0 runs 1 -> 0
  const Polyhedron long_box = make_polyhedron(box_vertices(3, 1, 2));
  for (const PolyhedronFace& face : long_box.faces) {
    const Vec3 n = face.normal;
    EXPECT_EQ(face.offset, n.x == 1.0 ? 3.0 : n.y == 1.0 ? 1.0 : n.z == 1.0 ? 2.0 : 0.0);
  }
}

TEST(Polyhedron, MeshOfTheCubeIsTheCube) {
  const std::vector<Vec3> vertices = box_vertices(1, 2, 3);
  const Polyhedron cube = make_polyhedron(vertices);
  expect_same(make_polyhedron(vertices, box_faces()), cube);
  expect_same(make_polyhedron(vertices, triangulated(box_faces())), cube);
  expect_counts(cube, 8, 12, 6);
  // Loose triangles, and a vertex that no face uses.
  std::vector<Vec3> loose;
  std::vector<std::vector<int>> triangles = triangulated(box_faces());
  for (std::vector<int>& triangle : triangles) {
    for (int& corner : triangle) {
      loose.push_back(vertices[static_cast<std::size_t>(corner)]);
      corner = static_cast<int>(loose.size()) - 1;
    }
  }
  loose.push_back({50, 50, 50});
  const Polyhedron welded = make_polyhedron(loose, triangles);
  expect_counts(welded, 8, 12, 6);
  expect_consistent(welded, 0.0);
}

TEST(Polyhedron, DropsWhatIsNoVertex) {
  // A grid of 5 x 5 x 5 points has the corners of its box; turned, the points lie on the faces only to rounding.
  std::vector<Vec3> grid;
  for (int i = 0; i < 125; ++i) grid.push_back({i % 5 / 4.0, i / 5 % 5 / 4.0, i / 25 / 4.0});
  for (const Vec3& v : box_vertices(1, 1, 1)) grid.push_back(v);
  expect_counts(make_polyhedron(grid), 8, 12, 6);
  for (int k = 0; k < 20; ++k) {
    const double s = 1.0 / std::sqrt(1.0 + 0.01 * k * k + 0.25 + 0.09);
    const Polyhedron p = make_polyhedron(placed(grid, {s, 0.1 * s * k, 0.5 * s, -0.3 * s}, {0.1 * k, 1.0, -3.0}));
    expect_counts(p, 8, 12, 6);
    expect_consistent(p, 1e-14);
  }
}

TEST(Polyhedron, MergesTrianglesOfFlatFacesOfAMesh) {
  // The cube with a vertex in the middle of its top and one in the middle of a vertical edge.
  std::vector<Vec3> vertices = box_vertices(1, 1, 1);
  vertices.push_back({0.5, 0.5, 1});
  vertices.push_back({0, 0, 0.5});
  const std::vector<std::vector<int>> faces{{3, 2, 1, 0},    {4, 5, 8},    {5, 6, 8},    {6, 7, 8},      {7, 4, 8},
                                            {0, 1, 5, 4, 9}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 9, 4, 7}};
  const Polyhedron p = make_polyhedron(vertices, faces);
  expect_same(p, make_polyhedron(box_vertices(1, 1, 1)));
}

TEST(Polyhedron, AroundTheTolerance) {
  // A point above the top of a unit cube: well below the tolerance it is dropped, well above it makes a pyramid of it.
  for (const double height : {1e-13, 1e-12, 1e-11, 3e-11}) {
    std::vector<Vec3> vertices = box_vertices(1, 1, 1);
    vertices.push_back({0.5, 0.4, 1 + height});
    expect_counts(make_polyhedron(vertices), 8, 12, 6);
    expect_counts(make_polyhedron(placed(vertices, oblique, {1, 2, 3})), 8, 12, 6);
  }
  for (const double height : {1e-9, 1e-8, 1e-3}) {
    std::vector<Vec3> vertices = box_vertices(1, 1, 1);
    vertices.push_back({0.5, 0.4, 1 + height});
    expect_counts(make_polyhedron(vertices), 9, 16, 9);
    expect_counts(make_polyhedron(placed(vertices, oblique, {1, 2, 3})), 9, 16, 9);
    expect_counts(make_polyhedron(vertices, 10.0 * height), 8, 12, 6);
  }
  // In between: one or the other, and sound.
  for (double height = 3e-11; height < 1e-9; height *= 1.1) {
    std::vector<Vec3> vertices = box_vertices(1, 1, 1);
    vertices.push_back({0.5, 0.4, 1 + height});
    const Polyhedron p = make_polyhedron(vertices);
    expect_consistent(p, 4e-10);
    for (const Vec3& v : vertices) EXPECT_LE(test::outside(p, v), 4e-10);
  }
  // Corners that nearly coincide: one of them stays.
  std::vector<Vec3> twins = box_vertices(1, 1, 1);
  for (const Vec3& v : box_vertices(1, 1, 1)) twins.push_back({v.x + 2e-11, v.y - 3e-11, v.z + 1e-11});
  const Polyhedron p = make_polyhedron(twins);
  expect_counts(p, 8, 12, 6);
  EXPECT_NEAR(solid_properties(p).volume, 1.0, 4e-10);
}

TEST(Polyhedron, PlatesNeedlesAndSizes) {
  for (const double thin : {1e-2, 1e-4, 1e-6, 1e-8, 1e-9}) {
    for (const bool turned : {false, true}) {
      const Quaternion q = turned ? oblique : Quaternion{};
      const Polyhedron plate = make_polyhedron(placed(box_vertices(1, 1, thin), q, {}));
      expect_counts(plate, 8, 12, 6);
      expect_consistent(plate, 1e-14);
      const Polyhedron needle = make_polyhedron(placed(box_vertices(1, thin, thin), q, {}));
      expect_counts(needle, 8, 12, 6);
      expect_consistent(needle, 1e-14);
      EXPECT_NEAR(solid_properties(plate).volume, thin, 1e-14);
    }
  }
  for (const double size : {1e-20, 1e-6, 1.0, 1e6, 1e20}) {
    const Polyhedron p = make_polyhedron(placed(box_vertices(size, size, 2 * size), oblique, {}));
    expect_counts(p, 8, 12, 6);
    EXPECT_NEAR(solid_properties(p).volume / (size * size * size), 2.0, 1e-14);
  }
  // Far from the origin rounding grows with the distance; the tolerance must exceed it.
  expect_counts(make_polyhedron(placed(test::dodecahedron_vertices(), oblique, {1e4, -1e4, 0})), 20, 30, 12);
  expect_counts(make_polyhedron(placed(test::dodecahedron_vertices(), oblique, {1e8, -1e8, 0}), 1e-6), 20, 30, 12);
  // Single precision.
  std::vector<Vec3> coarse = placed(test::dodecahedron_vertices(), oblique, {1, 1, 1});
  for (Vec3& v : coarse) v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
  expect_counts(make_polyhedron(coarse, 1e-6), 20, 30, 12);
}

TEST(Polyhedron, NamesWhatIsWrongWithPoints) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, "has 3 vertices, needs at least 4");
  expect_error({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}, {0, 0, 1}}, "vertices[2] (0, nan, 0) is not finite");
  expect_error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, inf}}, "vertices[3] (0, 0, inf) is not finite");
  expect_error({{2, 2, 2}, {2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, "all vertices are the same point");
  expect_error({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, "zero volume (all vertices lie on one line)");
  expect_error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, "zero volume (all vertices lie in one plane)");
  expect_error(placed(box_vertices(1, 1, 1e-11), oblique, {}), "all vertices lie in one plane");
  expect_error(box_vertices(1e30, 1, 1), "too large to compute with: use metres");
  expect_error(box_vertices(1e-30, 1e-30, 1e-30), "too small to compute with: use metres");
  expect_error(box_vertices(1, 1, 1), "tolerance 0.5 is not between 1e-11 and 0.01", 0.5);
  expect_error(box_vertices(1, 1, 1), "tolerance nan", std::nan(""));
  expect_error(box_vertices(1, 1, 1), "tolerance 0 ", 0.0);
}

TEST(Polyhedron, NamesWhatIsWrongWithMeshes) {
  const std::vector<Vec3> vertices = box_vertices(1, 1, 1);
  const auto with = [&](std::size_t f, const std::vector<int>& face) {
    std::vector<std::vector<int>> faces = box_faces();
    faces[f] = face;
    return faces;
  };
  std::vector<std::vector<int>> faces = box_faces();
  expect_mesh_error(vertices, {faces[0], faces[1], faces[2]}, "has 3 faces, needs at least 4");
  expect_mesh_error(vertices, with(2, {0, 1}), "faces[2] has 2 vertices, needs at least 3");
  expect_mesh_error(vertices, with(2, {0, 1, 8, 4}), "faces[2] names vertex 8, but there are 8: count from 0");
  expect_mesh_error(vertices, with(2, {0, 1, -1, 4}), "faces[2] names vertex -1");
  expect_mesh_error(vertices, with(2, {0, 1, 5, 4, 1}), "faces[2] passes vertices[1] (1, 0, 0) twice");
  expect_mesh_error(vertices, with(2, {4, 5, 1, 0}), "list each face once, counter-clockwise seen from outside");
  expect_mesh_error(vertices, {faces[0], faces[1], faces[2], faces[3], faces[4]},
                    "is not closed: edge 0-3 of faces[0]");
  expect_mesh_error(vertices, with(2, {0, 1, 5}), "fill the hole");
  faces.push_back(faces[0]);
  expect_mesh_error(vertices, faces, "runs the same way in faces[0] and faces[6]");
  std::vector<std::vector<int>> inward = box_faces();
  for (std::vector<int>& face : inward) std::reverse(face.begin(), face.end());
  expect_mesh_error(vertices, inward, "is inside out (its volume is negative): reverse the order");
  std::vector<Vec3> bent = vertices;
  bent[6].z = 1.25;
  expect_mesh_error(bent, box_faces(), "faces[1] is not flat: vertices[");
  expect_mesh_error(bent, box_faces(), "split it into triangles");
  bent[3].x = std::nan("");
  expect_mesh_error(bent, box_faces(), "vertices[3] (nan, 1, 0) is not finite");
  std::vector<Vec3> flat = vertices;
  for (Vec3& v : flat) v.z = 0.25 * v.x;
  flat[4].x = flat[7].x = 0.1, flat[5].x = flat[6].x = 0.9;
  for (Vec3& v : flat) v.z = 0.25 * v.x;
  expect_mesh_error(flat, box_faces(), "all vertices lie in one plane");
}

TEST(Polyhedron, NamesWhereAMeshIsNotConvex) {
  // The cube with a dent in its top, 0.25 deep.
  std::vector<Vec3> vertices = box_vertices(1, 1, 1);
  vertices.push_back({0.5, 0.5, 0.75});
  std::vector<std::vector<int>> faces = box_faces();
  faces.erase(faces.begin() + 1);
  for (int k = 0; k < 4; ++k) faces.push_back({4 + k, 4 + (k + 1) % 4, 8});
  expect_mesh_error(vertices, faces, "is not convex: faces[5] at (0.5, 0.166667, 0.916667) lies up to 0.25 m inside");
  expect_mesh_error(vertices, faces, "V-HACD or CoACD");
  vertices[8].z = 1 - 1e-8;
  expect_mesh_error(vertices, faces, "is not convex");
  EXPECT_EQ(make_polyhedron(vertices, faces, 1e-7).faces.size(), 6u);
  vertices[8].z = 1 - 1e-12;
  EXPECT_EQ(make_polyhedron(vertices, faces).faces.size(), 6u);
  vertices[8].z = 1.5;
  EXPECT_EQ(make_polyhedron(vertices, faces).faces.size(), 9u);

  // An L: all vertices but one are corners of the hull.
  std::vector<Vec3> ell;
  for (const double z : {0.0, 1.0}) {
    for (const Vec2 p : {Vec2{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}}) ell.push_back({p.x, p.y, z});
  }
  std::vector<std::vector<int>> sides{{5, 4, 3, 2, 1, 0}, {6, 7, 8, 9, 10, 11}};
  for (int k = 0; k < 6; ++k) sides.push_back({k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k});
  expect_mesh_error(ell, sides, "is not convex: faces[4] at (1.5, 1, 0.5) lies up to 0.707107 m inside");

  // Two cubes.
  std::vector<Vec3> two = box_vertices(1, 1, 1);
  std::vector<std::vector<int>> both = box_faces();
  for (const Vec3& v : box_vertices(1, 1, 1)) two.push_back({v.x + 3, v.y, v.z});
  for (const std::vector<int>& face : box_faces()) {
    both.push_back(face);
    for (int& i : both.back()) i += 8;
  }
  expect_mesh_error(two, both, "is not convex");
  // Two cubes on the same spot, to rounding; and one that is folded back by the other.
  for (std::size_t i = 8; i < 16; ++i) {
    const Vec3 v = two[i - 8];
    two[i] = {1e-15 + (1 - 3e-15) * v.x, 1e-15 + (1 - 3e-15) * v.y, 1e-15 + (1 - 3e-15) * v.z};
  }
  expect_mesh_error(two, both, "goes around its volume more than once");
  for (std::size_t f = 6; f < 12; ++f) std::reverse(both[f].begin(), both[f].end());
  expect_mesh_error(two, both, "has zero volume (its faces fold back on each other)");
}

TEST(Polyhedron, MovesAsABody) {
  const std::vector<Vec3> vertices = test::dodecahedron_vertices();
  const Polyhedron p = make_polyhedron(vertices);
  const Polyhedron there = moved(p, {{1, 2, 3}, {0.2, 1.0, -1.4, 1.0}});  // twice `oblique`
  const std::vector<Vec3> want = placed(vertices, oblique, {1, 2, 3});
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_NEAR(there.vertices[i].x, want[i].x, 1e-14);
    EXPECT_NEAR(there.vertices[i].y, want[i].y, 1e-14);
    EXPECT_NEAR(there.vertices[i].z, want[i].z, 1e-14);
  }
  expect_consistent(there, 1e-14);
  EXPECT_EQ(there.vertex_edges, p.vertex_edges);
  EXPECT_THROW(moved(p, {{}, {0, 0, 0, 0}}), ShapeError);
}

}  // namespace
}  // namespace pegrasp
