// SPDX-License-Identifier: Apache-2.0
// Exact cylinders in motion and at rest, against closed formulas.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <iostream>

#include "src/geometry/placement.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/cylinders.hpp"
#include "tests/scenes/polyhedron_box.hpp"
#include "tests/scenes/random.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

using test::simulate;

using scenes::cylinder;
using scenes::sloping;

constexpr double gravity = scenes::standard_gravity;
constexpr double quarter_turn = 1.57079632679489662;

struct Ended {
  Vec3 from, to;
  double depth = 0.0, upright = 0.0;  // upright: |z of the body's z axis|
  int contacts = 0;
};

// Runs to the end; nothing unresolved, no overlap beyond what polyhedra leave.
Ended ended(SceneSpec scene, double h, double duration, int body) {
  Simulation simulation = simulate(scene, h, duration);
  Ended out;
  out.from = simulation.spatial_pose(body).position;
  while (simulation.step()) out.depth = std::max(out.depth, simulation.last_penetration());
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_LT(out.depth, 1e-6);
  out.to = simulation.spatial_pose(body).position;
  out.upright = std::fabs(turned(simulation.spatial_pose(body).turn, {0.0, 0.0, 1.0}).z);
  out.contacts = simulation.contact_count();
  return out;
}

TEST(Cylinder, RollsDownASlope) {
  constexpr double angle = 10.0 * quarter_turn / 90.0;
  for (const bool plate : {false, true}) {
    for (const double h : {0.001, 0.005, 0.01}) {
      SCOPED_TRACE(testing::Message() << (plate ? "plate, h " : "ground, h ") << h);
      SceneSpec scene = sloping(angle, 0.5, plate);
      scene.bodies.push_back(cylinder("roll", 0.05, 0.1, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.05}, 0.5));
      Simulation simulation = simulate(scene, h, 1.0);
      double depth = 0.0;
      while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_LT(depth, 1e-8);
      const double exact = 2.0 / 3.0 * gravity * std::sin(angle);
      EXPECT_NEAR(simulation.spatial_velocity(1).velocity.x, exact, 1e-6);
      EXPECT_NEAR(simulation.spatial_pose(1).position.x, 0.5 * exact, 1e-6);
      EXPECT_NEAR(simulation.spatial_pose(1).position.z, 0.05, 1e-7);
    }
  }
}

TEST(Cylinder, StandsAndLies) {
  for (const bool plate : {false, true}) {
    for (const double h : {0.002, 0.01}) {
      for (const bool lies : {false, true}) {
        SCOPED_TRACE(testing::Message() << plate << ", h " << h << ", lies " << lies);
        SceneSpec scene = sloping(0.0, 0.4, plate);
        scene.bodies.push_back(cylinder("part", 0.03, 0.1, lies ? Vec3{1.0, 0.3, 0.0} : Vec3{0.0, 0.0, 1.0},
                                        {0.0, 0.0, lies ? 0.03 : 0.05}, 0.4));
        const Ended out = ended(scene, h, 1.0, 1);
        EXPECT_LT(length(out.to - out.from), 1e-7);
        EXPECT_LT(out.depth, 1e-8);
      }
    }
  }
}

// On a slope whose friction holds it, it stands where its weight falls within the rim, and tips over it where not.
TEST(Cylinder, TipsOverItsRim) {
  constexpr double radius = 0.03, height = 0.12;
  for (const double turn : {0.0, 0.2, 0.3927}) {  // of the cylinder about its axis
    for (const double share : {0.97, 1.03}) {
      SCOPED_TRACE(testing::Message() << "turned by " << turn << ", " << share);
      SceneSpec scene = sloping(std::atan(share * 2.0 * radius / height), 0.9, true);
      scene.bodies.push_back(cylinder("part", radius, height, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.5 * height}, 0.9));
      scene.bodies[1].spatial().pose.turn = turn_by({0.0, 0.0, turn});
      const Ended out = ended(scene, 0.005, 1.5, 1);
      if (share < 1.0) {
        EXPECT_GT(out.upright, 1.0 - 1e-9);
        EXPECT_LT(length(out.to - out.from), 5e-6);
      } else {
        EXPECT_LT(out.upright, 0.5);
      }
    }
  }
}

// Beyond the edge of a table it stands until its middle is over the edge.
TEST(Cylinder, FallsOffATable) {
  for (const double beyond : {-0.001, 0.001}) {
    SCOPED_TRACE(beyond);
    SceneSpec scene = sloping(0.0, 0.5, true);
    scene.bodies.push_back(cylinder("part", 0.03, 0.04, {0.0, 0.0, 1.0}, {3.0 + beyond, 0.1, 0.02}, 0.5));
    const Ended out = ended(scene, 0.005, 1.0, 1);
    if (beyond < 0.0) {
      EXPECT_LT(length(out.to - out.from), 1e-6);
    } else {
      EXPECT_LT(out.to.z, -0.1);
    }
  }
}

// A rim that leaves a face of 32 sides and comes back over every one of them touches at each of the 64 places.
TEST(Cylinder, StandsOnAPostOfManySides) {
  constexpr int sides = 32;
  constexpr double radius = 0.025, height = 0.06;
  const double angle = 4.0 * quarter_turn / sides;
  std::vector<Vec3> corners;
  for (int k = 0; k < sides; ++k) {
    for (const double z : {-0.1, 0.0})
      corners.push_back({radius * std::cos((k + 0.5) * angle), radius * std::sin((k + 0.5) * angle), z});
  }
  SceneSpec scene = scenes::scene_3d("post");
  BodySpec post;
  post.form = SpatialBody{};
  post.name = "post";
  post.kind = BodyKind::fixed;
  post.friction = 0.5;
  post.spatial().parts = {{"post", make_polyhedron(corners)}};
  scene.bodies = {post, cylinder("can", 0.5 * radius * (1.0 + std::cos(0.5 * angle)), height, {0.0, 0.0, 1.0},
                                 {0.0, 0.0, 0.5 * height}, 0.5)};
  const Ended out = ended(scene, 0.005, 0.1, 1);
  EXPECT_EQ(out.contacts, 2 * sides);
  EXPECT_LT(length(out.to - out.from), 1e-7);
}

// Two jaws, one fixed and one on a rail, hold it by its side or across its ends with `times` the friction it needs.
SceneSpec held(bool by_side, double times, double lean) {
  constexpr double mu = 0.5, radius = 0.02, height = 0.05;
  SceneSpec scene = scenes::scene_3d("held");
  const double half = by_side ? radius : 0.5 * height;
  const Vec3 axis = by_side ? Vec3{0.0, std::sin(lean), std::cos(lean)} : Vec3{1.0, 0.0, 0.0};
  scene.bodies.push_back(scenes::fixed_cuboid("wall", {0.1, 0.2, 0.2}, {-0.1 - half, 0.0, 0.0}, mu));
  scene.bodies.push_back(cylinder("part", radius, height, axis, {}, mu));
  scene.bodies.push_back(scenes::fixed_cuboid("jaw", {0.01, 0.04, 0.04}, {0.01 + half, 0.0, 0.0}, mu));
  BodySpec& jaw = scene.bodies[2];
  jaw.kind = BodyKind::dynamic;
  jaw.mass = 0.2;
  jaw.spatial().inertia = {1e-4, 1e-4, 1e-4, 0.0, 0.0, 0.0};
  scene.joints.push_back(
      make_joint(scene, "rail", JointKind::prismatic, -1, 2, jaw.spatial().pose.position, {1.0, 0.0, 0.0}));
  ActuatorSpec push;
  push.name = "push";
  push.joint = 0;
  push.target = -times * scene.bodies[1].mass * gravity / (2.0 * mu);
  scene.actuators.push_back(push);
  return scene;
}

TEST(Cylinder, IsHeldByFlatJaws) {
  for (const bool by_side : {false, true}) {
    for (const double lean : {0.0, 0.4}) {
      for (const double h : {0.002, 0.01}) {
        SCOPED_TRACE(testing::Message() << "by its side " << by_side << ", lean " << lean << ", h " << h);
        if (by_side || lean == 0.0) {
          EXPECT_LT(length(ended(held(by_side, 1.3, lean), h, 1.0, 1).to), 2e-5);
          EXPECT_LT(ended(held(by_side, 0.7, lean), h, 0.2, 1).to.z, -0.02);
        }
      }
    }
  }
}

// One lies across another, which is fixed.
TEST(Cylinder, LiesAcrossAnother) {
  for (const double angle : {1.0, 0.25, 0.1}) {
    SCOPED_TRACE(angle);
    SceneSpec scene = sloping(0.0, 0.4);
    scene.bodies.push_back(cylinder("lower", 0.03, 0.4, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.03}, 0.4));
    scene.bodies[1].kind = BodyKind::fixed;
    scene.bodies.push_back(
        cylinder("upper", 0.02, 0.3, {std::cos(angle), std::sin(angle), 0.0}, {0.0, 0.0, 0.08}, 0.4));
    const Ended out = ended(scene, 0.005, 0.5, 2);
    EXPECT_LT(out.depth, 1e-7);
    EXPECT_NEAR(out.to.z, 0.08, 1e-6);
  }
}

// In a groove of two planes that meet at a right angle its axis is sqrt(2) r above their line.
TEST(Cylinder, RestsInAGroove) {
  for (const bool boxes : {false, true}) {
    SCOPED_TRACE(boxes);
    SceneSpec scene = scenes::scene_3d("groove");
    for (const double side : {-1.0, 1.0}) {
      BodySpec wall = scenes::fixed_cuboid(side < 0.0 ? "left" : "right", {0.2, 0.3, 0.1}, {}, 0.3);
      wall.spatial().pose.turn = turn_by({0.0, -0.5 * side * quarter_turn, 0.0});
      wall.spatial().pose.position = turned(wall.spatial().pose.turn, {side * 0.2, 0.0, -0.1});
      if (!boxes) wall.spatial().parts = {make_half_space("wall", {0.0, 0.0, 1.0}, 0.1)};
      scene.bodies.push_back(wall);
    }
    scene.bodies.push_back(
        cylinder("part", 0.05, 0.2, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.05 * std::sqrt(2.0) + 0.002}, 0.3));
    const Ended out = ended(scene, 0.005, 1.0, 2);
    EXPECT_NEAR(out.to.z, 0.05 * std::sqrt(2.0), 1e-7);
    EXPECT_NEAR(out.to.x, 0.0, 1e-7);
    EXPECT_LT(out.depth, 1e-7);
  }
}

// A disc that stands on its rim and rolls, upright, keeps its energy and its way.
TEST(Cylinder, ACoinRollsOnItsRim) {
  SceneSpec scene = sloping(0.0, 0.6);
  scene.bodies.push_back(cylinder("coin", 0.1, 0.02, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.1}, 0.6));
  scene.bodies[1].spatial().velocity = {{1.0, 0.0, 0.0}, {0.0, 10.0, 0.0}};
  const Ended out = ended(scene, 0.005, 1.0, 1);
  EXPECT_NEAR(out.to.x, 1.0, 1e-6);
  EXPECT_NEAR(out.to.z, 0.1, 1e-7);
}

// Where one plate, or one part of a plate, ends and the next begins, it rolls on as before.
TEST(Cylinder, RollsOverSeams) {
  for (const bool one_body : {false, true}) {
    SCOPED_TRACE(one_body);
    SceneSpec scene = scenes::scene_3d("seams");
    for (int k = 0; k < 3; ++k) {
      BodySpec plate = scenes::fixed_cuboid("plate" + std::to_string(k), {0.2, 0.3, 0.05}, {}, 0.5);
      const Vec3 at{0.4 * k, 0.0, -0.05};
      if (one_body) {
        for (Vec3& v : plate.spatial().parts[0].shape.vertices) v = v + at;
        plate.spatial().parts = {{plate.name, make_polyhedron(plate.spatial().parts[0].shape.vertices)}};
      } else {
        plate.spatial().pose.position = at;
      }
      if (one_body && k > 0) {
        scene.bodies[0].spatial().parts.push_back(plate.spatial().parts[0]);
      } else {
        scene.bodies.push_back(plate);
      }
    }
    const int body = static_cast<int>(scene.bodies.size());
    scene.bodies.push_back(cylinder("roll", 0.05, 0.1, {0.0, 1.0, 0.0}, {0.0, 0.0, 0.05}, 0.5));
    scene.bodies.back().spatial().velocity = {{1.0, 0.0, 0.0}, {0.0, 20.0, 0.0}};
    const Ended out = ended(scene, 0.005, 0.8, body);
    EXPECT_NEAR(out.to.x, 0.8, 5e-5);
    EXPECT_NEAR(out.to.z, 0.05, 1e-6);
  }
}

// Lands on the rim of its end, which then goes round faster than passes follow: without the points at which the rim was
// deepest in earlier passes they alternate between two, however short the step.
TEST(Cylinder, LandsOnItsRim) {
  StepOptions options;
  options.h = 0.005;
  options.duration = 0.5;
  for (int which = 0; which < 3; ++which) {
    for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
      SCOPED_TRACE(testing::Message() << which << (strategy == Strategy::batched ? ", batched" : ""));
      const SceneSpec scene = scenes::landing_on_a_rim(which);
      options.strategy = strategy;
      Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
      simulation.run();
      EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
      EXPECT_LT(simulation.outcome().substeps_rejected, 7);
      EXPECT_LT(simulation.spatial_pose(1).position.z, 0.0102);
    }
  }
}

TEST(Cylinder, ADiscFallsAgainstARoof) {
  for (int which = 0; which < 3; ++which) {
    SCOPED_TRACE(which);
    ended(scenes::disc_against_a_roof(which), 0.005, 0.5, 2);
  }
}

// A coin leans, its lower cap towards a smooth wall, or against the rim of a smooth coin that lies on the ground. About
// the point on which it stands the weight turns it by m g (r cos a - l sin a), with the angle a from the ground and the
// half height l; the wall holds it at 2 r sin a, the other coin at its height over sin a along the cap. What the ground
// needs of friction follows: with a little more it stays, with a little less it slides.
TEST(Cylinder, ACoinLeans) {
  constexpr double radius = 0.012, half = 0.001, height = 0.004;
  for (const bool wall : {true, false}) {
    const double angle = wall ? 0.9 : 0.35;
    const double c = std::cos(angle), s = std::sin(angle);
    const double along = wall ? 2.0 * radius : height / s;  // the cap, from where it stands to where it leans
    const double turns = radius * c - half * s;
    const double push = wall ? turns / (2.0 * radius * s) : turns / along;  // in weights
    const double needed = wall ? push : push * s / (1.0 - push * c);
    for (const double share : {0.97, 1.03}) {
      SCOPED_TRACE(testing::Message() << (wall ? "wall, " : "coin, ") << share);
      SceneSpec scene = sloping(0.0, share * needed);
      if (wall) {
        scene.bodies.push_back(scenes::fixed_cuboid("wall", {0.1, 0.1, 0.1}, {-0.1, 0.0, 0.0}, 0.0));
      } else {
        scene.bodies.push_back(cylinder("other", radius, height, {0.0, 0.0, 1.0}, {-radius, 0.0, 0.5 * height}, 0.0));
        scene.bodies[1].kind = BodyKind::fixed;
      }
      const Vec3 axis{s, 0.0, c}, stands{along * c, 0.0, 0.0};
      const Vec3 middle = stands + radius * Vec3{-c, 0.0, s} + half * axis;
      scene.bodies.push_back(cylinder("coin", radius, 2.0 * half, axis, middle, share * needed));
      const Ended out = ended(scene, 0.005, 0.5, 2);
      if (share > 1.0) {
        EXPECT_LT(length(out.to - out.from), 1e-5);
      } else {
        EXPECT_GT(out.to.x - out.from.x, 5e-5);
      }
    }
  }
}

// Poured into a box, on either strategy.
SceneSpec poured(bool exact, int count) {
  SceneSpec scene = scenes::polyhedron_box(3, 0.3, count);
  for (std::size_t k = 5; k < scene.bodies.size(); ++k) {
    BodySpec& body = scene.bodies[k];
    const double radius = 0.05 + 0.03 * static_cast<double>(k % 3), height = 0.1 + 0.08 * static_cast<double>(k % 4);
    BodySpec other = cylinder(body.name, radius, height, {0.2, 0.3 * static_cast<double>(k % 5), 1.0}, {}, 0.3);
    other.spatial().pose = body.spatial().pose;
    other.spatial().velocity = body.spatial().velocity;
    other.drop_time = 0.2 * static_cast<double>(k - 5);
    if (!exact) {
      const SolidPart part = other.spatial().parts[0];
      const Quaternion turn = turn_of_z_to(part.shape.faces[1].normal);
      std::vector<Vec3> points;
      for (int side = 0; side < 16; ++side) {
        const double angle = quarter_turn * (side + 0.5) / 4.0;
        for (const double z : {-0.5 * height, 0.5 * height})
          points.push_back(turned(turn, {radius * std::cos(angle), radius * std::sin(angle), z}));
      }
      other.spatial().parts = {{body.name, make_polyhedron(points)}};
    }
    body = other;
  }
  return scene;
}

// Shortest time [s] of three runs. It costs at most three times what prisms of 16 sides do.
double seconds_of(const SceneSpec& scene) {
  double best = 1e300;
  for (int turn = 0; turn < 3; ++turn) {
    Simulation simulation = simulate(scene, 0.005, 2.0);
    const auto start = std::chrono::steady_clock::now();
    simulation.run();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

TEST(CylinderLong, CostsLittleMoreThanAPrism) {
  const double exact = seconds_of(poured(true, 10)), prisms = seconds_of(poured(false, 10));
  std::cout << "exact " << exact << " s, prisms of 16 sides " << prisms << " s\n";
  EXPECT_LT(exact, 3.0 * prisms);
}

// Discs, rods and cylinders of every size fall on a roof, on each other and on prisms.
SceneSpec dropped(scenes::Random& random, int count) {
  SceneSpec scene = sloping(0.0, 0.5, random.below(2) == 0);
  if (random.below(2) == 0) scene.bodies.push_back(scenes::fixed_roof(0.5));
  const auto direction = [&] {
    return Vec3{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
  };
  const auto one_of = [&](std::initializer_list<double> list) { return *(list.begin() + random.below(list.size())); };
  for (int k = 0; k < count; ++k) {
    const Vec3 at{random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02), 0.12 + 0.16 * k};
    const double mu = one_of({0.0, 0.2, 0.5, 0.9});
    const bool upright = random.below(4) == 0;
    const std::size_t kind = random.below(5);
    const double radius = kind == 0 ? 0.03 : kind == 1 ? 0.005 : one_of({0.01, 0.02, 0.04});
    const double height = kind == 0 ? one_of({0.002, 0.004}) : kind == 1 ? 0.12 : one_of({0.02, 0.05, 0.08});
    BodySpec body = cylinder("body" + std::to_string(k), radius, height, {0.0, 0.0, 1.0}, at, mu);
    if (kind == 4) {
      const std::size_t sides = 3 + random.below(4);
      std::vector<Vec3> corners;
      for (std::size_t side = 0; side < sides; ++side) {
        const double angle = 4.0 * quarter_turn * static_cast<double>(side) / static_cast<double>(sides);
        for (const double z : {-0.02, 0.02}) corners.push_back({0.025 * std::cos(angle), 0.025 * std::sin(angle), z});
      }
      body.spatial().parts = {{body.name, make_polyhedron(corners)}};
    }
    if (!upright) body.spatial().pose.turn = turn_by(random.uniform(0.5, 3.0) * direction());
    body.spatial().velocity.angular = 4.0 * direction();
    scene.bodies.push_back(body);
  }
  return scene;
}

class CylinderDropsFuzz : public testing::TestWithParam<int> {};

TEST_P(CylinderDropsFuzz, LeaveNoStepUnresolved) {
  scenes::Random random(test::fuzz_seed(20261128) + static_cast<std::uint64_t>(GetParam()));
  for (int trial = 0; trial < 6; ++trial) {
    SCOPED_TRACE(trial);
    Simulation simulation = simulate(dropped(random, 1 + trial % 3), 0.005, 0.5);
    simulation.run();
    EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

INSTANTIATE_TEST_SUITE_P(Some, CylinderDropsFuzz, testing::Range(0, 8));

TEST(CylinderLong, PouredIntoABox) {
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    for (const double h : {0.004, 0.01}) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(strategy) << ", h " << h);
      const SceneSpec scene = poured(true, 10);
      StepOptions options;
      options.h = h;
      options.duration = 3.0;
      options.strategy = strategy;
      Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
      double depth = 0.0;
      while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
      EXPECT_LT(depth, 1e-5);
      EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
      for (int body = 5; body < 15; ++body) {
        EXPECT_GT(simulation.spatial_pose(body).position.z, 0.0) << body;
        EXPECT_LT(std::fabs(simulation.spatial_pose(body).position.x), 0.75) << body;
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp
