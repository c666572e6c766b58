// SPDX-License-Identifier: Apache-2.0
// Modes and contacts of random pairs with an ellipsoid or a superellipsoid. What the kernels find is a separation along
// the normal of the contact, by support functions that share no line with kernels/; and no other direction separates
// more: many are tried, and from the best ones steps that shrink.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <tuple>

#include "tests/fuzz_seed.hpp"
#include "tests/geometry/cylinder_pairs.hpp"

namespace pegrasp {
namespace {

using test::frame;
using test::Kind;
using test::Pair;
using test::separation_of;
using test::Shape;

double along_axis(const Pair& p, Vec3 n) { return -p.a.h(n) - p.b.h(-1.0 * n); }

double best_by_search(const Pair& p) {
  constexpr int axes = 300;
  std::vector<std::pair<double, Vec3>> tried;
  for (int k = 0; k < axes; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / axes, angle = 2.39996322972865332 * k, r = std::sqrt(1.0 - z * z);
    const Vec3 n{r * std::cos(angle), r * std::sin(angle), z};
    tried.emplace_back(along_axis(p, n), n);
  }
  std::sort(tried.begin(), tried.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = -1e300;
  for (int k = 0; k < 2; ++k) {
    int left = 1500;
    auto [s, n] = tried[static_cast<std::size_t>(k)];
    for (double step = 0.1; step > 1e-9 && left > 0;) {
      bool better = false;
      for (int turn = 0; turn < 12 && !better; ++turn, --left) {
        const double angle = 2.0 * 3.14159265358979 * (turn + 0.37 * step) / 12;
        const Vec3 t = std::fabs(n.x) < 0.6 ? cross(n, {1.0, 0.0, 0.0}) : cross(n, {0.0, 1.0, 0.0});
        const Vec3 t1 = (1.0 / length(t)) * t, t2 = cross(n, t1);
        const Vec3 m = n + step * (std::cos(angle) * t1 + std::sin(angle) * t2);
        const Vec3 unit = (1.0 / length(m)) * m;
        const double here = along_axis(p, unit);
        if (!(here > s)) continue;
        s = here;
        n = unit;
        better = true;
      }
      if (!better) step *= 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

// The first contact; those beside it, on a face, are no deeper.
struct Found {
  spatial::ContactPoint c;
  int count = 0;
  double least = 1e300;
};
Found contact_of(const Pair& p, int mode) {
  Found out{};
  const spatial::PairGeometry g{p.pa, p.pb, frame(p.a.pose), frame(p.b.pose)};
  spatial::mode_contacts(g, mode, 0.05, 1e-7, [&](const spatial::ContactPoint& c) {
    if (out.count++ == 0) out.c = c;
    out.least = std::min(out.least, c.gap);
  });
  return out;
}

class SmoothSolidPairs : public testing::TestWithParam<std::tuple<Kind, Kind>> {};

TEST_P(SmoothSolidPairs, SeparateByTheBestDirection) {
  const auto [smooth, other] = GetParam();
  const std::uint64_t seed = test::fuzz_seed(20261129);
  scenes::Random random(seed);
  int apart = 0, shallow = 0;
  double most_missed = 0.0, most_off = 0.0;
  for (int trial = 0; trial < 80; ++trial) {
    Pair p = test::draw_pair(random, other, trial, smooth);
    if (trial % 8 >= 4 && separation_of(p).s > 0.0) test::bring_together(p, trial % 3 == 0 ? -1e-5 : 1e-4);
    const spatial::Separation best = separation_of(p);
    ASSERT_NE(best.mode, spatial::mode_none) << trial;
    if (!(best.s > -1e-3)) continue;
    (best.s > 0.0 ? apart : shallow) += 1;
    const Found at = contact_of(p, best.mode);
    ASSERT_GE(at.count, 1);
    ASSERT_LE(at.count, spatial::smooth_contacts_most);
    EXPECT_GE(at.least, at.c.gap - 1e-14);
    EXPECT_NEAR(at.c.gap, best.mode_s, 1e-14) << "trial " << trial << ", seed " << seed;
    EXPECT_NEAR(best.mode_s, best.s, 1e-7);
    const Vec3 n{at.c.n.x, at.c.n.y, at.c.n.z};
    EXPECT_NEAR(length(n), 1.0, 1e-12);
    if (other == Kind::half_space) continue;
    most_off = std::max(most_off, std::fabs(along_axis(p, n) - at.c.gap));
    EXPECT_NEAR(along_axis(p, n), at.c.gap, 2e-9) << "trial " << trial << ", seed " << seed;
    // the point lies on b as far as b goes, or on a
    const Vec3 x{at.c.p.x, at.c.p.y, at.c.p.z};
    const bool on_a = (spatial::mode_type(at.c.key) & 3) == spatial::mode_face_b;
    EXPECT_NEAR(dot(n, x), on_a ? p.a.h(n) : -p.b.h(-1.0 * n), 2e-9) << "trial " << trial << ", seed " << seed;
    const double below = best_by_search(p);
    most_missed = std::max(most_missed, below - best.s);
    EXPECT_GE(best.s, below - 1e-10) << "trial " << trial << ", seed " << seed;
  }
  std::cout << apart << " apart, " << shallow << " shallow; a search finds at most " << most_missed
            << " m more; the normal misses by " << most_off << " m\n";
  EXPECT_GT(apart + shallow, 20);
}

std::string name_of(const testing::TestParamInfo<std::tuple<Kind, Kind>>& info) {
  static const char* const names[] = {"Cylinder",  "Box",  "Sphere",    "Capsule",
                                      "HalfSpace", "Hull", "Ellipsoid", "Superellipsoid"};
  return std::string(names[static_cast<int>(std::get<0>(info.param))]) + "And" +
         names[static_cast<int>(std::get<1>(info.param))];
}
INSTANTIATE_TEST_SUITE_P(All, SmoothSolidPairs,
                         testing::Combine(testing::Values(Kind::ellipsoid, Kind::superellipsoid),
                                          testing::Values(Kind::cylinder, Kind::box, Kind::sphere, Kind::capsule,
                                                          Kind::half_space, Kind::hull, Kind::ellipsoid,
                                                          Kind::superellipsoid)),
                         name_of);

}  // namespace
}  // namespace pegrasp
