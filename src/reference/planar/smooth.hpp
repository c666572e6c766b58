// SPDX-License-Identifier: Apache-2.0
// Exact ellipses and superellipses |x/a|^n + |y/b|^n = 1 of the reference simulator: support points by powers, and the
// direction that separates two parts most by sampling and bisection over angles.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <functional>

#include "pegrasp/shapes.hpp"

namespace pegrasp::reference {

class SmoothOutline {
 public:
  explicit SmoothOutline(const Superellipse& curve);

  // The farthest point along a unit direction (both in the frame of the body).
  Eigen::Vector2d farthest(const Eigen::Vector2d& direction) const;
  // Radius of curvature [m] there, at most ten times the longer half-axis: what is flatter counts as that round.
  double radius(const Eigen::Vector2d& direction) const;
  // How far x lies outside [m], less than 0 within.
  double distance(const Eigen::Vector2d& x) const;
  // Whether a side without curvature (order > 2) faces along the direction but for an angle of `sine`; and its point
  // that lies back from its middle by `back` [m], on one hand or the other (-1, 1).
  bool has_flat_side(const Eigen::Vector2d& direction, double sine) const;
  Eigen::Vector2d back_on_side(const Eigen::Vector2d& direction, double back, double hand) const;
  double longest() const { return std::max(curve_.semi_axis_x, curve_.semi_axis_y); }  // half-axis [m]
  double inradius() const { return std::min(curve_.semi_axis_x, curve_.semi_axis_y); }
  double reach() const;  // [m] from the centre, or a little more

 private:
  Superellipse curve_;
  Eigen::Matrix2d turn_;
  Eigen::Vector2d own_direction(const Eigen::Vector2d& direction) const { return turn_.transpose() * direction; }
};

// The unit direction with the largest gap(direction), of which `rises(direction)` tells whether it grows with the
// angle.
Eigen::Vector2d widest_direction(const std::function<double(const Eigen::Vector2d&)>& gap,
                                 const std::function<bool(const Eigen::Vector2d&)>& rises);

}  // namespace pegrasp::reference
