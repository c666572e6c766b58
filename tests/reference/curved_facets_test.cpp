// SPDX-License-Identifier: Apache-2.0
// A particle on convex and concave arcs: the pendulum that a bowl is, the slope on which friction holds, the place at
// which it leaves a ball, and a body of both kinds of arcs.
#include "src/reference/workbench/curved_facets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pegrasp::reference {
namespace {

using Eigen::Vector2d;
using Kind = CurvedFacet::Kind;

constexpr double g = 9.81;
const Vector2d weight(0.0, -g);  // of 1 kg
const Vector2d origin(0.0, 0.0);

CurvedFacet line(const Vector2d& point, const Vector2d& normal) {
  return {Kind::line, point, normal.normalized(), 0.0};
}

// A bowl of 1 m about the origin, cut out of a block whose sides are interior facets (figure 4.15).
std::vector<SubBody> bowl() {
  return {{CurvedFacet{Kind::concave_arc, origin, origin, 1.0}, line({2.0, 0.0}, {1.0, 0.0}),
           line({-2.0, 0.0}, {-1.0, 0.0}), line({0.0, 0.0}, {0.0, 1.0}), line({0.0, -2.0}, {0.0, -1.0})}};
}

double energy(const Particle& p) { return 0.5 * p.velocity.squaredNorm() + g * p.position.y(); }

TEST(CurvedFacets, GapsOfLinesAndArcs) {
  const CurvedFacet ball{Kind::convex_arc, {1.0, 0.0}, origin, 0.5}, hole{Kind::concave_arc, {1.0, 0.0}, origin, 0.5};
  EXPECT_NEAR(gap_to(ball, {2.0, 0.0}).gap, 0.5, 1e-15);
  EXPECT_NEAR(gap_to(hole, {2.0, 0.0}).gap, -0.5, 1e-15);
  EXPECT_NEAR(gap_to(ball, {1.0, 2.0}).normal.y(), 1.0, 1e-15);
  EXPECT_NEAR(gap_to(hole, {1.0, 2.0}).normal.y(), -1.0, 1e-15);
  EXPECT_NEAR(gap_to(line({0.0, 1.0}, {0.0, 2.0}), {3.0, 1.25}).gap, 0.25, 1e-15);
  EXPECT_LT(gap_to(bowl(), {0.0, -1.5}), 0.0);  // in the block, below the bowl
  EXPECT_GT(gap_to(bowl(), {0.0, -0.5}), 0.0);
  EXPECT_GT(gap_to(bowl(), {0.0, 0.5}), 0.0);
}

// Without friction it swings as a pendulum of the bowl's radius: (1 + a^2 / 16 + 11 a^4 / 3072) times the period of
// small swings. Each step goes along a tangent, so that it lies (v h)^2 / 2 r deep, and the error falls with the step.
TEST(CurvedFacets, ABowlIsAPendulum) {
  constexpr double a = 0.5;
  const double quarter = 0.5 * std::numbers::pi / std::sqrt(g) * (1.0 + a * a / 16.0 + 11.0 * std::pow(a, 4) / 3072.0);
  double error[2] = {}, deepest[2] = {};
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 0.002 : 0.001;
    Particle p;
    p.position = {std::sin(a), -std::cos(a)};
    double time = 0.0, last = p.position.x();
    while (p.position.x() > 0.0) {
      last = p.position.x();
      ASSERT_TRUE(advance(p, bowl(), weight, 0.0, h, 0.05));
      time += h;
      deepest[k] = std::max(deepest[k], -gap_to(bowl(), p.position));
    }
    error[k] = std::abs(time - h * p.position.x() / (p.position.x() - last) - quarter);
    EXPECT_NEAR(error[k], 0.0, 2.0 * h);
    const double speed2 = 2.0 * g * (1.0 - std::cos(a));
    EXPECT_LE(deepest[k], 0.55 * speed2 * h * h);
  }
  EXPECT_NEAR(deepest[0] / deepest[1], 4.0, 0.2);
}

// Let go where the slope is less than friction it stays; where it is more it slides.
TEST(CurvedFacets, FrictionHoldsOnTheSlopeThatItMay) {
  constexpr double mu = 0.5;
  for (const double share : {0.95, 1.05}) {
    const double angle = share * std::atan(mu);
    Particle p;
    p.position = {std::sin(angle), -std::cos(angle)};
    const Vector2d before = p.position;
    for (int k = 0; k < 200; ++k) ASSERT_TRUE(advance(p, bowl(), weight, mu, 0.001, 0.05));
    if (share < 1.0) {
      EXPECT_LT((p.position - before).norm(), 1e-9);
    } else {
      EXPECT_GT((p.position - before).norm(), 1e-3);
    }
  }
}

// Let go near the top of a ball without friction it leaves at cos(angle) = 2/3 of the height above the middle.
TEST(CurvedFacets, ABallIsLeftAtTwoThirdsOfItsHeight) {
  const std::vector<SubBody> ball{{CurvedFacet{Kind::convex_arc, origin, origin, 1.0}}};
  constexpr double h = 0.0005, start = 0.05;
  Particle p;
  p.position = {std::sin(start), std::cos(start)};
  double left = 0.0;
  for (int k = 0; k < 4000 && left == 0.0; ++k) {
    const Vector2d free = p.velocity + h * weight;
    ASSERT_TRUE(advance(p, ball, weight, 0.0, h, 0.02));
    if (k > 1000 && (p.velocity - free).norm() < 1e-9 && gap_to(ball, p.position) > 1e-6) left = p.position.y();
  }
  EXPECT_NEAR(left, std::cos(start) * 2.0 / 3.0, 0.02);
}

// A hill of 1 m and a valley of 1 m whose arcs meet in a common tangent at 45 degrees, of sub-bodies that overlap as in
// figure 4.15. The particle slides from the hill into the valley and up on its other side, with its energy.
TEST(CurvedFacets, GoesOverAConvexAndAConcaveArc) {
  const double c = std::sqrt(0.5);
  const Vector2d hill(0.0, 0.0), valley(2.0 * c, 2.0 * c);  // centres; they meet at (c, c)
  const std::vector<SubBody> body{
      {CurvedFacet{Kind::convex_arc, hill, origin, 1.0}, line({0.0, -1.0}, {0.0, -1.0})},
      // below the valley, to the right of the common normal, beyond which the hill goes on within the body
      {CurvedFacet{Kind::concave_arc, valley, origin, 1.0}, line({c, c}, {-c, c}), line({3.0, 0.0}, {1.0, 0.0}),
       line({0.0, 2.0 * c}, {0.0, 1.0}), line({0.0, -1.0}, {0.0, -1.0})}};
  double lost[2] = {};
  for (int k = 0; k < 2; ++k) {
    const double h = k == 0 ? 0.001 : 0.0005, angle = 0.25 * std::numbers::pi - 0.1;
    Particle p;
    p.position = {std::sin(angle), std::cos(angle)};  // on the hill, below its top
    const double before = energy(p);
    double deepest = 0.0;
    for (int step = 0; step * h < 0.8; ++step) {
      ASSERT_TRUE(advance(p, body, weight, 0.0, h, 0.02)) << step;
      deepest = std::max(deepest, -gap_to(body, p.position));
    }
    lost[k] = std::abs(before - energy(p));
    EXPECT_GT(p.position.x(), 2.0 * c) << "past the valley's bottom";
    EXPECT_LT(deepest, 1e-4);
    EXPECT_LT(lost[k], 30.0 * h);
  }
  EXPECT_LT(lost[1], 0.7 * lost[0]);
}

}  // namespace
}  // namespace pegrasp::reference
