// SPDX-License-Identifier: Apache-2.0
// Hart's ratio metric against its dual (the largest ratio over the normals that can separate two polytopes), against
// distances and depths of overlap, and its cost.
#include "src/metrics/ratio_metric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "src/geometry/vectors.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp {
namespace {

double reach_along(const std::vector<Vec3>& points, Vec3 n) {
  double most = -1e300;
  for (const Vec3& p : points) most = std::fmax(most, dot(n, p));
  return most;
}

// r, and by the same normals s: negative, how deep the polytopes overlap; positive, a bound on their distance from
// below.
struct Dual {
  double ratio = 0.0, separation = -1e300;
};
void ask(Dual& dual, const std::vector<Vec3>& a, Vec3 centre_a, const std::vector<Vec3>& b, Vec3 centre_b, Vec3 n) {
  const double size = length(n);
  if (!(size > 1e-9)) return;
  n = (1.0 / size) * n;
  const double from_a = reach_along(a, n) - dot(n, centre_a);
  const double from_b = reach_along(b, -n) + dot(n, centre_b);
  const double apart = dot(n, centre_b - centre_a);
  dual.ratio = std::fmax(dual.ratio, apart / (from_a + from_b));
  dual.separation = std::fmax(dual.separation, apart - from_a - from_b);
}

Dual dual_of(const Polyhedron& a, const Polyhedron& b) {
  Dual dual;
  const Vec3 ca = growing(a).centre, cb = growing(b).centre;
  const auto along = [](const Polyhedron& p, const PolyhedronEdge& e) {
    return p.vertices[static_cast<std::size_t>(e.head)] - p.vertices[static_cast<std::size_t>(e.tail)];
  };
  for (const PolyhedronFace& face : a.faces) ask(dual, a.vertices, ca, b.vertices, cb, face.normal);
  for (const PolyhedronFace& face : b.faces) ask(dual, a.vertices, ca, b.vertices, cb, -face.normal);
  for (const PolyhedronEdge& ea : a.edges) {
    for (const PolyhedronEdge& eb : b.edges) {
      const Vec3 n = cross(along(a, ea), along(b, eb));
      ask(dual, a.vertices, ca, b.vertices, cb, n);
      ask(dual, a.vertices, ca, b.vertices, cb, -n);
    }
  }
  return dual;
}

std::vector<Vec3> corners_of(const ConvexPart& part) {
  std::vector<Vec3> out;
  for (const Corner& corner : part.corners) out.push_back({corner.centre.x, corner.centre.y, 0.0});
  return out;
}

Polyhedron random_polyhedron(scenes::Random& random, Vec3 at) {
  std::vector<Vec3> points;
  for (int i = 0; i < 10; ++i) {
    points.push_back(at + Vec3{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)});
  }
  return make_polyhedron(points);
}

// Corners on an ellipse, at random angles.
ConvexPart random_polygon(scenes::Random& random, Vec2 at) {
  std::vector<double> angles;
  const int count = 3 + static_cast<int>(random.uniform(0.0, 6.0));
  for (int i = 0; i < count; ++i) angles.push_back((i + random.uniform(0.1, 0.9)) * 6.283185307179586 / count);
  const double wide = random.uniform(0.3, 1.0), high = random.uniform(0.3, 1.0);
  std::vector<Vec2> points;
  for (const double angle : angles) points.push_back({at.x + wide * std::cos(angle), at.y + high * std::sin(angle)});
  return make_polygon("polygon", points);
}

// s / D <= rho apart, rho <= -s / D overlapping; the sign is that of the separation.
void expect_bounds(const RatioMetric& found, const Dual& dual, double between) {
  if (std::fabs(dual.separation) > 1e-9) {
    EXPECT_EQ(found.metric > 0.0, dual.separation > 0.0);
  }
  if (dual.separation > 0.0) {
    EXPECT_GE(found.metric, dual.separation / between - 1e-12);
  } else {
    EXPECT_LE(found.metric, dual.separation / between + 1e-12);
  }
}

void compare_polyhedra(int pairs) {
  scenes::Random random(11);
  double worst = 0.0;
  for (int i = 0; i < pairs; ++i) {
    const double far = random.uniform(0.0, 2.5);
    const Polyhedron a = random_polyhedron(random, {}), b = random_polyhedron(random, {far, 0.3 * far, -0.2 * far});
    const GrowingPolytope ga = growing(a), gb = growing(b);
    const RatioMetric found = ratio_metric_3d(ga, gb);
    const Dual dual = dual_of(a, b);
    worst = std::fmax(worst, std::fabs(found.ratio - dual.ratio) / std::fmax(1.0, dual.ratio));
    expect_bounds(found, dual, length(gb.centre - ga.centre));
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(RatioMetric, IsItsDualInSpace) { compare_polyhedra(300); }
TEST(RatioMetricLong, IsItsDualInSpace) { compare_polyhedra(50'000); }

void compare_polygons(int pairs) {
  scenes::Random random(12);
  double worst = 0.0;
  for (int i = 0; i < pairs; ++i) {
    const double far = random.uniform(0.0, 2.5);
    const ConvexPart a = random_polygon(random, {}), b = random_polygon(random, {far, 0.4 * far});
    const GrowingPolytope ga = growing(a), gb = growing(b);
    const RatioMetric found = ratio_metric_2d(ga, gb);
    Dual dual;
    for (const BoundingPlane& plane : ga.planes)
      ask(dual, corners_of(a), ga.centre, corners_of(b), gb.centre, plane.normal);
    for (const BoundingPlane& plane : gb.planes)
      ask(dual, corners_of(a), ga.centre, corners_of(b), gb.centre, -plane.normal);
    worst = std::fmax(worst, std::fabs(found.ratio - dual.ratio) / std::fmax(1.0, dual.ratio));
    expect_bounds(found, dual, length(gb.centre - ga.centre));
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(RatioMetric, IsItsDualInThePlane) { compare_polygons(4'000); }
TEST(RatioMetricLong, IsItsDualInThePlane) { compare_polygons(50'000); }

GrowingPolytope cube_at(Vec3 centre) {
  GrowingPolytope out;
  out.centre = centre;
  for (const double side : {-1.0, 1.0}) {
    out.planes.push_back({{side, 0.0, 0.0}, side * centre.x + 0.5});
    out.planes.push_back({{0.0, side, 0.0}, side * centre.y + 0.5});
    out.planes.push_back({{0.0, 0.0, side}, side * centre.z + 0.5});
  }
  return out;
}

// Unit cubes whose centres are 0.9 apart overlap by 0.1: r = 0.9, rho = -1 / 9 = -s / D.
TEST(RatioMetric, OfUnitCubes) {
  const RatioMetric found = ratio_metric_3d(cube_at({}), cube_at({0.9, 0.0, 0.0}));
  EXPECT_NEAR(found.ratio, 0.9, 1e-14);
  EXPECT_NEAR(found.metric, -1.0 / 9.0, 1e-14);
  EXPECT_NEAR(found.point.x, 0.45, 1e-14);
  EXPECT_NEAR(ratio_metric_3d(cube_at({}), cube_at({3.0, 0.0, 0.0})).metric, 2.0 / 3.0, 1e-14) << "s / D = 2 / 3";
  EXPECT_EQ(ratio_metric_3d(cube_at({}), cube_at({})).ratio, 0.0);
}

// The inequalities that are looked at grow as the number of facets does.
TEST(RatioMetric, TakesLinearTime) {
  scenes::Random random(13);
  const auto cost = [&](int facets) {
    long long tested = 0;
    for (int trial = 0; trial < 40; ++trial) {
      GrowingPolytope of[2];
      for (GrowingPolytope& one : of) {
        one.centre = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
        for (int i = 0; i < facets; ++i) {  // planes that touch a ball
          Vec3 n;
          do {
            n = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
          } while (!(length(n) > 0.1 && length(n) < 1.0));
          n = (1.0 / length(n)) * n;
          one.planes.push_back({n, dot(n, one.centre) + 0.5});
        }
      }
      tested += ratio_metric_3d(of[0], of[1]).tested;
    }
    return static_cast<double>(tested);
  };
  EXPECT_LT(cost(400), 2.5 * cost(200));
}

TEST(RatioMetric, RefusesWhatIsNoPolytope) {
  GrowingPolytope outside = cube_at({});
  outside.centre = {2.0, 0.0, 0.0};
  EXPECT_THROW(ratio_metric_3d(outside, cube_at({})), std::invalid_argument);
  EXPECT_THROW(ratio_metric_3d({{{{1.0, 0.0, 0.0}, 1.0}}, {}}, cube_at({})), std::invalid_argument);
  EXPECT_THROW(growing(make_disc("disc", {}, 0.5)), std::invalid_argument);
  EXPECT_THROW(growing(make_half_plane("floor", {0.0, 1.0}, 0.0)), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp
