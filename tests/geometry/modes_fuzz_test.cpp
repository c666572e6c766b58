// SPDX-License-Identifier: Apache-2.0
// The kernels' pair modes against the oracle, on a million random pairs: the largest separation over the modes is the signed
// distance of overlapping parts, never exceeds the distance of disjoint ones, and is positive exactly when they are disjoint.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include "geometry/kernel_part.hpp"
#include "geometry/modes.hpp"
#include "geometry/oracle.hpp"

namespace pegrasp {
namespace {

using test::KernelPart;

strict::Frame frame(const Pose& pose) { return strict::make_frame(pose.x, pose.y, pose.theta); }

// Rounding of separations of parts of about 1 m, a few metres from the origin.
constexpr double rounding = 1e-13;

struct Tally {
  long pairs = 0;
  long overlapping = 0;
  long wrong = 0;
  double worst = 0.0;        // largest |modes - oracle| of overlapping pairs
  double worst_above = 0.0;  // largest excess over the distance of disjoint pairs
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
  const double exact = oracle::signed_distance(oracle::place(a, pa), oracle::place(b, pb));
  const strict::Separation modes = strict::best_separation(ka.view(), kb.view(), frame(pa), frame(pb));
  ++tally.pairs;
  if (exact > 0.0) {
    tally.worst_above = std::max(tally.worst_above, modes.s - exact);
    if (modes.s > exact + rounding) note(tally, "exceeds the distance", seed, modes.s, exact, a, b);
    if (exact > rounding && !(modes.s > 0.0)) note(tally, "misses a gap", seed, modes.s, exact, a, b);
  } else {
    ++tally.overlapping;
    const double error = std::fabs(modes.s - exact);
    tally.worst = std::max(tally.worst, error);
    if (!(error <= rounding)) note(tally, "wrong depth", seed, modes.s, exact, a, b);
  }
}

// The mode that is violated latest on the way between two poses: it knows the separation of the pair at the start, and what
// it says of its own axis is a true separation at both ends.
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
    if (sum.first.empty()) sum.first = tally.first;
  }
  std::cout << sum.pairs << " pairs, " << sum.overlapping << " overlapping, largest error " << sum.worst
            << " m, largest excess over a distance " << sum.worst_above << " m\n";
  EXPECT_EQ(sum.pairs, 1000000);
  EXPECT_GT(sum.overlapping, sum.pairs / 4);
  EXPECT_EQ(sum.wrong, 0) << sum.first;
}

}  // namespace
}  // namespace pegrasp
