// SPDX-License-Identifier: Apache-2.0
// Platonic solids: counts, edges, volumes and inertias in closed form; in problem files and scene files.
#include "src/geometry/platonic.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

struct Known {
  PlatonicSolid solid;
  std::size_t vertices, edges, faces;
  double volume;   // of edge 1
  double inertia;  // about every axis through the middle, over the mass, of edge 1
};
const double root5 = std::sqrt(5.0), golden = 0.5 * (1.0 + root5);
const Known known[] = {
    {PlatonicSolid::tetrahedron, 4, 6, 4, 1.0 / (6.0 * std::sqrt(2.0)), 1.0 / 20.0},
    {PlatonicSolid::cube, 8, 12, 6, 1.0, 1.0 / 6.0},
    {PlatonicSolid::octahedron, 6, 12, 8, std::sqrt(2.0) / 3.0, 1.0 / 10.0},
    {PlatonicSolid::dodecahedron, 20, 30, 12, (15.0 + 7.0 * root5) / 4.0, (39.0 * golden + 28.0) / 150.0},
    {PlatonicSolid::icosahedron, 12, 30, 20, 5.0 * (3.0 + root5) / 12.0, golden* golden / 10.0},
};

void expect_solid(const Polyhedron& shape, const Known& k, double edge, Vec3 centre) {
  EXPECT_EQ(shape.vertices.size(), k.vertices);
  EXPECT_EQ(shape.edges.size(), k.edges);
  EXPECT_EQ(shape.faces.size(), k.faces);
  for (const PolyhedronEdge& e : shape.edges) {
    const Vec3 along =
        shape.vertices[static_cast<std::size_t>(e.head)] - shape.vertices[static_cast<std::size_t>(e.tail)];
    EXPECT_NEAR(length(along), edge, 1e-12 * edge);
  }
  const SolidProperties p = solid_properties(shape);
  const double volume = k.volume * edge * edge * edge, inertia = k.inertia * volume * edge * edge;
  EXPECT_NEAR(p.volume, volume, 1e-12 * volume);
  EXPECT_NEAR(length(p.centroid - centre), 0.0, 1e-12);
  for (const double moment : {p.inertia.xx, p.inertia.yy, p.inertia.zz}) EXPECT_NEAR(moment, inertia, 1e-9 * inertia);
  for (const double product : {p.inertia.xy, p.inertia.xz, p.inertia.yz}) EXPECT_NEAR(product, 0.0, 1e-9 * inertia);
}

TEST(PlatonicSolids, HaveTheirVolumesAndInertias) {
  for (const Known& k : known) {
    for (const double edge : {1.0, 0.03}) {
      SCOPED_TRACE(platonic_names()[static_cast<std::size_t>(k.solid)]);
      expect_solid(make_polyhedron(platonic_corners(k.solid, edge)), k, edge, {});
    }
  }
}

TEST(PlatonicSolids, AreShapesOfAProblemFile) {
  for (const Known& k : known) {
    const std::string name = platonic_names()[static_cast<std::size_t>(k.solid)];
    const Problem problem =
        parse_problem("dim = 3\n[[body]]\nname = \"die\"\nmass_kg = 0.1\n[[body.part]]\nshape = \"" + name +
                          "\"\nedge_mm = 20\ncentre_mm = [0, 0, 5]\nturn_deg = 30\nturn_axis = [1, 1, 0]\n",
                      "dice.toml");
    const SpatialBody& body = problem.scene.bodies.at(0).spatial();
    SCOPED_TRACE(name);
    expect_solid(body.parts.at(0).shape, k, 0.02, {0.0, 0.0, 0.005});
  }
}

TEST(PlatonicSolids, NeedAnEdge) {
  const auto refusal = [](const std::string& keys) -> std::string {
    try {
      parse_problem("dim = 3\n[[body]]\nname = \"die\"\nmass_kg = 0.1\n[[body.part]]\n" + keys, "dice.toml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(refusal("shape = \"cube\"\n").find("edge_mm"), std::string::npos) << refusal("shape = \"cube\"\n");
  EXPECT_NE(refusal("shape = \"cube\"\nedge_mm = 0\n").find("edge_mm"), std::string::npos);
  EXPECT_NE(refusal("shape = \"hexahedron\"\nedge_mm = 1\n").find("icosahedron"), std::string::npos);
}

TEST(PlatonicSolids, AreShapesOfASceneFile) {
  for (const Known& k : known) {
    const std::string name = platonic_names()[static_cast<std::size_t>(k.solid)];
    const std::string shape = "\"" + name + "\": {\"edge\": 0.1, \"position\": [0.2, 0, 0]}";
    const std::string text =
        R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, -9.81], "t_end": 1.0, "bodies": [)"
        R"({"mass": 1, "inertia_diag": [1, 1, 1], )" +
        shape + R"(}, {"static": true, "parts": [{"name": "die", )" + shape + "}]}]}";
    const SceneSpec scene = parse_scene_json(text, "dice.json").scene;
    SCOPED_TRACE(name);
    for (const BodySpec& body : scene.bodies) expect_solid(body.spatial().parts.at(0).shape, k, 0.1, {0.2, 0.0, 0.0});
  }
}

}  // namespace
}  // namespace pegrasp
