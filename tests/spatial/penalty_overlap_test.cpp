// SPDX-License-Identifier: Apache-2.0
// Where penalty forces act (src/penalty/overlap.hpp): overlaps in closed form, and random hulls beside the exact volume
// of their intersection, which shares no code with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/geometry/placement.hpp"
#include "src/metrics/solid_overlap.hpp"
#include "src/penalty/overlap.hpp"
#include "tests/scenes/solid_pours.hpp"

namespace pegrasp {
namespace {

PenaltyShape shape_of_part(const SolidPart& part) {
  PenaltyShape shape;
  shape.points = part.shape.vertices;
  for (const PolyhedronFace& face : part.shape.faces) {
    shape.sides.push_back({face.normal, face.offset});
    shape.loops.push_back(face.vertices);
  }
  shape.round = part.radius;
  shape.radius = part.kind == SolidKind::half_space ? -1.0 : bounding_radius(part);
  return shape;
}

PlacedPart placed_at(const PenaltyShape& shape, const SpatialPose& pose) {
  PenaltyMotion motion;
  motion.origin = pose.position;
  const Vec3 x = turned(pose.turn, {1.0, 0.0, 0.0}), y = turned(pose.turn, {0.0, 1.0, 0.0}),
             z = turned(pose.turn, {0.0, 0.0, 1.0});
  motion.row[0] = {x.x, y.x, z.x};
  motion.row[1] = {x.y, y.y, z.y};
  motion.row[2] = {x.z, y.z, z.z};
  PlacedPart placed;
  place_part(shape, motion, placed);
  return placed;
}

SolidPart cuboid_part(double x, double y, double z) { return {"cuboid", scenes::cuboid(x, y, z)}; }

// Corners that overlap by a box: its least side counts, and the face across it pushes.
TEST(PenaltyOverlap, OfTwoCubesIsABox) {
  const PenaltyShape cube = shape_of_part(cuboid_part(0.5, 0.5, 0.5));
  PartOverlap overlap;
  ASSERT_TRUE(find_overlap(placed_at(cube, {}), placed_at(cube, {{0.7, 0.9, 0.8}, {}}), overlap));
  EXPECT_NEAR(overlap.normal.y, 1.0, 1e-15);
  ASSERT_EQ(overlap.points.size(), 4u);
  for (const OverlapPoint& point : overlap.points) {
    EXPECT_NEAR(point.depth, 0.1, 1e-15);
    EXPECT_NEAR(point.at.y, 0.4, 1e-15);
  }
  EXPECT_FALSE(find_overlap(placed_at(cube, {}), placed_at(cube, {{0.7, 1.01, 0.8}, {}}), overlap));
}

// A cube on an edge: the two corners of the edge penetrate; the four places where its sides cross the plane do not.
TEST(PenaltyOverlap, OfAnEdgeHasTwoPoints) {
  const PenaltyShape cube = shape_of_part(cuboid_part(0.5, 0.5, 0.5));
  const PenaltyShape ground = shape_of_part(make_half_space("ground", {0.0, 0.0, 1.0}, 0.0));
  const double half = std::sqrt(0.5);
  PartOverlap overlap;
  const SpatialPose pose{{0.0, 0.0, half - 0.1}, turn_by({0.25 * std::acos(-1.0), 0.0, 0.0})};
  ASSERT_TRUE(find_overlap(placed_at(ground, {}), placed_at(cube, pose), overlap));
  EXPECT_EQ(overlap.normal.z, 1.0);
  ASSERT_EQ(overlap.points.size(), 2u);
  for (const OverlapPoint& point : overlap.points) EXPECT_NEAR(point.depth, 0.1, 1e-12);
}

// Of the bottom alone: a point above the middle of the others is left out, one beside them is not.
TEST(PenaltyOverlap, BottomPoints) {
  const std::vector<OverlapPoint> points{{{0.0, 0.0, 0.0}, 0.3}, {{1.0, 0.0, 0.0}, 0.3}, {{0.0, 1.0, 0.0}, 0.3},
                                         {{0.2, 0.2, 0.2}, 0.1}, {{1.0, 1.0, 0.2}, 0.1}, {{5.0, 5.0, 0.3}, 0.0}};
  const std::vector<OverlapPoint> bottom = bottom_points(points, {0.0, 0.0, 1.0});
  ASSERT_EQ(bottom.size(), 4u);
  EXPECT_EQ(bottom[3].at.x, 1.0);
  EXPECT_EQ(bottom[3].depth, 0.1);
}

TEST(PenaltyOverlap, OfABallWithEachKind) {
  const PenaltyShape ball = shape_of_part(make_sphere("ball", {}, 0.2));
  const PenaltyShape cube = shape_of_part(cuboid_part(0.5, 0.5, 0.5));
  const PenaltyShape ground = shape_of_part(make_half_space("ground", {0.0, 0.0, 1.0}, 0.0));
  PartOverlap overlap;
  ASSERT_TRUE(find_overlap(placed_at(ground, {}), placed_at(ball, {{0.0, 0.0, 0.15}, {}}), overlap));
  EXPECT_NEAR(overlap.points[0].depth, 0.05, 1e-15);
  ASSERT_TRUE(find_overlap(placed_at(ball, {}), placed_at(ball, {{0.3, 0.0, 0.0}, {}}), overlap));
  EXPECT_NEAR(overlap.points[0].depth, 0.1, 1e-15);
  EXPECT_EQ(overlap.normal.x, 1.0);
  // at a corner of the cube, outwards along the diagonal
  const double out = 0.5 + 0.1 / std::sqrt(3.0);
  ASSERT_TRUE(find_overlap(placed_at(ball, {{out, out, out}, {}}), placed_at(cube, {}), overlap));
  EXPECT_NEAR(overlap.points[0].depth, 0.1, 1e-12);
  EXPECT_NEAR(overlap.normal.z, -1.0 / std::sqrt(3.0), 1e-12);
  // with its middle in the cube, by the nearest face
  ASSERT_TRUE(find_overlap(placed_at(cube, {}), placed_at(ball, {{0.1, 0.45, 0.0}, {}}), overlap));
  EXPECT_NEAR(overlap.points[0].depth, 0.25, 1e-15);
  EXPECT_EQ(overlap.normal.y, 1.0);
}

double highest(const PlacedPart& part, Vec3 x) {
  double height = -1e300;
  for (const PenaltySide& side : part.sides) height = std::max(height, dot(side.normal, x) - side.offset);
  return height;
}

ConvexSolid solid_of(const SolidPart& part) {
  ConvexSolid solid{part.shape.vertices, {}};
  for (const PolyhedronFace& face : part.shape.faces) solid.faces.push_back(face.vertices);
  return solid;
}

TEST(PenaltyOverlap, OfRandomHulls) {
  scenes::Random random(7);
  int overlapping = 0;
  for (int k = 0; k < 200; ++k) {
    const SolidPart a = scenes::random_hull(random, "a").spatial().parts[0];
    const SolidPart b = scenes::random_hull(random, "b").spatial().parts[0];
    const SpatialPose at_a{{}, scenes::random_turn(random)};
    const SpatialPose at_b{{random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4)},
                           scenes::random_turn(random)};
    const PenaltyShape shape_a = shape_of_part(a), shape_b = shape_of_part(b);
    const PlacedPart placed_a = placed_at(shape_a, at_a), placed_b = placed_at(shape_b, at_b);
    const double volume = intersection_volume(CheckedSolid(solid_of(a), part_dent_tolerance), at_a,
                                              CheckedSolid(solid_of(b), part_dent_tolerance), at_b);
    PartOverlap overlap;
    const bool found = find_overlap(placed_a, placed_b, overlap);
    EXPECT_EQ(found, volume > 1e-15) << k << ": " << volume;
    if (!found) continue;
    ++overlapping;
    EXPECT_NEAR(length(overlap.normal), 1.0, 1e-12);
    double before = overlap.points[0].depth;
    for (const OverlapPoint& point : overlap.points) {
      EXPECT_LE(highest(placed_a, point.at), 1e-12);
      EXPECT_LE(highest(placed_b, point.at), 1e-12);
      EXPECT_GT(point.depth, 0.0);
      EXPECT_LE(point.depth, before);
      before = point.depth;
    }
  }
  EXPECT_GT(overlapping, 50);
  EXPECT_LT(overlapping, 195);
}

// A side inside a sibling part pushes nothing, however near it is.
TEST(PenaltyOverlap, SidesInsideABodyDoNotPush) {
  // a thin slice of a block under a slab that lies 0.1 m deep in it
  PenaltyShape slice = shape_of_part(cuboid_part(0.025, 0.5, 0.5));
  for (PenaltySide& side : slice.sides) side.surface = std::abs(side.normal.x) < 0.5;
  const PenaltyShape slab = shape_of_part(cuboid_part(2.0, 2.0, 0.5));
  PartOverlap overlap;
  ASSERT_TRUE(find_overlap(placed_at(slice, {}), placed_at(slab, {{0.0, 0.0, 0.9}, {}}), overlap));
  EXPECT_NEAR(overlap.normal.z, 1.0, 1e-15);
  EXPECT_NEAR(overlap.points[0].depth, 0.1, 1e-15);
  PenaltyShape half = shape_of_part(cuboid_part(0.5, 0.5, 0.5));
  for (PenaltySide& side : half.sides) side.surface = side.normal.x < 0.5;  // a sibling goes on along x
  // a ball above the sibling is not pushed aside by this part's edge, one above this part is pushed up
  const PenaltyShape ball = shape_of_part(make_sphere("ball", {}, 0.2));
  EXPECT_FALSE(find_overlap(placed_at(half, {}), placed_at(ball, {{0.55, 0.0, 0.65}, {}}), overlap));
  ASSERT_TRUE(find_overlap(placed_at(half, {}), placed_at(ball, {{0.45, 0.0, 0.65}, {}}), overlap));
  EXPECT_NEAR(overlap.normal.z, 1.0, 1e-15);
  EXPECT_NEAR(overlap.points[0].depth, 0.05, 1e-15);
}

}  // namespace
}  // namespace pegrasp
