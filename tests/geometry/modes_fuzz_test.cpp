// SPDX-License-Identifier: Apache-2.0
// The kernels' pair modes against the oracle, on a million random pairs: the largest separation over the modes is the
// signed distance of overlapping parts; of disjoint ones it is the largest over the facets, never exceeds the distance,
// and is positive. Half-planes and concentric discs by themselves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include "kernels/planar/manifold.hpp"
#include "kernels/planar/modes.hpp"
#include "tests/geometry/kernel_part.hpp"
#include "tests/geometry/oracle.hpp"

namespace pegrasp {
namespace {

using test::KernelPart;

strict::Frame frame(const Pose& pose) { return strict::make_frame(pose.x, pose.y, pose.theta); }

// Rounding of separations of parts of about 1 m, a few metres from the origin.
constexpr double rounding = 1e-13;

// The same along the oracle's normals of edges between arcs, whose arc cosine costs digits: at a maximum of s that does
// not show, along a given facet it does (1e-13 seen).
constexpr double facet_rounding = 1e-12;

struct Tally {
  long pairs = 0;
  long overlapping = 0;
  long wrong = 0;
  double worst = 0.0;        // largest |modes - oracle| of overlapping pairs
  double worst_above = 0.0;  // largest excess over the distance of disjoint pairs
  double worst_facet = 0.0;  // largest |modes - facets| of disjoint pairs
  long undecided = 0;        // disjoint pairs with an axis so near a cone's end that either answer may be given
  long vertices = 0;         // disjoint pairs whose distance is more than any facet says
  std::string first;         // description of the first failure
};

void note(Tally& tally, const std::string& what, std::uint64_t seed, double modes, double exact, const ConvexPart& a,
          const ConvexPart& b) {
  ++tally.wrong;
  if (!tally.first.empty()) return;
  std::ostringstream text;
  text << what << ": seed " << seed << ", " << a.name << " (" << a.corners.size() << " corners) and " << b.name << " ("
       << b.corners.size() << "), modes " << modes << ", oracle " << exact << ", difference " << modes - exact;
  tally.first = text.str();
}

void check(Tally& tally, std::uint64_t seed, const ConvexPart& a, const ConvexPart& b, const KernelPart& ka,
           const KernelPart& kb, const Pose& pa, const Pose& pb) {
  const oracle::Shape shape_a = oracle::place(a, pa);
  const oracle::Shape shape_b = oracle::place(b, pb);
  const double exact = oracle::signed_distance(shape_a, shape_b);
  const strict::Separation modes = strict::best_separation(ka.view(), kb.view(), frame(pa), frame(pb));
  ++tally.pairs;
  if (exact > 0.0) {
    tally.worst_above = std::max(tally.worst_above, modes.s - exact);
    if (modes.s > exact + rounding) note(tally, "exceeds the distance", seed, modes.s, exact, a, b);
    if (exact > rounding && !(modes.s > 0.0)) note(tally, "misses a gap", seed, modes.s, exact, a, b);
    constexpr double slack = 1e-9;  // [rad] about a cone's ends
    const oracle::FacetBounds facets = oracle::facet_separation(shape_a, shape_b, slack);
    tally.undecided += facets.least < facets.most ? 1 : 0;
    tally.vertices += facets.most < exact - rounding ? 1 : 0;
    const double off = std::max(facets.least - modes.s, modes.s - facets.most);
    tally.worst_facet = std::max(tally.worst_facet, off);
    if (!(off <= facet_rounding)) note(tally, "not the best facet", seed, modes.s, facets.least, a, b);
  } else {
    ++tally.overlapping;
    const double error = std::fabs(modes.s - exact);
    tally.worst = std::max(tally.worst, error);
    if (!(error <= rounding)) note(tally, "wrong depth", seed, modes.s, exact, a, b);
  }
}

// The mode that is violated latest on the way between two poses: it knows the separation of the pair at the start, and
// what it says of its own axis is a true separation at both ends.
void check_latest(Tally& tally, std::uint64_t seed, const ConvexPart& a, const ConvexPart& b, const KernelPart& ka,
                  const KernelPart& kb, const Pose& pa, const Pose& pb, const Pose& pb_after) {
  const strict::Separation start = strict::best_separation(ka.view(), kb.view(), frame(pa), frame(pb));
  const strict::LatestMode latest =
      strict::latest_mode(ka.view(), kb.view(), frame(pa), frame(pb), frame(pa), frame(pb_after));
  const double exact = oracle::signed_distance(oracle::place(a, pa), oracle::place(b, pb));
  const double after = oracle::signed_distance(oracle::place(a, pa), oracle::place(b, pb_after));
  // Axes that are facets at the other pose alone may separate a disjoint pair more than its facets do, never wrongly.
  if (latest.s0_max < start.s - rounding) note(tally, "latest: start too small", seed, latest.s0_max, start.s, a, b);
  if (latest.s0_max > exact + rounding) note(tally, "latest: start too large", seed, latest.s0_max, exact, a, b);
  if (latest.s0 > exact + rounding) note(tally, "latest: s0 too large", seed, latest.s0, exact, a, b);
  if (latest.s1 > after + rounding) note(tally, "latest: s1 too large", seed, latest.s1, after, a, b);
  if (latest.mode == strict::mode_none) note(tally, "latest: no mode", seed, latest.s0, exact, a, b);
}

// Five times: a pair at random poses, and moved along its best axis to almost touch; then the motion between the two.
void check_parts(Tally& tally, std::uint64_t seed) {
  scenes::Random random(seed);
  const ConvexPart a = oracle::random_part(random);
  const ConvexPart b = oracle::random_part(random);
  const KernelPart ka(a), kb(b);
  for (int k = 0; k < 5; ++k) {
    const Pose pa{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const Pose pb{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    check(tally, seed, a, b, ka, kb, pa, pb);
    const oracle::Axis axis = oracle::best_axis(oracle::place(a, pa), oracle::place(b, pb));
    const double tiny = std::pow(10.0, random.uniform(-12.0, -1.0)) * (random.below(2) == 0 ? 1.0 : -1.0);
    const Pose touching{pb.x + (tiny - axis.separation) * axis.normal.x,
                        pb.y + (tiny - axis.separation) * axis.normal.y, pb.theta};
    check(tally, seed, a, b, ka, kb, pa, touching);
    if (k > 0) continue;
    const Pose turned{touching.x, touching.y, touching.theta + random.uniform(-0.5, 0.5)};
    check_latest(tally, seed, a, b, ka, kb, pa, pb, turned);
    check_latest(tally, seed, a, b, ka, kb, pa, turned, pb);
  }
}

TEST(PairModes, AreTheSignedDistanceOnAMillionRandomPairs) {
  const char* const given = std::getenv("PEGRASP_FUZZ_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  std::cout << "seed " << seed << " (PEGRASP_FUZZ_SEED sets another)\n";
  constexpr long parts = 100000;  // pairs of parts, ten poses each
  const int thread_count = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<Tally> tallies(static_cast<std::size_t>(thread_count));
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) {
    threads.emplace_back([&, t] {
      for (long i = t; i < parts; i += thread_count) {
        check_parts(tallies[static_cast<std::size_t>(t)], seed * 1000000007ull + static_cast<std::uint64_t>(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Tally sum;
  for (const Tally& tally : tallies) {
    sum.pairs += tally.pairs;
    sum.overlapping += tally.overlapping;
    sum.wrong += tally.wrong;
    sum.worst = std::max(sum.worst, tally.worst);
    sum.worst_above = std::max(sum.worst_above, tally.worst_above);
    sum.worst_facet = std::max(sum.worst_facet, tally.worst_facet);
    sum.undecided += tally.undecided;
    sum.vertices += tally.vertices;
    if (sum.first.empty()) sum.first = tally.first;
  }
  std::cout << sum.pairs << " pairs, " << sum.overlapping << " overlapping, largest error " << sum.worst
            << " m, largest excess over a distance " << sum.worst_above << " m; " << sum.vertices
            << " disjoint pairs with vertices nearest, largest error of a facet " << sum.worst_facet << " m, "
            << sum.undecided << " undecided\n";
  EXPECT_EQ(sum.pairs, 1000000);
  EXPECT_GT(sum.overlapping, sum.pairs / 4);
  EXPECT_GT(sum.vertices, sum.pairs / 50) << "where the facets fall short of the distance";
  EXPECT_LT(sum.undecided, sum.pairs / 1000);
  EXPECT_EQ(sum.wrong, 0) << sum.first;
}

// A half-plane has one facet, its own: s = min n . b - offset is the signed distance, disjoint or not.
TEST(PairModes, AreTheSignedDistanceFromHalfPlanes) {
  scenes::Random random(5);
  Tally tally;
  for (int i = 0; i < 20000; ++i) {
    const ConvexPart part = oracle::random_part(random);
    const double angle = random.uniform(-4.0, 4.0);
    const ConvexPart plane = make_half_plane("plane", {std::cos(angle), std::sin(angle)}, random.uniform(-0.5, 0.5));
    const KernelPart kernel_part(part), kernel_plane(plane);
    const Pose pose{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const Pose plane_pose{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const double c = std::cos(plane_pose.theta), s = std::sin(plane_pose.theta);
    const Vec2 n{c * plane.normal.x - s * plane.normal.y, s * plane.normal.x + c * plane.normal.y};
    const double exact = -oracle::support(oracle::place(part, pose), {-n.x, -n.y}) -
                         (n.x * plane_pose.x + n.y * plane_pose.y + plane.offset);
    const auto seed = static_cast<std::uint64_t>(i);
    const auto expect = [&](double s, double is, int mode, int type) {
      tally.worst = std::max(tally.worst, std::fabs(s - is));
      if (!(std::fabs(s - is) <= rounding)) note(tally, "wrong separation", seed, s, is, plane, part);
      if (mode != strict::pack_mode(type, 0, 0)) note(tally, "wrong mode", seed, s, is, plane, part);
    };
    ++tally.pairs;
    tally.overlapping += exact < 0.0 ? 1 : 0;
    const strict::Separation from_plane =
        strict::best_separation(kernel_plane.view(), kernel_part.view(), frame(plane_pose), frame(pose));
    expect(from_plane.s, exact, from_plane.mode, strict::mode_edge_a);
    const strict::Separation to_plane =
        strict::best_separation(kernel_part.view(), kernel_plane.view(), frame(pose), frame(plane_pose));
    expect(to_plane.s, exact, to_plane.mode, strict::mode_edge_b);
    // On the way to another pose it stays the only mode, with its separations at both ends.
    const Pose after{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-4, 4)};
    const double exact_after = -oracle::support(oracle::place(part, after), {-n.x, -n.y}) -
                               (n.x * plane_pose.x + n.y * plane_pose.y + plane.offset);
    const strict::LatestMode latest = strict::latest_mode(kernel_plane.view(), kernel_part.view(), frame(plane_pose),
                                                          frame(pose), frame(plane_pose), frame(after));
    expect(latest.s0, exact, latest.mode, strict::mode_edge_a);
    expect(latest.s1, exact_after, latest.mode, strict::mode_edge_a);
  }
  std::cout << tally.pairs << " pairs, " << tally.overlapping << " overlapping, largest error " << tally.worst
            << " m\n";
  EXPECT_GT(tally.overlapping, tally.pairs / 4);
  EXPECT_LT(tally.overlapping, 3 * tally.pairs / 4);
  EXPECT_EQ(tally.wrong, 0) << tally.first;
}

// Discs about one point overlap by the sum of their radii, whatever direction is taken to part them; so do discs whose
// centres are so near that their distance squared is nothing. They have a mode, with a normal of unit length.
TEST(PairModes, ConcentricDiscsOverlapByTheSumOfTheirRadii) {
  const ConvexPart a = make_disc("a", {0.0, 0.0}, 0.3);
  const ConvexPart b = make_disc("b", {0.0, 0.0}, 0.2);
  const KernelPart ka(a), kb(b);
  for (const double apart : {0.0, 1e-300, 1e-200, 1e-150, 1e-30, 1e-17}) {
    const Pose pa{0.0, 0.0, 0.7};
    const Pose pb{apart, 0.0, -1.2};
    const strict::Separation modes = strict::best_separation(ka.view(), kb.view(), frame(pa), frame(pb));
    EXPECT_NEAR(modes.s, -0.5, 1e-16) << apart;
    EXPECT_EQ(modes.mode, strict::pack_mode(strict::mode_arcs, 0, 0)) << apart;
    const strict::LatestMode latest =
        strict::latest_mode(ka.view(), kb.view(), frame(pa), frame(pb), frame(pa), frame({apart, 0.0, 2.0}));
    EXPECT_NEAR(latest.s0_max, -0.5, 1e-16) << apart;
    EXPECT_EQ(latest.mode, strict::pack_mode(strict::mode_arcs, 0, 0)) << apart;
    if (modes.mode == strict::mode_none) continue;
    const int name = 0;
    const strict::PairGeometry geometry{ka.view(), kb.view(), frame(pa), frame(pb), &name, &name};
    const strict::V2 n = strict::mode_manifold(geometry, modes.mode, 0.0).point[0].n;
    EXPECT_NEAR(std::hypot(n.x, n.y), 1.0, 1e-12) << apart;
  }
}

// A disc about the centre of a capsule's end: an edge of the capsule says the same.
TEST(PairModes, ADiscAboutTheCentreOfACapsulesEnd) {
  const ConvexPart capsule = make_rounded_polygon("capsule", {{{-1.0, 0.0}, 0.25}, {{1.0, 0.0}, 0.25}});
  const ConvexPart disc = make_disc("disc", {0.0, 0.0}, 0.5);
  const KernelPart ka(capsule), kb(disc);
  const Pose at{1.0, 0.0, 0.3};
  const strict::Separation modes = strict::best_separation(ka.view(), kb.view(), frame({}), frame(at));
  EXPECT_EQ(modes.s, -0.75);
  EXPECT_NE(modes.mode, strict::mode_none);
}

}  // namespace
}  // namespace pegrasp
