// SPDX-License-Identifier: Apache-2.0
// Standard-model traps in 3D (thesis, 5.1): vertices beside several faces of a block (figure 5.3), and a tetrahedron on
// its inverted twin, corner on corner (figure 5.4). What rests must rest, and nothing may hold what is free to go.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

constexpr double pi = 3.14159265358979323846;
constexpr double all_steps[] = {0.001, 0.002, 0.004, 0.008, 0.016};

double length(Vec3 v) { return std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// A cube of side 0.2 on a block whose top is z = 0 and whose right side is x = 0.
SceneSpec cube_at_the_edge(double x, double yaw, double friction) {
  SceneSpec scene = scenes::scene_3d("edge");
  scene.bodies.push_back(scenes::fixed_cuboid("block", {0.5, 0.5, 0.5}, {-0.5, 0.0, -0.5}, friction));
  BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 100.0);
  cube.spatial().pose.position = {x, 0.0, 0.1};
  cube.spatial().pose.turn = {std::cos(0.5 * yaw), 0.0, 0.0, std::sin(0.5 * yaw)};
  cube.friction = friction;
  scene.bodies.push_back(cube);
  return scene;
}

// Figure 5.3: two vertices of the cube (or one, where it is turned) right above the block's edge, between the top and
// the side.
TEST(SpatialTraps, ACubeFlushWithAnEdgeRests) {
  for (const double h : all_steps) {
    for (const double yaw : {0.0, pi / 4.0}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", yaw " << yaw);
      const double x = yaw == 0.0 ? -0.1 : -0.1 * std::sqrt(2.0);
      Simulation simulation = simulate(cube_at_the_edge(x, yaw, 0.0), h, 0.5);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-6);
      EXPECT_LT(length(simulation.spatial_velocity(1).velocity), 1e-6);
    }
  }
}

// Pushed in any direction along the top it slides, over the edge too: its vertices pass in front of the side's plane.
TEST(SpatialTraps, ACubeFlushWithAnEdgeSlidesAnyWay) {
  for (const double h : all_steps) {
    for (const double yaw : {0.0, pi / 4.0}) {
      for (int way = 0; way < 8; ++way) {
        SCOPED_TRACE(testing::Message() << "h " << h << ", yaw " << yaw << ", way " << way);
        const double x = yaw == 0.0 ? -0.1 : -0.1 * std::sqrt(2.0);
        SceneSpec scene = cube_at_the_edge(x, yaw, 0.0);
        const Vec3 v{0.4 * std::cos(way * pi / 4.0), 0.4 * std::sin(way * pi / 4.0), 0.0};
        scene.bodies[1].spatial().velocity.velocity = v;
        Simulation simulation = simulate(scene, h, 0.192);  // 77 mm: its middle is still over the block
        simulation.run();
        EXPECT_EQ(simulation.outcome().status, status_ok);
        const SpatialTwist now = simulation.spatial_velocity(1);
        EXPECT_LT(length({now.velocity.x - v.x, now.velocity.y - v.y, now.velocity.z}), 1e-5);
        EXPECT_LT(length(now.angular), 1e-4);
        EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-6);
      }
    }
  }
}

// Beside the block, its lower vertices level with the top and on the plane of the side: it falls along the side as if
// the block were not there; and where its middle is beyond the edge it tips over it.
TEST(SpatialTraps, ACubeBesideAnEdgeFalls) {
  for (const double h : all_steps) {
    for (const double yaw : {0.0, pi / 4.0}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", yaw " << yaw);
      const double x = yaw == 0.0 ? 0.1 : 0.1 * std::sqrt(2.0);
      Simulation beside = simulate(cube_at_the_edge(x, yaw, 0.0), h, 0.192);
      beside.run();
      EXPECT_EQ(beside.outcome().status, status_ok);
      EXPECT_NEAR(beside.spatial_velocity(1).velocity.z, -scenes::standard_gravity * 0.192, 1e-5);
      EXPECT_LT(std::fabs(beside.spatial_velocity(1).velocity.x), 1e-5);
      Simulation tips = simulate(cube_at_the_edge(0.02, yaw, 0.5), h, 0.8);
      tips.run();
      EXPECT_EQ(tips.outcome().status, status_ok);
      EXPECT_LT(tips.spatial_pose(1).position.z, -0.2);
      EXPECT_GT(tips.spatial_pose(1).position.x, 0.05);
    }
  }
}

// Down into a notch: a vertex beside the three faces of an inner corner of three walls rests in it, and comes out again
// when pulled.
TEST(SpatialTraps, AVertexInACornerOfThreeFacesIsNotHeld) {
  for (const double h : all_steps) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    SceneSpec scene = cube_at_the_edge(-0.1, 0.0, 0.0);
    scene.bodies.push_back(scenes::fixed_cuboid("wall_x", {0.1, 0.5, 0.5}, {-0.3, 0.0, 0.5}, 0.0));
    scene.bodies.push_back(scenes::fixed_cuboid("wall_y", {0.5, 0.1, 0.5}, {-0.5, -0.2, 0.5}, 0.0));
    Simulation rests = simulate(scene, h, 0.3);
    rests.run();
    EXPECT_EQ(rests.outcome().status, status_ok);
    EXPECT_LT(length(rests.spatial_velocity(1).velocity), 1e-6);
    const Vec3 pull{0.3, 0.2, 2.0};
    scene.bodies[1].spatial().velocity.velocity = pull;
    Simulation leaves = simulate(scene, h, 0.064);
    leaves.run();
    EXPECT_EQ(leaves.outcome().status, status_ok);
    const Vec3 v = leaves.spatial_velocity(1).velocity;
    EXPECT_LT(length({v.x - pull.x, v.y - pull.y, v.z - pull.z + scenes::standard_gravity * 0.064}), 1e-5);
  }
}

// A regular tetrahedron of edge 1 with a level face of area at z = 0, the fourth vertex above or below.
Polyhedron tetrahedron(bool up) {
  const double r = 1.0 / std::sqrt(3.0);
  std::vector<Vec3> points;
  for (int k = 0; k < 3; ++k)
    points.push_back({r * std::cos(2.0 * pi * k / 3.0), r * std::sin(2.0 * pi * k / 3.0), 0.0});
  points.push_back({0.0, 0.0, up ? std::sqrt(2.0 / 3.0) : -std::sqrt(2.0 / 3.0)});
  return make_polyhedron(points);
}

SceneSpec twins(double friction) {
  SceneSpec scene = scenes::scene_3d("twins");
  for (const bool up : {false, true}) {
    BodySpec body = scenes::solid_body(up ? "upper" : "lower", tetrahedron(up), 100.0);
    body.spatial().pose.position = solid_properties(tetrahedron(up)).centroid;
    body.kind = up ? BodyKind::dynamic : BodyKind::fixed;
    body.friction = friction;
    scene.bodies.push_back(body);
  }
  return scene;
}

// Figure 5.4.
TEST(SpatialTraps, ATetrahedronRestsOnItsInvertedTwin) {
  for (const double h : all_steps) {
    for (const double friction : {0.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", mu " << friction);
      const SceneSpec scene = twins(friction);
      Simulation simulation = simulate(scene, h, 1.0);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const Vec3 from = scene.bodies[1].spatial().pose.position, at = simulation.spatial_pose(1).position;
      EXPECT_LT(length({at.x - from.x, at.y - from.y, at.z - from.z}), 1e-6);
      EXPECT_LT(length(simulation.spatial_velocity(1).angular), 1e-6);
    }
  }
}

// It slides off in any direction: each vertex lies beside three faces of the other body, and two of them it must pass.
TEST(SpatialTraps, ATetrahedronSlidesOffItsInvertedTwin) {
  for (const double h : all_steps) {
    for (int way = 0; way < 12; ++way) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", way " << way);
      SceneSpec scene = twins(0.0);
      const Vec3 v{std::cos(way * pi / 6.0), std::sin(way * pi / 6.0), 0.0};
      scene.bodies[1].spatial().velocity.velocity = v;
      Simulation simulation = simulate(scene, h, 2.0);
      const double z = scene.bodies[1].spatial().pose.position.z;
      // its middle is over the twin for at least 0.28 s
      while (simulation.time() < 0.25) simulation.step();
      const SpatialTwist now = simulation.spatial_velocity(1);
      EXPECT_LT(length({now.velocity.x - v.x, now.velocity.y - v.y, now.velocity.z}), 1e-5);
      EXPECT_LT(length(now.angular), 1e-4);
      EXPECT_NEAR(simulation.spatial_pose(1).position.z, z, 1e-6);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_LT(simulation.spatial_pose(1).position.z, -1.0);
    }
  }
}

// Lifted, it is free at once.
TEST(SpatialTraps, ATetrahedronLiftsOffItsInvertedTwin) {
  for (const double h : all_steps) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    SceneSpec scene = twins(0.3);
    scene.bodies[1].spatial().velocity = {{0.3, 0.1, 2.0}, {0.1, 0.2, 0.5}};
    Simulation simulation = simulate(scene, h, 0.064);
    simulation.run();
    const Vec3 v = simulation.spatial_velocity(1).velocity;
    EXPECT_LT(length({v.x - 0.3, v.y - 0.1, v.z - 2.0 + scenes::standard_gravity * 0.064}), 1e-5);
  }
}

}  // namespace
}  // namespace pegrasp
