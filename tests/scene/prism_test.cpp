// SPDX-License-Identifier: Apache-2.0
// Outlines as polygons, and the prisms over them.
#include "src/geometry/prism.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pegrasp {
namespace {

constexpr double pi = 3.14159265358979323846;

double volume(const std::vector<SolidPart>& parts) {
  double sum = 0.0;
  for (const SolidPart& part : parts) sum += solid_properties(part).volume;
  return sum;
}

double polygon_area(const std::vector<Vec2>& p) {
  double twice = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec2 a = p[i], b = p[(i + 1) % p.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return 0.5 * twice;
}

TEST(Prism, ChordsOfADiscStayWithinTheTolerance) {
  for (const double tolerance : {1e-6, 1e-5, 1e-3}) {
    const std::vector<Vec2> p = outline_points(make_disc("disc", {0.001, -0.002}, 0.02), tolerance);
    EXPECT_EQ(p.size() % 2, 0u);
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Vec2 a = p[i], b = p[(i + 1) % p.size()];
      EXPECT_NEAR(std::hypot(a.x - 0.001, a.y + 0.002), 0.02, 1e-15);
      const double sagitta = 0.02 - std::hypot(0.5 * (a.x + b.x) - 0.001, 0.5 * (a.y + b.y) + 0.002);
      EXPECT_LE(sagitta, tolerance);
    }
    const double least = pi / std::acos(1.0 - tolerance / 0.02);
    EXPECT_LE(static_cast<double>(p.size()), least + 2.5) << "more sides than it takes";
  }
}

// Whatever the outline: pieces cover it, none overlaps another, and each is small.
TEST(Prism, PiecesMakeUpTheWhole) {
  const std::vector<ConvexPart> parts{
      make_disc("disc", {0.0, 0.0}, 0.02), make_superellipse("tooth", {0.02, 0.003}, 0.0023, 0.0011, 4, 0.3, 1e-6),
      make_circular_segment("segment", {0.0, 0.0}, 0.03, 0.2, 1.0),
      make_rounded_polygon("round", {{{0.0, 0.0}, 0.01}, {{0.05, 0.0}, 0.003}, {{0.02, 0.03}, 0.0}}),
      make_polygon("box", {{0.0, 0.0}, {0.1, 0.0}, {0.1, 0.05}, {0.0, 0.05}})};
  for (const ConvexPart& part : parts) {
    SCOPED_TRACE(part.name);
    const double tolerance = 1e-6;
    const std::vector<SolidPart> pieces = make_prisms(part, -0.001, 0.002, tolerance);
    const double area = polygon_area(outline_points(part, tolerance));
    EXPECT_NEAR(volume(pieces), 0.003 * area, 1e-9 * 0.003 * area);
    EXPECT_LE(area, area_properties(part).area * (1.0 + 1e-12));
    EXPECT_GE(area, area_properties(part).area * (1.0 - 0.001));
    EXPECT_EQ(pieces.front().name, part.name);
    for (const SolidPart& piece : pieces) EXPECT_LE(piece.shape.vertices.size(), 2 * most_prism_corners);
    const std::size_t corners = outline_points(part, tolerance).size();
    EXPECT_EQ(pieces.size() == 1, corners <= most_prism_corners);
  }
}

TEST(Prism, HalfPlanesBecomeHalfSpaces) {
  const std::vector<SolidPart> parts = make_prisms(make_half_plane("wall", {0.0, 2.0}, 0.1), 0.0, 1.0, 1e-6);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].kind, SolidKind::half_space);
  EXPECT_EQ(parts[0].shape.faces[0].normal.y, 1.0);
}

}  // namespace
}  // namespace pegrasp
