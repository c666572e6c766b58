// SPDX-License-Identifier: Apache-2.0
// Compliant shells under smooth parts, rims and lines. What a body at rest sinks in by tells on how many springs it
// stands: one under an ellipse or an ellipsoid, however flat, two under a flat side in the plane, as under an edge.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/smooth_solids.hpp"

namespace pegrasp::test {
namespace {

constexpr double stiffness = 5e3;  // [N/m]
constexpr CompliantShell layer{0.01, stiffness, 100.0};

// How far a body sinks in at most and at least over the last tenth of a second, in weights on one spring.
struct Sinks {
  double least = 1e9, most = 0.0;
};
Sinks sinks(const SceneSpec& scene, double height, double duration = 1.0, Strategy strategy = Strategy::per_scene,
            double h = 0.001) {
  StepOptions options = steps_of(h, duration);
  options.strategy = strategy;
  Simulation simulation = simulate(scene, options);
  const double g = scene.spatial ? -scene.gravity_z : -scene.gravity.y;
  const double one = scene.bodies[1].mass * g / stiffness;
  Sinks out;
  while (simulation.step()) {
    EXPECT_EQ(simulation.last_status(), status_ok) << simulation.time();
    if (simulation.time() < duration - 0.1) continue;
    const double y = scene.spatial ? simulation.spatial_pose(1).position.z : simulation.pose(1).y;
    out.least = std::fmin(out.least, (height - y) / one);
    out.most = std::fmax(out.most, (height - y) / one);
  }
  EXPECT_LE(simulation.outcome().penetration_max, 1e-9);  // of the cores
  return out;
}
void expect_springs(const Sinks& sinks, double springs) {
  EXPECT_NEAR(sinks.least, 1.0 / springs, 0.01 / springs);
  EXPECT_NEAR(sinks.most, 1.0 / springs, 0.01 / springs);
}

// --- in the plane ----------------------------------------------------------------------------------------------------

SceneSpec on_the_ground(const ConvexPart& part, double height, double turn = 0.0) {
  SceneSpec scene = scenes::disc_on_plane(0.05, 1.0, 0.3, {});
  BodySpec& body = scene.bodies[1];
  body.planar().parts = {part};
  const AreaProperties whole = area_properties(part);
  body.planar().inertia = body.mass * whole.second_moment / whole.area;
  body.planar().pose = {0.0, height, turn};
  scene.bodies[0].shell = layer;
  return scene;
}
struct OnTheGround {
  std::string name;
  double along, up;  // half-axes [m]
  int order;
  double springs;
  double turn = 0.0;  // [rad] at the start
};
class SmoothShellInThePlane : public testing::TestWithParam<OnTheGround> {};

TEST_P(SmoothShellInThePlane, SinksInByItsWeightOnItsSprings) {
  const OnTheGround& c = GetParam();
  const ConvexPart part = make_exact_superellipse("part", {{}, c.along, c.up, c.order, 0.0});
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched})
    expect_springs(sinks(on_the_ground(part, c.up, c.turn), c.up, 1.0, strategy), c.springs);
  SceneSpec own = on_the_ground(part, c.up, c.turn);
  own.bodies[1].shell = own.bodies[0].shell;
  own.bodies[0].shell.reset();
  expect_springs(sinks(own, c.up), c.springs);
}
INSTANTIATE_TEST_SUITE_P(
    Parts, SmoothShellInThePlane,
    testing::Values(OnTheGround{"blade", 0.3, 0.002, 2, 1.0}, OnTheGround{"thin", 0.3, 0.01, 2, 1.0},
                    OnTheGround{"ellipse", 0.012, 0.010, 2, 1.0}, OnTheGround{"circle", 0.05, 0.05, 2, 1.0},
                    OnTheGround{"side", 0.05, 0.02, 8, 2.0}, OnTheGround{"tilted_side", 0.05, 0.02, 8, 2.0, 0.01},
                    OnTheGround{"slim", 0.01, 0.03, 8, 2.0}, OnTheGround{"squarish", 0.05, 0.04, 4, 2.0}),
    [](const auto& of) { return of.param.name; });

// So that it turns by little.
void lighten(BodySpec& body) {
  body.planar().inertia *= 0.2;
  body.mass *= 0.2;
}
// On springs at these places beside the centre of mass: it has turned over what it touches, without slip.
void expect_on_two(const SceneSpec& scene, const Simulation& simulation, double height, double left, double right) {
  const double all = scene.bodies[1].mass * scenes::standard_gravity / stiffness;
  const double deep_left = all * right / (right - left), deep_right = -all * left / (right - left);
  const double turn = (deep_left - deep_right) / (right - left);
  EXPECT_NEAR(simulation.pose(1).theta, turn, 0.01 * std::fabs(turn));
  EXPECT_NEAR(height - simulation.pose(1).y, deep_right + right * turn, 0.01 * deep_right);
}

// The narrow plate cuts off what lies beside it, as of an edge.
TEST(SmoothShell, ASideOnANarrowPlateStandsOnItsEnds) {
  SceneSpec scene = on_the_ground(make_exact_superellipse("part", {{}, 0.05, 0.02, 8, 0.0}), 0.02);
  scene.bodies[0].planar().parts = {
      make_polygon("plate", {{-0.008, -0.1}, {0.006, -0.1}, {0.006, 0.0}, {-0.008, 0.0}})};
  lighten(scene.bodies[1]);
  Simulation simulation = simulate(scene, steps_of(0.001, 1.0));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  expect_on_two(scene, simulation, 0.02, -0.008 - simulation.pose(1).x, 0.006 - simulation.pose(1).x);
}

// Half over the end of a table: one spring is at the table's corner, one at the side's other end.
TEST(SmoothShell, ASideOverTheEndOfATableStandsOnItsCorner) {
  const double a = 0.05, b = 0.02, corner = 0.005;
  SceneSpec scene = on_the_ground(make_exact_superellipse("part", {{}, a, b, 8, 0.0}), b);
  lighten(scene.bodies[1]);
  scene.bodies[0].planar().parts = {make_polygon("table", {{-0.3, -0.1}, {corner, -0.1}, {corner, 0.0}, {-0.3, 0.0}})};
  const StepOptions options = derive_options(steps_of(0.001, 1.0), scene);
  Simulation simulation = simulate(scene, options);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double end = a * std::pow(1.0 - std::pow(1.0 - 0.25 * options.penetration_tolerance / b, 8), 0.125);
  expect_on_two(scene, simulation, b, -end, corner - simulation.pose(1).x);
}

TEST(SmoothShell, SidesOnEachOtherStandOnTwoSprings) {
  SceneSpec scene = on_the_ground(make_exact_superellipse("part", {{}, 0.03, 0.02, 8, 0.0}), 0.06);
  scene.bodies[0].planar().parts = {make_exact_superellipse("table", {{0.0, 0.0}, 0.08, 0.04, 8, 0.0})};
  expect_springs(sinks(scene, 0.06), 2.0);
  scene.bodies[0].planar().parts = {make_exact_superellipse("table", {{0.0, 0.0}, 0.03, 0.04, 8, 0.0})};
  expect_springs(sinks(scene, 0.06), 2.0);
}

TEST(SmoothShell, ADiscAndAnEllipseOfEqualAxesAgree) {
  const SceneSpec ellipse = on_the_ground(make_exact_ellipse("part", {}, 0.05, 0.05), 0.06);
  SceneSpec disc = on_the_ground(make_disc("part", {}, 0.05), 0.06);
  SceneSpec other = ellipse;
  for (SceneSpec* scene : {&disc, &other}) {
    scene->bodies[0].shell = CompliantShell{0.01, stiffness, 20.0, 4e3, 10.0};
    scene->bodies[1].planar().velocity = {0.4, 0.0, 0.0};
  }
  Simulation one = simulate(disc, steps_of(0.001, 0.6)), same = simulate(other, steps_of(0.001, 0.6));
  while (one.step() && same.step()) {
    ASSERT_NEAR(one.pose(1).x, same.pose(1).x, 1e-6);
    ASSERT_NEAR(one.pose(1).y, same.pose(1).y, 1e-6);
    ASSERT_NEAR(one.pose(1).theta, same.pose(1).theta, 1e-5);
  }
}

// An ellipse that rolls over its ends on a springy layer with friction along it: no slip, but for what springs give.
TEST(SmoothShell, AnEllipseRollsOverItsEnds) {
  SceneSpec scene = on_the_ground(make_exact_ellipse("part", {}, 0.06, 0.05), 0.05);
  scene.bodies[0].shell = CompliantShell{0.01, 2e4, 200.0, 2e4, 200.0};
  scene.bodies[0].friction = scene.bodies[1].friction = 0.9;
  scene.bodies[1].planar().velocity = {1.0, 0.0, -20.0};
  Simulation simulation = simulate(scene, steps_of(0.001, 1.0));
  while (simulation.step()) ASSERT_EQ(simulation.last_status(), status_ok);
  const double a = 0.06, b = 0.05, h = std::pow((a - b) / (a + b), 2);
  const double round = (a + b) * (1.0 + 3.0 * h / (10.0 + std::sqrt(4.0 - 3.0 * h)));  // perimeter / pi
  const double turns = -simulation.pose(1).theta;
  EXPECT_GT(turns, 2.0 * 3.14159);
  EXPECT_NEAR(simulation.pose(1).x, 0.5 * round * turns, 0.006);  // within what half a turn is off from the mean
}

// On a slope it goes down by what both give.
TEST(SmoothShell, ASideSticksOnTwoTangentialSprings) {
  SceneSpec scene = on_the_ground(make_exact_superellipse("part", {{}, 0.05, 0.02, 8, 0.0}), 0.02);
  scene.bodies[0].shell = CompliantShell{0.01, 1e5, 300.0, 1e4, 200.0};
  scene.bodies[0].friction = scene.bodies[1].friction = 0.6;
  scene.gravity = {2.0, -scenes::standard_gravity};
  Simulation simulation = simulate(scene, steps_of(0.001, 2.0));
  double before = 0.0;
  while (simulation.step()) {
    if (simulation.time() < 1.0) before = simulation.pose(1).x;
  }
  const double lean = simulation.pose(1).theta;
  const double give = scene.bodies[1].mass * 2.0 / 2e4;
  EXPECT_NEAR(simulation.pose(1).x + 0.02 * lean, give, 0.05 * give);
  EXPECT_NEAR(simulation.pose(1).x, before, 1e-7);
}

// --- in space --------------------------------------------------------------------------------------------------------

SceneSpec on_a_floor(const BodySpec& body, bool plate = false) {
  SceneSpec scene = scenes::sloping(0.0, 0.3, plate);
  scene.bodies[0].shell = layer;
  scene.bodies.push_back(body);
  BodySpec& own = scene.bodies[1];
  const double scale = 1.0 / own.mass;
  own.mass = 1.0;
  InertiaTensor& j = own.spatial().inertia;
  j = {scale * j.xx, scale * j.yy, scale * j.zz, scale * j.xy, scale * j.xz, scale * j.yz};
  return scene;
}
struct OnAFloor {
  std::string name;
  BodySpec body;
  double height, springs;
};
class SmoothShellInSpace : public testing::TestWithParam<OnAFloor> {};

TEST_P(SmoothShellInSpace, SinksInByItsWeightOnItsSprings) {
  const OnAFloor& c = GetParam();
  for (const bool plate : {false, true})
    expect_springs(sinks(on_a_floor(c.body, plate), c.height, 0.6, Strategy::per_scene, 0.002), c.springs);
  expect_springs(sinks(on_a_floor(c.body), c.height, 0.6, Strategy::batched, 0.002), c.springs);
}
OnAFloor solid(const std::string& name, Vec3 half, int order, double springs) {
  return {name, scenes::ellipsoid("part", half, {0.0, 0.0, half.z}, 0.3, order), half.z, springs};
}
OnAFloor roller(const std::string& name, double radius, double length, bool stands, double springs) {
  const double height = stands ? 0.5 * length : radius;
  const Vec3 axis = stands ? Vec3{0.0, 0.0, 1.0} : Vec3{1.0, 0.0, 0.0};
  return {name, scenes::cylinder("part", radius, length, axis, {0.0, 0.0, height}, 0.3), height, springs};
}
INSTANTIATE_TEST_SUITE_P(
    Solids, SmoothShellInSpace,
    testing::Values(solid("lens", {0.3, 0.3, 0.002}, 2, 1.0), solid("egg", {0.012, 0.012, 0.010}, 2, 1.0),
                    solid("long", {0.3, 0.02, 0.02}, 2, 1.0), solid("cushion", {0.05, 0.04, 0.02}, 8, 4.0),
                    solid("cube", {0.03, 0.03, 0.03}, 4, 4.0), roller("can", 0.03, 0.05, true, 8.0),
                    roller("coin", 0.03, 0.004, true, 8.0), roller("bar", 0.01, 0.1, false, 2.0)),
    [](const auto& of) { return of.param.name; });

TEST(SmoothShell, ACanOnACanStandsOnEightSprings) {
  for (const double radius : {0.03, 0.05}) {
    SceneSpec scene = on_a_floor(scenes::cylinder("part", 0.03, 0.05, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.125}, 0.3));
    scene.bodies[0] = scenes::cylinder("table", radius, 0.1, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.05}, 0.3);
    scene.bodies[0].kind = BodyKind::fixed;
    scene.bodies[0].shell = layer;
    expect_springs(sinks(scene, 0.125, 0.6), 8.0);
  }
}

TEST(SmoothShell, ACushionOnASmallPlateOrACanStandsOnItsCorners) {
  SceneSpec scene = on_a_floor(scenes::ellipsoid("part", {0.05, 0.05, 0.02}, {0.0, 0.0, 0.02}, 0.3, 8));
  scene.bodies[0] = scenes::fixed_cuboid("plate", {0.008, 0.006, 0.05}, {0.0, 0.0, -0.05}, 0.3);
  scene.bodies[0].shell = layer;
  expect_springs(sinks(scene, 0.02, 0.6), 4.0);
  scene.bodies[0] = scenes::cylinder("can", 0.008, 0.1, {0.0, 0.0, 1.0}, {0.0, 0.0, -0.05}, 0.3);
  scene.bodies[0].kind = BodyKind::fixed;
  scene.bodies[0].shell = layer;
  expect_springs(sinks(scene, 0.02, 0.6), 8.0);
}

// The same in space: off the middle of a plate that is smaller than the side, along x.
TEST(SmoothShell, ACushionBesideTheMiddleOfAPlateStandsOnItsCorners) {
  SceneSpec scene = on_a_floor(scenes::ellipsoid("part", {0.05, 0.05, 0.02}, {0.001, 0.0, 0.02}, 0.3, 8));
  scene.bodies[0] = scenes::fixed_cuboid("plate", {0.008, 0.006, 0.05}, {0.0, 0.0, -0.05}, 0.3);
  scene.bodies[0].shell = layer;
  Simulation simulation = simulate(scene, steps_of(0.001, 0.6));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const double all = scene.bodies[1].mass * scenes::standard_gravity / stiffness;
  const double aside = simulation.spatial_pose(1).position.x;  // turning moves it on
  const double turn = all * aside / (4.0 * 0.008 * 0.008);
  const Quaternion q = simulation.spatial_pose(1).turn;
  EXPECT_NEAR(2.0 * q.y, turn, 0.02 * turn);
  EXPECT_NEAR(0.02 - simulation.spatial_pose(1).position.z, 0.25 * all + aside * turn, 0.01 * all);
}

// Nearly along each other: contacts where they cross, and others at the ends of what runs along each other.
TEST(SmoothShell, LinesThatCrossStandOnTheirPatchAlone) {
  SceneSpec scene = on_a_floor(scenes::cylinder("part", 0.02, 0.2, {1.0, 0.03, 0.0}, {0.0, 0.0, 0.04}, 0.0));
  scene.bodies[0] = scenes::cylinder("bar", 0.02, 0.4, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.0);
  scene.bodies[0].kind = BodyKind::fixed;
  scene.bodies[0].shell = layer;
  SceneSpec capsules = scene;
  const double y = 0.03 / std::hypot(1.0, 0.03), x = 1.0 / std::hypot(1.0, 0.03);
  capsules.bodies[1].spatial().parts = {make_capsule("part", {-0.1 * x, -0.1 * y, 0.0}, {0.1 * x, 0.1 * y, 0.0}, 0.02)};
  capsules.bodies[0].spatial().parts = {make_capsule("bar", {-0.2, 0.0, 0.0}, {0.2, 0.0, 0.0}, 0.02)};
  expect_springs(sinks(scene, 0.04, 0.6), 2.0);
  expect_springs(sinks(capsules, 0.04, 0.6), 2.0);
}

}  // namespace
}  // namespace pegrasp::test
