// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/smooth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pegrasp::reference {
namespace {

Eigen::Vector2d at_angle(double angle) { return {std::cos(angle), std::sin(angle)}; }

}  // namespace

SmoothOutline::SmoothOutline(const Superellipse& curve) : curve_(curve) {
  turn_ << std::cos(curve.turn), -std::sin(curve.turn), std::sin(curve.turn), std::cos(curve.turn);
}

Eigen::Vector2d SmoothOutline::farthest(const Eigen::Vector2d& direction) const {
  const Eigen::Vector2d d = own_direction(direction);
  const double n = curve_.order;
  const double u = curve_.semi_axis_x * std::abs(d.x()), v = curve_.semi_axis_y * std::abs(d.y());
  const double most = std::max(u, v);
  // x/a : y/b = u^(1/(n-1)) : v^(1/(n-1)) on the curve
  const double x = std::pow(u / most, 1.0 / (n - 1.0)), y = std::pow(v / most, 1.0 / (n - 1.0));
  const double size = std::pow(std::pow(x, n) + std::pow(y, n), 1.0 / n);
  const Eigen::Vector2d own(std::copysign(curve_.semi_axis_x * x / size, d.x()),
                            std::copysign(curve_.semi_axis_y * y / size, d.y()));
  return Eigen::Vector2d(curve_.centre.x, curve_.centre.y) + turn_ * own;
}

double SmoothOutline::radius(const Eigen::Vector2d& direction) const {
  const Eigen::Vector2d own =
      turn_.transpose() * (farthest(direction) - Eigen::Vector2d(curve_.centre.x, curve_.centre.y));
  const double a = curve_.semi_axis_x, b = curve_.semi_axis_y, n = curve_.order;
  const double x = std::abs(own.x()) / a, y = std::abs(own.y()) / b;
  // |grad f|^3 / (f_xx f_y^2 + f_yy f_x^2) of f = x^n + y^n
  const double fx = n * std::pow(x, n - 1.0) / a, fy = n * std::pow(y, n - 1.0) / b;
  const double fxx = n * (n - 1.0) * std::pow(x, n - 2.0) / (a * a),
               fyy = n * (n - 1.0) * std::pow(y, n - 2.0) / (b * b);
  const double most = 10.0 * std::max(a, b);
  const double bend = fxx * fy * fy + fyy * fx * fx;
  const double top = std::pow(fx * fx + fy * fy, 1.5);
  return top < most * bend ? top / bend : most;
}

bool SmoothOutline::has_flat_side(const Eigen::Vector2d& direction, double sine) const {
  return curve_.order > 2 && own_direction(direction).cwiseAbs().minCoeff() < sine;
}

Eigen::Vector2d SmoothOutline::back_on_side(const Eigen::Vector2d& direction, double back, double hand) const {
  const Eigen::Vector2d d = own_direction(direction);
  const double n = curve_.order, a = curve_.semi_axis_x, b = curve_.semi_axis_y;
  const bool along_x = std::abs(d.x()) > std::abs(d.y());
  const double share = std::max(0.0, 1.0 - back / (along_x ? a : b));
  const double rest = std::pow(1.0 - std::pow(share, n), 1.0 / n);
  const Eigen::Vector2d own = along_x ? Eigen::Vector2d(std::copysign(a * share, d.x()), hand * b * rest)
                                      : Eigen::Vector2d(hand * a * rest, std::copysign(b * share, d.y()));
  return Eigen::Vector2d(curve_.centre.x, curve_.centre.y) + turn_ * own;
}

double SmoothOutline::distance(const Eigen::Vector2d& x) const {
  const Eigen::Vector2d n = widest_direction([&](const Eigen::Vector2d& d) { return d.dot(x - farthest(d)); },
                                             [&](const Eigen::Vector2d& d) {
                                               const Eigen::Vector2d way = x - farthest(d);
                                               return d.x() * way.y() - d.y() * way.x() > 0.0;
                                             });
  return n.dot(x - farthest(n));
}

double SmoothOutline::reach() const {
  return curve_.order == 2 ? std::max(curve_.semi_axis_x, curve_.semi_axis_y)
                           : std::hypot(curve_.semi_axis_x, curve_.semi_axis_y);
}

Eigen::Vector2d widest_direction(const std::function<double(const Eigen::Vector2d&)>& gap,
                                 const std::function<bool(const Eigen::Vector2d&)>& rises) {
  constexpr int samples = 96;
  constexpr double width = 2.0 * std::numbers::pi / samples;
  double best = 0.0, most = -1e300;
  for (int k = 0; k < samples; ++k) {
    const double here = gap(at_angle(width * k));
    if (!(here > most)) continue;
    most = here;
    best = width * k;
  }
  const bool up = rises(at_angle(best));
  double low = up ? best : best - width, high = up ? best + width : best;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (rises(at_angle(middle)) ? low : high) = middle;
  }
  return at_angle(0.5 * (low + high));
}

}  // namespace pegrasp::reference
