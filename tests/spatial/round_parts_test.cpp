// SPDX-License-Identifier: Apache-2.0
// Spheres, capsules and half-spaces in motion, against closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

constexpr double gravity = scenes::standard_gravity;

// A body of one part of even density about the origin.
BodySpec round_body(const SolidPart& part, double mass, double friction) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = part.name;
  body.spatial().parts = {part};
  body.mass = mass;
  body.friction = friction;
  const SolidProperties p = solid_properties(part);
  const double density = mass / p.volume;
  body.spatial().inertia = {density * p.inertia.xx, density * p.inertia.yy, density * p.inertia.zz,
                            density * p.inertia.xy, density * p.inertia.xz, density * p.inertia.yz};
  return body;
}

BodySpec ball(const std::string& name, double radius, double mass, Vec3 at, double friction) {
  BodySpec body = round_body(make_sphere(name, {}, radius), mass, friction);
  body.spatial().pose.position = at;
  return body;
}

BodySpec fixed_part(const SolidPart& part, double friction) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = part.name;
  body.kind = BodyKind::fixed;
  body.friction = friction;
  body.spatial().parts = {part};
  return body;
}

SceneSpec on_ground(double friction) {
  SceneSpec scene = scenes::scene_3d("ground");
  scene.bodies.push_back(fixed_part(make_half_space("ground", {0.0, 0.0, 1.0}, 0.0), friction));
  return scene;
}

double length(Vec3 v) { return std::hypot(v.x, v.y, v.z); }

struct Worst {
  double depth = 0.0, energy_gain = 0.0;
};

// To the end, with what every scene here promises: nothing unresolved, no energy out of nothing.
Worst run(Simulation& simulation) {
  Worst worst;
  const EnergyReport start = simulation.energy();
  double most = start.kinetic + start.potential;
  while (simulation.step()) {
    worst.depth = std::max(worst.depth, simulation.last_penetration());
    const EnergyReport now = simulation.energy();
    const double energy = now.kinetic + now.potential;
    worst.energy_gain = std::max(worst.energy_gain, energy - most);
    most = std::min(most, energy);
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  return worst;
}

// Thrown without spin it slides, and rolls from t = 2 v0 / (7 mu g) on at 5/7 v0.
TEST(RoundParts, ASphereThrownSlidingComesToRoll) {
  constexpr double v0 = 3.5, mu = 0.2, radius = 0.1;
  constexpr double rolls_at = 2.0 * v0 / (7.0 * mu * gravity);
  for (const double h : {0.001, 0.01}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    SceneSpec scene = on_ground(mu);
    scene.bodies.push_back(ball("ball", radius, 2.0, {0.0, 0.0, radius}, mu));
    scene.bodies[1].spatial().velocity.velocity = {0.6 * v0, 0.8 * v0, 0.0};
    Simulation simulation = simulate(scene, h, 1.0);
    double rolled = 0.0;
    double worst_depth = 0.0;
    while (simulation.step()) {
      const auto [v, w] = simulation.spatial_velocity(1);
      const double slip = std::hypot(v.x - radius * w.y, v.y + radius * w.x);
      if (rolled == 0.0 && slip < 1e-6) rolled = simulation.time();
      worst_depth = std::max(worst_depth, simulation.last_penetration());
      if (simulation.time() < rolls_at - h) {
        EXPECT_NEAR(length(v), v0 - mu * gravity * simulation.time(), 1e-5);
      } else if (simulation.time() > rolls_at + h) {
        EXPECT_NEAR(v.x, 0.6 * 5.0 / 7.0 * v0, 1e-5);
        EXPECT_NEAR(v.y, 0.8 * 5.0 / 7.0 * v0, 1e-5);
        EXPECT_NEAR(v.z, 0.0, 1e-5);
        EXPECT_NEAR(w.z, 0.0, 1e-5);
      }
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(rolled, rolls_at, h);
    EXPECT_LT(worst_depth, 1e-6);
    const double exact = v0 * rolls_at - 0.5 * mu * gravity * rolls_at * rolls_at + 5.0 / 7.0 * v0 * (1.0 - rolls_at);
    const Vec3 x = simulation.spatial_pose(1).position;
    EXPECT_NEAR(length({x.x, x.y, 0.0}), exact, 0.3 * mu * gravity * h * h + 1e-6);
    EXPECT_NEAR(x.z, radius, 1e-6);
  }
}

// Rolling is no loss at any step, on whatever the ground is made of.
TEST(RoundParts, ASphereThatRollsKeepsItsEnergy) {
  for (const bool box : {false, true}) {
    for (const double h : {0.001, 0.01, 0.05}) {
      SCOPED_TRACE(testing::Message() << "h " << h << (box ? ", box" : ", half-space"));
      SceneSpec scene = on_ground(0.5);
      if (box) scene.bodies[0] = scenes::fixed_cuboid("box", {20.0, 20.0, 1.0}, {0.0, 0.0, -1.0}, 0.5);
      scene.bodies.push_back(ball("ball", 0.1, 2.0, {0.0, 0.0, 0.1}, 0.5));
      scene.bodies[1].spatial().velocity = {{2.0, -1.0, 0.0}, {10.0, 20.0, 3.0}};
      Simulation simulation = simulate(scene, h, 2.0);
      const double before = simulation.energy().kinetic;
      run(simulation);
      EXPECT_NEAR(simulation.energy().kinetic, before, 1e-6 * before);
      EXPECT_NEAR(simulation.spatial_pose(1).position.x, 4.0, 1e-5);
      EXPECT_NEAR(simulation.spatial_pose(1).position.y, -2.0, 1e-5);
      EXPECT_NEAR(simulation.spatial_velocity(1).angular.z, 3.0, 1e-6);  // a point contact brakes no spin
    }
  }
}

// Down a slope (gravity is turned instead): a_x = 5/7 g sin for a ball, 2/3 for a long capsule of inertia m r^2 / 2.
TEST(RoundParts, RollingDownASlope) {
  constexpr double along = 2.0;
  for (const bool ball_rolls : {true, false}) {
    SCOPED_TRACE(testing::Message() << (ball_rolls ? "ball" : "capsule"));
    SceneSpec scene = on_ground(0.6);
    scene.gravity.x = along;
    scene.bodies.push_back(ball("ball", 0.1, 2.0, {0.0, 0.0, 0.1}, 0.6));
    double share = 5.0 / 7.0;
    if (!ball_rolls) {
      scene.bodies[1] = round_body(make_capsule("capsule", {0.0, -0.5, 0.0}, {0.0, 0.5, 0.0}, 0.1), 2.0, 0.6);
      scene.bodies[1].spatial().pose.position = {0.0, 0.0, 0.1};
      share = 1.0 / (1.0 + scene.bodies[1].spatial().inertia.yy / (2.0 * 0.1 * 0.1));
    }
    Simulation simulation = simulate(scene, 0.01, 1.0);
    run(simulation);
    EXPECT_NEAR(simulation.spatial_velocity(1).velocity.x, along * share, 1e-5);
    EXPECT_NEAR(simulation.spatial_pose(1).position.y, 0.0, 1e-6);
    EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-6);
  }
}

TEST(RoundParts, ASphereRests) {
  for (const double h : {0.001, 0.016}) {
    SceneSpec scene = on_ground(0.3);
    scene.bodies.push_back(ball("ball", 0.25, 1.0, {0.3, -0.2, 0.25}, 0.3));
    Simulation simulation = simulate(scene, h, 1.0);
    run(simulation);
    const Vec3 x = simulation.spatial_pose(1).position;
    EXPECT_NEAR(x.x, 0.3, 1e-6);
    EXPECT_NEAR(x.y, -0.2, 1e-6);
    EXPECT_NEAR(x.z, 0.25, 1e-6);
    EXPECT_LT(length(simulation.spatial_velocity(1).velocity), 1e-5);
  }
}

// Dropped flat, tilted, and half over the edge of a box; lying along its edge.
TEST(RoundParts, ACapsuleLiesOnABox) {
  for (const double h : {0.001, 0.01}) {
    for (const double tilt : {0.0, 0.03, 0.4}) {
      for (const double over : {0.0, 0.4}) {
        if (tilt > 0.1 && over > 0.0) continue;  // dropped so, it tips over the edge
        SCOPED_TRACE(testing::Message() << "h " << h << ", tilt " << tilt << ", over " << over);
        SceneSpec scene = scenes::scene_3d("lying");
        scene.bodies.push_back(scenes::fixed_cuboid("box", {1.0, 1.0, 0.5}, {0.0, 0.0, -0.5}, 0.5));
        BodySpec capsule = round_body(make_capsule("capsule", {-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}, 0.1), 3.0, 0.5);
        // its middle stays over the box
        capsule.spatial().pose.position = {0.5 + over, 0.1, 0.1 + 0.5 * std::sin(tilt)};
        capsule.spatial().pose.turn = {std::cos(0.5 * tilt), 0.0, -std::sin(0.5 * tilt), 0.0};
        scene.bodies.push_back(capsule);
        Simulation simulation = simulate(scene, h, 3.0);
        const Worst worst = run(simulation);
        EXPECT_LT(worst.depth, 1e-4);
        EXPECT_LT(worst.energy_gain, 1e-3);
        const SpatialPose pose = simulation.spatial_pose(1);
        EXPECT_NEAR(pose.position.z, 0.1, 1e-4);
        const Quaternion q = pose.turn;
        EXPECT_NEAR(2.0 * (q.x * q.z - q.w * q.y), 0.0, 1e-3);  // of its axis, up
        EXPECT_LT(length(simulation.spatial_velocity(1).angular), 1e-2);
      }
    }
  }
}

// In a groove of two half-spaces, lying along it: two contacts a side carry it, and it stays.
TEST(RoundParts, ACapsuleInAGroove) {
  for (const double h : {0.001, 0.01}) {
    for (const double friction : {0.0, 0.4}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", friction " << friction);
      SceneSpec scene = scenes::scene_3d("groove");
      scene.bodies.push_back(fixed_part(make_half_space("left", {1.0, 0.0, 1.0}, 0.0), friction));
      scene.bodies.push_back(fixed_part(make_half_space("right", {-1.0, 0.0, 1.0}, 0.0), friction));
      BodySpec capsule = round_body(make_capsule("capsule", {0.0, -0.5, 0.0}, {0.0, 0.5, 0.0}, 0.1), 3.0, friction);
      const double height = 0.1 * std::sqrt(2.0);
      capsule.spatial().pose.position = {0.0, 0.0, height};
      scene.bodies.push_back(capsule);
      Simulation simulation = simulate(scene, h, 1.0);
      run(simulation);
      const SpatialPose pose = simulation.spatial_pose(2);
      EXPECT_NEAR(pose.position.x, 0.0, 1e-6);
      EXPECT_NEAR(pose.position.y, 0.0, 1e-6);
      EXPECT_NEAR(pose.position.z, height, 1e-5);
      EXPECT_NEAR(pose.turn.w, 1.0, 1e-9);
    }
  }
}

// Upright in the groove it stands on its round end, held by nothing: a small lean grows, and it falls along the groove.
TEST(RoundParts, ACapsuleStandingInAGrooveFallsAlongIt) {
  SceneSpec scene = scenes::scene_3d("groove");
  scene.bodies.push_back(fixed_part(make_half_space("left", {1.0, 0.0, 1.0}, 0.0), 0.5));
  scene.bodies.push_back(fixed_part(make_half_space("right", {-1.0, 0.0, 1.0}, 0.0), 0.5));
  BodySpec capsule = round_body(make_capsule("capsule", {0.0, 0.0, -0.5}, {0.0, 0.0, 0.5}, 0.1), 3.0, 0.5);
  const double lean = 0.02;
  capsule.spatial().pose.position = {0.0, -0.5 * std::sin(lean), 0.5 * std::cos(lean) + 0.1 * std::sqrt(2.0)};
  capsule.spatial().pose.turn = {std::cos(0.5 * lean), std::sin(0.5 * lean), 0.0, 0.0};
  scene.bodies.push_back(capsule);
  Simulation simulation = simulate(scene, 0.004, 4.0);
  const Worst worst = run(simulation);
  EXPECT_LT(worst.depth, 1e-3);
  const SpatialPose pose = simulation.spatial_pose(2);
  EXPECT_NEAR(pose.position.x, 0.0, 1e-3);
  EXPECT_NEAR(pose.position.z, 0.1 * std::sqrt(2.0), 1e-3);
}

// A capsule lies across the tops of two others, and along a third.
TEST(RoundParts, ACapsuleOnCapsules) {
  for (const bool across : {true, false}) {
    SCOPED_TRACE(testing::Message() << (across ? "across two" : "between two, along them"));
    SceneSpec scene = scenes::scene_3d("rollers");
    for (const double side : {-1.0, 1.0}) {
      const double x = across ? 0.3 * side : 0.1 * side;
      scene.bodies.push_back(fixed_part(make_capsule("roller", {x, -0.6, 0.0}, {x, 0.6, 0.0}, 0.1), 0.4));
    }
    BodySpec capsule = round_body(across ? make_capsule("rod", {-0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}, 0.1)
                                         : make_capsule("rod", {0.0, -0.5, 0.0}, {0.0, 0.5, 0.0}, 0.1),
                                  2.0, 0.4);
    const double height = across ? 0.2 : 0.1 * std::sqrt(3.0);
    capsule.spatial().pose.position = {0.0, 0.05, height};
    scene.bodies.push_back(capsule);
    Simulation simulation = simulate(scene, 0.004, 1.0);
    run(simulation);
    EXPECT_NEAR(simulation.spatial_pose(2).position.z, height, 1e-5);
    EXPECT_NEAR(simulation.spatial_pose(2).position.y, 0.05, 1e-5);
    EXPECT_LT(length(simulation.spatial_velocity(2).angular), 1e-4);
  }
}

// Momentum, and angular momentum about the origin, in an oblique collision with friction.
TEST(RoundParts, CollidingSpheresKeepTheirMomentum) {
  for (const double h : {0.001, 0.01}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    SceneSpec scene = scenes::scene_3d("collision");
    scene.gravity_z = 0.0;
    scene.bodies.push_back(ball("a", 0.2, 1.0, {-0.5, 0.05, 0.02}, 0.3));
    scene.bodies.push_back(ball("b", 0.3, 2.0, {0.5, -0.05, 0.1}, 0.3));
    scene.bodies[0].spatial().velocity = {{3.0, 0.1, 0.0}, {0.0, 5.0, 20.0}};
    scene.bodies[1].spatial().velocity = {{-1.0, 0.2, -0.1}, {-7.0, 0.0, 3.0}};
    Simulation simulation = simulate(scene, h, 0.6);
    const auto momentum = [&] {
      std::array<double, 6> sum{};
      for (int b = 0; b < 2; ++b) {
        const BodySpec& body = scene.bodies[static_cast<std::size_t>(b)];
        const Vec3 x = simulation.spatial_pose(b).position;
        const auto [v, w] = simulation.spatial_velocity(b);
        const double m = body.mass, i = body.spatial().inertia.xx;
        const double parts[6] = {m * v.x,
                                 m * v.y,
                                 m * v.z,
                                 m * (x.y * v.z - x.z * v.y) + i * w.x,
                                 m * (x.z * v.x - x.x * v.z) + i * w.y,
                                 m * (x.x * v.y - x.y * v.x) + i * w.z};
        for (std::size_t k = 0; k < 6; ++k) sum[k] += parts[k];
      }
      return sum;
    };
    const std::array<double, 6> before = momentum();
    run(simulation);
    const std::array<double, 6> after = momentum();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(after[k], before[k], 1e-12);
    // The impulse acts at the end pose's contact point, the velocities change at the start: angular momentum errs by
    // O(h).
    for (std::size_t k = 3; k < 6; ++k) EXPECT_NEAR(after[k], before[k], 20.0 * h);
    EXPECT_GT(std::fabs(simulation.spatial_velocity(0).velocity.x - 3.0), 0.5);  // they did meet
    // inelastic: neither penetrates
    const Vec3 a = simulation.spatial_pose(0).position, b = simulation.spatial_pose(1).position;
    EXPECT_GE(length({b.x - a.x, b.y - a.y, b.z - a.z}), 0.5 - 1e-5);
  }
}

// Dropped into the corner of a box of three walls, it comes to rest touching what it must.
TEST(RoundParts, ASphereDroppedIntoACorner) {
  for (const double h : {0.001, 0.004, 0.016}) {
    SCOPED_TRACE(testing::Message() << "h " << h);
    SceneSpec scene = scenes::scene_3d("corner");
    // gravity leans into the corner
    scene.gravity = {-3.0, -2.0};
    scene.bodies.push_back(scenes::fixed_cuboid("floor", {2.0, 2.0, 0.5}, {0.0, 0.0, -0.5}, 0.2));
    scene.bodies.push_back(scenes::fixed_cuboid("wall_x", {0.5, 2.0, 2.0}, {-1.5, 0.0, 0.0}, 0.2));
    scene.bodies.push_back(scenes::fixed_cuboid("wall_y", {2.0, 0.5, 2.0}, {0.0, -1.5, 0.0}, 0.2));
    scene.bodies.push_back(ball("ball", 0.25, 1.0, {-0.2, -0.1, 1.0}, 0.2));
    scene.bodies[3].spatial().velocity.velocity = {-1.0, -2.0, 0.5};
    Simulation simulation = simulate(scene, h, 4.0);
    const Worst worst = run(simulation);
    EXPECT_LT(worst.depth, 1e-4);
    const Vec3 x = simulation.spatial_pose(3).position;
    EXPECT_NEAR(x.x, -0.75, 1e-5);
    EXPECT_NEAR(x.y, -0.75, 1e-5);
    EXPECT_NEAR(x.z, 0.25, 1e-5);
  }
}

// Fast and small against thin: stopped at any step.
TEST(RoundParts, NothingGoesThroughAThinPlate) {
  for (const bool sphere : {true, false}) {
    for (const double speed : {5.0, 50.0}) {
      SCOPED_TRACE(testing::Message() << (sphere ? "sphere" : "capsule") << ", " << speed << " m/s");
      SceneSpec scene = scenes::scene_3d("plate");
      scene.gravity_z = 0.0;
      scene.bodies.push_back(scenes::fixed_cuboid("plate", {1.0, 1.0, 0.01}, {}, 0.2));
      BodySpec shot = ball("shot", 0.02, 1.0, {0.1, 0.2, 0.5}, 0.2);
      if (!sphere) {
        shot = round_body(make_capsule("shot", {-0.1, 0.02, 0.03}, {0.1, -0.02, -0.03}, 0.02), 1.0, 0.2);
        shot.spatial().pose.position = {0.1, 0.2, 0.5};
      }
      shot.spatial().velocity.velocity = {0.3 * speed, 0.0, -speed};
      scene.bodies.push_back(shot);
      Simulation simulation = simulate(scene, 0.016, 0.02);
      run(simulation);
      EXPECT_GT(simulation.spatial_pose(1).position.z, 0.0);
    }
  }
}

// A ball that is shot at another, or at a rod, many radii a step: halved, until it hits.
TEST(RoundParts, SmallRoundPartsHitEachOther) {
  for (const bool rod : {false, true}) {
    for (const double offset : {0.0, 0.01, 0.03}) {
      SCOPED_TRACE(testing::Message() << (rod ? "rod" : "ball") << ", offset " << offset);
      SceneSpec scene = scenes::scene_3d("shot");
      scene.gravity_z = 0.0;
      scene.bodies.push_back(fixed_part(
          rod ? make_capsule("target", {-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.05) : make_sphere("target", {}, 0.05),
          0.0));
      scene.bodies.push_back(ball("shot", 0.02, 1.0, {0.0, offset, 0.7}, 0.0));
      scene.bodies[1].spatial().velocity.velocity = {0.0, 0.0, -50.0};
      Simulation simulation = simulate(scene, 0.016, 0.032);
      run(simulation);
      // what is left goes along the surface where they met, which so large a step knows roughly
      EXPECT_LT(length(simulation.spatial_velocity(1).velocity), offset == 0.0 ? 1e-5 : 45.0);
    }
  }
}

// Polyhedra on a half-space: boxes rest on it, a hull comes to lie.
TEST(RoundParts, PolyhedraOnAHalfSpace) {
  SceneSpec scene = on_ground(0.4);
  BodySpec box = scenes::solid_body("box", scenes::cuboid(0.2, 0.3, 0.1), 100.0);
  box.spatial().pose.position = {0.0, 0.0, 0.1};
  box.friction = 0.4;
  scene.bodies.push_back(box);
  box.name = "upper";
  box.spatial().pose.position = {0.02, 0.03, 0.3};
  scene.bodies.push_back(box);
  box.name = "tumbling";
  box.spatial().pose.position = {2.0, 0.0, 0.6};
  box.spatial().pose.turn = {0.8, 0.36, 0.48, 0.0};
  scene.bodies.push_back(box);
  Simulation simulation = simulate(scene, 0.004, 4.0);
  const Worst worst = run(simulation);
  EXPECT_LT(worst.depth, 1e-4);
  EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.1, 1e-5);
  EXPECT_NEAR(simulation.spatial_pose(2).position.z, 0.3, 1e-5);
  EXPECT_NEAR(simulation.spatial_pose(2).position.x, 0.02, 1e-5);
  const double z = simulation.spatial_pose(3).position.z;
  EXPECT_LT(std::min({std::fabs(z - 0.1), std::fabs(z - 0.2), std::fabs(z - 0.3)}), 1e-4);
}

// Spheres, capsules and boxes, or capsules alone, poured into a box of half-spaces: nothing unresolved, nothing deep.
class RoundPour : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Parts, RoundPour, testing::Values(false, true));

TEST_P(RoundPour, StaysApartAndInside) {
  const bool capsules = GetParam();
  for (const double h : {0.004, 0.016}) {
    for (const double friction : {0.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", friction " << friction);
      SceneSpec scene = on_ground(friction);
      for (int side = 0; side < 4; ++side) {
        const double sign = side % 2 == 0 ? 1.0 : -1.0;
        const Vec3 normal = side < 2 ? Vec3{sign, 0.0, 0.0} : Vec3{0.0, sign, 0.0};
        scene.bodies.push_back(fixed_part(make_half_space("wall", normal, -0.5), friction));
      }
      scenes::Random random(7);
      for (int i = 0; i < 12; ++i) {
        const std::string name = "body" + std::to_string(i);
        BodySpec body = scenes::solid_body(name, scenes::cuboid(0.1, 0.15, 0.2), 100.0);
        if (!capsules && i % 3 == 1) body = round_body(make_sphere(name, {}, 0.15), 1.0, friction);
        if (capsules || i % 3 == 2) {
          const double half = capsules ? random.uniform(0.03, 0.2) : 0.2;
          body = round_body(make_capsule(name, {-half, 0.0, 0.0}, {half, 0.0, 0.0}, 0.08), 1.0, friction);
        }
        const double x = random.uniform(-0.2, 0.2);
        body.spatial().pose.position = {x, random.uniform(-0.2, 0.2), 1.5};
        if (!capsules)
          body.spatial().pose.turn = {0.8, 0.36, 0.48, 0.0};  // capsules fall flat: they cross at all angles
        body.spatial().velocity.velocity = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.0};
        body.friction = friction;
        body.drop_time = 0.3 * i;
        scene.bodies.push_back(body);
      }
      Simulation simulation = simulate(scene, h, 5.0);
      double depth = 0.0;
      while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
      EXPECT_LT(depth, 1e-4);
      for (int b = 5; b < static_cast<int>(scene.bodies.size()); ++b) {
        const Vec3 x = simulation.spatial_pose(b).position;
        EXPECT_LT(std::max(std::fabs(x.x), std::fabs(x.y)), 0.45);
        EXPECT_GT(x.z, 0.07);
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp
