// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/geometry/angle.hpp"
#include "src/geometry/chain.hpp"

namespace pegrasp {
namespace {

std::string polygon_error(const std::vector<Vec2>& vertices) {
  try {
    make_polygon("p", vertices);
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

void expect_error(const std::vector<Vec2>& vertices, const std::string& words) {
  const std::string message = polygon_error(vertices);
  EXPECT_NE(message.find(words), std::string::npos) << "message: '" << message << "', wanted: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Polygon, KeepsConvexCounterClockwiseVertices) {
  const ConvexPart square = make_polygon("square", {{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  ASSERT_EQ(square.corners.size(), 4u);
  EXPECT_EQ(square.name, "square");
  EXPECT_EQ(square.corners[2].centre.x, 1.0);
  EXPECT_EQ(square.corners[2].radius, 0.0);
}

TEST(Polygon, DropsCollinearVertices) {
  const ConvexPart square = make_polygon("s", {{0, 0}, {0.3, 0}, {0.6, 0}, {1, 0}, {1, 1}, {0.5, 1}, {0, 1}, {0, 0.5}});
  EXPECT_EQ(square.corners.size(), 4u);
}

TEST(Polygon, NamesWhatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_error({{0, 0}, {1, 0}}, "has 2 vertices, needs at least 3");
  expect_error({{0, 0}, {1, 0}, {nan, 1}}, "vertices[2]");
  expect_error({{0, 0}, {1, 0}, {std::numeric_limits<double>::infinity(), 1}}, "not finite");
  expect_error({{0, 0}, {1, 0}, {1, 1}, {1, 0}}, "vertices[3] (1, 0) repeats vertices[1]");
  expect_error({{0, 0}, {1, 0}, {1, 1}, {0, 0}}, "repeats vertices[0]");
  expect_error({{0, 0}, {1, 1}, {2, 2}}, "zero area");
  expect_error({{0, 0}, {1, 0}, {3, 0}, {2, 0}}, "zero area");
  expect_error({{0, 0}, {0, 1}, {1, 1}, {1, 0}}, "reverse the order");
  expect_error({{0, 0}, {1, 1}, {1, 0}, {0, 1}}, "edge 0-1 cuts edge 2-3");
  expect_error({{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}, "not convex at vertices[3]");
  expect_error({{1e200, 0}, {-1e200, 0}, {0, -1e200}}, "too large");
}

TEST(Polygon, RefusesAPentagramAndASpike) {
  std::vector<Vec2> star;
  for (int i = 0; i < 5; ++i) star.push_back({std::cos(0.8 * pi * i), std::sin(0.8 * pi * i)});
  expect_error(star, "crosses itself");
  expect_error({{0, 0}, {1, 0}, {2, 0}, {1.5, 0}, {1, 1}}, "not convex");
}

TEST(HalfPlane, NormalisesItsNormal) {
  const ConvexPart plane = make_half_plane("ground", {0.0, 2.0}, 3.0);
  EXPECT_EQ(plane.kind, PartKind::half_plane);
  EXPECT_EQ(plane.normal.y, 1.0);
  EXPECT_EQ(plane.offset, 1.5);
  EXPECT_THROW(make_half_plane("g", {0.0, 0.0}, 0.0), ShapeError);
  EXPECT_THROW(make_half_plane("g", {0.0, 1.0}, std::nan("")), ShapeError);
}

TEST(Disc, RefusesNonsense) {
  EXPECT_EQ(make_disc("d", {1, 2}, 0.5).corners.size(), 1u);
  EXPECT_THROW(make_disc("d", {0, 0}, 0.0), ShapeError);
  EXPECT_THROW(make_disc("d", {0, 0}, -1.0), ShapeError);
  EXPECT_THROW(make_disc("d", {0, std::nan("")}, 1.0), ShapeError);
}

TEST(RoundedPolygon, AcceptsHullsAndRefusesTheRest) {
  EXPECT_EQ(make_rounded_polygon("capsule", {{{0, 0}, 0.5}, {{2, 0}, 0.5}}).corners.size(), 2u);
  EXPECT_EQ(make_rounded_polygon("cone", {{{0, 0}, 1.0}, {{2, 0}, 0.0}}).corners.size(), 2u);
  EXPECT_EQ(make_rounded_polygon("tri", {{{0, 0}, 0.1}, {{2, 0}, 0.2}, {{1, 2}, 0.3}}).corners.size(), 3u);
  EXPECT_THROW(make_rounded_polygon("none", {}), ShapeError);
  EXPECT_THROW(make_rounded_polygon("inside", {{{0, 0}, 1.0}, {{0.2, 0}, 0.1}}), ShapeError);
  EXPECT_THROW(make_rounded_polygon("clockwise", {{{0, 0}, 0.1}, {{1, 2}, 0.3}, {{2, 0}, 0.2}}), ShapeError);
  EXPECT_THROW(make_rounded_polygon("buried", {{{0, 0}, 0.5}, {{1, 0.2}, 0.1}, {{2, 0}, 0.5}, {{1, 3}, 0.1}}),
               ShapeError);
  EXPECT_THROW(make_rounded_polygon("through", {{{0.06, 0.52}, 0.0}, {{-0.23, 0.38}, 0.29}, {{-0.04, -0.45}, 0.06}}),
               ShapeError);
  EXPECT_THROW(make_rounded_polygon("negative", {{{0, 0}, 0.5}, {{2, 0}, -0.5}}), ShapeError);
}

TEST(CircularSegment, RefusesBadAngles) {
  EXPECT_THROW(make_circular_segment("s", {0, 0}, 1.0, 1.0, 1.0), ShapeError);
  EXPECT_THROW(make_circular_segment("s", {0, 0}, 1.0, 1.0, 0.5), ShapeError);
  EXPECT_THROW(make_circular_segment("s", {0, 0}, 1.0, 0.0, 2.0 * pi), ShapeError);
  EXPECT_THROW(make_circular_segment("s", {0, 0}, 1.0, 0.0, std::nan("")), ShapeError);
  EXPECT_EQ(make_circular_segment("s", {0, 0}, 1.0, 0.0, pi).corners.size(), 3u);
}

TEST(Angle, AgreesWithTheLibrary) {
  for (int i = -1000; i <= 1000; ++i) {
    const double angle = pi * i / 1000.0;
    EXPECT_NEAR(angle_of({3.0 * std::cos(angle), 3.0 * std::sin(angle)}),
                std::atan2(3.0 * std::sin(angle), 3.0 * std::cos(angle)), 1e-15);
  }
  EXPECT_EQ(turn_between({1, 0}, {1, 0}), 0.0);
  EXPECT_NEAR(turn_between({0, 1}, {1, 0}), 1.5 * pi, 1e-15);
}

TEST(AreaProperties, Rectangle) {
  const AreaProperties p = area_properties(make_polygon("r", {{1, 2}, {4, 2}, {4, 4}, {1, 4}}));
  EXPECT_NEAR(p.area, 6.0, 1e-14);
  EXPECT_NEAR(p.centroid.x, 2.5, 1e-14);
  EXPECT_NEAR(p.centroid.y, 3.0, 1e-14);
  EXPECT_NEAR(p.second_moment, 6.0 * (9.0 + 4.0) / 12.0, 1e-13);
}

TEST(AreaProperties, Disc) {
  const AreaProperties p = area_properties(make_disc("d", {5, -7}, 2.0));
  EXPECT_NEAR(p.area, 4.0 * pi, 1e-14);
  EXPECT_EQ(p.centroid.x, 5.0);
  EXPECT_EQ(p.centroid.y, -7.0);
  EXPECT_NEAR(p.second_moment, 8.0 * pi, 1e-13);
}

TEST(AreaProperties, Capsule) {
  const double r = 0.5, l = 3.0;
  const AreaProperties p = area_properties(make_rounded_polygon("c", {{{0, 0}, r}, {{l, 0}, r}}));
  EXPECT_NEAR(p.area, pi * r * r + 2 * r * l, 1e-14);
  EXPECT_NEAR(p.centroid.x, 0.5 * l, 1e-14);
  EXPECT_NEAR(p.centroid.y, 0.0, 1e-14);
  // two half discs about their flats, moved: I = 2 (pi r^4/4 + 2 (l/2)(2 r^3/3) + (pi r^2/2) (l/2)^2) + box
  const double half_disc = pi * r * r * r * r / 4 + 2 * (l / 2) * (2 * r * r * r / 3) + pi * r * r / 2 * l * l / 4;
  EXPECT_NEAR(p.second_moment, 2 * half_disc + 2 * r * l * (l * l + 4 * r * r) / 12, 1e-13);
}

TEST(AreaProperties, HalfDiscAndItsComplementMakeADisc) {
  const double r = 1.7;
  for (const double split : {0.3, 1.0, pi, 4.0, 6.0}) {
    const AreaProperties a = area_properties(make_circular_segment("a", {0.3, -0.2}, r, 0.4, 0.4 + split));
    const AreaProperties b = area_properties(make_circular_segment("b", {0.3, -0.2}, r, 0.4 + split, 0.4 + 2 * pi));
    EXPECT_NEAR(a.area + b.area, pi * r * r, 1e-12);
    EXPECT_NEAR(a.area * a.centroid.x + b.area * b.centroid.x, 0.3 * pi * r * r, 1e-12);
    const auto about_centre = [](const AreaProperties& p) {
      const double dx = p.centroid.x - 0.3, dy = p.centroid.y + 0.2;
      return p.second_moment + p.area * (dx * dx + dy * dy);
    };
    EXPECT_NEAR(about_centre(a) + about_centre(b), 0.5 * pi * r * r * r * r, 1e-11);
  }
  const AreaProperties half = area_properties(make_circular_segment("h", {0, 0}, r, 0.0, pi));
  EXPECT_NEAR(half.centroid.y, 4 * r / (3 * pi), 1e-14);
}

TEST(AreaProperties, ArcsAgreeWithAFinePolygon) {
  const std::vector<Corner> corners{{{0.1, 0.0}, 0.1}, {{2.0, -0.2}, 0.4}, {{2.2, 1.0}, 0.0}, {{0.5, 1.5}, 0.3}};
  const AreaProperties exact = area_properties(make_rounded_polygon("r", corners));
  const std::vector<ChainEdge> edges = chain_edges(corners);
  std::vector<Vec2> fine;
  constexpr int pieces = 2000;
  for (const ChainArc& arc : chain_arcs(corners, edges)) {
    if (arc.radius == 0.0) {
      fine.push_back(arc.centre);
      continue;
    }
    const double start = std::atan2(arc.from.y, arc.from.x);
    for (int i = 0; i <= pieces; ++i) {
      const double angle = start + arc.angle * i / pieces;
      fine.push_back({arc.centre.x + arc.radius * std::cos(angle), arc.centre.y + arc.radius * std::sin(angle)});
    }
  }
  const AreaProperties polygon = area_properties(make_polygon("f", fine));
  EXPECT_NEAR(exact.area, polygon.area, 1e-6);
  EXPECT_NEAR(exact.centroid.x, polygon.centroid.x, 1e-6);
  EXPECT_NEAR(exact.second_moment, polygon.second_moment, 1e-6);
}

TEST(AreaProperties, HalfPlaneHasNone) { EXPECT_THROW(area_properties(make_half_plane("g", {0, 1}, 0)), ShapeError); }

// Largest distance of the curve from the polygon, by dense sampling; the polygon is given in the curve's own frame.
double largest_gap(const ConvexPart& part, double a, double b, double order) {
  double worst = 0.0;
  for (int i = 0; i <= 20000; ++i) {
    const double angle = 2.0 * pi * i / 20000;
    const double c = std::cos(angle), s = std::sin(angle);
    const double scale = std::pow(std::pow(std::fabs(c), order) + std::pow(std::fabs(s), order), -1.0 / order);
    const Vec2 p{a * c * scale, b * s * scale};
    double outside = -1e300;
    for (std::size_t k = 0; k < part.corners.size(); ++k) {
      const Vec2 u = part.corners[k].centre, v = part.corners[(k + 1) % part.corners.size()].centre;
      const double dx = v.x - u.x, dy = v.y - u.y;
      outside = std::max(outside, ((p.x - u.x) * dy - (p.y - u.y) * dx) / std::sqrt(dx * dx + dy * dy));
    }
    worst = std::max(worst, outside);
  }
  return worst;
}

TEST(Superellipse, StaysWithinItsToleranceAndUsesIt) {
  for (const double order : {2.0, 3.0, 4.0, 2.5, 6.0, 12.0}) {
    for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
      const ConvexPart part = make_superellipse("s", {0, 0}, 2.3e-3, 1.1e-3, order, 0.0, tolerance);
      const double gap = largest_gap(part, 2.3e-3, 1.1e-3, order);
      EXPECT_LE(gap, tolerance) << "order " << order;
      EXPECT_GE(gap, 0.3 * tolerance) << "order " << order << ": more vertices than needed";
    }
  }
}

TEST(Superellipse, VerticesLieOnTheCurveAndMirrorBitByBit) {
  const double a = 2.3e-3, b = 1.1e-3;
  const ConvexPart part = make_superellipse("s", {0, 0}, a, b, 4.0, 0.0, 1e-6);
  const auto has = [&](double x, double y) {
    for (const Corner& c : part.corners) {
      if (c.centre.x == x && c.centre.y == y) return true;
    }
    return false;
  };
  for (const Corner& c : part.corners) {
    EXPECT_NEAR(std::pow(c.centre.x / a, 4) + std::pow(c.centre.y / b, 4), 1.0, 1e-14);
    EXPECT_TRUE(has(-c.centre.x, c.centre.y));
    EXPECT_TRUE(has(c.centre.x, -c.centre.y));
  }
  EXPECT_TRUE(has(a, 0.0));
  EXPECT_TRUE(has(0.0, b));
  EXPECT_EQ(part.corners.size() % 4, 0u);
}

TEST(Superellipse, TurnsAndMoves) {
  const ConvexPart flat = make_superellipse("s", {0, 0}, 2.0, 1.0, 4.0, 0.0, 1e-3);
  const ConvexPart turned = make_superellipse("s", {5, 6}, 2.0, 1.0, 4.0, 0.7, 1e-3);
  ASSERT_EQ(flat.corners.size(), turned.corners.size());
  for (std::size_t i = 0; i < flat.corners.size(); ++i) {
    const Vec2 v = flat.corners[i].centre;
    EXPECT_NEAR(turned.corners[i].centre.x, 5 + std::cos(0.7) * v.x - std::sin(0.7) * v.y, 1e-14);
    EXPECT_NEAR(turned.corners[i].centre.y, 6 + std::sin(0.7) * v.x + std::cos(0.7) * v.y, 1e-14);
  }
}

TEST(Superellipse, RefusesNonsense) {
  EXPECT_THROW(make_superellipse("s", {0, 0}, 0.0, 1.0, 4.0, 0.0, 1e-3), ShapeError);
  EXPECT_THROW(make_superellipse("s", {0, 0}, 1.0, 1.0, 1.5, 0.0, 1e-3), ShapeError);
  EXPECT_THROW(make_superellipse("s", {0, 0}, 1.0, 1.0, 4.0, 0.0, 0.0), ShapeError);
  EXPECT_THROW(make_superellipse("s", {0, 0}, 1.0, 1.0, 4.0, std::nan(""), 1e-3), ShapeError);
  EXPECT_THROW(make_superellipse("s", {0, 0}, 1.0, 1.0, 4.0, 0.0, 1e-14), ShapeError);
  // so coarse that a quadrant is one chord: the rhombus
  EXPECT_EQ(make_superellipse("s", {0, 0}, 1.0, 1.0, 4.0, 0.0, 10.0).corners.size(), 4u);
}

}  // namespace
}  // namespace pegrasp
