// SPDX-License-Identifier: Apache-2.0
// Bodies that are kinematic: keyframes, and jaws on their rails.
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

// The pose that the keyframes ask for at time t: linear between them, held outside.
Pose asked_for(const std::vector<Keyframe>& keys, double t) {
  if (t <= keys.front().time) return keys.front().pose;
  for (std::size_t k = 1; k < keys.size(); ++k) {
    if (t > keys[k].time) continue;
    const double f = (t - keys[k - 1].time) / (keys[k].time - keys[k - 1].time);
    const Pose& a = keys[k - 1].pose;
    const Pose& b = keys[k].pose;
    return {a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.theta + f * (b.theta - a.theta)};
  }
  return keys.back().pose;
}

// A cage with a box that lies on its floor. With one linearisation a step, turning leaves overlap: steps are halved.
SceneSpec moved_cage(const std::vector<Keyframe>& keys) {
  SceneSpec scene;
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec cage = scenes::box_body("floor", 2.0, 0.25, 1.0);
  cage.planar().parts.push_back(make_polygon("left", {{-1.0, 0.125}, {-0.75, 0.125}, {-0.75, 1.0}, {-1.0, 1.0}}));
  cage.planar().parts.push_back(make_polygon("right", {{0.75, 0.125}, {1.0, 0.125}, {1.0, 1.0}, {0.75, 1.0}}));
  cage.planar().parts.push_back(make_polygon("top", {{-1.0, 1.0}, {1.0, 1.0}, {1.0, 1.25}, {-1.0, 1.25}}));
  cage.kind = BodyKind::kinematic;
  cage.planar().pose = keys.front().pose;
  cage.planar().motion = keys;
  cage.friction = 0.5;
  BodySpec box = scenes::box_body("box", 0.5, 0.25, 1.0);
  box.planar().pose = {0.125, 0.25, 0.0};
  box.friction = 0.5;
  scene.bodies = {cage, box};
  return scene;
}

// Times and poses that binary numbers hold exactly, keys at step ends and within steps: nothing on the way is rounded.
std::vector<Keyframe> binary_keys() {
  scenes::Random random(3);
  const auto eighth = [&] { return static_cast<double>(random.below(65)) / 128.0 - 0.25; };  // -0.25 .. 0.25
  std::vector<Keyframe> keys{{0.0, {0.0, 0.0, 0.0}}};
  for (int k = 1; k <= 16; ++k) {
    const double x = eighth();
    const double y = eighth();
    keys.push_back({keys.back().time + (k % 3 == 0 ? 0.00390625 : 0.0625), {x, y, 2.0 * eighth()}});
  }
  return keys;
}

TEST(Keyframes, AreFollowedToTheBitAcrossHalvedSteps) {
  const double h = 0.0078125;
  const std::vector<Keyframe> keys = binary_keys();
  for (const int passes : {5, 1}) {
    StepOptions options = steps_of(h, 1.0);
    options.max_passes = passes;
    Simulation simulation = simulate(moved_cage(keys), options);
    int steps = 0;
    while (simulation.step()) {
      ++steps;
      const Pose goal = asked_for(keys, steps * h);
      const Pose pose = simulation.pose(0);
      EXPECT_EQ(pose.x, goal.x) << passes << " " << steps;
      EXPECT_EQ(pose.y, goal.y) << passes << " " << steps;
      EXPECT_EQ(pose.theta, goal.theta) << passes << " " << steps;
    }
    EXPECT_EQ(steps, 128);
    if (passes == 1) {
      EXPECT_GT(simulation.outcome().substeps_rejected, 10) << "steps must have been halved";
    }
  }
}

// Numbers of any kind: a step's end follows from its start by way of a velocity, x0 + h ((x1 - x0) / h), so its last
// bits are rounded (in seven steps of ten, by at most 1.7e-15 here). They do not add up over steps.
TEST(Keyframes, AreFollowedToRoundingWithAnyNumbers) {
  scenes::Random random(7);
  std::vector<Keyframe> keys{{0.0, {0.1, -0.07, 0.03}}};
  for (int k = 1; k <= 12; ++k) {
    const double x = random.uniform(-0.3, 0.3);
    const double y = random.uniform(-0.3, 0.3);
    keys.push_back({keys.back().time + random.uniform(0.02, 0.2), {x, y, random.uniform(-0.5, 0.5)}});
  }
  for (const double h : {0.001, 0.005, 0.0123}) {
    StepOptions options = steps_of(h, 2.0);
    options.max_passes = 1;
    Simulation simulation = simulate(moved_cage(keys), options);
    double worst = 0.0;
    int steps = 0;
    while (simulation.step()) {
      ++steps;
      const Pose goal = asked_for(keys, steps * h);
      const Pose pose = simulation.pose(0);
      const double off = std::fmax(std::fmax(std::fabs(pose.x - goal.x), std::fabs(pose.y - goal.y)),
                                   std::fabs(pose.theta - goal.theta));
      worst = std::fmax(worst, off);
    }
    EXPECT_LE(worst, 4e-15) << h;
    EXPECT_GT(simulation.outcome().substeps_rejected, 10) << h << ": steps must have been halved";
  }
}

// Held before the first key and after the last; the velocity is the slope of the segment.
TEST(Keyframes, AreHeldOutsideAndGiveTheVelocityInside) {
  const std::vector<Keyframe> keys{{0.25, {0.5, 0.0, 0.25}}, {0.5, {0.75, -0.5, 0.0}}};
  const double h = 0.0078125;
  Simulation simulation = simulate(moved_cage(keys), steps_of(h, 1.0));
  while (simulation.step()) {
    const double t = simulation.time();
    const Twist v = simulation.velocity(0);
    const bool moves = t > 0.25 && t <= 0.5;
    EXPECT_EQ(v.vx, moves ? 1.0 : 0.0) << t;
    EXPECT_EQ(v.vy, moves ? -2.0 : 0.0) << t;
    EXPECT_EQ(v.omega, moves ? -1.0 : 0.0) << t;
  }
  EXPECT_EQ(simulation.pose(0).x, 0.75);
  EXPECT_EQ(simulation.pose(0).y, -0.5);
  EXPECT_EQ(simulation.pose(0).theta, 0.0);
}

// The table starts upwards at 0.5 m/s with a jerk, of which mu takes the box along at up to 0.25 m/s: it stays where it
// lies.
TEST(Keyframes, CarryWhatLiesOnThem) {
  const std::vector<Keyframe> keys{{0.0, {0.0, 0.0, 0.0}}, {1.0, {0.2, 0.5, 0.0}}};
  Simulation simulation = simulate(moved_cage(keys), steps_of(0.0078125, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.pose(1).y, 0.75, 1e-6);
  EXPECT_NEAR(simulation.velocity(1).vy, 0.5, 1e-5);
  EXPECT_NEAR(simulation.velocity(1).vx, 0.2, 1e-5);
  EXPECT_NEAR(simulation.pose(1).x, 0.325, 1e-6);
}

// --- jaws ------------------------------------------------------------------------------------------------------------

// Boxes fall on a jaw on a rail along `axis`, off its centre, with friction.
SceneSpec struck_jaw(Vec2 axis) {
  SceneSpec scene;
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec jaw = scenes::box_body("jaw", 0.6, 0.2, 1.0);
  jaw.slide_axis = axis;
  jaw.planar().pose = {0.1, -0.3, 0.2};
  jaw.friction = 0.6;
  scene.bodies = {jaw};
  for (int i = 0; i < 3; ++i) {
    BodySpec box = scenes::box_body("box" + std::to_string(i), 0.15, 0.15, 0.8);
    box.planar().pose = {-0.1 + 0.2 * i, 0.1 * i, 0.3 * i};
    box.planar().velocity = {0.5, -1.0, 0.0};
    box.friction = 0.6;
    scene.bodies.push_back(box);
  }
  return scene;
}

TEST(Jaw, KeepsToItsRailUnderContactForces) {
  for (const Vec2 axis : {Vec2{1.0, 0.0}, Vec2{0.0, 1.0}, Vec2{0.6, 0.8}, Vec2{-5.0, 1.0}}) {
    const double length = std::hypot(axis.x, axis.y);
    const Vec2 u{axis.x / length, axis.y / length};
    SceneSpec scene = struck_jaw(axis);
    ActuatorSpec servo;  // keeps it from falling away, and pushes
    servo.kind = ActuatorKind::velocity_servo;
    servo.axis = {1.0, 0.3};
    servo.target = 0.05;
    servo.limit = 30.0;
    scene.actuators = {servo};
    Simulation simulation = simulate(scene, steps_of(0.005, 1.0));
    double fastest_along = 0.0;
    int contacts = 0;
    while (simulation.step()) {
      const Pose q = simulation.pose(0);
      const Twist v = simulation.velocity(0);
      EXPECT_EQ(q.theta, 0.2);
      EXPECT_EQ(v.omega, 0.0);
      EXPECT_TRUE(u.y != 0.0 || q.y == -0.3);
      EXPECT_TRUE(u.x != 0.0 || q.x == 0.1);
      EXPECT_LE(std::fabs(u.x * (q.y + 0.3) - u.y * (q.x - 0.1)), 1e-14);
      EXPECT_LE(std::fabs(u.x * v.vy - u.y * v.vx), 1e-14);
      fastest_along = std::fmax(fastest_along, std::fabs(u.x * v.vx + u.y * v.vy));
      contacts += simulation.contact_count();
    }
    EXPECT_GT(contacts, 100) << "the boxes must have lain on it";
    EXPECT_GT(fastest_along, 0.01);
  }
}

// A rod on a vertical rail presses on a wedge of 45 degrees on a horizontal one, no friction: both accelerate at m g /
// (m + M).
TEST(Jaw, TwoOnTheirRailsAreAMechanism) {
  const double rod_mass = 0.4;
  const double wedge_mass = 1.2;
  SceneSpec scene;
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec wedge = scenes::box_body("wedge", 1.0, 1.0, wedge_mass);
  wedge.planar().parts = {make_polygon("wedge", {{-0.5, -0.5}, {0.5, -0.5}, {-0.5, 0.5}})};  // its slope: x + y = 0
  wedge.slide_axis = Vec2{1.0, 0.0};
  BodySpec rod = scenes::disc_body("rod", 0.1, rod_mass);
  rod.planar().pose = {0.0, 0.1 * std::sqrt(2.0), 0.0};
  rod.slide_axis = Vec2{0.0, 1.0};
  scene.bodies = {wedge, rod};
  const double a = rod_mass * scenes::standard_gravity / (rod_mass + wedge_mass);
  for (const double h : {0.001, 0.01}) {
    Simulation simulation = simulate(scene, steps_of(h, 0.2));
    int n = 0;
    while (simulation.step()) {
      ++n;
      EXPECT_NEAR(simulation.velocity(0).vx, -a * n * h, 1e-6);
      EXPECT_NEAR(simulation.velocity(1).vy, -a * n * h, 1e-6);
      EXPECT_EQ(simulation.pose(0).y, 0.0);
      EXPECT_EQ(simulation.pose(1).x, 0.0);
    }
    EXPECT_NEAR(simulation.pose(1).y, 0.1 * std::sqrt(2.0) - 0.5 * n * n * h * h * a, 1e-6);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

}  // namespace
}  // namespace pegrasp::test
