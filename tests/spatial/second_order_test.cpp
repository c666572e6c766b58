// SPDX-License-Identifier: Apache-2.0
// Smooth motion in 3D is of second order in the step: slides and pendulums against closed forms or fine steps, also
// where the direction of the slip turns; and a block does not creep on a turntable.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/integrate.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using scenes::standard_gravity;
using test::simulate;

TEST(SpatialSecondOrder, ASlideStopsWhereItShould) {
  for (const auto& [h, most] : {std::pair{0.01, 2e-4}, std::pair{0.005, 5e-5}}) {
    for (const double speed : {0.3, 1.3, 2.0}) {
      for (const double mu : {0.2, 0.5}) {
        SceneSpec scene = scenes::scene_3d("slide");
        scene.bodies.push_back(scenes::fixed_cuboid("floor", {3.0, 3.0, 0.1}, {0.0, 0.0, -0.1}, mu));
        BodySpec box = scenes::solid_body("box", scenes::cuboid(0.2, 0.2, 0.05), 1000.0);
        box.friction = mu;
        box.spatial().pose.position.z = 0.05;
        box.spatial().velocity.velocity = {0.6 * speed, 0.8 * speed, 0.0};
        scene.bodies.push_back(box);
        const double seconds = speed / (mu * standard_gravity);
        Simulation simulation = simulate(scene, h, seconds + 3.0 * h);
        simulation.run();
        const Vec3 at = simulation.spatial_pose(1).position;
        EXPECT_NEAR(std::hypot(at.x, at.y), 0.5 * speed * seconds, most) << mu << " " << h;
      }
    }
  }
}

// Error [m] of the end of a rod that is let go at 1.9 rad, after two seconds.
double pendulum_error(double h) {
  constexpr double angle = 1.9, half = 0.5 * test::rod_length;
  const SceneSpec scene = test::hanging_rod(angle, JointKind::revolute);
  Simulation simulation = simulate(scene, h, 2.0);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double inertia = (test::rod_length * test::rod_length + 0.01) / 12.0 + half * half;
  const auto pull = [&](double x) { return -standard_gravity * half / inertia * std::sin(x); };
  const test::Swing exact = test::integrate({angle, 0.0}, 2.0, pull);
  const Vec3 v = simulation.spatial_velocity(0).velocity;
  EXPECT_NEAR(std::hypot(v.x, v.z), half * std::fabs(exact.speed), 75.0 * h * h);
  const Vec3 at = simulation.spatial_pose(0).position;
  return std::hypot(at.x + half * std::sin(exact.angle), at.z + half * std::cos(exact.angle));
}

TEST(SpatialSecondOrder, ThePendulum) {
  const double coarse = pendulum_error(0.01);
  EXPECT_LT(coarse, 2e-3);
  EXPECT_LT(pendulum_error(0.0025), coarse / 14.0) << "two halvings";
}

// At half the speed at which it would fly off.
TEST(SpatialSecondOrder, ABlockDoesNotCreepOnATurntable) {
  constexpr double mu = 0.8, radius = 0.2, seconds = 2.0;
  const double turns = 0.5 * std::sqrt(mu * standard_gravity / radius);
  SceneSpec scene = scenes::scene_3d("turntable");
  BodySpec table = scenes::fixed_cuboid("table", {0.5, 0.5, 0.05}, {0.0, 0.0, -0.05}, mu);
  table.kind = BodyKind::kinematic;
  table.spatial().velocity.angular.z = turns;
  scene.bodies.push_back(table);
  BodySpec block = scenes::solid_body("block", scenes::cuboid(0.03, 0.03, 0.03), 1000.0);
  block.friction = mu;
  block.spatial().pose.position = {radius, 0.0, 0.03};
  block.spatial().velocity = {{0.0, radius * turns, 0.0}, {0.0, 0.0, turns}};
  scene.bodies.push_back(block);
  for (const double h : {0.01, 0.005}) {
    Simulation simulation = simulate(scene, h, seconds);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    const Vec3 at = simulation.spatial_pose(1).position;
    EXPECT_NEAR(std::hypot(at.x, at.y), radius, 1e-6 * seconds) << h;
    const double ahead = std::remainder(std::atan2(at.y, at.x) - turns * simulation.time(), 2.0 * std::numbers::pi);
    EXPECT_NEAR(radius * ahead, 0.0, 1e-6 * seconds) << h;
    const Vec3 v = simulation.spatial_velocity(1).velocity;
    EXPECT_NEAR(std::hypot(v.x, v.y), radius * turns, 1e-5) << h;
  }
}

// Nor on one that turns ever faster, up to three quarters of that speed. What it creeps is measured from step to step.
TEST(SpatialSecondOrder, ABlockDoesNotCreepOnATableThatTurnsEverFaster) {
  constexpr double mu = 0.5, radius = 0.3, first = 0.5, rise = 5.0, seconds = 0.5, h = 0.005;
  SceneSpec scene = scenes::scene_3d("turntable");
  BodySpec table = scenes::fixed_cuboid("table", {0.6, 0.6, 0.05}, {0.0, 0.0, -0.05}, mu);
  table.kind = BodyKind::kinematic;
  const auto turned = [&](double t) { return first * t + 0.5 * rise * t * t; };
  for (double t = 0.0; t < seconds + 2.0 * h; t += h) {
    const double half = 0.5 * turned(t);
    table.spatial().motion.push_back({t, {{0.0, 0.0, -0.05}, {std::cos(half), 0.0, 0.0, std::sin(half)}}});
  }
  scene.bodies.push_back(table);
  BodySpec block = scenes::solid_body("block", scenes::cuboid(0.05, 0.04, 0.02), 800.0);
  block.friction = mu;
  block.spatial().pose.position = {radius, 0.0, 0.02};
  block.spatial().velocity = {{0.0, radius * first, 0.0}, {0.0, 0.0, first}};
  scene.bodies.push_back(block);
  Simulation simulation = simulate(scene, h, seconds);
  Vec3 last{radius, 0.0, 0.0};
  double fastest = 0.0;
  while (simulation.step()) {
    const Vec3 at = simulation.spatial_pose(1).position;
    const double c = std::cos(turned(simulation.time())), s = std::sin(turned(simulation.time()));
    const Vec3 seen{c * at.x + s * at.y, c * at.y - s * at.x, 0.0};
    fastest = std::max(fastest, std::hypot(seen.x - last.x, seen.y - last.y) / h);
    last = seen;
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_LT(fastest, 1e-6);
}

// Slips that turn

SceneSpec on_floor(double mu, double slope, BodySpec body) {
  SceneSpec scene = scenes::scene_3d("slip that turns");
  scene.gravity.x = standard_gravity * std::sin(slope);
  scene.gravity_z = -standard_gravity * std::cos(slope);
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {5.0, 5.0, 0.1}, {0.0, 0.0, -0.1}, mu));
  body.friction = mu;
  scene.bodies.push_back(body);
  return scene;
}

SceneSpec on_turntable(double mu, double turns, BodySpec body) {
  SceneSpec scene = on_floor(mu, 0.0, std::move(body));
  scene.bodies[0].kind = BodyKind::kinematic;
  scene.bodies[0].spatial().velocity.angular.z = turns;
  return scene;
}

BodySpec low_box(double half) {
  BodySpec box = scenes::solid_body("box", scenes::cuboid(half, half, 0.5 * half), 1000.0);
  box.spatial().pose.position.z = 0.5 * half;
  return box;
}

constexpr double ball_radius = 0.05;
BodySpec ball() {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = "ball";
  body.spatial().parts = {make_sphere("ball", {}, ball_radius)};
  const double moment = 0.4 * ball_radius * ball_radius;
  body.spatial().inertia = {moment, moment, moment, 0.0, 0.0, 0.0};
  body.spatial().pose.position.z = ball_radius;
  return body;
}

// Where body 1 is after `seconds`.
Vec3 end_of(const SceneSpec& scene, double h, double seconds, Strategy strategy = Strategy::automatic) {
  StepOptions options;
  options.h = h;
  options.duration = seconds;
  options.strategy = strategy;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return simulation.spatial_pose(1).position;
}
double apart(const Vec3& a, const Vec3& b) { return std::hypot(a.x - b.x, a.y - b.y); }

// most: of the error with 10 ms [m]. It falls by a good three each time that the step halves.
void expect_second_order(const SceneSpec& scene, double seconds, const Vec3& exact, double most,
                         Strategy strategy = Strategy::automatic) {
  const double coarse = apart(end_of(scene, 0.01, seconds, strategy), exact);
  EXPECT_LT(coarse, most);
  EXPECT_LT(apart(end_of(scene, 0.0025, seconds, strategy), exact), coarse / 12.0) << "two halvings";
}
// The same against steps of a 64th.
void expect_second_order(const SceneSpec& scene, double seconds, double most) {
  expect_second_order(scene, seconds, end_of(scene, 0.01 / 64.0, seconds), most);
}

// It curves down the slope.
TEST(SpatialSecondOrder, ASlideAcrossASlope) {
  const double slope = 0.35, mu = 0.3, seconds = 1.0;
  BodySpec box = low_box(0.1);
  box.spatial().velocity.velocity.y = 1.0;
  const auto rate = [&](const test::Numbers<4>& at) {
    const double rub = mu * standard_gravity * std::cos(slope) / std::hypot(at[2], at[3]);
    return test::Numbers<4>{at[2], at[3], standard_gravity * std::sin(slope) - rub * at[2], -rub * at[3]};
  };
  const test::Numbers<4> end = test::integrate_state(test::Numbers<4>{0.0, 0.0, 0.0, 1.0}, seconds, rate);
  const SceneSpec scene = on_floor(mu, slope, box);
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    expect_second_order(scene, seconds, {end[0], end[1], 0.0}, 4e-4, strategy);
  }
}

// It comes to rest, and stays there.
TEST(SpatialSecondOrder, ASlideThatStopsOnASlopeDoesNotCreep) {
  BodySpec box = low_box(0.1);
  box.spatial().velocity.velocity.y = 1.0;
  const SceneSpec scene = on_floor(0.5, 0.35, box);
  expect_second_order(scene, 1.5, 6e-4);
  for (const double h : {0.01, 0.005, 0.0025}) {
    EXPECT_LT(apart(end_of(scene, h, 1.5), end_of(scene, h, 2.5)), 1e-6) << h;
  }
}

TEST(SpatialSecondOrder, ABoxThatSlidesAndSpins) {
  BodySpec box = low_box(0.1);
  box.spatial().velocity = {{1.0, 0.0, 0.0}, {0.0, 0.0, 10.0}};
  expect_second_order(on_floor(0.5, 0.0, box), 0.5, 5e-4);
}

// The surface turns away under the box.
TEST(SpatialSecondOrder, ABoxThatSlidesOnATurntable) {
  BodySpec box = low_box(0.02);
  box.spatial().pose.position.x = 0.2;
  expect_second_order(on_turntable(0.2, 6.0, box), 0.3, 2e-4);
}

// A ball that rolls on a turntable goes in a circle, at 2/7 of the rate at which the table turns.
TEST(SpatialSecondOrder, ABallThatRollsOnATurntable) {
  const double turns = 3.0, seconds = 1.0, rate = 2.0 / 7.0 * turns;
  const Vec3 from{0.2, 0.1, ball_radius}, v{0.3, 0.2, 0.0};
  BodySpec body = ball();
  body.spatial().pose.position = from;
  body.spatial().velocity = {v, {(turns * from.x - v.y) / ball_radius, (v.x + turns * from.y) / ball_radius, 0.0}};
  const double c = 1.0 - std::cos(rate * seconds), s = std::sin(rate * seconds);
  const Vec3 exact{from.x + (v.x * s - v.y * c) / rate, from.y + (v.y * s + v.x * c) / rate, 0.0};
  expect_second_order(on_turntable(2.0, turns, body), seconds, exact, 1e-4);
}

// With an arm the slip and the spin share the bound of friction, and what each has of it changes.
TEST(SpatialSecondOrder, ABallThatSlidesAndSpinsOnItsSpot) {
  const double mu = 0.2, arm = 0.025, speed = 2.0, spin = 80.0, seconds = 0.16;
  BodySpec body = ball();
  body.spatial().velocity = {{speed, 0.0, 0.0}, {0.0, 0.0, spin}};
  SceneSpec scene = on_floor(mu, 0.0, body);
  scene.friction.push_back({0, 1, mu, arm, 0.0});
  const auto rate = [&](const test::Numbers<4>& at) {  // x, its speed, spins about y and z
    const double slip = at[1] - ball_radius * at[2], turn = arm * at[3];
    const double rub = mu * standard_gravity / std::hypot(slip, turn);
    const double moment = 0.4 * ball_radius * ball_radius;
    return test::Numbers<4>{at[1], -rub * slip, ball_radius * rub * slip / moment, -arm * rub * turn / moment};
  };
  const test::Numbers<4> end = test::integrate_state(test::Numbers<4>{0.0, speed, 0.0, spin}, seconds, rate);
  expect_second_order(scene, seconds, {end[0], 0.0, 0.0}, 5e-6);
}

}  // namespace
}  // namespace pegrasp
