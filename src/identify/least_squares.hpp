// SPDX-License-Identifier: Apache-2.0
// Least squares within bounds by Gauss and Newton's method with forward differences. A search asks for points and takes
// their residuals, so that whoever drives it finds all points of many searches at once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pegrasp::identify {

struct LeastSquaresOptions {
  std::vector<double> start, low, high;  // of each parameter; infinite bounds are none
  std::vector<double> step;              // of its difference, above 0; backwards where `high` is nearer
  // So many first parameters are looked for over all of their bounds before, and by golden sections in the end.
  std::size_t golden = 0;
  int iterations = 40;  // of Gauss and Newton's method, at most
};

class LeastSquares {
 public:
  using Point = std::vector<double>;
  explicit LeastSquares(LeastSquaresOptions options);

  bool done() const { return asked_.empty(); }
  const std::vector<Point>& asked() const { return asked_; }
  // Residuals of the points asked for, in their order; empty ones of points that have none, which are the worst.
  // False: the start has none, and the search is over.
  bool take(std::span<const std::vector<double>> residuals);

  const Point& best() const { return x_; }
  double value() const { return value_; }  // the sum of squares
  // Of each parameter, by the curvature there for residuals of standard deviation 1; infinite where the parameter
  // changes nothing, or nothing that others do not.
  const std::vector<double>& sd() const { return sd_; }
  int iterations() const { return iterations_; }

 private:
  enum class Phase { scan, begin, step, slopes, section_begin, section };
  std::vector<Point> around(const Point& x) const;  // x, then a step along each parameter
  void differences(const Point& x, const std::vector<double>& r, std::span<const std::vector<double>> moved);
  Point direction();
  void take_scan(std::span<const std::vector<double>> residuals);
  void ask_step();
  void take_step(std::span<const std::vector<double>> residuals);
  void begin_section(std::size_t parameter);
  void take_section(std::span<const std::vector<double>> residuals);
  void ask_section();

  LeastSquaresOptions options_;
  std::size_t n_;
  Phase phase_ = Phase::begin;
  std::vector<Point> asked_;
  Point x_;
  double value_ = 0.0;
  std::vector<double> residual_, sd_;
  std::vector<double> scale_;                // of slopes_: their norms
  std::vector<std::vector<double>> slopes_;  // of the residuals, by parameter
  int iterations_ = 0;
  std::size_t section_ = 0;  // its parameter
  double low_ = 0.0, high_ = 0.0, left_ = 0.0, right_ = 0.0, at_left_ = 0.0, at_right_ = 0.0;
  bool asks_left_ = false;
};

}  // namespace pegrasp::identify
