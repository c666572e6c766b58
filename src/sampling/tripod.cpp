// SPDX-License-Identifier: Apache-2.0
#include "sampling/tripod.hpp"

#include <cmath>
#include <stdexcept>

#include "math/sincos.hpp"
#include "sampling/distributions.hpp"

namespace pegrasp {
namespace {

// A tripod whose loads cannot hold the centre of mass is redrawn; the reader refuses distributions that succeed in fewer
// than 1 draw of 100, so that this many failures in a row do not happen (0.99^100000).
constexpr std::uint32_t most_redraws = 100000;

}  // namespace

bool tripod_can_carry(const std::array<double, 3>& load) {
  // at equality the three points are in line through the centre of mass, which a body does not stand on
  constexpr double margin = 1e-9;
  const double total = load[0] + load[1] + load[2];
  bool can = total > 0.0;
  for (const double one : load) can = can && one > margin * total && one < (0.5 - margin) * total;
  return can;
}

std::uint32_t draw_loads(const UncertainTripod& tripod, DrawKey key, std::array<double, 3>& load) {
  for (key.redraw = 0; key.redraw < most_redraws; ++key.redraw) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      key.stream = tripod.stream + 2 + k;
      load[k] = draw(tripod.load[k], key);
    }
    if (tripod_can_carry(load)) return key.redraw;
  }
  throw std::runtime_error(tripod.name + ": no tripod in 100000 draws held the centre of mass; narrow its loads");
}

SupportTripod tripod_on_circle(double radius, double turn, const std::array<double, 3>& load, double weight) {
  SupportTripod tripod;
  const double a = load[0];
  const double b = load[1];
  const double c = load[2];
  const double total = a + b + c;
  const auto opposite = [](double cosine) { return std::sqrt(cosine * cosine < 1.0 ? 1.0 - cosine * cosine : 0.0); };
  const double cos_b = (c * c - a * a - b * b) / (2.0 * a * b);
  const double cos_c = (b * b - a * a - c * c) / (2.0 * a * c);
  const std::array<Vec2, 3> direction{Vec2{1.0, 0.0}, Vec2{cos_b, opposite(cos_b)}, Vec2{cos_c, -opposite(cos_c)}};
  const strict::SinCos t = strict::sin_cos(turn);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec2 u = direction[k];
    tripod.point[k] = {radius * (t.cos * u.x - t.sin * u.y), radius * (t.sin * u.x + t.cos * u.y)};
    tripod.load[k] = weight * (load[k] / total);
  }
  return tripod;
}

}  // namespace pegrasp
