// SPDX-License-Identifier: Apache-2.0
// Contacts of superellipsoids whose flat sides lie nearly flat on other parts: those of the kernels and of the
// reference simulator, which share no code, are the same.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include "src/reference/spatial/smooth.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/geometry/cylinder_pairs.hpp"

namespace pegrasp {
namespace {

using reference::spatial::PlacedSolid;
using reference::spatial::Solid;

constexpr double flat_sine = 0.06, tolerance = 1e-7;
enum class Under { box, small_box, standing_can, lying_can, pill, ridge, superellipsoid };

reference::spatial::Placement placement(const SpatialPose& pose) {
  return {reference::spatial::vector3(pose.position), reference::spatial::turn(pose.turn).toRotationMatrix()};
}

// With its top at z = 0.
SolidPart part_under(Under kind, scenes::Random& random, int order) {
  const double size = random.uniform(0.01, 0.03);
  switch (kind) {
    case Under::box:
      return {"box", scenes::cuboid(0.06, 0.06, 0.02)};
    case Under::small_box:
      return {"box", scenes::cuboid(0.5 * size, size, 0.02)};
    case Under::standing_can:
      return make_cylinder("can", {0.0, 0.0, -0.02}, {0.0, 0.0, 0.02}, 0.5 * size);
    case Under::lying_can:
      return make_cylinder("can", {-size, 0.0, 0.0}, {size, 0.0, 0.0}, 0.02);
    case Under::pill:
      return make_capsule("pill", {-size, 0.0, 0.0}, {size, 0.0, 0.0}, 0.02);
    case Under::ridge:
      return {"roof", make_polyhedron({{-size, 0.0, 0.02},
                                       {size, 0.0, 0.02},
                                       {-0.03, 0.02, -0.02},
                                       {0.03, 0.02, -0.02},
                                       {-0.03, -0.02, -0.02},
                                       {0.03, -0.02, -0.02}})};
    case Under::superellipsoid:
      return make_ellipsoid("other", {}, {size, 0.02, 0.02}, {}, order);
  }
  return {};
}

// The superellipsoid stands on the other part, which lies below or, of two bodies, comes first or last.
test::Pair pair_of(Under kind, scenes::Random& random, int trial) {
  const int order = 3 + trial % 14;
  SpatialPose above;
  const double lean = (trial % 3 == 0 ? 0.01 : 1.0) * random.uniform(-0.02, 0.02);
  above.turn =
      turn_by({lean, trial % 3 == 1 ? 0.3 * lean : lean, 0.0}) * turn_by({0.0, 0.0, random.uniform(-3.0, 3.0)});
  above.position = {random.uniform(-0.01, 0.01), random.uniform(-0.01, 0.01), 0.06};
  const test::Shape under{test::Kind::hull, part_under(kind, random, order), {}, {}};
  const test::Shape on{test::Kind::superellipsoid,
                       make_ellipsoid("on", {}, {random.uniform(0.02, 0.05), 0.04, 0.03}, {}, order),
                       above,
                       {}};
  test::Pair out = trial % 2 == 0 ? test::Pair(under, on) : test::Pair(on, under);
  test::bring_together(out, trial % 4 < 2 ? 3e-8 : -3e-8);
  return out;
}

class FlatSidesOfBoth : public testing::TestWithParam<Under> {};

TEST_P(FlatSidesOfBoth, TouchAlikeInBothSimulators) {
  const std::uint64_t seed = test::fuzz_seed(20261201);
  scenes::Random random(seed);
  int compared = 0, contacts = 0;
  for (int trial = 0; trial < 28; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", seed " << seed);
    const test::Pair p = pair_of(GetParam(), random, trial);
    const spatial::Separation best = test::separation_of(p);
    const std::vector<Solid> a{reference::spatial::make_solid(p.a.part)}, b{reference::spatial::make_solid(p.b.part)};
    const PlacedSolid pa(a, 0, placement(p.a.pose)), pb(b, 0, placement(p.b.pose));
    const reference::spatial::PairSeparation other = reference::spatial::best_separation(pa, pb);
    EXPECT_NEAR(best.s, other.s, 5e-7);  // neither search ends exactly on a flat side beside a rim
    std::vector<spatial::ContactPoint> ours;
    const spatial::PairGeometry g{p.pa, p.pb, test::frame(p.a.pose), test::frame(p.b.pose)};
    spatial::mode_contacts(g, best.mode, flat_sine, tolerance,
                           [&](const spatial::ContactPoint& c) { ours.push_back(c); });
    const auto theirs = contacts_of(other.facet, pa, pb, flat_sine, tolerance);
    const bool curved = spatial::mode_type(best.mode) == spatial::mode_round;
    if (curved == (other.facet.kind <= reference::spatial::FacetKind::face_of_b)) continue;  // facets that tie
    ++compared;
    std::size_t bearing = 0;
    for (const auto& c : theirs) bearing += c.role == reference::Role::spring_alone ? 0 : 1;
    EXPECT_EQ(ours.size(), bearing);
    // but the first one, which may lie anywhere on a flat side
    for (std::size_t k = 1; k < ours.size(); ++k, ++contacts) {
      const spatial::ContactPoint& mine = ours[k];
      double least = 1e300;
      for (const auto& their : theirs) {
        const double apart = (their.position - Eigen::Vector3d(mine.p.x, mine.p.y, mine.p.z)).norm() +
                             (their.normal - Eigen::Vector3d(mine.n.x, mine.n.y, mine.n.z)).norm() +
                             1e3 * std::fabs(their.gap - mine.gap) + std::fabs(their.round - mine.round);
        least = std::min(least, apart);
      }
      EXPECT_LT(least, 3e-5) << "contact " << k << " of " << ours.size() << ", gap " << mine.gap;
    }
  }
  std::cout << compared << " pairs, " << contacts << " contacts\n";
  EXPECT_GT(compared, 14);
  EXPECT_GT(contacts, 100);
}

INSTANTIATE_TEST_SUITE_P(All, FlatSidesOfBoth,
                         testing::Values(Under::box, Under::small_box, Under::standing_can, Under::lying_can,
                                         Under::pill, Under::ridge, Under::superellipsoid));

}  // namespace
}  // namespace pegrasp
