// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/scene.hpp"
#include "pegrasp/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/geometry/angle.hpp"

namespace pegrasp {
namespace {

TEST(BoundingRadius, OfPolygonDiscAndArc) {
  BodySpec body;
  body.planar().parts = {make_polygon("p", {{-1, -1}, {2, -1}, {2, 1}, {-1, 1}}),
                         make_half_plane("ignored", {0, 1}, 7)};
  EXPECT_DOUBLE_EQ(bounding_radius(body), std::sqrt(5.0));
  body.planar().parts.push_back(make_disc("d", {3, 4}, 0.5));
  EXPECT_DOUBLE_EQ(bounding_radius(body), 5.5);
}

TEST(BoundingRadius, CountsOnlyThePartOfTheCircleThatIsThere) {
  BodySpec body;
  // The arc turns away from the origin's far side: its farthest point is an end of the chord.
  body.planar().parts = {make_circular_segment("s", {0, 10}, 1.0, 1.25 * pi, 1.75 * pi)};
  const double end = std::hypot(std::sqrt(0.5), 10 - std::sqrt(0.5));
  EXPECT_NEAR(bounding_radius(body), end, 1e-14);
  body.planar().parts = {make_circular_segment("s", {0, 10}, 1.0, 0.25 * pi, 0.75 * pi)};
  EXPECT_NEAR(bounding_radius(body), 11.0, 1e-14);
  body.planar().parts = {make_circular_segment("s", {0, 10}, 1.0, 0.75 * pi, 2.25 * pi)};  // all but the top
  EXPECT_NEAR(bounding_radius(body), std::hypot(std::sqrt(0.5), 10 + std::sqrt(0.5)), 1e-14);
}

TEST(LengthScale, IsTheLargestDynamicBodyUnlessGiven) {
  SceneSpec scene;
  scene.bodies.resize(3);
  scene.bodies[0].kind = BodyKind::fixed;
  scene.bodies[0].planar().parts = {make_disc("d", {0, 0}, 100.0)};
  scene.bodies[1].planar().parts = {make_disc("d", {0, 0}, 0.02)};
  scene.bodies[2].planar().parts = {make_disc("d", {0, 0}, 0.05)};
  EXPECT_EQ(length_scale(scene), 0.05);
  scene.length_scale = 0.3;
  EXPECT_EQ(length_scale(scene), 0.3);
}

TEST(PartIndex, CountsOverAllBodies) {
  SceneSpec scene;
  scene.bodies.resize(2);
  scene.bodies[0].name = "gear";
  scene.bodies[0].planar().parts = {make_disc("disc", {0, 0}, 1), make_disc("tooth", {1, 0}, 1)};
  scene.bodies[1].name = "finger";
  scene.bodies[1].planar().parts = {make_disc("disc", {0, 0}, 1)};
  EXPECT_EQ(part_index(scene, "gear", "tooth"), 1);
  EXPECT_EQ(part_index(scene, "finger", "disc"), 2);
  EXPECT_EQ(part_index(scene, "finger", "tooth"), -1);
}

TEST(CompileModel, RefusesABodyWhoseFormIsNotThatOfTheScene) {
  SceneSpec scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "gear";
  scene.bodies[0].planar().parts = {make_disc("disc", {0, 0}, 1)};
  EXPECT_EQ(part_names(scene.bodies[0]), std::vector<std::string>{"disc"});
  compile_model(scene);
  scene.spatial = true;
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
  scene.spatial = false;
  scene.bodies[0].form = SpatialBody{};
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
}

TEST(TripodLoads, BalanceForceAndMoment) {
  const std::array<Vec2, 3> point{Vec2{0.3, -0.1}, Vec2{-0.2, 0.25}, Vec2{-0.15, -0.3}};
  const auto load = tripod_loads(point, 9.0);
  ASSERT_TRUE(load.has_value());
  double sum = 0, mx = 0, my = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT((*load)[i], 0.0);
    sum += (*load)[i];
    mx += (*load)[i] * point[i].x;
    my += (*load)[i] * point[i].y;
  }
  EXPECT_NEAR(sum, 9.0, 1e-14);
  EXPECT_NEAR(mx, 0.0, 1e-15);
  EXPECT_NEAR(my, 0.0, 1e-15);
}

TEST(TripodLoads, EqualWhenRegularAndEitherOrientation) {
  const double s = std::sqrt(0.75);
  const auto ccw = tripod_loads({Vec2{1, 0}, Vec2{-0.5, s}, Vec2{-0.5, -s}}, 3.0);
  const auto cw = tripod_loads({Vec2{1, 0}, Vec2{-0.5, -s}, Vec2{-0.5, s}}, 3.0);
  ASSERT_TRUE(ccw && cw);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR((*ccw)[i], 1.0, 1e-15);
    EXPECT_NEAR((*cw)[i], 1.0, 1e-15);
  }
}

TEST(TripodLoads, EmptyWhenTheCentreOfMassIsOutsideOrTheTripodIsALine) {
  EXPECT_FALSE(tripod_loads({Vec2{1, 0}, Vec2{2, 1}, Vec2{2, -1}}, 1.0));
  EXPECT_FALSE(tripod_loads({Vec2{1, 0}, Vec2{0, 0}, Vec2{-1, 0}}, 1.0));
  EXPECT_FALSE(tripod_loads({Vec2{0, 0}, Vec2{0, 0}, Vec2{0, 0}}, 1.0));
  EXPECT_FALSE(tripod_loads({Vec2{std::nan(""), 0}, Vec2{-1, 1}, Vec2{-1, -1}}, 1.0));
  const auto on_edge = tripod_loads({Vec2{1, 0}, Vec2{-1, 0}, Vec2{0, 1}}, 2.0);  // one support sphere carries nothing
  ASSERT_TRUE(on_edge);
  EXPECT_EQ((*on_edge)[2], 0.0);
}

}  // namespace
}  // namespace pegrasp
