// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/parameters.hpp"
#include "src/geometry/angle.hpp"
#include "tests/geometry/oracle.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

BodySpec body_of(ConvexPart part) {
  BodySpec body;
  body.planar().parts = {std::move(part)};
  return body;
}

ConvexPart box(double half_width, double half_height) {
  return make_polygon(
      "box",
      {{-half_width, -half_height}, {half_width, -half_height}, {half_width, half_height}, {-half_width, half_height}});
}

double lens(double r, double s, double d) {
  const double a = (d * d + r * r - s * s) / (2 * d * r);
  const double b = (d * d + s * s - r * r) / (2 * d * s);
  return r * r * std::acos(a) + s * s * std::acos(b) -
         0.5 * std::sqrt((-d + r + s) * (d + r - s) * (d - r + s) * (d + r + s));
}

// Circular segment of sagitta (depth) on radius r; accurate for small depths.
double cap(double r, double depth) {
  const double phi = 4.0 * std::asin(std::sqrt(depth / (2.0 * r)));
  if (phi < 1e-2) return 0.5 * r * r * phi * phi * phi / 6.0 * (1.0 - phi * phi / 20.0 * (1.0 - phi * phi / 42.0));
  return 0.5 * r * r * (phi - std::sin(phi));
}

TEST(Overlap, LensOfTwoDiscs) {
  const BodySpec a = body_of(make_disc("a", {0, 0}, 1.0));
  const BodySpec b = body_of(make_disc("b", {0, 0}, 0.7));
  for (const double direction : {0.0, 0.3, 1.0, 0.5 * pi, 2.5, 4.0}) {
    for (const double d : {0.31, 0.5, 1.0, 1.5, 1.69}) {
      const Pose pose{100.0 + d * std::cos(direction), -50.0 + d * std::sin(direction), 0.4};
      EXPECT_NEAR(overlap_area(a, {100, -50, 0}, b, pose), lens(1.0, 0.7, d), 1e-12) << direction << " " << d;
    }
    const Pose inside{100.0 + 0.2 * std::cos(direction), -50.0 + 0.2 * std::sin(direction), 0.4};
    EXPECT_NEAR(overlap_area(a, {100, -50, 0}, b, inside), pi * 0.49, 1e-12);
    const Pose apart{100.0 + 1.71 * std::cos(direction), -50.0 + 1.71 * std::sin(direction), 0.4};
    EXPECT_EQ(overlap_area(a, {100, -50, 0}, b, apart), 0.0);
  }
}

TEST(Overlap, DiscOnHalfPlaneDownToTinyDepths) {
  const BodySpec disc = body_of(make_disc("d", {0, 0}, 1.0));
  const BodySpec ground = body_of(make_half_plane("g", {0, 1}, 0.0));
  for (const double depth : {1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0}) {
    const double expected = cap(1.0, depth);
    // the depth itself is known to 1e-16, the area to 1.5 times its relative error
    const double tolerance = expected * (1e-9 + 4e-16 / depth);
    EXPECT_NEAR(overlap_area(disc, {3.0, 1.0 - depth, 0.2}, ground, {}), expected, tolerance) << depth;
    EXPECT_NEAR(overlap_area(ground, {}, disc, {3.0, 1.0 - depth, 0.2}), expected, tolerance) << depth;
  }
  EXPECT_EQ(overlap_area(disc, {0, 1.0 + 1e-12, 0}, ground, {}), 0.0);
  EXPECT_NEAR(overlap_area(disc, {0, -5, 0}, ground, {}), pi, 1e-14);
}

// Depths of a few units in the last place, where crossings of the outlines come and go with rounding.
TEST(Overlap, OfGrazingArcsIsRounding) {
  constexpr std::uint64_t seed = 44;
  scenes::Random random(seed);
  const BodySpec ground = body_of(make_half_plane("g", {0, 1}, 0.0));
  for (int trial = 0; trial < 20000; ++trial) {
    const double r = random.uniform(0.05, 2.0);
    const double ulps = random.uniform(-8.0, 8.0) * 1e-16;
    const double angle = random.uniform(-7.0, 7.0);
    const BodySpec disc = body_of(make_disc("d", {0, 0}, r));
    const BodySpec half = body_of(make_circular_segment("h", {0, 0}, r, pi, 2.0 * pi));
    ASSERT_LT(overlap_area(ground, {}, disc, {random.uniform(-1, 1), r + ulps, angle}), 1e-14) << trial;
    ASSERT_LT(overlap_area(ground, {}, half, {random.uniform(-1, 1), r + ulps, 0.0}), 1e-14) << trial;
    ASSERT_LT(overlap_area(half, {}, disc, {(2.0 * r + ulps) * std::cos(angle), (2.0 * r + ulps) * std::sin(angle), 0}),
              1e-14)
        << trial;
  }
}

TEST(Overlap, DiscOnHalfPlanesOfAnyDirection) {
  const BodySpec disc = body_of(make_disc("d", {0, 0}, 0.5));
  for (int i = 0; i < 36; ++i) {
    const double angle = pi * i / 18.0;
    const BodySpec wall = body_of(make_half_plane("w", {std::cos(angle), std::sin(angle)}, 0.3));
    EXPECT_NEAR(overlap_area(disc, {}, wall, {}), pi * 0.25 - cap(0.5, 0.2), 1e-14) << i;
    EXPECT_NEAR(overlap_area(disc, {0.3 * std::cos(angle), 0.3 * std::sin(angle), 1.0}, wall, {}), pi * 0.125, 1e-14);
  }
}

// The chord of the lower arc is nearly a diameter: its angle must not come from its sine alone.
TEST(Overlap, DiscCutAlmostInHalf) {
  const BodySpec disc = body_of(make_disc("disc", {0, 0}, 1.0));
  for (double angle = 0.0; angle < 6.0; angle += 0.37) {
    const Vec2 n{std::cos(angle), std::sin(angle)};
    const BodySpec wall = body_of(make_half_plane("wall", n, 0.0));
    for (double d = 1e-2; d > 1e-12; d *= 0.3) {
      for (double side : {-1.0, 1.0}) {
        const double y = side * d;  // of the centre above the wall's boundary
        const double below = 0.5 * pi - std::asin(y) - y * std::sqrt((1.0 - y) * (1.0 + y));
        EXPECT_NEAR(overlap_area(disc, {y * n.x, y * n.y, 0.3}, wall, {}), below, 1e-14) << angle << ", " << y;
      }
    }
  }
}

TEST(Overlap, Boxes) {
  const BodySpec a = body_of(box(1.0, 0.5));
  const BodySpec b = body_of(box(0.25, 2.0));
  EXPECT_NEAR(overlap_area(a, {5, 5, 0}, b, {5, 5, 0}), 0.5, 1e-14);
  EXPECT_NEAR(overlap_area(a, {5, 5, 0}, a, {6, 5.5, 0}), 0.5, 1e-14);
  EXPECT_NEAR(overlap_area(a, {5, 5, 0}, a, {5, 5, 0}), 2.0, 1e-14);      // coincident
  EXPECT_NEAR(overlap_area(a, {5, 5, 0.7}, a, {5, 5, 0.7}), 2.0, 1e-14);  // coincident and turned
  EXPECT_NEAR(overlap_area(a, {5, 5, 0}, a, {5, 5, pi}), 2.0, 1e-14);
  EXPECT_NEAR(overlap_area(a, {5, 5, 0}, a, {5, 6, 0}), 0.0, 1e-15);  // touching along an edge
  EXPECT_NEAR(overlap_area(a, {5, 5, 0}, a, {7, 5, 0}), 0.0, 1e-15);
  const BodySpec square = body_of(box(0.5, 0.5));
  EXPECT_NEAR(overlap_area(square, {}, square, {0, 0, 0.25 * pi}), 2.0 * (std::sqrt(2.0) - 1.0), 1e-14);  // octagon
}

TEST(Overlap, SeesACornerThatIsANanometreDeep) {
  const BodySpec square = body_of(box(0.5, 0.5));
  const double deep = 1e-9;
  // a vertex of the turned square pokes into the top of the other: a right triangle of height `deep`
  const double y = 0.5 + std::sqrt(0.5) - deep;
  EXPECT_NEAR(overlap_area(square, {}, square, {0.1, y, 0.25 * pi}), deep * deep, 1e-6 * deep * deep);
  // thin slab
  EXPECT_NEAR(overlap_area(square, {}, square, {0.25, 1.0 - 1e-9, 0.0}), 0.75e-9, 1e-15);
}

TEST(Overlap, PartsOfOneBodyCountOnce) {
  BodySpec gear;
  gear.planar().parts = {make_disc("disc", {0, 0}, 1.0),
                         make_polygon("tooth", {{-0.2, 0}, {0.2, 0}, {0.2, 1.5}, {-0.2, 1.5}})};
  const BodySpec all = body_of(box(3.0, 3.0));
  // disc + tooth - their overlap
  const double u = std::asin(0.2);
  const double under_arc = 0.2 * std::cos(u) + u;  // integral of sqrt(1 - x^2) over [-0.2, 0.2]
  EXPECT_NEAR(overlap_area(gear, {0.1, 0.2, 0.6}, all, {}), pi + 0.4 * 1.5 - under_arc, 1e-13);
  EXPECT_NEAR(overlap_area(all, {}, gear, {0.1, 0.2, 0.6}), pi + 0.4 * 1.5 - under_arc, 1e-13);
}

// Against the clipped fine polygons of the oracle, for random pairs of all shapes.
TEST(OverlapLong, AgreesWithFinePolygons) {
  constexpr std::uint64_t seed = 42;
  scenes::Random random(seed);
  int overlapping = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const ConvexPart a = oracle::random_part(random);
    const ConvexPart b = oracle::random_part(random);
    const Pose pa{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-7, 7)};
    const Pose pb{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-7, 7)};
    const double exact = overlap_area(body_of(a), pa, body_of(b), pb);
    const double polygonal = oracle::polygonal_overlap(a, pa, b, pb, 1000);
    ASSERT_NEAR(exact, polygonal, 3e-5) << "seed " << seed << " trial " << trial;
    ASSERT_NEAR(exact, overlap_area(body_of(b), pb, body_of(a), pa), 1e-13) << "seed " << seed << " trial " << trial;
    overlapping += exact > 0.0 ? 1 : 0;
  }
  EXPECT_GT(overlapping, 300);
}

// Polygons have no chord error: here the two must agree to rounding.
TEST(Overlap, AgreesWithClippingForPolygons) {
  constexpr std::uint64_t seed = 43;
  scenes::Random random(seed);
  for (int trial = 0; trial < 20000; ++trial) {
    const ConvexPart a = oracle::random_polygon(random);
    const ConvexPart b = oracle::random_polygon(random);
    const Pose pa{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-7, 7)};
    const Pose pb{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-7, 7)};
    ASSERT_NEAR(overlap_area(body_of(a), pa, body_of(b), pb), oracle::polygonal_overlap(a, pa, b, pb, 1), 1e-14)
        << "seed " << seed << " trial " << trial;
  }
}

TEST(TotalOverlap, SumsOverPresentPairsWithADynamicBody) {
  SceneSpec scene;
  for (int i = 0; i < 4; ++i) {
    scene.bodies.push_back(body_of(box(0.5, 0.5)));
    scene.bodies.back().kind = i < 2 ? BodyKind::fixed : BodyKind::dynamic;
  }
  const std::vector<Pose> poses{{0, 0, 0}, {0.5, 0, 0}, {0.75, 0, 0}, {10, 0, 0}};
  EXPECT_NEAR(total_overlap_area(scene, poses, {true, true, true, true}), 0.25 + 0.75, 1e-14);
  EXPECT_NEAR(total_overlap_area(scene, poses, {true, false, true, true}), 0.25, 1e-14);
  EXPECT_EQ(total_overlap_area(scene, poses, {true, true, false, true}), 0.0);
  scene.ignored_pairs = {{2, 1}};
  EXPECT_NEAR(total_overlap_area(scene, poses, {true, true, true, true}), 0.25, 1e-14);
  EXPECT_NEAR(total_dynamic_area(scene), 2.0, 1e-14);
}

// Bodies that cannot meet are left out by their boxes: the sum is that of all pairs, to the bit. Of polygons, discs,
// rounded polygons and half-planes.
TEST(Overlap, TheTotalIsThatOfAllPairs) {
  SceneSpec scene = scenes::polygon_pour(3, 0.25, 60, 10);
  for (std::size_t i = 0; i < scene.bodies.size(); i += 3) {
    BodySpec& body = scene.bodies[i];
    if (body.kind != BodyKind::dynamic) continue;
    if (i % 2 == 0) {
      body.planar().parts = {make_disc("disc", {0, 0}, 0.3)};
    } else {
      for (Corner& corner : body.planar().parts[0].corners) corner.radius = 0.2;
    }
  }
  scene.bodies.push_back(body_of(make_half_plane("ground", {0.0, 1.0}, 0.5)));
  scene.bodies.back().kind = BodyKind::fixed;
  scenes::Random random(7);
  std::vector<Pose> poses;
  std::vector<bool> present;
  for (const BodySpec& body : scene.bodies) {
    Pose pose = body.planar().pose;
    if (body.kind == BodyKind::dynamic)
      pose = {pose.x + random.uniform(-1.0, 1.0), pose.y + random.uniform(-1.0, 1.0), random.uniform(-3.0, 3.0)};
    poses.push_back(pose);
    present.push_back(random.uniform(0.0, 1.0) < 0.9);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    for (std::size_t j = i + 1; j < poses.size(); ++j) {
      if (!present[i] || !present[j] || !may_touch(scene, static_cast<int>(i), static_cast<int>(j))) continue;
      sum += overlap_area(scene.bodies[i], poses[i], scene.bodies[j], poses[j]);
    }
  }
  EXPECT_GT(sum, 0.1);  // bodies of some 0.1 m^2 each: many overlap
  EXPECT_EQ(total_overlap_area(scene, poses, present), sum);
}

}  // namespace
}  // namespace pegrasp
