// SPDX-License-Identifier: Apache-2.0
// The geometric level: passages whose width is known, and random walks without overlap, which it must never refuse.
#include "src/design/free_space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "src/metrics/overlap.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::design {
namespace {

constexpr double mm = 1e-3, degree = 3.14159265358979323846 / 180.0;

BodySpec post(const std::string& name, double left, double right, double bottom, double top) {
  BodySpec body = scenes::box_body(name, right - left, top - bottom, 1.0);
  body.kind = BodyKind::fixed;
  body.planar().pose = {0.5 * (left + right), 0.5 * (bottom + top), 0.0};
  return body;
}

// Two posts of 20 x 10 mm with a gap between them, a floor under them, and a body above.
SceneSpec over_a_gap(BodySpec body, double gap) {
  SceneSpec scene;
  body.planar().pose = {0.0, 20.0 * mm, 0.0};
  scene.gravity = {0.0, -9.81};
  scene.bodies = {std::move(body), post("left", -0.5 * gap - 60.0 * mm, -0.5 * gap, -10.0 * mm, 0.0),
                  post("right", 0.5 * gap, 0.5 * gap + 60.0 * mm, -10.0 * mm, 0.0)};
  return scene;
}

PathQuestion below(const SceneSpec& scene, double cell = mm, double turn_cell = 5.0 * degree) {
  PathQuestion question;
  question.body = 0;
  question.starts = {scene.bodies[0].planar().pose};
  question.high.y = -25.0 * mm;
  question.low.y = -30.0 * mm;
  question.low.x = -5.0 * mm;
  question.high.x = 5.0 * mm;
  question.cell = cell;
  question.turn_cell = turn_cell;
  return question;
}

// The posts' outer ends are 60 mm away: their tops are higher than what falls from rest gets up to again.
SceneSpec with_sides(SceneSpec scene) {
  scene.bodies.push_back(post("west", -90.0 * mm, -50.0 * mm, -40.0 * mm, 60.0 * mm));
  scene.bodies.push_back(post("east", 50.0 * mm, 90.0 * mm, -40.0 * mm, 60.0 * mm));
  return scene;
}

bool passes(const SceneSpec& scene, const PathQuestion& question) { return !first_without_path(scene, question); }

// A disc of 5 mm passes a gap of 10 mm. A cell counts as free while the disc overlaps by less than it moves in the
// cell: half a diagonal and half a turn cell, 0.925 mm with cells of 1 mm and 5 degrees, 0.115 with 0.1 mm and 1
// degree.
TEST(FreeSpace, RefusesAGapOnlyWhereNoPoseOfACellPasses) {
  const auto at = [](double gap, double cell, double turn_cell) {
    const SceneSpec scene = with_sides(over_a_gap(scenes::disc_body("disc", 5.0 * mm, 1.0), gap * mm));
    return passes(scene, below(scene, cell * mm, turn_cell * degree));
  };
  for (const double gap : {10.0, 10.5, 14.0}) {
    EXPECT_TRUE(at(gap, 1.0, 5.0)) << gap;
    EXPECT_TRUE(at(gap, 0.1, 1.0)) << gap;
  }
  EXPECT_TRUE(at(9.85, 0.1, 1.0));
  EXPECT_FALSE(at(9.70, 0.1, 1.0));
  EXPECT_FALSE(at(8.0, 1.0, 5.0));
  EXPECT_FALSE(at(0.1, 1.0, 5.0));
}

// A bar of 30 x 4 mm falls through a gap of 8 mm only upright, and a lid leaves it the room to get up, or not.
TEST(FreeSpace, FindsThatAPartMustTurn) {
  const auto at = [](double lid) {
    SceneSpec scene = with_sides(over_a_gap(scenes::box_body("bar", 30.0 * mm, 4.0 * mm, 1.0), 8.0 * mm));
    scene.bodies[0].planar().pose.y = 4.0 * mm;
    scene.gravity = {};
    scene.bodies.push_back(post("lid", -49.0 * mm, 49.0 * mm, lid * mm, (lid + 10.0) * mm));
    return passes(scene, below(scene, mm, 5.0 * degree));
  };
  EXPECT_TRUE(at(40.0));
  EXPECT_FALSE(at(9.0));
}

TEST(FreeSpace, WhatFallsDoesNotRiseAboveItsStart) {
  SceneSpec scene = over_a_gap(scenes::disc_body("disc", 5.0 * mm, 1.0), 4.0 * mm);
  scene.bodies.push_back(post("west", -90.0 * mm, -30.0 * mm, -40.0 * mm, 30.0 * mm));
  scene.bodies.push_back(post("east", 30.0 * mm, 90.0 * mm, -40.0 * mm, 30.0 * mm));
  EXPECT_FALSE(passes(scene, below(scene)));
  scene.bodies[2].planar().pose.x += 8.0 * mm;  // the gap is wide enough
  EXPECT_TRUE(passes(scene, below(scene)));
  scene.bodies[2].planar().pose.x -= 8.0 * mm;
  scene.gravity = {};  // over the posts and round
  scene.bodies[3].planar().pose.x -= 60.0 * mm;
  PathQuestion question = below(scene);
  EXPECT_TRUE(passes(scene, question));
  question.low = {-2.0 * mm, -6.0 * mm, -1.0};  // in the gap, which is too narrow
  question.high = {2.0 * mm, -4.0 * mm, 1.0};
  EXPECT_FALSE(passes(scene, question));
}

TEST(FreeSpace, TurnsCountButForWholeTurns) {
  SceneSpec scene = with_sides(over_a_gap(scenes::box_body("bar", 30.0 * mm, 4.0 * mm, 1.0), 8.0 * mm));
  PathQuestion question = below(scene);
  question.low = {-1e300, 10.0 * mm, 8.5 * 360.0 * degree - 10.0 * degree};
  question.high = {1e300, 1e300, 8.5 * 360.0 * degree + 10.0 * degree};
  EXPECT_TRUE(passes(scene, question));
  scene.bodies.push_back(post("lid", -90.0 * mm, 90.0 * mm, 22.5 * mm, 30.0 * mm));
  scene.bodies[1].planar().pose.y = scene.bodies[2].planar().pose.y = 12.5 * mm;  // the bar lies between the two
  EXPECT_FALSE(passes(scene, question));
  question.starts[0].theta = -3.0 * 180.0 * degree;
  EXPECT_TRUE(passes(scene, question));
}

TEST(FreeSpace, RefusesTooManyCells) {
  const SceneSpec scene = over_a_gap(scenes::disc_body("disc", 5.0 * mm, 1.0), 10.0 * mm);
  EXPECT_THROW(first_without_path(scene, below(scene, 1e-6)), std::invalid_argument);
}

// Where a random walk without overlap gets to, from any of the places that it visits.
class Walk : public testing::TestWithParam<int> {};

TEST_P(Walk, IsNeverRefused) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  SceneSpec scene;
  scene.bodies = {scenes::box_body("part", 9.0 * mm, 5.0 * mm, 1.0)};
  for (int k = 0; k < 9; ++k) {
    BodySpec stone =
        k % 3 == 0 ? scenes::disc_body("stone", 4.0 * mm, 1.0) : scenes::box_body("stone", 8.0 * mm, 5.0 * mm, 1.0);
    stone.kind = BodyKind::fixed;
    stone.planar().pose = {14.0 * mm * (k % 3 - 1) + 2.0 * mm * unit(random),
                           13.0 * mm * (k / 3 - 1) + 2.0 * mm * unit(random), 3.0 * unit(random)};
    scene.bodies.push_back(stone);
  }
  const auto overlaps = [&](const Pose& pose) {
    double area = 0.0;
    for (std::size_t b = 1; b < scene.bodies.size(); ++b)
      area += overlap_area(scene.bodies[0], pose, scene.bodies[b], scene.bodies[b].planar().pose);
    return area > 1e-12;
  };
  Pose at{0.0, 30.0 * mm, 0.0};
  std::vector<Pose> visited{at};
  for (int k = 0; k < 1500; ++k) {
    const Pose next{at.x + 1.5 * mm * unit(random), at.y + 1.5 * mm * (unit(random) - 0.1),
                    at.theta + 0.2 * unit(random)};
    const Pose middle{0.5 * (at.x + next.x), 0.5 * (at.y + next.y), 0.5 * (at.theta + next.theta)};
    if (overlaps(next) || overlaps(middle) || std::fabs(next.x) > 0.03 || std::fabs(next.y) > 0.035) continue;
    at = next;
    if (k % 50 == 0) visited.push_back(at);
  }
  PathQuestion question;
  question.body = 0;
  question.starts = visited;
  question.low = {at.x - 0.1 * mm, at.y - 0.1 * mm, at.theta - 0.01};
  question.high = {at.x + 0.1 * mm, at.y + 0.1 * mm, at.theta + 0.01};
  EXPECT_EQ(first_without_path(scene, question), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Walk, testing::Range(0, 8));

}  // namespace
}  // namespace pegrasp::design
