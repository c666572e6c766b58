// SPDX-License-Identifier: Apache-2.0
// The kernels' support function against the oracle's, which looks at every point and every arc.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/geometry/kernel_part.hpp"
#include "tests/geometry/oracle.hpp"

namespace pegrasp {
namespace {

// A regular polygon with rounded corners: many corners take the kernels' other way (bisection).
ConvexPart many_corners(scenes::Random& random) {
  const int n = 13 + static_cast<int>(random.below(300));
  const double rounding = random.below(2) == 0 ? 0.0 : random.uniform(0.001, 0.1);
  std::vector<Corner> corners;
  std::vector<Vec2> vertices;
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * oracle::pi * i / n;
    vertices.push_back({0.5 * std::cos(angle), 0.3 * std::sin(angle)});
    corners.push_back({vertices.back(), rounding});
  }
  return rounding > 0.0 ? make_rounded_polygon("rounded", corners) : make_polygon("polygon", vertices);
}

TEST(Support, IsTheFarthestPointOfThePart) {
  constexpr double rounding = 1e-14;
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    scenes::Random random(seed);
    const ConvexPart part = random.below(4) == 0 ? many_corners(random) : oracle::random_part(random);
    const test::KernelPart kernel(part);
    const oracle::Shape shape = oracle::place(part, {});
    for (int k = 0; k < 20; ++k) {
      double angle = random.uniform(-4.0, 4.0);
      // every other direction is, or nearly is, an edge normal, where two corners are as far
      const strict::PartView view = kernel.view();
      if (k % 2 == 1 && view.edges > 0) {
        const strict::V2 n = view.normal(static_cast<int>(random.below(static_cast<std::size_t>(view.edges))));
        angle = std::atan2(n.y, n.x) + (k % 4 == 1 ? 0.0 : random.uniform(-1e-9, 1e-9));
      }
      const Vec2 d{std::cos(angle), std::sin(angle)};
      const double error = std::fabs(strict::support(view, {d.x, d.y}).value - oracle::support(shape, d));
      worst = std::max(worst, error);
      ASSERT_LE(error, rounding) << "seed " << seed << ", " << part.name << ", angle " << angle;
    }
  }
  std::cout << "largest error " << worst << " m\n";
}

}  // namespace
}  // namespace pegrasp
