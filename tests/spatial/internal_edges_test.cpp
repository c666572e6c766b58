// SPDX-License-Identifier: Apache-2.0
// Unions of polyhedra: at an internal edge the surface goes on, and nothing that slides over it may notice.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/scenes/bricks.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using scenes::brick;
using test::simulate;

BodySpec floor_of(const std::vector<SolidPart>& parts, double friction = 0.0) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = "floor";
  body.kind = BodyKind::fixed;
  body.spatial().parts = parts;
  body.friction = friction;
  return body;
}

// Level floors over x in [-1, 2], top at z = 0, cut up in several ways.
std::vector<BodySpec> floors() {
  return {floor_of({brick("a", {-1, -1, -0.2}, {0, 1, 0}), brick("b", {0, -1, -0.2}, {2, 1, 0})}),
          floor_of({brick("a", {-1, -1, -0.2}, {0.3, 1, 0}), brick("b", {0, -1, -0.2}, {2, 1, 0})}),
          floor_of({brick("a", {-1, -1, -0.2}, {0, 1, 0}), brick("b", {0, -1, -0.2}, {2, 1, -0.1}),
                    brick("c", {0, -1, -0.1}, {2, 1, 0})}),
          floor_of({brick("a", {-1, -1, -0.2}, {0.2, 0.1, 0}), brick("b", {0.2, -1, -0.2}, {2, 0.1, 0}),
                    brick("c", {-1, 0.1, -0.2}, {2, 1, 0})}),
          // The thicker one's side is covered in part.
          floor_of({brick("a", {-1, -1, -0.2}, {0, 1, 0}), brick("b", {0, -1, -0.1}, {2, 1, 0})})};
}

TEST(SpatialInternalEdges, ABoxSlidesOverThemUnchecked) {
  for (const double h : {0.001, 0.004, 0.016}) {
    int index = 0;
    for (const BodySpec& floor : floors()) {
      SceneSpec scene = scenes::scene_3d("slider");
      BodySpec box = scenes::solid_body("box", scenes::cuboid(0.1, 0.1, 0.1), 1000.0);
      box.spatial().pose.position = {-0.7, 0.03, 0.1};
      box.spatial().pose.turn = {std::cos(0.2), 0.0, 0.0, std::sin(0.2)};
      box.spatial().velocity.velocity = {1.0, 0.05, 0.0};
      scene.bodies = {floor, box};
      Simulation simulation = simulate(scene, h, 1.6);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const SpatialTwist v = simulation.spatial_velocity(1);
      EXPECT_NEAR(v.velocity.x, 1.0, 1e-6) << "floor " << index << ", h " << h;
      EXPECT_NEAR(v.velocity.y, 0.05, 1e-6) << "floor " << index << ", h " << h;
      EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-6) << "floor " << index << ", h " << h;
      ++index;
    }
  }
}

// The slider is what is cut up.
TEST(SpatialInternalEdges, ACutUpSliderKeepsFlat) {
  for (const double h : {0.001, 0.004, 0.016}) {
    SceneSpec scene = scenes::scene_3d("slider");
    BodySpec box = scenes::solid_body("box", scenes::cuboid(0.1, 0.1, 0.1), 1000.0);
    box.spatial().parts = {brick("a", {-0.1, -0.1, -0.1}, {0.02, 0.1, 0.1}),
                           brick("b", {0.02, -0.1, -0.1}, {0.1, 0.1, 0.1})};
    box.spatial().pose.position = {-0.7, 0.03, 0.1};
    box.spatial().velocity.velocity = {1.0, 0.0, 0.0};
    scene.bodies = {floors()[0], box};
    Simulation simulation = simulate(scene, h, 1.6);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_velocity(1).velocity.x, 1.0, 1e-6) << h;
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-6) << h;
  }
}

// A ridge made of two parts is a real edge of the body: it must hold what presses on it.
TEST(SpatialInternalEdges, ARidgeOfTwoPartsCarries) {
  const auto wedge = [](const char* name, double side) {
    return SolidPart{
        name, make_polyhedron({{0, -1, 0}, {0, 1, 0}, {0, -1, -0.3}, {0, 1, -0.3}, {side, -1, -0.3}, {side, 1, -0.3}})};
  };
  SceneSpec scene = scenes::scene_3d("ridge");
  BodySpec plank = scenes::solid_body("plank", scenes::cuboid(0.5, 0.2, 0.05), 1000.0);
  plank.spatial().pose.position.z = 0.05;
  scene.bodies = {floor_of({wedge("left", -0.5), wedge("right", 0.5)}), plank};
  Simulation simulation = simulate(scene, 0.01, 0.5);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.05, 1e-6);
}

TEST(SpatialInternalEdges, APostStillStopsWhatHitsIt) {
  for (const double h : {0.001, 0.004, 0.016}) {
    SceneSpec scene = scenes::scene_3d("post");
    BodySpec box = scenes::solid_body("box", scenes::cuboid(0.1, 0.1, 0.1), 1000.0);
    box.spatial().pose.position = {-0.7, 0.0, 0.1};
    box.spatial().velocity.velocity = {1.0, 0.0, 0.0};
    scene.bodies = {floor_of({brick("base", {-1, -1, -0.2}, {1, 1, 0}), brick("post", {0, -0.5, 0}, {0.1, 0.5, 0.5})}),
                    box};
    Simulation simulation = simulate(scene, h, 1.6);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.spatial_pose(1).position.x, -0.1, 1e-5) << h;
    EXPECT_NEAR(simulation.spatial_velocity(1).velocity.x, 0.0, 1e-5) << h;
  }
}

// A slab whose surface falls off beyond the internal edge. What comes down beside the slab, but for the internal edge
// level with it, is stopped by the slope and not by the slab's plane, which goes on in the air.
TEST(SpatialInternalEdges, WhatComesDownBesideAnInternalEdgeIsStoppedByTheSlope) {
  for (const double h : {0.001, 0.004, 0.016}) {
    for (const double beyond : {1e-5, 1e-3, 0.1}) {
      SceneSpec scene = scenes::scene_3d("slope");
      scene.gravity_z = 0.0;
      const SolidPart wedge{
          "wedge",
          make_polyhedron(
              {{0, -1, -1}, {0, 1, -1}, {2, -1, -1}, {2, 1, -1}, {0, -1, 0}, {0, 1, 0}, {2, -1, -0.9}, {2, 1, -0.9}})};
      BodySpec cube = scenes::solid_body("cube", scenes::cuboid(0.1, 0.1, 0.1), 1000.0);
      cube.spatial().pose.position = {0.1 + beyond, 0.0, 0.15};
      cube.spatial().velocity.velocity = {0.0, 0.0, -10.0};
      scene.bodies = {floor_of({brick("slab", {-2, -1, -1}, {0, 1, 0}), wedge}), cube};
      Simulation simulation = simulate(scene, h, 0.016);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_LT(simulation.outcome().penetration_max, 1e-6) << "h " << h << ", " << beyond;
      EXPECT_LT(simulation.spatial_pose(1).position.z - 0.1, -0.3 * beyond) << "h " << h << ", " << beyond;
    }
  }
}

}  // namespace
}  // namespace pegrasp
