// SPDX-License-Identifier: Apache-2.0
// Pushing a body on three points with the quasistatic model (Berard's thesis, 4.3.2): the twist of least power, the end
// that slow dynamics come to, and which way a pushed body turns (Mason's vote).
#include <cmath>
#include <numbers>

#include "tests/least_power.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

SceneSpec quasistatic_square(const Tripod& points, double y, double speed) {
  SceneSpec scene = pushed_square(points, y, speed);
  scene.model = MotionModel::quasistatic;
  return scene;
}

TEST(Pushing, HasTheTwistOfLeastPower) {
  const double speed = 1e-4, h = 0.1;
  for (const Tripod& points : {scenes::regular_tripod(0.035), lopsided}) {
    for (const double y : {-0.04, -0.02, -0.005, 0.0, 0.01, 0.03, 0.045}) {
      const SceneSpec scene = quasistatic_square(points, y, speed);
      Simulation simulation = simulate(scene, steps_of(h, 5 * h));
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      const Pose pose = simulation.pose(0);
      const Vec2 arm{-half_side - pose.x + simulation.time() * speed, y - pose.y};
      const SupportTripod& support = *scene.bodies[0].planar().support;
      const Twist exact = quasistatic_twist(support, pose.theta, arm, {1.0, 0.0}, speed, euclidean);
      const Twist found = simulation.velocity(0);
      EXPECT_NEAR(found.vx, exact.vx, 2e-3 * speed) << y;
      EXPECT_NEAR(found.vy, exact.vy, 2e-3 * speed) << y;
      EXPECT_NEAR(found.omega * half_side, exact.omega * half_side, 2e-3 * speed) << y;
    }
  }
}

TEST(Pushing, FollowsThePathOfLeastPower) {
  const double speed = 0.002, seconds = 10.0, y = 0.03;
  Simulation simulation = simulate(quasistatic_square(lopsided, y, speed), steps_of(0.1, seconds));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  const Pose exact = pushed_pose(lopsided, y, speed, seconds);
  const Pose end = simulation.pose(0);
  EXPECT_GT(std::fabs(exact.theta), 0.2) << "it must turn";
  EXPECT_NEAR(end.x, exact.x, 2e-5);
  EXPECT_NEAR(end.y, exact.y, 2e-5);
  EXPECT_NEAR(end.theta, exact.theta, 1e-3);
}

// A block of 1.6 x 0.8 mm and 4 mg that a needle pushes upwards by 0.5 mm at its lower side.
SceneSpec needle_and_block(MotionModel model, double speed) {
  SceneSpec scene;
  scene.model = model;
  BodySpec block = scenes::box_body("block", 1.6e-3, 0.8e-3, 4e-6);
  SupportTripod support;
  for (std::size_t k = 0; k < 3; ++k) {
    const double angle = 0.4 + 2.0 * std::numbers::pi * static_cast<double>(k) / 3.0;
    support.point[k] = {0.626e-3 * std::cos(angle), 0.626e-3 * std::sin(angle)};
    support.load[k] = 4e-6 * scenes::standard_gravity / 3.0;
    support.friction[k] = 0.3;
  }
  block.planar().support = support;
  BodySpec needle = scenes::disc_body("needle", 0.02e-3, 1.0);
  needle.kind = BodyKind::kinematic;
  needle.planar().pose = {0.3e-3, -0.42e-3, 0.0};
  needle.planar().velocity = {0.0, speed, 0.0};
  scene.bodies = {block, needle};
  scene.friction = {{0, 1, 0.2}};
  return scene;
}

double difference_at(double speed) {
  const double way = 0.5e-3;
  const StepOptions options = steps_of(0.5e-6 / speed, way / speed);
  Simulation slow = simulate(needle_and_block(MotionModel::quasistatic, speed), options);
  Simulation full = simulate(needle_and_block(MotionModel::dynamic, speed), options);
  slow.run();
  full.run();
  EXPECT_EQ(slow.outcome().status, status_ok);
  EXPECT_EQ(full.outcome().status, status_ok);
  const Pose a = slow.pose(0), b = full.pose(0);
  EXPECT_GT(std::fabs(a.theta), 0.1) << "it must turn";
  return std::hypot(a.x - b.x, a.y - b.y) + 0.8e-3 * std::fabs(a.theta - b.theta);
}

// What inertia changes goes with its share of the forces, v^2 / (mu g R): at 0.1 and 1 mm/s less than the steps' own
// error, from 3 to 10 mm/s about elevenfold.
TEST(Pushing, IsWhereSlowDynamicsEnd) {
  EXPECT_LT(difference_at(0.1e-3), 1e-6);
  EXPECT_LT(difference_at(1e-3), 1e-6);
  const double ratio = difference_at(10e-3) / difference_at(3e-3);
  EXPECT_GT(ratio, 7.0);
  EXPECT_LT(ratio, 16.0);
}

// Mason's vote: the push line and the two edges of the friction cone pass the centre of friction on one side or the
// other, and the majority says which way the body turns.
TEST(PushingLong, TurnsTheWayThatTwoOfThreeLinesSay) {
  scenes::Random random(20);
  int turns[2] = {0, 0}, ties = 0, split = 0;
  for (int trial = 0; trial < 10'000; ++trial) {
    SceneSpec scene = needle_and_block(MotionModel::quasistatic, 0.0);
    SupportTripod& support = *scene.bodies[0].planar().support;
    const double angle = random.uniform(0.0, 2.0 * std::numbers::pi);
    const double mu = random.uniform(0.05, 0.6);
    for (std::size_t k = 0; k < 3; ++k) {
      const double at = angle + 2.0 * std::numbers::pi * static_cast<double>(k) / 3.0;
      support.point[k] = {0.626e-3 * std::cos(at), 0.626e-3 * std::sin(at)};
    }
    scene.friction[0].mu = mu;
    // On the lower side, from below: the inner normal is +y, and the push leans by up to 60 degrees.
    const Vec2 touch{random.uniform(-0.75e-3, 0.75e-3), -0.4e-3};
    const double lean = random.uniform(-1.0, 1.0) * std::numbers::pi / 3.0;
    const Vec2 push{std::sin(lean), std::cos(lean)};
    scene.bodies[1].planar().pose = {touch.x, touch.y - 0.02e-3, 0.0};
    scene.bodies[1].planar().velocity = {1e-5 * push.x, 1e-5 * push.y, 0.0};
    const double edge = std::atan(mu);
    const auto moment = [&](double side) {  // of a line through the touched point, over its length
      const double a = std::numbers::pi / 2.0 - side;
      return touch.x * std::sin(a) - touch.y * std::cos(a);
    };
    const double votes[3] = {moment(lean), moment(edge), moment(-edge)};
    bool tie = false;
    int sum = 0;
    for (const double vote : votes) {
      tie = tie || std::fabs(vote) < 1e-6 * 0.9e-3;
      sum += vote > 0.0 ? 1 : -1;
    }
    ties += tie ? 1 : 0;
    if (tie) continue;
    split += std::abs(sum) == 1 ? 1 : 0;
    Simulation simulation = simulate(scene, steps_of(0.1, 0.1));
    simulation.run();
    ASSERT_EQ(simulation.outcome().status, status_ok) << trial;
    const double turn = simulation.pose(0).theta;
    ++turns[turn > 0.0 ? 1 : 0];
    EXPECT_GT(turn * sum, 0.0) << "trial " << trial << ": " << turn << ", lean " << lean << ", mu " << mu;
  }
  EXPECT_GT(std::min(turns[0], turns[1]), 3000);
  EXPECT_GT(split, 500) << "the three lines must disagree often enough";
  EXPECT_LT(ties, 10);
}

}  // namespace
}  // namespace pegrasp::test
