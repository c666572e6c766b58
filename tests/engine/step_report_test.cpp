// SPDX-License-Identifier: Apache-2.0
// What Simulation says of a step: its contacts carry the weight, its counts add up to the outcome, and whether it is
// watched does not show in the results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "tests/runs.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/stack.hpp"

namespace pegrasp {
namespace {

using test::body_of;

double product(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Mean contact force [N] on every body in the last step, by the body's index.
std::map<int, Vec3> forces(const StepContents& contents) {
  std::map<int, Vec3> sums;
  for (const ContactReport& c : contents.contacts) {
    const Vec3 p{c.normal_impulse * c.normal.x + c.tangential_impulse.x,
                 c.normal_impulse * c.normal.y + c.tangential_impulse.y,
                 c.normal_impulse * c.normal.z + c.tangential_impulse.z};
    for (const auto& [body, sign] : {std::pair{c.body_b, 1.0}, std::pair{c.body_a, -1.0}}) {
      Vec3& sum = sums[body];
      sum = {sum.x + sign * p.x / c.duration, sum.y + sign * p.y / c.duration, sum.z + sign * p.z / c.duration};
    }
  }
  return sums;
}

void expect_sound(const SceneSpec& scene, const StepContents& contents) {
  for (const ContactReport& c : contents.contacts) {
    EXPECT_NEAR(product(c.normal, c.normal), 1.0, 1e-12);
    EXPECT_NEAR(product(c.normal, c.tangential_impulse), 0.0, 1e-9);
    EXPECT_GE(c.normal_impulse, -1e-12);
    EXPECT_LE(std::sqrt(product(c.tangential_impulse, c.tangential_impulse)),
              (1.0 + 1e-6) * c.friction * c.normal_impulse + 1e-7);
    EXPECT_GT(c.duration, 0.0);
    ASSERT_LT(c.body_b, static_cast<int>(scene.bodies.size()));
    EXPECT_NE(c.body_a, c.body_b);
  }
}

TEST(StepReport, ContactsOfAStackCarryItsWeight) {
  const SceneSpec scene = scenes::stack(3, 0.5, 4);
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 3.0));
  simulation.watch_contacts();
  simulation.run();
  expect_sound(scene, simulation.contents());
  const auto force = forces(simulation.contents());
  for (int body = 1; body < 4; ++body) {
    ASSERT_TRUE(force.count(body)) << body;
    EXPECT_NEAR(force.at(body).y, 9.81 * body_of(scene, body).mass, 0.05) << body;
    EXPECT_NEAR(force.at(body).x, 0.0, 0.05) << body;
  }
  EXPECT_NEAR(force.at(0).y, -3 * 98.1, 0.2) << "the fixed box bears all";
  for (const ContactReport& c : simulation.contents().contacts) {
    EXPECT_TRUE(c.feature == ContactFeature::face_a || c.feature == ContactFeature::face_b);
    EXPECT_NEAR(c.gap, 0.0, 1e-5);
  }
  EXPECT_TRUE(simulation.contents().rows.empty());
}

TEST(StepReport, CountsOfStepsAddUpToTheOutcome) {
  const SceneSpec scene = scenes::stack(3, 0.3, 6);
  StepOptions options = test::steps_of(0.016, 2.0);
  Simulation simulation = test::simulate(scene, options);
  std::int64_t iterations = 0, substeps = 0;
  int rejected = 0, steps = 0;
  std::uint32_t status = 0;
  double residual = 0.0;
  while (simulation.step()) {
    const StepReport step = simulation.last_step();
    EXPECT_EQ(step.step, ++steps);
    EXPECT_DOUBLE_EQ(step.time, 0.016 * steps);
    EXPECT_EQ(step.contacts, simulation.contact_count());
    EXPECT_GE(step.substeps, 1);
    iterations += step.iterations;
    substeps += step.substeps;
    rejected += step.rejected;
    status |= step.status;
    residual = std::max(residual, step.residual);
  }
  const SceneOutcome outcome = simulation.outcome();
  EXPECT_EQ(steps, outcome.steps);
  EXPECT_EQ(iterations, outcome.iterations);
  EXPECT_EQ(substeps, outcome.substeps);
  EXPECT_EQ(rejected, outcome.substeps_rejected);
  EXPECT_EQ(status, outcome.status);
  EXPECT_EQ(residual, outcome.residual_max);
  EXPECT_EQ(simulation.last_step().step, steps) << "a scene that is over begins no step";
}

// In 3D every island tells its own contacts, also of a scene in which islands merge and are halved.
TEST(StepReport, ContactsOfAllIslandsAreThere) {
  const SceneSpec scene = scenes::two_heaps();
  Simulation watched = test::simulate(scene, test::steps_of(0.016, 1.0));
  Simulation plain = test::simulate(scene, test::steps_of(0.016, 1.0));
  watched.watch_contacts();
  while (watched.step()) {
    ASSERT_TRUE(plain.step());
    const StepContents& contents = watched.contents();
    EXPECT_EQ(static_cast<int>(contents.contacts.size()), watched.contact_count());
    expect_sound(scene, contents);
  }
  EXPECT_GT(watched.outcome().substeps_rejected, 0) << "the scene should be halved somewhere";
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const SpatialPose a = watched.spatial_pose(b), c = plain.spatial_pose(b);
    EXPECT_EQ(std::memcmp(&a, &c, sizeof a), 0) << b;
  }
}

// Two balls at rest, far from each other: two islands.
TEST(StepReport, EachBallOfTwoIslandsIsCarried) {
  SceneSpec scene;
  scene.spatial = true;
  scene.gravity_z = -9.81;
  BodySpec ground;
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.form.emplace<SpatialBody>().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
  scene.bodies.push_back(ground);
  for (int k = 0; k < 2; ++k) {
    BodySpec ball;
    ball.name = "ball" + std::to_string(k);
    ball.mass = 1.0 + k;
    ball.form.emplace<SpatialBody>();
    const double i = 0.4 * ball.mass * 0.01;
    ball.spatial().inertia = {i, i, i};
    ball.spatial().parts = {make_sphere("ball", {0.0, 0.0, 0.0}, 0.1)};
    ball.spatial().pose.position = {5.0 * k, 0.0, 0.1};
    scene.bodies.push_back(ball);
  }
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.1));
  simulation.watch_contacts();
  simulation.run();
  const auto force = forces(simulation.contents());
  EXPECT_EQ(simulation.contents().contacts.size(), 2u);
  EXPECT_NEAR(force.at(1).z, 9.81, 1e-2);
  EXPECT_NEAR(force.at(2).z, 2 * 9.81, 1e-2);
}

// A hanging weight: the joint's row carries it; and the friction of a support is within its bound.
TEST(StepReport, RowsOfJointsAndMotors) {
  SceneSpec scene;
  scene.gravity = {0.0, -9.81};
  BodySpec weight = scenes::box_body("weight", 0.1, 0.1, 2.0);
  scene.bodies = {weight};
  scene.joints = {make_joint(scene, "slide", JointKind::prismatic, -1, 0, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0})};
  ActuatorSpec hold;
  hold.name = "hold";
  hold.kind = ActuatorKind::velocity_servo;
  hold.limit = 100.0;
  hold.joint = 0;
  scene.actuators = {hold};
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.1));
  simulation.watch_contacts();
  simulation.run();
  EXPECT_TRUE(simulation.contents().contacts.empty());
  int motors = 0, joints = 0;
  for (const RowReport& row : simulation.contents().rows) {
    EXPECT_EQ(row.index, 0);
    if (row.kind == RowKind::joint) ++joints;
    if (row.kind != RowKind::motor) continue;
    ++motors;
    EXPECT_NEAR(std::abs(row.impulse) / row.duration, 2.0 * 9.81, 1e-2);
    EXPECT_NEAR(row.bound, 100.0 * row.duration, 1e-12);
  }
  EXPECT_EQ(motors, 1);
  EXPECT_EQ(joints, 2);
}

TEST(StepReport, TheBatchedStrategyTellsTheSame) {
  const SceneSpec scene = scenes::stack(3, 0.3, 3);
  StepOptions options = test::steps_of(0.01, 2.0);
  Simulation alone = test::simulate(scene, options);
  options.strategy = Strategy::batched;
  Simulation batched = test::simulate(scene, options);
  alone.watch_contacts();
  batched.watch_contacts();
  alone.run();
  batched.run();
  expect_sound(scene, batched.contents());
  EXPECT_EQ(static_cast<int>(batched.contents().contacts.size()), batched.contact_count());
  const auto there = forces(alone.contents()), here = forces(batched.contents());
  ASSERT_EQ(there.size(), here.size());
  for (const auto& [body, force] : there) EXPECT_NEAR(here.at(body).y, force.y, 1e-2) << body;
}

}  // namespace
}  // namespace pegrasp
