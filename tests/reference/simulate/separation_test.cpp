// SPDX-License-Identifier: Apache-2.0
// The reference's separations against the oracle, and against the engine's: two codes that share only the mathematics
// find the same largest separation and the same facet to be violated latest.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/planar/manifold.hpp"
#include "kernels/planar/modes.hpp"
#include "src/model/model.hpp"
#include "src/reference/planar/manifold.hpp"
#include "src/reference/planar/scene.hpp"
#include "tests/geometry/kernel_part.hpp"
#include "tests/geometry/oracle.hpp"
#include "tests/scenes/union_pile.hpp"

namespace pegrasp::reference {
namespace {

constexpr double rounding = 1e-12;

strict::Frame frame(const Pose& pose) { return strict::make_frame(pose.x, pose.y, pose.theta); }

Pose random_pose(scenes::Random& random) {
  const double x = random.uniform(-1.0, 1.0);
  const double y = random.uniform(-1.0, 1.0);
  return {x, y, random.uniform(-4.0, 4.0)};
}

// b moved so that the pair is `gap` apart along its best axis.
Pose moved_to(const ConvexPart& a, const ConvexPart& b, const Pose& pa, const Pose& pb, double gap) {
  const oracle::Axis axis = oracle::best_axis(oracle::place(a, pa), oracle::place(b, pb));
  return {pb.x + (gap - axis.separation) * axis.normal.x, pb.y + (gap - axis.separation) * axis.normal.y, pb.theta};
}

struct Pair {
  std::vector<Outline> a, b;
  test::KernelPart kernel_a, kernel_b;
  Pair(const ConvexPart& part_a, const ConvexPart& part_b)
      : a{make_outline(part_a)}, b{make_outline(part_b)}, kernel_a(part_a), kernel_b(part_b) {}
  PlacedOutline place_a(const Pose& pose) const { return {a, 0, Placement::of(pose)}; }
  PlacedOutline place_b(const Pose& pose) const { return {b, 0, Placement::of(pose)}; }
};

TEST(ReferenceSeparation, IsTheOraclesAndTheEngines) {
  int overlapping = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    scenes::Random random(seed);
    const ConvexPart a = oracle::random_part(random);
    const ConvexPart b = oracle::random_part(random);
    const Pair pair(a, b);
    const Pose pa = random_pose(random);
    const Pose far = random_pose(random);
    const double tiny = std::pow(10.0, random.uniform(-12.0, -1.0)) * (random.below(2) == 0 ? 1.0 : -1.0);
    for (const Pose& pb : {far, moved_to(a, b, pa, far, tiny)}) {
      const double s = best_separation(pair.place_a(pa), pair.place_b(pb)).s;
      const oracle::Shape shape_a = oracle::place(a, pa);
      const oracle::Shape shape_b = oracle::place(b, pb);
      const double exact = oracle::signed_distance(shape_a, shape_b);
      if (exact > 0.0) {
        EXPECT_LE(s, exact + rounding) << "seed " << seed;
        if (exact > rounding) {
          EXPECT_GT(s, 0.0) << "seed " << seed;
        }
        const oracle::FacetBounds facets = oracle::facet_separation(shape_a, shape_b, 1e-9);
        EXPECT_GE(s, facets.least - rounding) << "seed " << seed;
        EXPECT_LE(s, facets.most + rounding) << "seed " << seed;
      } else {
        ++overlapping;
        EXPECT_NEAR(s, exact, rounding) << "seed " << seed;
      }
      const strict::Separation engine =
          strict::best_separation(pair.kernel_a.view(), pair.kernel_b.view(), frame(pa), frame(pb));
      EXPECT_NEAR(s, engine.s, rounding) << "seed " << seed;
    }
  }
  EXPECT_GT(overlapping, 1000);
}

// s0 and s1 of the chosen facet, by both, with and without the guard against passing through.
TEST(ReferenceSeparation, TheLatestFacetIsTheEngines) {
  int different = 0;
  int pairs = 0;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    scenes::Random random(seed);
    const ConvexPart a = oracle::random_part(random);
    const ConvexPart b = oracle::random_part(random);
    const Pair pair(a, b);
    const Pose pa = random_pose(random);
    const Pose far = random_pose(random);
    Pose end = moved_to(a, b, pa, far, random.uniform(-0.1, 0.02));
    end.theta += random.uniform(-0.5, 0.5);
    for (const bool through : {false, true}) {
      for (const auto& [first, last] : {std::pair{far, end}, std::pair{end, far}}) {
        const LatestFacet latest =
            latest_facet(pair.place_a(pa), pair.place_b(first), pair.place_a(pa), pair.place_b(last), through);
        const strict::LatestMode engine = strict::latest_mode(pair.kernel_a.view(), pair.kernel_b.view(), frame(pa),
                                                              frame(first), frame(pa), frame(last), through);
        ++pairs;
        EXPECT_NEAR(latest.s0_max, engine.s0_max, rounding) << "seed " << seed;
        // Which of two equally good facets is chosen is rounding's affair.
        if (!(std::fabs(latest.s1 - engine.s1) <= 1e-9)) ++different;
      }
    }
  }
  EXPECT_EQ(pairs, 16000);
  EXPECT_LE(different, 1);
}

// A vertex slides along a flat edge, closed at the start and by the last solve, and on over a slope (0.1 down on 1)
// that begins to separate after 5/8 of the way. Whether the edge ceases before that, and the way there counts as one
// right through, rounding decides, and the lead says so.
TEST(ReferenceSeparation, AWayRoundACornerThatRoundingDecidesIsATie) {
  const Pair pair(make_polygon("hill", {{-1.0, -1.0}, {1.0, -1.0}, {1.0, -0.1}, {0.0, 0.0}, {-1.0, 0.0}}),
                  make_polygon("wedge", {{0.0, 0.0}, {0.2, 1.0}, {-0.2, 1.0}}));
  const PlacedOutline hill = pair.place_a({});
  const double touching = 1e-11;
  const auto ends_at = [&](double height) {
    return latest_facet(hill, pair.place_b({-0.5, touching, 0.0}), hill, pair.place_b({0.3, height, 0.0}), true);
  };
  const LatestFacet slope = ends_at(1e-12);
  const LatestFacet flat = ends_at(-1e-10);
  EXPECT_FALSE(slope.facet == flat.facet);
  EXPECT_GT(slope.s1, 0.02);
  EXPECT_LT(flat.s1, 0.0);
  EXPECT_LE(slope.lead, 1e-10);
  EXPECT_LE(flat.lead, 1e-9);
  EXPECT_GT(ends_at(-1e-3).lead, 1e-4);
  EXPECT_GT(ends_at(1e-3).lead, 1e-4);
}

// Contacts of the best facet: places, normals, gaps.
TEST(ReferenceSeparation, ContactsAreTheEngines) {
  int doubles = 0;
  int ties = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    scenes::Random random(seed);
    const ConvexPart a = oracle::random_part(random);
    const ConvexPart b = oracle::random_part(random);
    const Pair pair(a, b);
    const Pose pa = random_pose(random);
    Pose pb = random_pose(random);
    if (random.below(2) == 0 && !pair.a[0].edges.empty() && !pair.b[0].edges.empty()) {
      // an edge of each, nearly parallel
      const Point na = pair.a[0].edge(0).normal;
      const Point nb = pair.b[0].edge(0).normal;
      pb.theta =
          pa.theta + std::atan2(na.y(), na.x()) - std::atan2(nb.y(), nb.x()) + oracle::pi + random.uniform(-0.04, 0.04);
    }
    pb = moved_to(a, b, pa, pb, random.uniform(-1e-3, 1e-3));
    const strict::Separation engine =
        strict::best_separation(pair.kernel_a.view(), pair.kernel_b.view(), frame(pa), frame(pb));
    const PairSeparation own = best_separation(pair.place_a(pa), pair.place_b(pb));
    const std::vector<ContactPoint> contacts = contacts_of(own.facet, pair.place_a(pa), pair.place_b(pb), 0.05);
    const std::vector<int> names(64, 0);
    const strict::PairGeometry geometry{pair.kernel_a.view(), pair.kernel_b.view(), frame(pa), frame(pb),
                                        names.data(),         names.data()};
    const strict::Manifold manifold = strict::mode_manifold(geometry, engine.mode, 0.05);
    // Edges exactly flat on each other separate equally far, and an arc's tangent at its own end has no length to lie
    // flat with: rounding decides.
    const bool same_side = static_cast<int>(own.facet.kind) == strict::mode_type(engine.mode) + 1;
    if (!same_side || static_cast<int>(contacts.size()) != manifold.count) {
      ++ties;
      continue;
    }
    doubles += manifold.count == 2 ? 1 : 0;
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      EXPECT_NEAR(contacts[i].gap, manifold.point[i].gap, 1e-9) << "seed " << seed;
      EXPECT_NEAR(contacts[i].position.x(), manifold.point[i].p.x, 1e-9) << "seed " << seed;
      EXPECT_NEAR(contacts[i].position.y(), manifold.point[i].p.y, 1e-9) << "seed " << seed;
      EXPECT_NEAR(contacts[i].normal.x(), manifold.point[i].n.x, 1e-9) << "seed " << seed;
    }
  }
  EXPECT_GT(doubles, 100);
  EXPECT_LE(ties, 5);
}

std::vector<BodySpec> union_bodies() {
  std::vector<std::vector<ConvexPart>> unions = scenes::unions();
  unions.push_back({make_disc("hub", {0.0, 0.0}, 0.15), scenes::bar("tooth", -0.05, 0.05, 0.0, 0.25)});
  unions.push_back({scenes::bar("west", -0.2, 0.0, -0.1, 0.1), scenes::bar("east", 0.0, 0.2, -0.1, 0.1)});
  std::vector<BodySpec> out;
  for (const std::vector<ConvexPart>& parts : unions) {
    BodySpec body = scenes::box_body("union" + std::to_string(out.size()), 0.4, 0.4, 1.0);
    body.planar().parts = parts;
    out.push_back(body);
  }
  return out;
}

// Every pair of parts of two unions: the same best facet with force, the same best facet at an internal edge.
TEST(ReferenceSeparation, InternalEdgesOfUnionsAreTheEngines) {
  SceneSpec scene;
  scene.bodies = union_bodies();
  const Model model(scene);
  const ModelView view = model.view();
  const PlanarScene own(scene);
  int with_internal_edges = 0;
  scenes::Random random(7);
  for (int trial = 0; trial < 400; ++trial) {
    const Pose pa = random_pose(random);
    const Pose pb{pa.x + random.uniform(-0.4, 0.4), pa.y + random.uniform(-0.4, 0.4), random.uniform(-4.0, 4.0)};
    for (const PartPair& parts : own.pairs()) {
      const PairSeparation here =
          best_separation(own.place(parts.part_a, Placement::of(pa)), own.place(parts.part_b, Placement::of(pb)));
      const strict::Separation engine = strict::best_separation(
          strict::part_view(view, parts.part_a), strict::part_view(view, parts.part_b), frame(pa), frame(pb));
      ASSERT_NEAR(here.s, engine.s, rounding) << trial << ": parts " << parts.part_a << ", " << parts.part_b;
      // The engine spares facets that cannot be the best: its internal edge is right where it decides.
      ASSERT_NEAR(here.value(), std::max(engine.s, engine.internal_edge), rounding) << trial;
      with_internal_edges += here.internal_edge > here.s ? 1 : 0;
    }
  }
  EXPECT_GT(with_internal_edges, 1000);
}

}  // namespace
}  // namespace pegrasp::reference
