// SPDX-License-Identifier: Apache-2.0
// The ratio metric of two convex polytopes (Hart's slides, "Ratio Metric"), which tells how far they are apart and how
// deep they overlap by one linear program.
//
// A polytope P = {x : n_k . x <= d_k} grows about a point x_o inside it: P(t) has the planes
//   n_k . (x - x_o) <= t (d_k - n_k . x_o).
// The ratio r is the least t at which P_1(t) and P_2(t) meet: 1 where they touch, less where they overlap; and the
// metric is rho = (r - 1) / r. With s >= 0, the distance or the depth of overlap, and D = |x_2 - x_1|,
//   s / D <= rho  where they are apart,   rho <= -s / D  where they overlap                 (4), (5)
#pragma once

#include <span>
#include <vector>

#include "pegrasp/polyhedron.hpp"
#include "pegrasp/shapes.hpp"

namespace pegrasp {

// The solid is normal . x <= offset. Normals need not be of unit length; in 2D their z is 0.
struct BoundingPlane {
  Vec3 normal;
  double offset = 0.0;
};

// A convex polytope with the point about which it grows, strictly inside.
struct GrowingPolytope {
  std::vector<BoundingPlane> planes;
  Vec3 centre;  // [m]
};

struct RatioMetric {
  double ratio = 0.0;    // r; 0: the centres are one point
  double metric = 0.0;   // rho; minus infinity at r = 0
  Vec3 point;            // where the grown polytopes meet [m]
  long long tested = 0;  // inequalities that the program looked at: linear in the number of planes, in the mean
};

// By a linear program in the coordinates of the point and t, solved in expected linear time (Seidel: the planes come in
// a random order, always the same one). Throws std::invalid_argument, one line, for a centre that is not inside, or too
// few planes to bound anything.
RatioMetric ratio_metric_2d(const GrowingPolytope& a, const GrowingPolytope& b);
RatioMetric ratio_metric_3d(const GrowingPolytope& a, const GrowingPolytope& b);

// The planes of a polyhedron, and of a polygon (a chain without radii), which grow about the mean of their corners.
// Throws std::invalid_argument for parts with arcs and half-planes, which are no polytopes.
GrowingPolytope growing(const Polyhedron& polyhedron);
GrowingPolytope growing(const ConvexPart& polygon);

}  // namespace pegrasp
