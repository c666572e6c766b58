// SPDX-License-Identifier: Apache-2.0
// Roots, and how far smooth parts are apart, against searches over all directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/planar/modes.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

using strict::V2;

// A smooth part as the kernels see it.
struct KernelCurve {
  double numbers[strict::curve_size] = {};
  double x, y, reach;
  double cone[4] = {};

  explicit KernelCurve(scenes::Random& random) {
    numbers[strict::curve_a] = random.uniform(0.02, 1.0);
    numbers[strict::curve_b] = random.uniform(0.02, 1.0);
    numbers[strict::curve_order] = static_cast<double>(2 + random.below(15));
    const double turn = random.uniform(-3.0, 3.0);
    numbers[strict::curve_cos] = std::cos(turn);
    numbers[strict::curve_sin] = std::sin(turn);
    x = random.uniform(-0.2, 0.2);
    y = random.uniform(-0.2, 0.2);
    reach = std::hypot(numbers[strict::curve_a], numbers[strict::curve_b]);
    double least = 1e300;
    for (int i = 0; i <= 1000; ++i) {
      const strict::CurvePlace p = strict::place_by_ratio(curve().n, i / 1000.0);
      least = std::min(
          {least, strict::curvature_radius(curve(), p, 1e9), strict::curvature_radius(curve(), {p.y, p.x}, 1e9)});
    }
    numbers[strict::curve_least_radius] = 0.99 * least;
  }
  strict::Curve curve() const {
    return {numbers[strict::curve_a], numbers[strict::curve_b], static_cast<int>(numbers[strict::curve_order])};
  }
  strict::PartView view() const {
    return {&x, &y, &reach, nullptr, nullptr, nullptr, nullptr, cone, {x, y}, 1, 0, arcs_smooth, numbers};
  }
  // The farthest point by powers.
  V2 farthest(V2 d) const {
    const double c = numbers[strict::curve_cos], s = numbers[strict::curve_sin], n = curve().n;
    const double u = c * d.x + s * d.y, v = c * d.y - s * d.x;
    const double p = std::pow(curve().a * std::abs(u), 1.0 / (n - 1.0));
    const double q = std::pow(curve().b * std::abs(v), 1.0 / (n - 1.0));
    const double size = std::pow(std::pow(p, n) + std::pow(q, n), 1.0 / n);
    const double own_x = std::copysign(curve().a * p / size, u), own_y = std::copysign(curve().b * q / size, v);
    return {x + c * own_x - s * own_y, y + s * own_x + c * own_y};
  }
};

// The largest value over all directions.
template <class F>
double largest(const F& f) {
  constexpr int samples = 720;
  constexpr double width = 2.0 * std::numbers::pi / samples;
  double most = -1e300, at = 0.0;
  const auto value = [&](double angle) { return f(V2{std::cos(angle), std::sin(angle)}); };
  for (int k = 0; k < samples; ++k) {
    if (value(k * width) <= most) continue;
    most = value(k * width);
    at = k * width;
  }
  double low = at - width, high = at + width;
  for (int k = 0; k < 80; ++k) {
    const double first = low + 0.382 * (high - low), second = low + 0.618 * (high - low);
    (value(first) > value(second) ? high : low) = value(first) > value(second) ? second : first;
  }
  return std::max(most, value(low));
}

TEST(SmoothModesFuzz, RootsAreThoseOfTheLibrary) {
  scenes::Random random(fuzz_seed(31));
  for (int trial = 0; trial < 3000; ++trial) {
    const int n = 1 + static_cast<int>(random.below(16));
    const double x = std::pow(10.0, random.uniform(-200.0, 10.0));
    EXPECT_NEAR(strict::whole_root(x, n) / std::pow(x, 1.0 / n), 1.0, 2e-14) << n << " " << x;
  }
  EXPECT_EQ(strict::whole_root(0.0, 3), 0.0);
}

TEST(SmoothModesFuzz, PointsAreAsFarOutsideAsTheWidestGap) {
  scenes::Random random(fuzz_seed(32));
  for (int trial = 0; trial < 300; ++trial) {
    const KernelCurve part(random);
    // Anywhere, or by a little beside the curve.
    V2 x{part.x + random.uniform(-1.5, 1.5), part.y + random.uniform(-1.5, 1.5)};
    if (trial % 2 == 0) {
      const double angle = random.uniform(-3.2, 3.2),
                   beside = random.uniform(-1.0, 1.0) * std::pow(10.0, -1.0 - random.uniform(0.0, 12.0));
      const V2 d{std::cos(angle), std::sin(angle)};
      x = part.farthest(d) + beside * d;
    }
    double radius = 0.0;
    double cone[4] = {};
    const strict::PartView point{&x.x, &x.y, &radius, nullptr, nullptr, nullptr, nullptr, cone, x, 1, 0, 0, nullptr};
    const strict::Frame here{{0.0, 0.0}, 1.0, 0.0};
    const strict::SmoothFacet facet = strict::smooth_facet(part.view(), 0, point, 0, here);
    const double widest = largest([&](V2 d) { return dot(d, x - part.farthest(d)); });
    ASSERT_NEAR(facet.s, widest, 1e-12) << trial;
    ASSERT_NEAR(dot(facet.n, x - part.farthest(facet.n)), facet.s, 1e-12) << trial;
  }
}

TEST(SmoothModesFuzz, SmoothPartsAreApartByTheWidestGap) {
  scenes::Random random(fuzz_seed(33));
  int apart = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const KernelCurve a(random), b(random);
    const strict::Frame at =
        strict::make_frame(random.uniform(-1.5, 1.5), random.uniform(-1.5, 1.5), random.uniform(-3.0, 3.0));
    const strict::SmoothFacet facet = strict::smooth_facet(a.view(), 0, b.view(), 0, at);
    const double widest =
        largest([&](V2 d) { return dot(d, transform(at, b.farthest(-unrotate(at, d))) - a.farthest(d)); });
    apart += widest > 0.0 ? 1 : 0;
    // Of parts that overlap by much a wide gap that is found is as good as the widest.
    const double least = a.numbers[strict::curve_least_radius] + b.numbers[strict::curve_least_radius];
    ASSERT_NEAR(facet.s, widest, widest > -least ? 1e-12 : 0.1) << trial;
    ASSERT_LT(facet.s, widest + 1e-12) << trial;
  }
  EXPECT_GT(apart, 40);
}

}  // namespace
}  // namespace pegrasp::test
