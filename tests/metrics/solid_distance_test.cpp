// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/solid_distance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "src/geometry/angle.hpp"
#include "src/metrics/solid_overlap.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/metrics/solids.hpp"

namespace pegrasp {
namespace {

using namespace test;

SpatialPose at(double x, double y, double z) { return {{x, y, z}, {}}; }

void expect_near(Vec3 v, Vec3 expected, double tolerance) {
  EXPECT_NEAR(v.x, expected.x, tolerance);
  EXPECT_NEAR(v.y, expected.y, tolerance);
  EXPECT_NEAR(v.z, expected.z, tolerance);
}

// What must hold of any result: the points are on the surfaces, their difference is the distance along the direction,
// and the direction separates by just that. For disjoint solids this is a proof: the points bound the distance from
// above, the direction from below.
void expect_consistent(const ConvexSolid& a, const SpatialPose& pose_a, const ConvexSolid& b, const SpatialPose& pose_b,
                       const SolidGap& gap) {
  constexpr double tolerance = 1e-13;
  EXPECT_NEAR(length(gap.direction), 1.0, 1e-15);
  EXPECT_LT(length(gap.on_b - gap.on_a - gap.distance * gap.direction), tolerance);
  EXPECT_NEAR(separation_along(placed_vertices(a, pose_a), placed_vertices(b, pose_b), gap.direction), gap.distance,
              tolerance);
  EXPECT_NEAR(height_over(face_planes(a, pose_a), gap.on_a), 0.0, tolerance);
  EXPECT_NEAR(height_over(face_planes(b, pose_b), gap.on_b), 0.0, tolerance);
}

SolidGap gap_of(const ConvexSolid& a, const SpatialPose& pose_a, const ConvexSolid& b, const SpatialPose& pose_b) {
  const SolidGap gap = solid_distance(a, pose_a, b, pose_b);
  expect_consistent(a, pose_a, b, pose_b, gap);
  const SolidGap other = solid_distance(b, pose_b, a, pose_a);
  expect_consistent(b, pose_b, a, pose_a, other);
  EXPECT_NEAR(gap.distance, other.distance, 1e-14);
  return gap;
}

TEST(SolidDistance, FaceToFace) {
  const SolidGap gap = gap_of(unit_cube(), {}, box_solid(1, 1, 1), at(0.25, 0.125, 2.5));
  EXPECT_NEAR(gap.distance, 1.0, 1e-15);
  expect_near(gap.direction, {0, 0, 1}, 1e-15);
  EXPECT_NEAR(largest_separation(unit_cube(), {}, box_solid(1, 1, 1), at(0.25, 0.125, 2.5)).separation, 1.0, 1e-15);
}

TEST(SolidDistance, VertexToFace) {
  const Quaternion on_corner = turn_about({1, -1, 0}, std::acos(1.0 / std::sqrt(3.0)));
  const double half_diagonal = 0.5 * std::sqrt(3.0);
  for (const double distance : {1.0, 1e-3, 1e-6, 1e-9, -1e-9, -1e-6, -1e-3, -0.1}) {
    const SpatialPose pose{{0.125, -0.25, 0.5 + half_diagonal + distance}, on_corner};
    const SolidGap gap = gap_of(box_solid(2, 2, 0.5), {}, unit_cube(), pose);
    EXPECT_NEAR(gap.distance, distance, 1e-15) << distance;
    expect_near(gap.direction, {0, 0, 1}, 1e-15);
    expect_near(gap.on_a, {0.125, -0.25, 0.5}, 1e-15);
    expect_near(gap.on_b, {0.125, -0.25, 0.5 + distance}, 1e-15);
  }
}

TEST(SolidDistance, EdgeToEdge) {
  const double top = std::sqrt(0.5);
  const SpatialPose lower{{}, turn_about({1, 0, 0}, 0.25 * pi)};
  for (const double distance : {1.0, 1e-3, 1e-6, 1e-9, -1e-9, -1e-6, -1e-3, -0.1}) {
    const SpatialPose upper{{0.125, -0.25, 2.0 * top + distance}, turn_about({0, 1, 0}, 0.25 * pi)};
    const SolidGap gap = gap_of(unit_cube(), lower, unit_cube(), upper);
    EXPECT_NEAR(gap.distance, distance, 1e-15) << distance;
    expect_near(gap.direction, {0, 0, 1}, 1e-15);
    expect_near(gap.on_a, {0.125, 0.0, top}, 1e-15);
    EXPECT_NEAR(largest_separation(unit_cube(), lower, unit_cube(), upper).separation, distance, 1e-15);
  }
}

TEST(SolidDistance, VertexToEdgeAndVertexToVertex) {
  const ConvexSolid cube = unit_cube();
  // parallel edges
  const SolidGap edges = gap_of(cube, {}, cube, at(1.3, 1.4, 0.25));
  EXPECT_NEAR(edges.distance, 0.5, 1e-15);
  expect_near(edges.direction, {0.6, 0.8, 0}, 1e-15);
  // here no normal of a face and no direction across edges shows the whole distance
  EXPECT_NEAR(largest_separation(cube, {}, cube, at(1.3, 1.4, 0.25)).separation, 0.4, 1e-15);
  const SolidGap corners = gap_of(cube, {}, cube, at(1.2, 1.3, 1.6));
  EXPECT_NEAR(corners.distance, 0.7, 1e-15);
  expect_near(corners.direction, {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0}, 1e-15);
  expect_near(corners.on_a, {0.5, 0.5, 0.5}, 1e-15);
  expect_near(corners.on_b, {0.7, 0.8, 1.1}, 1e-15);
  EXPECT_NEAR(largest_separation(cube, {}, cube, at(1.2, 1.3, 1.6)).separation, 0.6, 1e-15);
  // a long needle's point across the middle of an edge
  const ConvexSolid needle = tetrahedron({0, 0, 0}, {3, 3, 0.1}, {3.1, 3, -0.1}, {3, 3.1, -0.1});
  const SolidGap point = gap_of(cube, {}, needle, at(0.5 + 0.3, 0.5 + 0.4, 0.125));
  EXPECT_NEAR(point.distance, 0.5, 1e-15);
  expect_near(point.on_a, {0.5, 0.5, 0.125}, 1e-15);
  expect_near(point.on_b, {0.8, 0.9, 0.125}, 1e-15);
}

TEST(SolidDistance, OfTouchingSolids) {
  for (const SpatialPose& pose : {at(1, 0, 0), at(1, 0.3, 0.2), at(0, -1, 1), at(1, 1, 1)}) {
    const SolidGap gap = gap_of(unit_cube(), {}, unit_cube(), pose);
    EXPECT_NEAR(gap.distance, 0.0, 1e-15);
  }
}

TEST(SolidDistance, OfSolidsInEachOther) {
  const ConvexSolid cube = unit_cube();
  EXPECT_NEAR(gap_of(cube, {}, cube, {}).distance, -1.0, 1e-15);
  const SolidGap inside = gap_of(box_solid(2, 3, 4), {}, box_solid(0.1, 0.2, 0.3), at(-1.5, 0, 0));
  EXPECT_NEAR(inside.distance, -0.6, 1e-15);
  expect_near(inside.direction, {-1, 0, 0}, 1e-15);
  const SolidGap deep = gap_of(cube, {}, cube, at(0.25, 0.5, -0.75));
  EXPECT_NEAR(deep.distance, -0.25, 1e-15);
  expect_near(deep.direction, {0, 0, -1}, 1e-15);
  // one is minus the other, so that their differences are the tetrahedron twice as large, and its inscribed radius 2 /
  // sqrt(3)
  EXPECT_NEAR(gap_of(regular_tetrahedron(true), {}, regular_tetrahedron(false), {}).distance, -2.0 / std::sqrt(3.0),
              1e-15);
}

TEST(SolidDistance, OfTinySolidsOnLargeOnes) {
  const ConvexSolid ground = box_solid(1000, 1000, 500);
  const ConvexSolid chip = box_solid(1e-3, 2e-3, 5e-4);
  for (const double distance : {1e-3, 1e-9, -1e-9, -1e-4}) {
    const SolidGap gap = solid_distance(ground, at(-300, 200, -500), chip, at(30, -50, 5e-4 + distance));
    EXPECT_NEAR(gap.distance, distance, 1e-18) << distance;
    expect_near(gap.direction, {0, 0, 1}, 1e-15);
  }
}

TEST(SolidDistance, RefusesEmptySolids) {
  EXPECT_THROW(solid_distance(unit_cube(), {}, {}, {}), std::invalid_argument);
  EXPECT_THROW(largest_separation({}, {}, unit_cube(), {}), std::invalid_argument);
}

// No axis separates more than the result's own: neither random ones nor small turns of it. And the distance has the
// sign of the overlap.
void try_random_axes(std::uint64_t seed, int trials) {
  scenes::Random random(seed);
  int disjoint = 0, crossing = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const ConvexSolid a = random.below(4) == 0 ? box_solid(0.25, 0.5, 0.375)
                                               : random_solid(random, 4 + static_cast<int>(random.below(7)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(7)));
    const SpatialPose pose_a = random_pose(random, 0.4);
    const SpatialPose pose_b = random_pose(random, 0.4);
    const SolidGap gap = gap_of(a, pose_a, b, pose_b);
    const AxisGap axis = largest_separation(a, pose_a, b, pose_b);
    const std::vector<Vec3> at_a = placed_vertices(a, pose_a);
    const std::vector<Vec3> at_b = placed_vertices(b, pose_b);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " trial " << trial;
    ASSERT_LE(axis.separation, gap.distance + 1e-14) << "seed " << seed << " trial " << trial;
    ASSERT_NEAR(separation_along(at_a, at_b, axis.direction), axis.separation, 1e-14);
    for (int sample = 0; sample < 2000; ++sample) {
      const Vec3 any = random_direction(random);
      const double reach = std::pow(10.0, random.uniform(-8.0, 0.0));
      const Vec3 near = unit(gap.direction + reach * random_direction(random));
      ASSERT_LE(separation_along(at_a, at_b, any), gap.distance + 1e-14) << "seed " << seed << " trial " << trial;
      ASSERT_LE(separation_along(at_a, at_b, near), gap.distance + 1e-14) << "seed " << seed << " trial " << trial;
    }
    const double volume = intersection_volume(a, pose_a, b, pose_b);
    if (gap.distance > 1e-9) {
      ASSERT_EQ(volume, 0.0) << "seed " << seed << " trial " << trial;
      ++disjoint;
    } else if (gap.distance < -1e-4) {
      ASSERT_GT(volume, 0.0) << "seed " << seed << " trial " << trial;
      ++crossing;
    }
  }
  EXPECT_GT(disjoint, trials / 5);
  EXPECT_GT(crossing, trials / 5);
}
TEST(SolidDistance, NoRandomAxisSeparatesMore) { try_random_axes(fuzz_seed(21), 1000); }
TEST(SolidDistanceLongFuzz, NoRandomAxisSeparatesMore) { try_random_axes(fuzz_seed(1), 20000); }

// The depth by its definition: b moved out the shortest way does not overlap a any more; moved a little less than that,
// in any direction, it does. The overlap volume decides.
void try_ways_out(std::uint64_t seed, int trials) {
  scenes::Random random(seed);
  for (int trial = 0; trial < trials; ++trial) {
    const ConvexSolid a = random_solid(random, 4 + static_cast<int>(random.below(7)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(7)));
    const SpatialPose pose_a = random_pose(random, 0.1);
    const SpatialPose pose_b = random_pose(random, 0.1);
    const SolidGap gap = gap_of(a, pose_a, b, pose_b);
    if (gap.distance > -1e-3) continue;
    const auto moved_b = [&](Vec3 by) { return SpatialPose{pose_b.position + by, pose_b.turn}; };
    const Vec3 out = -gap.distance * gap.direction;
    ASSERT_LT(intersection_volume(a, pose_a, b, moved_b(out)), 1e-15) << "seed " << seed << " trial " << trial;
    ASSERT_GT(intersection_volume(a, pose_a, b, moved_b(0.99 * out)), 0.0) << "seed " << seed << " trial " << trial;
    for (int sample = 0; sample < 30; ++sample) {
      const Vec3 by = -0.99 * gap.distance * random_direction(random);
      ASSERT_GT(intersection_volume(a, pose_a, b, moved_b(by)), 0.0) << "seed " << seed << " trial " << trial;
    }
  }
}
TEST(SolidDistance, DepthIsTheShortestWayOut) { try_ways_out(fuzz_seed(22), 300); }
TEST(SolidDistanceLongFuzz, DepthIsTheShortestWayOut) { try_ways_out(fuzz_seed(1), 10000); }

// All differences of vertices, and the planes through three of them that have all others on one side: the depth is the
// distance of the nearest. No faces, no edges.
void compare_with_differences(std::uint64_t seed, int trials) {
  scenes::Random random(seed);
  int deep = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const ConvexSolid a = random_solid(random, 4 + static_cast<int>(random.below(2)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(2)));
    const SpatialPose pose_a = random_pose(random, 0.05);
    const SpatialPose pose_b = random_pose(random, 0.05);
    const SolidGap gap = gap_of(a, pose_a, b, pose_b);
    if (gap.distance > -1e-6) continue;
    ++deep;
    std::vector<Vec3> points;
    for (const Vec3& p : placed_vertices(a, pose_a)) {
      for (const Vec3& q : placed_vertices(b, pose_b)) points.push_back(p - q);
    }
    double nearest = 1e300;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t j = i + 1; j < points.size(); ++j) {
        for (std::size_t k = j + 1; k < points.size(); ++k) {
          const Vec3 area = cross(points[j] - points[i], points[k] - points[i]);
          if (length(area) < 1e-9) continue;
          const Vec3 normal = unit(area);
          double low = 1e300, high = -1e300;
          for (const Vec3& p : points) {
            low = std::min(low, dot(normal, p));
            high = std::max(high, dot(normal, p));
          }
          const double here = dot(normal, points[i]);
          if (high - here < 1e-12) nearest = std::min(nearest, here);
          if (here - low < 1e-12) nearest = std::min(nearest, -here);
        }
      }
    }
    ASSERT_NEAR(-gap.distance, nearest, 1e-11) << "seed " << seed << " trial " << trial;
  }
  EXPECT_GT(deep, trials / 3);
}
TEST(SolidDistance, DepthAgreesWithTheHullOfDifferences) { compare_with_differences(fuzz_seed(23), 60); }
TEST(SolidDistanceLongFuzz, DepthAgreesWithTheHullOfDifferences) { compare_with_differences(fuzz_seed(1), 50000); }

void move_together(std::uint64_t seed, int trials) {
  scenes::Random random(seed);
  for (int trial = 0; trial < trials; ++trial) {
    const ConvexSolid a = random_solid(random, 4 + static_cast<int>(random.below(6)));
    const ConvexSolid b = random_solid(random, 4 + static_cast<int>(random.below(6)));
    const SpatialPose pose_a = random_pose(random, 0.4);
    const SpatialPose pose_b = random_pose(random, 0.4);
    const SpatialPose motion = random_pose(random, 1.0);
    const SolidGap gap = gap_of(a, pose_a, b, pose_b);
    const SolidGap after = gap_of(a, moved(motion, pose_a), b, moved(motion, pose_b));
    ASSERT_NEAR(gap.distance, after.distance, 1e-14) << "seed " << seed << " trial " << trial;
    if (gap.distance > 1e-3) {  // the closest points of random solids are unique
      expect_near(after.on_a, in_world(motion, gap.on_a), 1e-11);
      expect_near(after.on_b, in_world(motion, gap.on_b), 1e-11);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " trial " << trial;
  }
}
TEST(SolidDistance, IsTheSameAfterACommonMotion) { move_together(fuzz_seed(24), 500); }
TEST(SolidDistanceLongFuzz, IsTheSameAfterACommonMotion) { move_together(fuzz_seed(1), 50000); }

}  // namespace
}  // namespace pegrasp
