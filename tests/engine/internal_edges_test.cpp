// SPDX-License-Identifier: Apache-2.0
// Unions of parts: at an internal edge the surface goes on, and nothing that slides or rolls over it may notice.
#include <gtest/gtest.h>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/turning_cup.hpp"

namespace pegrasp::test {
namespace {

ConvexPart slab(const char* name, double left, double right, double bottom, double top) {
  return make_polygon(name, {{left, bottom}, {right, bottom}, {right, top}, {left, top}});
}

// Level floors over x in [-1, 2], top at y = 0, cut up in several ways.
std::vector<BodySpec> floors() {
  BodySpec side_by_side = scenes::ground_body(0.0);
  side_by_side.planar().parts = {slab("a", -1.0, 0.0, -0.2, 0.0), slab("b", 0.0, 1.0, -0.2, 0.0),
                                 slab("c", 1.0, 2.0, -0.2, 0.0)};
  BodySpec overlapping = scenes::ground_body(0.0);
  overlapping.planar().parts = {slab("a", -1.0, 0.3, -0.2, 0.0), slab("b", 0.0, 1.1, -0.2, 0.0),
                                slab("c", 0.9, 2.0, -0.2, 0.0)};
  BodySpec jointly = scenes::ground_body(0.0);  // the side of the first is covered by two
  jointly.planar().parts = {slab("a", -1.0, 0.0, -0.2, 0.0), slab("b", 0.0, 2.0, -0.2, -0.1),
                            slab("c", 0.0, 2.0, -0.1, 0.0)};
  BodySpec in_half_plane = scenes::ground_body(0.0);  // a half-plane, and a slab flush with it
  in_half_plane.planar().parts.push_back(slab("b", 0.0, 1.0, -0.2, 0.0));
  return {side_by_side, overlapping, jointly, in_half_plane};
}

SceneSpec slider_on(const BodySpec& floor, BodySpec slider, Twist velocity) {
  SceneSpec scene;
  scene.name = "slider";
  scene.gravity = {0.0, -scenes::standard_gravity};
  slider.planar().pose.x = -0.7;
  slider.planar().velocity = velocity;
  slider.friction = floor.friction;
  scene.bodies = {floor, slider};
  return scene;
}

TEST(InternalEdges, ABoxSlidesOverThemUnchecked) {
  for (const double h : {0.001, 0.002, 0.005, 0.008, 0.016}) {
    for (const double speed : {0.3, 1.0}) {
      int index = 0;
      for (const BodySpec& floor : floors()) {
        BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
        box.planar().pose.y = 0.1;
        const double time = h * std::floor(2.2 / speed / h);
        Simulation simulation = simulate(slider_on(floor, box, {speed, 0.0, 0.0}), steps_of(h, time));
        simulation.run();
        EXPECT_EQ(simulation.outcome().status, status_ok);
        EXPECT_NEAR(simulation.velocity(1).vx, speed, 1e-6) << "floor " << index << ", h " << h;
        EXPECT_NEAR(simulation.pose(1).x, -0.7 + speed * time, 1e-6) << "floor " << index << ", h " << h;
        EXPECT_NEAR(simulation.pose(1).y, 0.1, 1e-6);
        ++index;
      }
    }
  }
}

TEST(InternalEdges, ADiscRollsOverThemWithoutLoss) {
  for (const double h : {0.001, 0.005, 0.016}) {
    int index = 0;
    for (BodySpec floor : floors()) {
      floor.friction = 0.5;
      BodySpec disc = scenes::disc_body("disc", 0.1, 1.0);
      disc.planar().pose.y = 0.1;
      const double time = h * std::floor(2.2 / h);
      Simulation simulation = simulate(slider_on(floor, disc, {1.0, 0.0, -10.0}), steps_of(h, time));
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(simulation.velocity(1).vx, 1.0, 1e-6) << "floor " << index << ", h " << h;
      EXPECT_NEAR(simulation.velocity(1).omega, -10.0, 1e-5) << "floor " << index << ", h " << h;
      ++index;
    }
  }
}

// A ridge made of two parts is a real corner of the body: it must hold what presses on it.
TEST(InternalEdges, ARidgeOfTwoPartsCarries) {
  BodySpec ridge = scenes::ground_body(0.0);
  ridge.planar().parts = {make_polygon("left", {{-0.5, -0.3}, {0.0, -0.3}, {0.0, 0.0}}),
                          make_polygon("right", {{0.0, -0.3}, {0.5, -0.3}, {0.0, 0.0}})};
  SceneSpec scene;
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec plank = scenes::box_body("plank", 1.0, 0.1, 1.0);
  plank.planar().pose.y = 0.05;
  scene.bodies = {ridge, plank};
  Simulation simulation = simulate(scene, steps_of(0.01, 0.5));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_NEAR(simulation.pose(1).y, 0.05, 1e-6);
  EXPECT_NEAR(simulation.pose(1).theta, 0.0, 1e-6);
}

// A post on a base: its support sphere is covered, the corners beside it are concave. A box that is pushed along the
// base hits the post's side, which is surface.
TEST(InternalEdges, APostStillStopsWhatHitsIt) {
  BodySpec base = scenes::ground_body(0.0);
  base.planar().parts = {slab("base", -1.0, 1.0, -0.2, 0.0), slab("post", 0.0, 0.1, 0.0, 0.5)};
  BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
  box.planar().pose.y = 0.1;
  for (const double h : {0.001, 0.005, 0.016}) {
    Simulation simulation = simulate(slider_on(base, box, {1.0, 0.0, 0.0}), steps_of(h, 1.6));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.pose(1).x, -0.1, 1e-5) << h;
    EXPECT_NEAR(simulation.velocity(1).vx, 0.0, 1e-5) << h;
  }
}

// Neither box of the cup's side has the flank as a facet at the start and at the end of the step in which it turns over
// it. The facets that are left are far inside: the cup must not be thrown out of them.
TEST(InternalEdges, ACupThatTurnsOverAFlankIsNotThrown) {
  const SceneSpec scene = scenes::turning_cup();
  for (const double h : {0.0005, 0.001, 0.002}) {
    Simulation simulation = simulate(scene, steps_of(h, 0.32));
    while (simulation.step()) {
      const Twist v = simulation.velocity(0);
      ASSERT_LT(std::hypot(v.vx, v.vy), 1.6) << "h " << h << ", at " << simulation.time();
    }
    EXPECT_EQ(simulation.outcome().status, status_ok) << h;
  }
}

}  // namespace
}  // namespace pegrasp::test
