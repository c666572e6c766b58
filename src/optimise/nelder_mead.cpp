// SPDX-License-Identifier: Apache-2.0
#include "src/optimise/nelder_mead.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pegrasp::optimise {
namespace {

using Point = std::vector<double>;

struct Corner {
  Point at;
  double value = std::numeric_limits<double>::infinity();
};

class Simplex {
 public:
  Simplex(const SimplexOptions& options, const ValuesAt& values_at)
      : options_(options), values_at_(values_at), n_(options.start.size()) {
    const auto n = static_cast<double>(n_);
    expand_ = n_ > 1 ? 1.0 + 2.0 / n : 2.0;
    contract_ = n_ > 1 ? 0.75 - 0.5 / n : 0.5;
    shrink_ = n_ > 1 ? 1.0 - 1.0 / n : 0.5;
  }

  SimplexResult run() {
    Point from = options_.start;
    double part = 1.0;
    for (int round = 0; round <= options_.restarts; ++round, part *= 0.25) {
      if (round > 0 && left() <= static_cast<int>(n_)) break;
      begin(from, part);
      result_.converged = false;
      if (corners_.size() <= n_) break;
      while (!(result_.converged = is_small()) && left() > 0) {
        step();
        ++result_.iterations;
        sort();
      }
      from = corners_.front().at;
    }
    result_.best = corners_.front().at;
    result_.value = corners_.front().value;
    return result_;
  }

 private:
  int left() const { return options_.evaluations - result_.evaluations; }

  double within(std::size_t k, double x) const { return std::clamp(x, options_.low[k], options_.high[k]); }

  std::vector<double> values(const std::vector<Point>& points, const char* kind) {
    result_.evaluations += static_cast<int>(points.size());
    return values_at_(points, kind);
  }

  // Around a point: one corner a scale further along each parameter, or back where a bound is nearer than half of it.
  // Fewer corners where the evaluations do not suffice.
  void begin(const Point& from, double part) {
    std::vector<Point> points{from};
    for (std::size_t k = 0; k < n_; ++k) {
      Point next = from;
      const double by = part * options_.scale[k];
      next[k] = within(k, from[k] + by);
      if (next[k] - from[k] < 0.5 * by) next[k] = within(k, from[k] - by);
      points.push_back(std::move(next));
    }
    points.resize(std::min(points.size(), static_cast<std::size_t>(left())));
    const std::vector<double> found = values(points, "start");
    corners_.clear();
    for (std::size_t i = 0; i < points.size(); ++i) corners_.push_back({points[i], found[i]});
    sort();
  }

  void sort() {
    std::stable_sort(corners_.begin(), corners_.end(),
                     [](const Corner& a, const Corner& b) { return a.value < b.value; });
  }

  bool is_small() const {
    for (std::size_t k = 0; k < n_; ++k)
      for (const Corner& corner : corners_)
        if (std::fabs(corner.at[k] - corners_.front().at[k]) > options_.tolerance * options_.scale[k]) return false;
    return true;
  }

  // centre + by (centre - worst), within the bounds.
  Point along(const Point& centre, double by) const {
    Point out(n_);
    for (std::size_t k = 0; k < n_; ++k) out[k] = within(k, centre[k] + by * (centre[k] - corners_.back().at[k]));
    return out;
  }

  Corner at(const Point& point, const char* kind) { return {point, values({point}, kind).front()}; }

  void step() {
    Point centre(n_, 0.0);
    for (std::size_t i = 0; i + 1 < corners_.size(); ++i)
      for (std::size_t k = 0; k < n_; ++k) centre[k] += corners_[i].at[k];
    for (double& x : centre) x /= static_cast<double>(n_);
    Corner& worst = corners_.back();
    const double best = corners_.front().value, second = corners_[corners_.size() - 2].value;
    const Corner reflected = at(along(centre, 1.0), "reflect");
    if (reflected.value < best && left() > 0) {
      const Corner expanded = at(along(centre, expand_), "expand");
      worst = expanded.value < reflected.value ? expanded : reflected;
      return;
    }
    if (reflected.value < second || left() == 0) {
      if (reflected.value < worst.value) worst = reflected;
      return;
    }
    const bool outside = reflected.value < worst.value;
    const Corner contracted = at(along(centre, outside ? contract_ : -contract_), "contract");
    if (contracted.value < std::min(reflected.value, worst.value)) {
      worst = contracted;
    } else if (left() >= static_cast<int>(n_)) {
      shrink();
    }
  }

  void shrink() {
    std::vector<Point> points;
    const Point& best = corners_.front().at;
    for (std::size_t i = 1; i < corners_.size(); ++i) {
      Point point(n_);
      for (std::size_t k = 0; k < n_; ++k) point[k] = best[k] + shrink_ * (corners_[i].at[k] - best[k]);
      points.push_back(std::move(point));
    }
    const std::vector<double> found = values(points, "shrink");
    for (std::size_t i = 0; i < points.size(); ++i) corners_[i + 1] = {points[i], found[i]};
  }

  const SimplexOptions& options_;
  const ValuesAt& values_at_;
  std::size_t n_;
  double expand_, contract_, shrink_;
  std::vector<Corner> corners_;  // the best first
  SimplexResult result_;
};

}  // namespace

SimplexResult nelder_mead(const SimplexOptions& options, const ValuesAt& values_at) {
  return Simplex(options, values_at).run();
}

}  // namespace pegrasp::optimise
