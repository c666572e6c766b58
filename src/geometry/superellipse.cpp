// SPDX-License-Identifier: Apache-2.0
// make_superellipse(): a polygon with the fewest chords per quadrant whose sagitta stays within the tolerance. All
// chords have the same sagitta.
//
// A quadrant is walked along the rays (a (1 - t), b t), t in [0, 1]: the point of the curve on a ray is the ray divided
// by ((1 - t)^p + t^p)^(1/p). For whole orders p the root is Newton's (for 2 and 4: sqrt), so only + - * / sqrt are
// used and vertices have the same bits on every machine; other orders go by portable::exp and log.
#include <array>
#include <cmath>
#include <mutex>
#include <sstream>

#include "kernels/base/sincos.hpp"
#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/shapes.hpp"

namespace pegrasp {
namespace {

constexpr int largest_whole_order = 64;

double whole_power(double x, int n) {
  double result = 1.0;
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}

// value^(1/n) for 2^(1-n) <= value <= 1. Newton from 1 falls monotonically to the root.
double whole_root(double value, int n) {
  if (n == 2) return std::sqrt(value);
  if (n == 4) return std::sqrt(std::sqrt(value));
  double x = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double power = whole_power(x, n - 1);
    const double next = x - (x * power - value) / (n * power);
    if (!(next < x)) break;
    x = next;
  }
  return x;
}

// x^exponent for positive, normal x, by portable functions, which give the same bits on every machine.
double raised(double x, double exponent) { return portable::exp(exponent * portable::log(x)); }

struct Quadrant {
  double a, b, order;
  int whole_order;  // 0: not a whole number

  Vec2 at(double t) const {
    if (t <= 0.0) return {a, 0.0};
    if (t >= 1.0) return {0.0, b};
    const double u = 1.0 - t;
    double radius = 0.0;
    if (whole_order > 0) {
      radius = whole_root(whole_power(u, whole_order) + whole_power(t, whole_order), whole_order);
    } else {
      radius = raised(raised(u, order) + raised(t, order), 1.0 / order);
    }
    return {a * (u / radius), b * (t / radius)};
  }

  // Whether the curve between t0 and t1 stays within `allowed` of its chord. The distance has one maximum, because the
  // curve is convex. The larger of the two heights that the search holds never decreases, so that the search may end
  // once it is too large.
  bool is_flat(double t0, double t1, double allowed) const {
    const Vec2 p = at(t0);
    const Vec2 q = at(t1);
    const double dx = q.x - p.x;
    const double dy = q.y - p.y;
    const double length = std::sqrt(dx * dx + dy * dy);
    if (!(length > 0.0)) return true;
    const auto height = [&](double t) {
      const Vec2 c = at(t);
      return ((c.x - p.x) * dy - (c.y - p.y) * dx) / length;
    };
    constexpr double golden = 0.61803398874989484820;
    double low = t0, high = t1;
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double left_height = height(left), right_height = height(right);
    for (int i = 0; i < 24 && !(std::fmax(left_height, right_height) > allowed);
         ++i) {  // the top is flat: 24 steps leave an error of 1e-10 of the sagitta
      if (left_height > right_height) {
        high = right;
        right = left;
        right_height = left_height;
        left = high - golden * (high - low);
        left_height = height(left);
      } else {
        low = left;
        left = right;
        left_height = right_height;
        right = low + golden * (high - low);
        right_height = height(right);
      }
    }
    return std::fmax(left_height, right_height) <= allowed;
  }

  // Goes from t = 0 along the curve with at most `chords` chords of the given sagitta. Returns the values of t at their
  // ends, from 0 on; the last is 1 when the end of the quadrant was reached.
  std::vector<double> march(double allowed, int chords) const {
    std::vector<double> stations{0.0};
    while (static_cast<int>(stations.size()) <= chords && stations.back() < 1.0) {
      const double from = stations.back();
      double low = from, high = 1.0;
      if (is_flat(from, high, allowed)) {
        stations.push_back(1.0);
        break;
      }
      for (int i = 0; i < 40; ++i) {
        const double mid = 0.5 * (low + high);
        (is_flat(from, mid, allowed) ? low : high) = mid;
      }
      stations.push_back(low);
    }
    return stations;
  }
};

std::vector<double> quadrant_stations(const Quadrant& quadrant, double tolerance, int chord_limit) {
  const double allowed = tolerance * (1.0 - 1e-9);
  std::vector<double> stations = quadrant.march(allowed, chord_limit);
  if (stations.back() < 1.0) return {};
  // The last chord is shorter than the others. The sagitta is lowered as far as the same number of chords allows.
  const int chords = static_cast<int>(stations.size()) - 1;
  double low = 0.0, high = allowed;
  for (int i = 0; i < 30; ++i) {
    const double mid = 0.5 * (low + high);
    std::vector<double> candidate = quadrant.march(mid, chords);
    if (candidate.back() >= 1.0) {
      high = mid;
      stations = std::move(candidate);
    } else {
      low = mid;
    }
  }
  return stations;
}

// A cache of the latest quadrants. The teeth of a gear are alike, and computing them takes longer than reading the rest
// of the problem.
std::vector<double> kept_stations(const Quadrant& quadrant, double tolerance, int chord_limit) {
  static std::mutex mutex;
  static std::array<double, 5> kept_for{};
  static std::vector<double> kept;
  const std::array<double, 5> asked{quadrant.a, quadrant.b, quadrant.order, tolerance,
                                    static_cast<double>(chord_limit)};
  const std::lock_guard<std::mutex> lock(mutex);
  if (asked != kept_for) {
    kept = quadrant_stations(quadrant, tolerance, chord_limit);
    kept_for = asked;
  }
  return kept;
}

}  // namespace

ConvexPart make_superellipse(std::string name, Vec2 centre, double semi_axis_x, double semi_axis_y, double order,
                             double turn, double tolerance) {
  const auto fail = [&](const std::string& problem) { throw ShapeError("superellipse '" + name + "': " + problem); };
  const auto number = [](double value) {
    std::ostringstream text;
    text << value;
    return text.str();
  };
  const bool finite = std::isfinite(centre.x) && std::isfinite(centre.y) && std::isfinite(turn);
  if (!finite) fail("centre and turn must be finite numbers");
  if (!(semi_axis_x > 0.0) || !(semi_axis_y > 0.0) || !std::isfinite(semi_axis_x) || !std::isfinite(semi_axis_y)) {
    fail("semi-axes must be finite numbers > 0 m, got " + number(semi_axis_x) + " and " + number(semi_axis_y));
  }
  if (!(order >= 2.0) || !(order <= 1000.0)) fail("order must lie in [2, 1000], got " + number(order));
  if (!(tolerance > 0.0) || !std::isfinite(tolerance)) fail("tolerance must be > 0 m, got " + number(tolerance));

  Quadrant quadrant{semi_axis_x, semi_axis_y, order, 0};
  const int rounded = static_cast<int>(order);
  if (static_cast<double>(rounded) == order && rounded <= largest_whole_order) quadrant.whole_order = rounded;
  constexpr int chord_limit = 1000;  // a quadrant
  const std::vector<double> stations = kept_stations(quadrant, tolerance, chord_limit);
  if (stations.empty()) {
    fail("tolerance " + number(tolerance) + " m needs more than 4000 vertices: give a larger one");
  }

  // The first quadrant, from (a, 0) up to but not including (0, b). The others are its mirror images, bit by bit.
  std::vector<Vec2> quarter;
  for (const double t : stations) quarter.push_back(quadrant.at(t));
  const std::size_t n = quarter.size() - 1;
  std::vector<Vec2> outline;
  for (std::size_t i = 0; i < n; ++i) outline.push_back(quarter[i]);
  for (std::size_t i = n; i > 0; --i) outline.push_back({-quarter[i].x, quarter[i].y});
  for (std::size_t i = 0; i < n; ++i) outline.push_back({-quarter[i].x, -quarter[i].y});
  for (std::size_t i = n; i > 0; --i) outline.push_back({quarter[i].x, -quarter[i].y});
  const strict::SinCos rotation = strict::sin_cos(turn);
  for (Vec2& v : outline) {
    v = {centre.x + (rotation.cos * v.x - rotation.sin * v.y), centre.y + (rotation.sin * v.x + rotation.cos * v.y)};
  }
  return make_polygon(std::move(name), outline);
}

}  // namespace pegrasp
