// SPDX-License-Identifier: Apache-2.0
// Steps of smooth bodies by Berard's (3.82) and (3.83): the rolling disc of 3.5.3.1, a closed form of two discs, and of
// random ellipses and superellipses what every solution must satisfy.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "src/reference/workbench/implicit_step.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/smooth_pairs.hpp"

namespace pegrasp::reference {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using scenes::meeting;
using scenes::rolling_smooth;

// The unknowns of the thesis are 11, with one coordinate less of a_2.
TEST(ImplicitStep, RollsADiscWithoutLoss) {
  ImplicitStep step = rolling_smooth({1.0, 1.0, 2.0, false});
  ImplicitSolution solution;
  mcp::Workspace workspace;
  for (int k = 0; k < 1000; ++k) {
    solution = solve_implicit(step, &workspace);
    ASSERT_EQ(solution.status, mcp::Status::solved) << k;
    ASSERT_EQ(solution.unknowns, 12);
    advance(step, solution);
    ASSERT_NEAR(kinetic_energy(step), 6.75, 1e-6) << k;
  }
  EXPECT_NEAR(step.body[0].pose[0], -30.0, 1e-6);
  EXPECT_NEAR(step.body[0].pose[1], 1.0, 1e-9);
  EXPECT_NEAR(solution.normal, 0.0981, 1e-9);
}

// Without friction two discs are pushed apart along the line of their centres in free motion, by what they would
// overlap.
TEST(ImplicitStep, PushesDiscsApartByWhatTheyWouldOverlap) {
  scenes::Random random(test::fuzz_seed(21));
  int touched = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ImplicitStep step;
    const double r = random.uniform(0.05, 0.2), s = random.uniform(0.05, 0.2), angle = random.uniform(-3.0, 3.0);
    const double distance = r + s + random.uniform(0.0, 0.01);
    step.body[0].shape = {r, r, 2.0, false};
    step.body[1].shape = {s, s, 2.0, false};
    step.body[0].mass = random.uniform(0.5, 2.0);
    step.body[1].mass = random.uniform(0.5, 2.0);
    step.body[1].pose = {distance * std::cos(angle), distance * std::sin(angle), random.uniform(-3.0, 3.0)};
    step.body[0].velocity = {random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), random.uniform(-3.0, 3.0)};
    const ImplicitSolution solution = solve_implicit(step);
    ASSERT_EQ(solution.status, mcp::Status::solved) << trial;
    const Vector2d v1 = step.body[0].velocity.head<2>(), v2 = step.body[1].velocity.head<2>();
    const Vector2d free = (step.body[1].pose - step.body[0].pose).head<2>() + step.h * (v2 - v1);
    const double over = r + s - free.norm();
    const double p = std::max(0.0, over) / (step.h * (1.0 / step.body[0].mass + 1.0 / step.body[1].mass));
    EXPECT_NEAR(solution.normal, p, 1e-7) << trial;
    EXPECT_LT((solution.velocity[0].head<2>() - v1 + p / step.body[0].mass * free.normalized()).norm(), 1e-7);
    EXPECT_LT((solution.velocity[1].head<2>() - v2 - p / step.body[1].mass * free.normalized()).norm(), 1e-7);
    touched += over > 0.0 ? 1 : 0;
  }
  EXPECT_GT(touched, 50);
}

TEST(Separation, OfDiscsAndOfAnEllipseOnAPlane) {
  SmoothBody a, b;
  a.shape = {0.3, 0.3, 2.0, false};
  b.shape = {0.2, 0.2, 2.0, false};
  b.pose = {0.6, 0.8, 1.0};
  EXPECT_NEAR(separation(a, b), 0.5, 1e-12);
  b.shape = {};
  b.shape.half_plane = true;
  b.pose = {0.0, -1.0, 0.0};
  a.shape = {0.4, 0.1, 2.0, false};
  a.pose[2] = 0.7;
  EXPECT_NEAR(separation(a, b), 1.0 - std::hypot(0.4 * std::sin(0.7), 0.1 * std::cos(0.7)), 1e-12);
}

// Momentum and angular momentum stay, bodies end apart or touch, and only those that touch push, within the cone.
TEST(ImplicitStep, OfSuperellipsesKeepsWhatMustBeKept) {
  scenes::Random random(test::fuzz_seed(22));
  constexpr int trials = 150;
  int touched = 0, stuck = 0, solved = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const ImplicitStep step = meeting(random, 2.0 + 2.0 * (trial % 3), trial % 4 != 0);
    const ImplicitSolution solution = solve_implicit(step);
    if (solution.status != mcp::Status::solved) continue;
    ++solved;
    ImplicitStep end = step;
    advance(end, solution);
    // Of these rows the residual is in metres of f, a length over a semi-axis.
    EXPECT_GT(solution.gap, -1e-9) << trial;
    Vector2d change = Vector2d::Zero();
    double spin = 0.0;
    for (std::size_t b = 0; b < 2; ++b) {
      const Vector3d dv = solution.velocity[b] - step.body[b].velocity;
      change += step.body[b].mass * dv.head<2>();
      const Vector2d at = end.body[b].pose.head<2>(), push = step.body[b].mass * dv.head<2>();
      spin += step.body[b].inertia * dv[2] + at.x() * push.y() - at.y() * push.x();
    }
    EXPECT_LT(change.norm(), 1e-9) << trial;
    EXPECT_NEAR(spin, 0.0, 1e-9) << trial;  // both impulses act at one point, at the end of the step
    // (3.83) bounds its square, to the solver's tolerance of 1e-12.
    EXPECT_LE(std::abs(solution.tangent), step.mu * solution.normal + 1e-6) << trial;
    if (!(solution.normal > 1e-9)) continue;
    ++touched;
    EXPECT_NEAR(solution.gap, 0.0, 1e-8) << trial;
    EXPECT_LE(kinetic_energy(end), kinetic_energy(step) + 1e-9) << trial;
    // Sliding velocity of the point of contact: none where friction is not at its bound, else against it.
    const auto speed = [&](std::size_t b) {
      const Vector2d arm = solution.point[b] - end.body[b].pose.head<2>();
      return Vector2d(solution.velocity[b][0] - solution.velocity[b][2] * arm.y(),
                      solution.velocity[b][1] + solution.velocity[b][2] * arm.x());
    };
    if (step.mu == 0.0) continue;
    // Along the tangent of the first body's surface there.
    const SmoothShape& shape = end.body[0].shape;
    const Eigen::Rotation2Dd turn(end.body[0].pose[2]);
    const Vector2d own = turn.inverse() * (solution.point[0] - end.body[0].pose.head<2>());
    const auto slope = [&](double x, double semi) {
      return std::copysign(std::pow(std::abs(x / semi), shape.order - 1.0) / semi, x);
    };
    const Vector2d n = turn * Vector2d(slope(own.x(), shape.semi_x), slope(own.y(), shape.semi_y)).normalized();
    const double slide = Vector2d(-n.y(), n.x()).dot(speed(1) - speed(0));
    if (std::abs(solution.tangent) < 0.99 * step.mu * solution.normal) {
      EXPECT_NEAR(slide, 0.0, 1e-6) << trial;
      ++stuck;
    } else {
      EXPECT_LE(slide * solution.tangent, 1e-9) << trial;
    }
  }
  EXPECT_GE(solved, trials * 98 / 100);
  EXPECT_GT(touched, trials / 2);
  EXPECT_GT(stuck, 10);
}

// The same step written with the bodies exchanged.
TEST(ImplicitStep, DoesNotDependOnTheOrderOfTheBodies) {
  scenes::Random random(test::fuzz_seed(23));
  for (int trial = 0; trial < 50; ++trial) {
    const ImplicitStep step = meeting(random, 4.0, true);
    ImplicitStep other = step;
    std::swap(other.body[0], other.body[1]);
    const ImplicitSolution one = solve_implicit(step), two = solve_implicit(other);
    if (one.status != mcp::Status::solved || two.status != mcp::Status::solved) continue;
    EXPECT_NEAR(one.normal, two.normal, 1e-7) << trial;
    EXPECT_LT((one.velocity[0] - two.velocity[1]).norm(), 1e-5) << trial;
  }
}

}  // namespace
}  // namespace pegrasp::reference
