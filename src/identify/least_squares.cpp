// SPDX-License-Identifier: Apache-2.0
#include "src/identify/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pegrasp::identify {
namespace {

using Numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double golden = 0.6180339887498949;
// A step that changes residuals by less than this part of their standard deviation does not change what is found.
constexpr double small_step = 1e-4;
// No standard deviation is left to a parameter that a ridge alone holds by more than the first share, or whose variance
// the others make larger by more than the second: no more than what differences of trials leave of its slopes tells it
// from them.
constexpr double lost = 1e-3, inflated = 1e8;
constexpr int scanned = 8;        // values of a parameter between its bounds
constexpr int shorter_steps = 6;  // halves, that are tried with a whole step

double squares(const Numbers& residual) {
  if (residual.empty()) return infinity;
  double sum = 0.0;
  for (const double one : residual) sum += one * one;
  return std::isnan(sum) ? infinity : sum;
}

double product(const Numbers& a, const Numbers& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The lower factor of a positive definite matrix, row by row; false where it is not.
bool factor(std::vector<Numbers>& a) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i != j) {
        a[i][j] = sum / a[j][j];
      } else if (sum > 1e-14) {  // of a matrix whose diagonal is 1
        a[i][i] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  return true;
}

Numbers solved(const std::vector<Numbers>& lower, Numbers b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= lower[i][k] * b[k];
    b[i] /= lower[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= lower[k][i] * b[k];
    b[i] /= lower[i][i];
  }
  return b;
}

}  // namespace

LeastSquares::LeastSquares(LeastSquaresOptions options)
    : options_(std::move(options)),
      n_(options_.start.size()),
      x_(options_.start),
      sd_(n_, infinity),
      scale_(n_),
      slopes_(n_) {
  for (std::size_t k = 0; k < n_; ++k) x_[k] = std::clamp(x_[k], options_.low[k], options_.high[k]);
  asked_ = {x_};
  for (std::size_t k = 0; k < std::min(n_, options_.golden); ++k) {
    const double range = options_.high[k] - options_.low[k];
    for (int i = 0; std::isfinite(range) && i < scanned; ++i) {
      asked_.push_back(x_);
      asked_.back()[k] = options_.low[k] + range * (i + 0.5) / scanned;
    }
  }
  if (asked_.size() > 1) {
    phase_ = Phase::scan;
  } else {
    asked_ = around(x_);
  }
}

// A parameter may change nothing at the start (a body that sticks): takes the best value of each, or the best point
// if they do not go together.
void LeastSquares::take_scan(std::span<const Numbers> residuals) {
  Point together = x_;
  std::vector<double> least(n_, squares(residuals[0]));
  std::size_t best = 0;
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    const double here = squares(residuals[i]);
    if (here < squares(residuals[best])) best = i;
    for (std::size_t k = 0; k < n_; ++k) {
      if (asked_[i][k] == x_[k] || !(here < least[k])) continue;
      least[k] = here;
      together[k] = asked_[i][k];
    }
  }
  const Point from = asked_[best];
  phase_ = Phase::begin;
  x_ = together;
  asked_ = around(together);
  asked_.push_back(from);
}

std::vector<LeastSquares::Point> LeastSquares::around(const Point& x) const {
  std::vector<Point> out{x};
  for (std::size_t k = 0; k < n_; ++k) {
    out.push_back(x);
    out.back()[k] += x[k] + options_.step[k] > options_.high[k] ? -options_.step[k] : options_.step[k];
  }
  return out;
}

void LeastSquares::differences(const Point& x, const Numbers& r, std::span<const Numbers> moved) {
  const std::vector<Point> points = around(x);
  for (std::size_t k = 0; k < n_; ++k) {
    slopes_[k].assign(r.size(), 0.0);
    if (moved[k].size() != r.size()) continue;
    const double by = points[k + 1][k] - x[k];
    for (std::size_t i = 0; i < r.size(); ++i) slopes_[k][i] = (moved[k][i] - r[i]) / by;
  }
}

// The step of Gauss and Newton, of the parameters that are free to go; and the standard deviations of all.
LeastSquares::Point LeastSquares::direction() {
  Numbers& scale = scale_;
  Numbers down(n_), out(n_, 0.0);
  for (std::size_t k = 0; k < n_; ++k) {
    scale[k] = std::sqrt(product(slopes_[k], slopes_[k]));
    down[k] = -product(slopes_[k], residual_);
  }
  for (const bool bounded : {false, true}) {
    std::vector<std::size_t> free;
    for (std::size_t k = 0; k < n_; ++k) {
      const bool held = (x_[k] <= options_.low[k] && down[k] < 0.0) || (x_[k] >= options_.high[k] && down[k] > 0.0);
      if (scale[k] > 0.0 && !(bounded && held)) free.push_back(k);
    }
    std::vector<Numbers> lower;
    double ridge = 0.0;
    for (;; ridge = ridge == 0.0 ? 1e-12 : 100.0 * ridge) {
      lower.assign(free.size(), Numbers(free.size()));
      for (std::size_t i = 0; i < free.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j)
          lower[i][j] =
              product(slopes_[free[i]], slopes_[free[j]]) / (scale[free[i]] * scale[free[j]]) + (i == j ? ridge : 0.0);
      if (factor(lower)) break;
    }
    if (!bounded) sd_.assign(n_, infinity);
    Numbers right(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) right[i] = down[free[i]] / scale[free[i]];
    const Numbers step = solved(lower, right);
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::size_t k = free[i];
      if (bounded) {
        out[k] = step[i] / scale[k];
        continue;
      }
      Numbers unit(free.size(), 0.0);
      unit[i] = 1.0;
      const double variance = solved(lower, unit)[i];
      if (ridge * variance < lost && variance < inflated) sd_[k] = std::sqrt(variance) / scale[k];
    }
  }
  return out;
}

void LeastSquares::ask_step() {
  const Point by = direction();
  bool moves = false;
  std::vector<Point> points;
  double part = 1.0;
  for (int i = 0; i <= shorter_steps; ++i, part *= 0.5) {
    Point point(n_);
    for (std::size_t k = 0; k < n_; ++k) point[k] = std::clamp(x_[k] + part * by[k], options_.low[k], options_.high[k]);
    if (i == 0)
      for (std::size_t k = 0; k < n_; ++k) moves = moves || scale_[k] * std::fabs(point[k] - x_[k]) > small_step;
    points.push_back(std::move(point));
  }
  if (!moves || iterations_ == options_.iterations) return begin_section(0);
  phase_ = Phase::step;
  ++iterations_;
  asked_ = around(points[0]);
  asked_.insert(asked_.end(), points.begin() + 1, points.end());
}

void LeastSquares::take_step(std::span<const Numbers> residuals) {
  std::size_t best = 0;
  double least = squares(residuals[0]);
  for (std::size_t i = n_ + 1; i < residuals.size(); ++i) {
    const double here = squares(residuals[i]);
    if (here < least) {
      least = here;
      best = i;
    }
  }
  if (!(least < value_)) return begin_section(0);
  const Point from = asked_[best];
  x_ = from;
  value_ = least;
  residual_ = residuals[best];
  if (best == 0) {
    differences(x_, residual_, residuals.subspan(1, n_));
    return ask_step();
  }
  phase_ = Phase::slopes;
  asked_ = around(x_);
  asked_.erase(asked_.begin());
}

bool LeastSquares::take(std::span<const Numbers> residuals) {
  switch (phase_) {
    case Phase::scan:
      take_scan(residuals);
      break;
    case Phase::begin:
      value_ = squares(residuals[0]);
      if (asked_.size() > n_ + 1 && squares(residuals[n_ + 1]) < value_) {
        x_ = asked_[n_ + 1];
        asked_ = around(x_);
        return true;
      }
      if (std::isinf(value_)) {
        asked_.clear();
        return false;
      }
      residual_ = residuals[0];
      differences(x_, residual_, residuals.subspan(1, n_));
      ask_step();
      break;
    case Phase::step:
      take_step(residuals);
      break;
    case Phase::slopes:
      differences(x_, residual_, residuals);
      ask_step();
      break;
    case Phase::section_begin:
    case Phase::section:
      take_section(residuals);
      break;
  }
  return true;
}

// Along one parameter, within four standard deviations: across kinks, where slopes mislead.
void LeastSquares::begin_section(std::size_t parameter) {
  asked_.clear();
  for (section_ = parameter; section_ < options_.golden && std::isinf(sd_[section_]);) ++section_;
  if (section_ >= std::min(n_, options_.golden)) return;
  const std::size_t k = section_;
  low_ = std::max(options_.low[k], x_[k] - 4.0 * sd_[k]);
  high_ = std::min(options_.high[k], x_[k] + 4.0 * sd_[k]);
  left_ = high_ - golden * (high_ - low_);
  right_ = low_ + golden * (high_ - low_);
  phase_ = Phase::section_begin;
  for (const double at : {left_, right_}) {
    asked_.push_back(x_);
    asked_.back()[k] = at;
  }
}

void LeastSquares::ask_section() {
  const std::size_t k = section_;
  if (high_ - low_ < 1e-3 * sd_[k]) return begin_section(k + 1);
  asks_left_ = at_left_ <= at_right_;
  if (asks_left_) {
    high_ = right_;
    right_ = left_;
    at_right_ = at_left_;
    left_ = high_ - golden * (high_ - low_);
  } else {
    low_ = left_;
    left_ = right_;
    at_left_ = at_right_;
    right_ = low_ + golden * (high_ - low_);
  }
  phase_ = Phase::section;
  asked_.assign(1, x_);
  asked_[0][k] = asks_left_ ? left_ : right_;
}

void LeastSquares::take_section(std::span<const Numbers> residuals) {
  const std::vector<Point> points = asked_;
  if (phase_ == Phase::section_begin) {
    at_left_ = squares(residuals[0]);
    at_right_ = squares(residuals[1]);
  } else {
    (asks_left_ ? at_left_ : at_right_) = squares(residuals[0]);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double here = squares(residuals[i]);
    if (!(here < value_)) continue;
    value_ = here;
    x_[section_] = points[i][section_];
  }
  ask_section();
}

}  // namespace pegrasp::identify
