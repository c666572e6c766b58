// SPDX-License-Identifier: Apache-2.0
// The oracle against cases that can be worked out by hand, and against itself by other means.
#include "tests/geometry/oracle.hpp"

#include <gtest/gtest.h>

namespace pegrasp::oracle {
namespace {

ConvexPart square() { return make_polygon("square", {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}); }

double between(const ConvexPart& a, const Pose& pa, const ConvexPart& b, const Pose& pb) {
  return signed_distance(place(a, pa), place(b, pb));
}

TEST(Oracle, Squares) {
  EXPECT_NEAR(between(square(), {}, square(), {2, 0, 0}), 1.0, 1e-15);
  EXPECT_NEAR(between(square(), {}, square(), {4, 5, 0}), 5.0, 1e-14);  // corner to corner: 3-4-5
  EXPECT_NEAR(between(square(), {}, square(), {0.75, 0.1, 0}), -0.25, 1e-15);
  EXPECT_NEAR(between(square(), {}, square(), {0, 0, 0}), -1.0, 1e-15);
  EXPECT_NEAR(between(square(), {}, square(), {0, 1.5, 0.25 * pi}), 1.0 - std::sqrt(0.5), 1e-15);
}

TEST(Oracle, Discs) {
  const ConvexPart a = make_disc("a", {0, 0}, 1.0), b = make_disc("b", {0.5, 0}, 0.25);
  EXPECT_NEAR(between(a, {}, b, {3, 0, 0}), 2.25, 1e-15);
  EXPECT_NEAR(between(a, {}, b, {3, 0, pi}), 1.25, 1e-15);
  EXPECT_NEAR(between(a, {}, b, {0.25, 0, 0}), 0.75 - 1.25, 1e-15);
  EXPECT_NEAR(between(a, {}, b, {-0.5, 0, 0}), -1.25, 1e-15);  // concentric
}

TEST(Oracle, CapsuleAndDisc) {
  const ConvexPart capsule = make_rounded_polygon("c", {{{-1, 0}, 0.2}, {{1, 0}, 0.2}});
  const ConvexPart disc = make_disc("d", {0, 0}, 0.3);
  EXPECT_NEAR(between(capsule, {}, disc, {0.4, 1.0, 0}), 0.5, 1e-15);
  EXPECT_NEAR(between(capsule, {}, disc, {4.0, 4.0, 0}), 5.0 - 0.5, 1e-14);
  EXPECT_NEAR(between(capsule, {}, disc, {0.4, 0.1, 0}), -0.4, 1e-15);
}

TEST(Oracle, CircularSegmentHasOnlyItsArc) {
  // the cap of the unit disc above y = 0.5
  const ConvexPart cap = make_circular_segment("s", {0, 0}, 1.0, pi / 6.0, 5.0 * pi / 6.0);
  const ConvexPart dot = make_disc("d", {0, 0}, 0.1);
  EXPECT_NEAR(between(cap, {}, dot, {0, 2, 0}), 0.9, 1e-14);
  EXPECT_NEAR(between(cap, {}, dot, {0, -1, 0}), 1.4, 1e-14);                      // from the chord, not the circle
  EXPECT_NEAR(between(cap, {}, dot, {std::sqrt(0.75) + 3, -3.5, 0}), 4.9, 1e-14);  // from its end point: 3-4-5
  EXPECT_NEAR(between(cap, {}, dot, {0, 0.6, 0}), -0.2, 1e-14);                    // out through the chord
}

TEST(Oracle, WideArc) {
  // all of the unit disc but the cap above y = 0.5: an arc of more than half a turn
  const ConvexPart most = make_circular_segment("s", {0, 0}, 1.0, 5.0 * pi / 6.0, 13.0 * pi / 6.0);
  const ConvexPart dot = make_disc("d", {0, 0}, 0.1);
  EXPECT_NEAR(between(most, {}, dot, {0, 2, 0}), 1.4, 1e-14);
  EXPECT_NEAR(between(most, {}, dot, {2, 0, 0}), 0.9, 1e-14);
  EXPECT_NEAR(between(most, {}, dot, {-3, -4, 0}), 3.9, 1e-14);
}

TEST(Oracle, SignedDistanceOfPolygonsIsTheBruteForceDistance) {
  constexpr std::uint64_t seed = 11;
  scenes::Random random(seed);
  int apart = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Pose pa{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const Pose pb{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const ConvexPart pa_part = random_polygon(random), pb_part = random_polygon(random);
    const Shape a = place(pa_part, pa), b = place(pb_part, pb);
    const double s = signed_distance(a, b);
    ASSERT_NEAR(s, signed_distance(b, a), 1e-14) << "seed " << seed << " trial " << trial;
    const double area = polygonal_overlap(pa_part, pa, pb_part, pb, 1);
    if (s > 0.0) {
      ++apart;
      ASSERT_NEAR(s, polygon_distance(a, b), 1e-14) << "seed " << seed << " trial " << trial;
      ASSERT_LT(area, 1e-14) << "seed " << seed << " trial " << trial;
    } else if (s < -1e-7) {
      ASSERT_GT(area, 0.0) << "seed " << seed << " trial " << trial;
    }
  }
  EXPECT_GT(apart, 2000);
  EXPECT_LT(apart, 18000);
}

TEST(Oracle, StationaryPointsAgreeWithTheSearch) {
  constexpr std::uint64_t seed = 12;
  scenes::Random random(seed);
  for (int trial = 0; trial < 1500; ++trial) {
    const Shape a = place(random_part(random), {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)});
    const Shape b = place(random_part(random), {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)});
    ASSERT_NEAR(signed_distance(a, b), searched_distance(a, b), 2e-8) << "seed " << seed << " trial " << trial;
    ASSERT_GE(signed_distance(a, b), searched_distance(a, b) - 1e-12) << "seed " << seed << " trial " << trial;
  }
}

}  // namespace
}  // namespace pegrasp::oracle
