// SPDX-License-Identifier: Apache-2.0
// Bodies that are not there yet, discs with one centre, and pairs that come into reach within a step or at its start.
#include <gtest/gtest.h>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

TEST(AbsentBody, IsTouchedByNothing) {
  SceneSpec scene;
  scene.gravity = {0.0, 0.0};
  BodySpec ground = scenes::ground_body(0.5);
  ground.kind = BodyKind::kinematic;
  ground.planar().velocity.vy = 1.0;  // rises through the place where the box will appear
  BodySpec box = scenes::box_body("box", 0.2, 0.2, 1.0);
  box.planar().pose.y = 0.3;
  box.drop_time = 0.9;
  scene.bodies = {ground, box};
  Simulation simulation = simulate(scene, steps_of(0.005, 0.8));
  simulation.run();
  EXPECT_FALSE(simulation.present(1));
  EXPECT_EQ(simulation.pose(1).y, 0.3);
  EXPECT_EQ(simulation.outcome().penetration_max, 0.0);
}

TEST(AbsentBody, AppearsWithItsVelocity) {
  SceneSpec scene = scenes::free_flight({1.5, 0.0, -2.0});
  scene.gravity = {0.0, 0.0};
  scene.bodies[0].drop_time = 0.5;
  Simulation simulation = simulate(scene, steps_of(0.01, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.pose(0).x, 0.75, 1e-12);
  EXPECT_NEAR(simulation.pose(0).theta, -1.0, 1e-12);
  EXPECT_EQ(simulation.velocity(0).vx, 1.5);
}

TEST(ConcentricDiscs, Part) {
  SceneSpec scene;
  scene.bodies = {scenes::disc_body("a", 0.1, 1.0), scenes::disc_body("b", 0.2, 1.0)};
  Simulation simulation = simulate(scene, steps_of(0.01, 6.0));
  simulation.run();
  const double apart =
      std::hypot(simulation.pose(1).x - simulation.pose(0).x, simulation.pose(1).y - simulation.pose(0).y);
  EXPECT_GT(apart, 0.3 - 1e-5);
}

// Bodies that a step's free motion carries beyond the far side of a wall are stopped at the near side, wherever the
// step begins; a way past the wall's end is free.
TEST(ThinWall, StopsWhatOneStepWouldCarryThrough) {
  for (const double thickness : {0.001, 0.02, 0.05}) {
    for (int start = 0; start < 20; ++start) {
      SceneSpec scene;
      scene.gravity = {0.0, 0.0};
      BodySpec wall = scenes::box_body("wall", thickness, 0.4, 1.0);
      wall.kind = BodyKind::fixed;
      BodySpec box = scenes::box_body("box", 0.01, 0.01, 1.0);
      box.planar().pose.x = -0.1 - 0.005 * start;
      box.planar().velocity.vx = 20.0;  // ten times its size in a step
      scene.bodies = {wall, box};
      Simulation simulation = simulate(scene, steps_of(0.005, 0.1));
      simulation.run();
      EXPECT_LT(simulation.pose(1).x, -0.5 * thickness - 0.005 + 1e-5) << thickness << " " << start;
      EXPECT_GT(simulation.pose(1).x, -0.5 * thickness - 0.005 - 1e-3) << thickness << " " << start;
      EXPECT_EQ(simulation.outcome().status, 0u);
    }
  }
}

TEST(ThinWall, DoesNotStopWhatPassesItsEnd) {
  for (int start = 0; start < 20; ++start) {
    SceneSpec scene;
    scene.gravity = {0.0, 0.0};
    BodySpec wall = scenes::box_body("wall", 0.02, 0.4, 1.0);
    wall.kind = BodyKind::fixed;
    BodySpec box = scenes::box_body("box", 0.01, 0.01, 1.0);
    box.planar().pose.x = -0.1 - 0.005 * start;
    box.planar().pose.y = 0.16 - 0.0025 * start;  // rises past the upper corner, at y = 0.2
    box.planar().velocity.vx = 20.0;
    box.planar().velocity.vy = 11.0;
    scene.bodies = {wall, box};
    Simulation simulation = simulate(scene, steps_of(0.005, 0.1));
    simulation.run();
    EXPECT_EQ(simulation.velocity(1).vx, 20.0) << start;
    EXPECT_EQ(simulation.outcome().status, 0u);
  }
}

// A row of free boxes, the first a hundred times faster than the gaps between the others in a step: each learns only in
// the next pass that it is hit. Whatever the passes do not reach is halved or flagged, never passed over.
TEST(FastRow, NothingOverlapsUnseen) {
  SceneSpec scene;
  for (int i = 0; i < 12; ++i) {
    BodySpec box = scenes::box_body("box" + std::to_string(i), 0.1, 0.1, 1.0);
    box.planar().pose.x = 0.102 * i;
    if (i == 0) box.planar().velocity.vx = 100.0;
    scene.bodies.push_back(box);
  }
  Simulation simulation = simulate(scene, steps_of(0.005, 0.02));
  while (simulation.step()) {
    double deepest = 0.0;
    for (int i = 0; i + 1 < 12; ++i)
      deepest = std::max(deepest, 0.1 - (simulation.pose(i + 1).x - simulation.pose(i).x));
    if (deepest > 1e-4) {
      EXPECT_NE(simulation.outcome().status, status_ok) << deepest;
    }
  }
}

// A small jaw at rest on a rail along u, driven so hard that it would have gone `travel` [m] after one step. A wall
// across x or y stands at nine tenths of that. `standard` and `peg-features` see what the first margin reaches and no
// more: the wall must be in it.
constexpr double travel = 0.1;
constexpr double wall_at = 0.9 * travel;
constexpr double jaw_half = 0.005;
constexpr double jaw_mass = 0.1;
constexpr double jaw_step = 0.005;

void expect_stopped(Vec2 u, const ActuatorSpec& actuator, const std::string& what) {
  BodySpec jaw = scenes::box_body("jaw", 2.0 * jaw_half, 2.0 * jaw_half, jaw_mass);
  jaw.slide_axis = u;
  BodySpec wall;
  wall.name = "wall";
  wall.kind = BodyKind::fixed;
  constexpr double wide = 0.5, thick = 0.2;
  const double at = wall_at * std::fmax(u.x, u.y) + jaw_half;
  wall.planar().parts = {
      u.x > u.y ? make_polygon("wall", {{at, -wide}, {at + thick, -wide}, {at + thick, wide}, {at, wide}})
                : make_polygon("wall", {{-wide, at}, {wide, at}, {wide, at + thick}, {-wide, at + thick}})};
  SceneSpec scene;
  scene.bodies = {jaw, wall};
  scene.actuators = {actuator};
  for (const ContactModel contact : {ContactModel::peg, ContactModel::peg_features, ContactModel::standard}) {
    Simulation simulation = simulate(scene, steps_of(jaw_step, 3 * jaw_step, contact));
    while (simulation.step()) {
      const double way = u.x * simulation.pose(0).x + u.y * simulation.pose(0).y;
      EXPECT_NEAR(way, wall_at, 1e-5) << what << ", rail " << u.x << " " << u.y << ", " << name_of(contact) << ", step "
                                      << simulation.outcome().steps;
    }
  }
}

TEST(DrivenJaw, IsStoppedByAWallWithinItsFirstStep) {
  const double diagonal = std::sqrt(0.5);
  for (const Vec2 u : {Vec2{1.0, 0.0}, Vec2{0.0, 1.0}, Vec2{0.8, 0.6}, Vec2{0.6, 0.8}, Vec2{diagonal, diagonal}}) {
    ActuatorSpec drive;
    drive.axis = u;
    drive.target = 2.0 * jaw_mass * travel / (jaw_step * jaw_step);
    expect_stopped(u, drive, "force");
    drive.kind = ActuatorKind::velocity_servo;
    drive.limit = drive.target;
    drive.target = 10.0 * travel / jaw_step;
    expect_stopped(u, drive, "servo at its limit");
  }
}

// A servo that keeps a speed along x makes a jaw on a steep rail far faster than that.
TEST(DrivenJaw, IsStoppedWhereItsServoIsNotAlongTheRail) {
  for (const Vec2 u : {Vec2{0.28, 0.96}, Vec2{0.6, 0.8}}) {
    ActuatorSpec servo;
    servo.kind = ActuatorKind::velocity_servo;
    servo.axis = {1.0, 0.0};
    servo.target = u.x * travel / jaw_step;
    servo.limit = 1e4;
    expect_stopped(u, servo, "servo along x");
  }
}

}  // namespace
}  // namespace pegrasp::test
