// SPDX-License-Identifier: Apache-2.0
// With X = 1/N, Y = t/N, N = (1 + t^n)^(1/n) and t in [0, 1] half a quadrant is walked, X dY - Y dX = X^2 dt, and so
//   area = 4 a b int N^-2 dt,    int (x^2 + y^2) dA = a b (a^2 + b^2) int (1 + t^2) N^-4 dt   about the centre.
#include "src/geometry/smooth_part.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "kernels/base/sincos.hpp"

namespace pegrasp {
namespace {

constexpr int pieces_of_octant = 64;

// Simpson's rule over [0, 1].
template <class F>
double integral(const F& f) {
  constexpr int panels = 2048;
  double sum = f(0.0) + f(1.0);
  for (int i = 1; i < panels; ++i) sum += (i % 2 == 1 ? 4.0 : 2.0) * f(i / static_cast<double>(panels));
  return sum / (3.0 * panels);
}

}  // namespace

SmoothCurve::SmoothCurve(const Superellipse& curve)
    : curve_(curve), own_{curve.semi_axis_x, curve.semi_axis_y, curve.order} {
  const strict::SinCos turn = strict::sin_cos(curve.turn);
  cos_ = turn.cos;
  sin_ = turn.sin;
  constexpr int samples = 2000;
  const double most = 1e3 * std::max(own_.a, own_.b);
  double least = most;
  for (int i = 0; i <= samples; ++i) {
    const strict::CurvePlace place = strict::place_by_ratio(own_.n, i / static_cast<double>(samples));
    least = std::min(
        {least, strict::curvature_radius(own_, place, most), strict::curvature_radius(own_, {place.y, place.x}, most)});
  }
  constexpr double between_samples = 0.99;
  least_radius_ = between_samples * least;
}

Vec2 SmoothCurve::turned(Vec2 own) const { return {cos_ * own.x - sin_ * own.y, sin_ * own.x + cos_ * own.y}; }
Vec2 SmoothCurve::placed(Vec2 own) const {
  const Vec2 t = turned(own);
  return {curve_.centre.x + t.x, curve_.centre.y + t.y};
}

SmoothCurve::Point SmoothCurve::at(double w) const {
  const int octant = static_cast<int>(w) % 8;
  const double f = w - std::floor(w);
  // Octants 1, 3, 5, 7 go back along t.
  const bool back = octant % 2 == 1;
  const strict::CurvePlace half = strict::place_by_ratio(own_.n, back ? 1.0 - f : f);
  const bool steep = octant == 1 || octant == 2 || octant == 5 || octant == 6;
  const strict::CurvePlace place = steep ? strict::CurvePlace{half.y, half.x} : half;
  const double sx = octant >= 2 && octant < 6 ? -1.0 : 1.0;
  const double sy = octant >= 4 ? -1.0 : 1.0;
  Vec2 normal{sx * strict::whole_power(place.x, own_.n - 1) / own_.a,
              sy * strict::whole_power(place.y, own_.n - 1) / own_.b};
  const double length = std::sqrt(normal.x * normal.x + normal.y * normal.y);
  normal = {normal.x / length, normal.y / length};
  return {placed({sx * own_.a * place.x, sy * own_.b * place.y}), turned(normal)};
}

double SmoothCurve::distance(Vec2 x, Vec2* normal) const {
  const Vec2 d{x.x - curve_.centre.x, x.y - curve_.centre.y};
  const strict::NearestPoint nearest =
      strict::nearest_point(own_, least_radius_, {cos_ * d.x + sin_ * d.y, cos_ * d.y - sin_ * d.x});
  if (normal != nullptr) *normal = turned({nearest.normal.x, nearest.normal.y});
  return nearest.s;
}

double SmoothCurve::bounding_radius() const {
  return own_.n == 2 ? std::max(own_.a, own_.b) : std::sqrt(own_.a * own_.a + own_.b * own_.b);
}

AreaProperties smooth_area_properties(const Superellipse& curve) {
  const double a = curve.semi_axis_x;
  const double b = curve.semi_axis_y;
  const auto x_at = [&](double t) { return strict::place_by_ratio(curve.order, t).x; };
  AreaProperties out;
  out.area = 4.0 * a * b * integral([&](double t) {
               const double x = x_at(t);
               return x * x;
             });
  out.centroid = curve.centre;
  out.second_moment = a * b * (a * a + b * b) * integral([&](double t) {
                        const double x = x_at(t);
                        return (1.0 + t * t) * (x * x) * (x * x);
                      });
  return out;
}

ConvexPart make_exact_superellipse(std::string name, const Superellipse& curve) {
  const auto fail = [&](const std::string& problem) {
    throw ShapeError((curve.order == 2 ? "ellipse '" : "superellipse '") + name + "': " + problem);
  };
  const auto number = [](double value) {
    std::ostringstream text;
    text << value;
    return text.str();
  };
  const double a = curve.semi_axis_x, b = curve.semi_axis_y;
  if (!(std::isfinite(curve.centre.x) && std::isfinite(curve.centre.y) && std::isfinite(curve.turn))) {
    fail("centre and turn must be finite numbers");
  }
  if (!(a > 0.0) || !(b > 0.0) || !std::isfinite(a) || !std::isfinite(b)) {
    fail("semi-axes must be finite numbers > 0 m, got " + number(a) + " and " + number(b));
  }
  if (curve.order < 2 || curve.order > 16) fail("order must be 2 to 16, got " + std::to_string(curve.order));
  if (!(std::min(a, b) >= 1e-3 * std::max(a, b))) {
    fail("semi-axes differ by more than a factor of 1000; give a less slender shape");
  }
  ConvexPart part;
  part.curve = curve;
  const SmoothCurve smooth(curve);
  for (int i = 0; i < 8 * pieces_of_octant; ++i) {
    part.corners.push_back({smooth.at(i / static_cast<double>(pieces_of_octant)).at, 0.0});
  }
  part.name = std::move(name);
  return part;
}

ConvexPart make_exact_ellipse(std::string name, Vec2 centre, double semi_axis_x, double semi_axis_y, double turn) {
  return make_exact_superellipse(std::move(name), {centre, semi_axis_x, semi_axis_y, 2, turn});
}

}  // namespace pegrasp
