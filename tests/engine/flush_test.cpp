// SPDX-License-Identifier: Apache-2.0
// Flush surfaces: the surface of one body goes on in that of another, and nothing that slides or rolls over it may
// notice. What is higher than the accepted overlap is a step, and stops what hits it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/runs.hpp"
#include "tests/scenes/tiles.hpp"

namespace pegrasp::test {
namespace {

using scenes::Slab;
using scenes::slider_on_slabs;
constexpr double half = scenes::slider_half;

// The scene, turned about the origin.
SceneSpec turned(SceneSpec scene, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const auto turn = [&](double& x, double& y) {
    const Vec2 v{x, y};
    x = c * v.x - s * v.y;
    y = s * v.x + c * v.y;
  };
  turn(scene.gravity.x, scene.gravity.y);
  for (BodySpec& body : scene.bodies) {
    turn(body.planar().pose.x, body.planar().pose.y);
    body.planar().pose.theta += angle;
    turn(body.planar().velocity.vx, body.planar().velocity.vy);
  }
  return scene;
}

StepOptions flush_options(double h, double duration, Strategy strategy) {
  StepOptions options = steps_of(h, duration);
  options.strategy = strategy;
  return options;
}

class FlushSurfaces : public ::testing::TestWithParam<Strategy> {
 protected:
  Simulation run(const SceneSpec& scene, double h, double duration) const {
    Simulation simulation = simulate(scene, flush_options(h, duration, GetParam()));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    return simulation;
  }
};

// Two tiles, twelve short ones, tiles of different thickness, and one that lies flush in the ground.
std::vector<std::vector<Slab>> floors(double gap) {
  std::vector<Slab> row;
  for (int i = 0; i < 12; ++i) row.push_back({-0.1 + 0.05 * i + (i > 0 ? gap : 0.0), -0.05 + 0.05 * i, -0.1, 0.0});
  return {{{-0.5, 0.0, -0.1, 0.0}, {gap, 3.0, -0.1, 0.0}},
          row,
          {{-0.5, 0.0, -0.03, 0.0}, {gap, 0.1, -0.2, 0.0}, {0.1 + gap, 3.0, -0.05, 0.0}}};
}

TEST_P(FlushSurfaces, ABoxSlidesOverTilesUnchecked) {
  for (const double speed : {0.05, 0.3, 1.0, 3.0}) {
    for (const double gap : {0.0, 1e-9}) {
      for (const std::vector<Slab>& slabs : floors(gap)) {
        const double h = 0.005;
        const double time = h * std::ceil(0.15 / speed / h);
        Simulation simulation = run(slider_on_slabs(slabs, speed, 0.0), h, time);
        const int box = static_cast<int>(slabs.size());
        EXPECT_NEAR(simulation.velocity(box).vx, speed, 1e-6) << slabs.size() << " tiles, gap " << gap;
        EXPECT_NEAR(simulation.pose(box).x, -0.01 - half + speed * time, 1e-6);
        EXPECT_NEAR(simulation.pose(box).y, half, 1e-7);
        EXPECT_NEAR(simulation.pose(box).theta, 0.0, 1e-5);
      }
    }
  }
}

TEST_P(FlushSurfaces, TilesTurnedAsAWholeAreAsSmooth) {
  for (const double angle : {0.3, 1.2345, 2.7, -2.0}) {
    for (const double speed : {0.05, 3.0}) {
      for (const std::vector<Slab>& slabs : floors(0.0)) {
        const double h = 0.005;
        const double time = h * std::ceil(0.1 / speed / h);
        Simulation simulation = run(turned(slider_on_slabs(slabs, speed, 0.0), angle), h, time);
        const Twist v = simulation.velocity(static_cast<int>(slabs.size()));
        EXPECT_NEAR(v.vx * std::cos(angle) + v.vy * std::sin(angle), speed, 1e-6) << angle;
        EXPECT_NEAR(v.vy * std::cos(angle) - v.vx * std::sin(angle), 0.0, 1e-6) << angle;
      }
    }
  }
}

TEST_P(FlushSurfaces, FrictionStopsABoxWhereItDoesOnOneSlab) {
  for (const double speed : {0.05, 0.3, 1.0}) {
    const double friction = speed < 0.2 ? 0.01 : 0.3;
    for (const double h : {0.002, 0.005}) {
      const double time = h * std::ceil(speed / (friction * scenes::standard_gravity) / h + 2.0);
      const double from = -0.3 * speed * speed / (2.0 * friction * scenes::standard_gravity);
      Simulation one = run(slider_on_slabs({{-0.5, 3.0, -0.1, 0.0}}, speed, friction, from), h, time);
      for (const std::vector<Slab>& slabs : floors(0.0)) {
        Simulation simulation = run(slider_on_slabs(slabs, speed, friction, from), h, time);
        const int box = static_cast<int>(slabs.size());
        EXPECT_NEAR(simulation.pose(box).x, one.pose(1).x, 1e-6) << "speed " << speed << ", h " << h;
        EXPECT_NEAR(simulation.velocity(box).vx, 0.0, 2e-6);
      }
    }
  }
}

// At a step of height s the lower corner of the box stops. The box begins to turn about it with the angular momentum
// m v (a - s) that it has about it, and keeps the energy of that at most.
TEST_P(FlushSurfaces, AStepUpCatchesAndAStepDownDoesNot) {
  constexpr double step = 1e-4;
  for (const double speed : {0.05, 0.3, 1.0, 3.0}) {
    const double h = 0.005;
    const double lever = half - step;
    const double inertia = half * half + lever * lever + 2.0 * half * half / 3.0;  // over the mass
    const double left = speed * speed * lever * lever / inertia;                   // of v^2
    Simulation up = simulate(slider_on_slabs({{-0.5, 0.0, -0.1, 0.0}, {0.0, 3.0, -0.1, step}}, speed, 0.0),
                             flush_options(h, 1.0, GetParam()));
    while (up.pose(2).x < -half - speed * h) ASSERT_TRUE(up.step());
    up.step();
    up.step();
    const Twist v = up.velocity(2);
    const double kinetic = v.vx * v.vx + v.vy * v.vy + 2.0 * half * half / 3.0 * v.omega * v.omega;
    if (speed < 0.5) {
      EXPECT_LT(kinetic, left + 2.0 * scenes::standard_gravity * 0.01 * half) << speed;
    } else {  // turns by radians within the steps that are looked at
      EXPECT_LT(kinetic, 0.7 * speed * speed) << speed;
    }
    const double time = h * std::ceil(0.15 / speed / h);
    Simulation down = run(slider_on_slabs({{-0.5, 0.0, -0.1, 0.0}, {0.0, 3.0, -0.1, -step}}, speed, 0.0), h, time);
    // What the box gains and loses as it tips over the edge is no more than that height gives.
    const double gain = std::sqrt(speed * speed + 2.0 * scenes::standard_gravity * step) - speed;
    EXPECT_NEAR(down.velocity(2).vx, speed, gain) << speed;
    EXPECT_GT(down.pose(2).x, 0.02);
    EXPECT_NEAR(down.pose(2).y, half - step, 1e-6);
  }
}

TEST_P(FlushSurfaces, ADiscRollsOverTilesWithoutLoss) {
  for (const double speed : {0.3, 1.0}) {
    for (const std::vector<Slab>& slabs : floors(0.0)) {
      SceneSpec scene = slider_on_slabs(slabs, speed, 0.5);
      BodySpec disc = scenes::disc_body("disc", half, 0.2);
      disc.friction = 0.5;
      disc.planar().pose = {-0.03, half, 0.0};
      disc.planar().velocity = {speed, 0.0, -speed / half};
      scene.bodies.back() = disc;
      Simulation simulation = run(scene, 0.005, 0.005 * std::ceil(0.15 / speed / 0.005));
      const int body = static_cast<int>(slabs.size());
      EXPECT_NEAR(simulation.velocity(body).vx, speed, 3e-4 * speed);
      EXPECT_NEAR(simulation.velocity(body).omega, -speed / half, 3e-4 * speed / half);
      EXPECT_NEAR(simulation.pose(body).y, half, 1e-7);
    }
  }
}

// The plates of a conveyor: kinematic bodies that move alike. One box rides along, another slides over them.
TEST_P(FlushSurfaces, PlatesOfAConveyorCarryOn) {
  for (const double friction : {0.0, 0.4}) {
    std::vector<Slab> plates;
    for (int i = 0; i < 8; ++i) plates.push_back({-0.2 + 0.1 * i, -0.1 + 0.1 * i, -0.02, 0.0});
    SceneSpec scene = slider_on_slabs(plates, friction > 0.0 ? 0.2 : 0.5, friction);
    for (std::size_t i = 0; i < plates.size(); ++i) {
      scene.bodies[i].kind = BodyKind::kinematic;
      scene.bodies[i].planar().velocity = {0.2, 0.0, 0.0};
    }
    Simulation simulation = run(scene, 0.005, 0.5);
    const double speed = friction > 0.0 ? 0.2 : 0.5;
    EXPECT_NEAR(simulation.velocity(8).vx, speed, 1e-6);
    EXPECT_NEAR(simulation.pose(8).x, -0.03 + 0.5 * speed, 1e-6);
    EXPECT_NEAR(simulation.pose(8).y, half, 1e-7);
  }
}

// Two blocks side by side on the floor, which nothing holds, and a box that slides over both. What the solver of the
// batched strategy leaves drives the blocks apart, in a second by more than counts as touching.
TEST_P(FlushSurfaces, ABoxSlidesOverBlocksSideBySide) {
  for (const double speed : {0.05, 0.3, 1.0}) {
    if (GetParam() == Strategy::batched && speed < 0.1) continue;
    SceneSpec scene = slider_on_slabs({{-1.0, 1.0, -0.2, -0.1}}, speed, 0.0);
    BodySpec box = scene.bodies.back();
    scene.bodies.pop_back();
    for (const double x : {-0.1, 0.1}) {
      BodySpec block = scenes::box_body(x < 0.0 ? "left" : "right", 0.2, 0.1, 2.0);
      block.planar().pose = {x, -0.05, 0.0};
      scene.bodies.push_back(block);
    }
    scene.bodies.push_back(box);
    const double time = 0.005 * std::ceil(0.08 / speed / 0.005);
    Simulation simulation = run(scene, 0.005, time);
    EXPECT_NEAR(simulation.velocity(3).vx, speed, 1e-6) << speed;
    EXPECT_NEAR(simulation.pose(3).y, half, 1e-6) << speed;
    EXPECT_NEAR(simulation.pose(1).x, -0.1, 1e-6) << speed;
    EXPECT_NEAR(simulation.pose(2).x, 0.1, 1e-6) << speed;
    EXPECT_NEAR(simulation.pose(2).theta, 0.0, 1e-5) << speed;
  }
}

// Two boxes side by side that slide as one over a post whose top is level with the floor, and over its inner edges.
TEST_P(FlushSurfaces, TwinsSlideOverAPost) {
  SceneSpec scene =
      slider_on_slabs({{-0.5, 0.1, -0.1, 0.0}, {0.1, 0.11, -0.1, 0.0}, {0.11, 3.0, -0.1, 0.0}}, 0.5, 0.0, 0.0);
  BodySpec twin = scene.bodies.back();
  twin.name = "twin";
  twin.planar().pose.x -= 2.0 * half;
  scene.bodies.push_back(twin);
  Simulation simulation = run(scene, 0.005, 0.5);
  EXPECT_NEAR(simulation.velocity(3).vx, 0.5, 1e-6);
  EXPECT_NEAR(simulation.velocity(4).vx, 0.5, 1e-6);
}

// A wall that stands on the floor as a body of its own stops what hits it, also in the corner.
TEST_P(FlushSurfaces, AWallStillStopsWhatHitsIt) {
  for (const double turn : {0.0, 0.3}) {
    SceneSpec scene = slider_on_slabs({{-0.5, 1.0, -0.1, 0.0}, {0.0, 0.1, 0.0, 0.3}}, 1.0, 0.0, -0.05);
    if (turn > 0.0) {
      scene.bodies.back().planar().pose.theta = turn;
      scene.bodies.back().planar().pose.y = half * (std::cos(turn) + std::sin(turn));
    }
    Simulation simulation = run(scene, 0.005, 1.0);
    EXPECT_LT(simulation.pose(2).x, -half + 1e-6);
    EXPECT_GT(simulation.pose(2).y, half - 1e-6);
    EXPECT_LT(overlap_now(scene, simulation), 1e-9);
  }
}

// Parts of one body of different thickness: the side of the thicker one is covered in part. Where it is not, it stops.
TEST_P(FlushSurfaces, APartCoveredInPartIsSurfaceWhereItIsOpen) {
  SceneSpec scene = slider_on_slabs({{-0.5, 1.0, -0.1, 0.0}}, 0.3, 0.0);
  scene.bodies[0].planar().parts = {make_polygon("thin", {{-0.5, -0.02}, {0.0, -0.02}, {0.0, 0.0}, {-0.5, 0.0}}),
                                    make_polygon("thick", {{0.0, -0.2}, {1.0, -0.2}, {1.0, 0.0}, {0.0, 0.0}})};
  Simulation over = run(scene, 0.005, 0.5);
  EXPECT_NEAR(over.velocity(1).vx, 0.3, 1e-6);
  scene.gravity = {0.0, scenes::standard_gravity};  // from below: under the thin part, against the thick one
  scene.bodies[1].planar().pose.y = -0.02 - half;
  Simulation under = run(scene, 0.005, 0.5);
  EXPECT_NEAR(under.velocity(1).vx, 0.0, 1e-6);
  EXPECT_NEAR(under.pose(1).x, -half, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Strategies, FlushSurfaces, ::testing::Values(Strategy::per_scene, Strategy::batched),
                         [](const auto& info) {
                           return std::string(info.param == Strategy::per_scene ? "PerScene" : "Batched");
                         });

}  // namespace
}  // namespace pegrasp::test
