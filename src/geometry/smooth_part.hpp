// SPDX-License-Identifier: Apache-2.0
// Exact ellipses and superellipses: points, normals and areas of the curve, and the nearest point to a given one.
#pragma once

#include "kernels/base/smooth_curve.hpp"
#include "pegrasp/shapes.hpp"

namespace pegrasp {

// A curve with the cosine and sine of its turn.
class SmoothCurve {
 public:
  explicit SmoothCurve(const Superellipse& curve);

  struct Point {
    Vec2 at, normal;  // body frame
  };
  // The point at w in [0, 8), once around, counter-clockwise: whole numbers are the ends of the axes and the diagonals
  // between them.
  static constexpr double around = 8.0;
  Point at(double w) const;
  // How far x lies outside [m], less than 0 within; nearest normal (body frame).
  double distance(Vec2 x, Vec2* normal = nullptr) const;

  double least_radius() const { return least_radius_; }  // of curvature [m], or a little less
  double bounding_radius() const;                        // [m] about the centre
  double cosine() const { return cos_; }
  double sine() const { return sin_; }

 private:
  Superellipse curve_;
  strict::Curve own_;
  double cos_, sin_;
  double least_radius_ = 0.0;
  Vec2 placed(Vec2 own) const;
  Vec2 turned(Vec2 own) const;
};

AreaProperties smooth_area_properties(const Superellipse& curve);

}  // namespace pegrasp
