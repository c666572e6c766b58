// SPDX-License-Identifier: Apache-2.0
// Modes and contacts of random pairs with exact cylinders. Two oracles that share no line with kernels/: points of both
// parts, found by projecting on one and the other in turn, bound the distance from above; the support functions of both
// along many directions bound the separation from below. What the kernels find lies between, and the two meet.
#define PEGRASP_SPATIAL
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/fuzz_seed.hpp"
#include "tests/geometry/cylinder_pairs.hpp"

namespace pegrasp {
namespace {

using test::Draw;
using test::frame;
using test::Kind;
using test::Pair;
using test::separation_of;
using test::Shape;

double along_axis(const Shape& a, const Shape& b, Vec3 n) { return -a.h(n) - b.h(-1.0 * n); }

// An upper bound on the distance.
double distance_above(const Shape& a, const Shape& b, int turns) {
  Vec3 x = a.pose.position, y{};
  for (int k = 0; k < turns; ++k) {
    y = b.nearest(x);
    const Vec3 next = a.nearest(y);
    if (length(next - x) < 1e-15) break;
    x = next;
  }
  return length(y - x);
}

// A lower bound on the largest separation along an axis: many axes, and from the best ones steps that shrink.
double separation_below(const Shape& a, const Shape& b) {
  constexpr int axes = 400;
  std::vector<std::pair<double, Vec3>> tried;
  for (int k = 0; k < axes; ++k) {
    const double z = 1.0 - (2.0 * k + 1.0) / axes, angle = 2.39996322972865332 * k, r = std::sqrt(1.0 - z * z);
    const Vec3 n{r * std::cos(angle), r * std::sin(angle), z};
    tried.emplace_back(along_axis(a, b, n), n);
  }
  for (const Shape* shape : {&a, &b}) {  // beside the normal of a cap the best axes may be few
    if (shape->kind != Kind::cylinder) continue;
    const Vec3 n = turned(shape->pose.turn, shape->part.shape.faces[1].normal);
    for (const Vec3& axis : {n, -1.0 * n}) tried.emplace_back(along_axis(a, b, axis), axis);
  }
  std::sort(tried.begin(), tried.end(), [](const auto& p, const auto& q) { return p.first > q.first; });
  double best = -1e300;
  for (int k = 0; k < 6; ++k) {
    auto [s, n] = tried[static_cast<std::size_t>(k)];
    for (double step = 0.1; step > 1e-9;) {
      bool better = false;
      for (int turn = 0; turn < 12; ++turn) {
        const double angle = 2.0 * 3.14159265358979 * (turn + 0.37 * step) / 12;
        const Vec3 t = std::fabs(n.x) < 0.6 ? cross(n, {1.0, 0.0, 0.0}) : cross(n, {0.0, 1.0, 0.0});
        const Vec3 t1 = (1.0 / length(t)) * t, t2 = cross(n, t1);
        const Vec3 m = n + step * (std::cos(angle) * t1 + std::sin(angle) * t2);
        const Vec3 unit = (1.0 / length(m)) * m;
        const double here = along_axis(a, b, unit);
        if (!(here > s)) continue;
        s = here;
        n = unit;
        better = true;
        break;
      }
      if (!better) step *= 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

class CylinderPairs : public testing::TestWithParam<Kind> {
 protected:
  Pair draw(scenes::Random& random, int trial) const { return test::draw_pair(random, GetParam(), trial); }
};

TEST_P(CylinderPairs, SeparationLiesBetweenItsBounds) {
  const std::uint64_t seed = test::fuzz_seed(20261128);
  scenes::Random random(seed);
  int apart = 0, shallow = 0;
  double most_below = 0.0, most_above = 0.0;
  for (int trial = 0; trial < 400; ++trial) {
    Pair p = draw(random, trial);
    // half of the trials touch, or nearly so
    if (trial % 8 >= 4) {
      if (p.a.kind == Kind::half_space || p.b.kind == Kind::half_space || !(separation_of(p).s > 0.0)) continue;
      test::bring_together(p, trial % 3 == 0 ? -1e-5 : 1e-4);
    }
    const spatial::Separation best = separation_of(p);
    ASSERT_NE(best.mode, spatial::mode_none) << trial;
    if (p.a.kind == Kind::half_space || p.b.kind == Kind::half_space) {
      const Shape& plane = p.a.kind == Kind::half_space ? p.a : p.b;
      const Shape& other = p.a.kind == Kind::half_space ? p.b : p.a;
      const PolyhedronFace& face = plane.part.shape.faces[0];
      const Vec3 n = turned(plane.pose.turn, face.normal);
      const double s = -other.h(-1.0 * n) - face.offset - dot(n, plane.pose.position);
      ASSERT_NEAR(best.s, s, 1e-12) << trial;
      ++apart;
      continue;
    }
    const double below = best.s > -1e-3 ? separation_below(p.a, p.b) : -1e300;
    if (best.s > -1e-3) {
      ++shallow;
      most_below = std::max(most_below, below - best.s);
      ASSERT_GE(best.s, below - 1e-9) << "trial " << trial << ", seed " << seed;
    }
    if (best.s > 0.0 && GetParam() != Kind::hull) {
      ++apart;
      const double above = distance_above(p.a, p.b, best.s < 1e-3 ? 60000 : 6000);
      most_above = std::max(most_above, above - best.s);
      ASSERT_GE(above, best.s - 1e-12) << "trial " << trial << ", seed " << seed;
      ASSERT_LE(above, best.s + 2e-5) << "trial " << trial << ", seed " << seed;
    }
  }
  std::cout << apart << " apart, at most " << most_above << " m below the distance; " << shallow << " shallow, at most "
            << most_below << " m below a direction found by search\n";
  EXPECT_GT(apart + shallow, 100);
}

// A thin disc whose cap leans on an edge, a rim or a corner.
TEST_P(CylinderPairs, DiscsFindWhatTheirRimsMeet) {
  const std::uint64_t seed = test::fuzz_seed(20261131);
  scenes::Random random(seed);
  int shallow = 0;
  for (int trial = 0; trial < 150; ++trial) {
    Pair p = test::draw_disc_pair(random, GetParam(), trial);
    if (p.a.kind == Kind::half_space || p.b.kind == Kind::half_space || !(separation_of(p).s > 0.0)) continue;
    test::bring_together(p, trial % 3 == 0 ? -1e-3 : trial % 3 == 1 ? -1e-5 : 1e-5);
    const double best = separation_of(p).s, below = separation_below(p.a, p.b);
    ASSERT_GE(best, below - 1e-9) << "trial " << trial << ", seed " << seed;
    ++shallow;
  }
  std::cout << shallow << " pairs\n";
}

// The contacts of a pair that nearly touches: the least gap is the separation, the points lie on the surface of one and
// at the gap from that of the other, and gaps change as rigid motion of the points says.
TEST_P(CylinderPairs, ContactsAreOnTheSurfaces) {
  const std::uint64_t seed = test::fuzz_seed(20261129);
  scenes::Random random(seed);
  int checked = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Pair p = draw(random, trial);
    if (!(separation_of(p).s > 0.0)) continue;
    test::bring_together(p, 1e-7);
    const spatial::Separation best = separation_of(p);
    const spatial::PairGeometry g{p.pa, p.pb, frame(p.a.pose), frame(p.b.pose)};
    double least = 1e300;
    int count = 0;
    spatial::mode_contacts(g, best.mode, 0.05, 1e-7, [&](const spatial::ContactPoint& c) {
      ++count;
      least = std::min(least, c.gap);
      EXPECT_NEAR(norm(c.n), 1.0, 1e-12);
    });
    ASSERT_GT(count, 0) << trial;
    ASSERT_LE(count, 40) << trial;
    ++checked;
    // where the chosen facet is a tie below the best one
    EXPECT_NEAR(least, best.s, 5e-8) << "trial " << trial << ", seed " << seed << ", mode " << best.mode;
  }
  EXPECT_GT(checked, 60);
}

std::string name_of(const testing::TestParamInfo<Kind>& info) {
  static const char* const names[] = {"Cylinder", "Box", "Sphere", "Capsule", "HalfSpace", "Hull"};
  return names[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(All, CylinderPairs,
                         testing::Values(Kind::cylinder, Kind::box, Kind::sphere, Kind::capsule, Kind::half_space,
                                         Kind::hull),
                         name_of);

}  // namespace
}  // namespace pegrasp
