// SPDX-License-Identifier: Apache-2.0
// Separations and contacts of random pairs with exact cylinders: those of the kernels and of the reference simulator,
// which share no code, are the same.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/reference/spatial/cylinder.hpp"
#include "src/reference/spatial/touch.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/geometry/cylinder_pairs.hpp"

namespace pegrasp {
namespace {

using reference::spatial::PlacedSolid;
using reference::spatial::Solid;
using test::Kind;

reference::spatial::Placement placement(const SpatialPose& pose) {
  return {reference::spatial::vector3(pose.position), reference::spatial::turn(pose.turn).toRotationMatrix()};
}

struct Point {
  Vec3 x, n;
  double gap, round, round_other;
};

class CylindersOfBoth : public testing::TestWithParam<Kind> {};

TEST_P(CylindersOfBoth, SeparateAndTouchAlike) {
  const std::uint64_t seed = test::fuzz_seed(20261130);
  scenes::Random random(seed);
  int compared = 0, modes = 0, contacts = 0;
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", seed " << seed);
    test::Pair p =
        trial % 4 == 2 ? test::draw_disc_pair(random, GetParam(), trial) : test::draw_pair(random, GetParam(), trial);
    if (trial % 3 > 0) test::bring_together(p, trial % 3 == 1 ? 1e-6 : -1e-6);
    const spatial::Separation best = test::separation_of(p);
    if (best.s < -1e-3) continue;
    const std::vector<Solid> a{reference::spatial::make_solid(p.a.part)}, b{reference::spatial::make_solid(p.b.part)};
    const PlacedSolid pa(a, 0, placement(p.a.pose)), pb(b, 0, placement(p.b.pose));
    const reference::spatial::PairSeparation other = reference::spatial::best_separation(pa, pb);
    EXPECT_NEAR(best.s, other.s, 1e-10);
    ++compared;
    const int type = spatial::mode_type(best.mode);
    const bool same =
        (type == spatial::mode_face_a) == (other.facet.kind == reference::spatial::FacetKind::face_of_a) &&
        (type == spatial::mode_face_b) == (other.facet.kind == reference::spatial::FacetKind::face_of_b);
    if (!same && other.lead < 1e-7) continue;  // facets that separate as much
    EXPECT_TRUE(same);
    ++modes;
    std::vector<Point> ours, theirs;
    const spatial::PairGeometry g{p.pa, p.pb, test::frame(p.a.pose), test::frame(p.b.pose)};
    spatial::mode_contacts(g, best.mode, 0.1, 1e-7, [&](const spatial::ContactPoint& c) {
      ours.push_back({{c.p.x, c.p.y, c.p.z}, {c.n.x, c.n.y, c.n.z}, c.gap, c.round, c.round_other});
    });
    for (const reference::spatial::ContactPoint& c : contacts_of(other.facet, pa, pb, 0.1, 1e-7)) {
      theirs.push_back(
          {reference::spatial::vec3(c.position), reference::spatial::vec3(c.normal), c.gap, c.round, c.round_other});
    }
    EXPECT_EQ(ours.size(), theirs.size());
    for (const Point& mine : ours) {
      const bool found = std::any_of(theirs.begin(), theirs.end(), [&](const Point& their) {
        return length(mine.x - their.x) < 1e-6 && length(mine.n - their.n) < 1e-7 &&
               std::fabs(mine.gap - their.gap) < 1e-9 && std::fabs(mine.round - their.round) < 1e-6 &&
               std::fabs(mine.round_other - their.round_other) < 1e-6;
      });
      EXPECT_TRUE(found) << "mode type " << type << ", a contact with gap " << mine.gap;
      ++contacts;
    }
  }
  std::cout << compared << " pairs, " << modes << " of them with the same facet, " << contacts << " contacts\n";
  EXPECT_GT(compared, 30);
  EXPECT_GT(contacts, 40);
}

INSTANTIATE_TEST_SUITE_P(All, CylindersOfBoth,
                         testing::Values(Kind::cylinder, Kind::box, Kind::sphere, Kind::capsule, Kind::half_space,
                                         Kind::hull));

}  // namespace
}  // namespace pegrasp
