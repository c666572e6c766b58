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

// A rounded box of 4 x 2 with corners of radius 0.5, moved by (x, y): its farthest points are on its arcs.
ConvexPart rounded_box(double x, double y) {
  return make_rounded_polygon(
      "r",
      {{{x - 1.5, y - 0.5}, 0.5}, {{x + 1.5, y - 0.5}, 0.5}, {{x + 1.5, y + 0.5}, 0.5}, {{x - 1.5, y + 0.5}, 0.5}});
}

TEST(Extent, IsOfThePartsWhereverTheirFrameIs) {
  const double radius = std::hypot(1.5, 0.5) + 0.5;
  BodySpec body;
  for (const double x : {2.5, 10.0, -100.0}) {
    body.planar().parts = {rounded_box(x, 3.0), make_half_plane("ignored", {0, 1}, 7)};
    const BodyExtent found = extent(body);
    EXPECT_NEAR(found.radius, radius, 1e-13) << x;
    EXPECT_NEAR(found.middle.x, x, 1e-13);
    EXPECT_NEAR(found.middle.y, 3.0, 1e-13);
  }
  body.planar().parts = {make_disc("d", {7, 0}, 0.5), make_disc("e", {9, 0}, 0.5)};
  EXPECT_NEAR(extent(body).radius, 1.5, 1e-15);
  // Two thirds of a circle about (10, 0), open to the left: its box is 1.5 long.
  body.planar().parts = {make_circular_segment("s", {10, 0}, 1.0, -2.0 * pi / 3.0, 2.0 * pi / 3.0)};
  EXPECT_NEAR(extent(body).middle.x, 10.25, 1e-14);
  body.form = SpatialBody{};
  for (const double z : {3.0, 1000.0}) {
    body.spatial().parts = {make_sphere("s", {0, 0, z}, 0.5), make_capsule("c", {0, 0, z}, {2, 0, z}, 0.25)};
    EXPECT_NEAR(extent(body).middle.x, 0.875, 1e-15);
    EXPECT_NEAR(extent(body).middle.z, z, 1e-12);
    EXPECT_NEAR(extent(body).radius, 1.375, 1e-12);
  }
}

// What simulates today keeps its tolerances to the bit.
TEST(Extent, IsAboutAFrameInTheBoxOfTheParts) {
  BodySpec body;
  for (const double x : {0.0, 0.7, -1.3, 2.0}) {
    body.planar().parts = {rounded_box(x, 0.5)};
    EXPECT_EQ(extent(body).radius, bounding_radius(body));
    EXPECT_EQ(extent(body).middle.x, 0.0);
    EXPECT_EQ(extent(body).middle.y, 0.0);
  }
  body.planar().parts = {make_disc("d", {3, 0}, 0.5), make_disc("e", {-9, 0}, 0.5)};  // the frame in a gap
  EXPECT_EQ(extent(body).radius, 9.5);
  body.planar().parts.clear();
  EXPECT_EQ(extent(body).radius, 0.0);
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
