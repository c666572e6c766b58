// SPDX-License-Identifier: Apache-2.0
#include "src/geometry/prism.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/base/sincos.hpp"
#include "src/geometry/chain.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// The number of chords is even, so that a disc has as many sides to the left as to the right.
int even_sides(const ChainArc& arc, double tolerance) {
  const double half = std::sqrt(2.0 * tolerance / arc.radius);  // 1 - cos(half) < half^2 / 2
  return 2 * static_cast<int>(std::ceil(0.25 * arc.angle / std::fmin(half, 1.0)));
}

void add_arc(const ChainArc& arc, double tolerance, const std::string& name, std::vector<Vec2>& out) {
  // a finer tolerance would give thousands of faces
  constexpr double finest = 1e-5, coarsest = 0.2;
  if (!(tolerance >= finest * arc.radius && tolerance <= coarsest * arc.radius)) {
    throw ShapeError(
        "part \"" + name +
        "\" has an arc whose polygon_tolerance_mm must lie between 1e-5 and 0.2 of its radius; give such a length");
  }
  constexpr double whole = 6.28;
  const int sides = even_sides(arc, tolerance);
  const bool closed = arc.angle > whole;
  for (int k = 0; k < sides + (closed ? 0 : 1); ++k) {
    const strict::SinCos turn = strict::sin_cos(arc.angle * (closed ? k + 0.5 : k) / sides);
    out.push_back({arc.centre.x + arc.radius * (turn.cos * arc.from.x - turn.sin * arc.from.y),
                   arc.centre.y + arc.radius * (turn.sin * arc.from.x + turn.cos * arc.from.y)});
  }
}

SolidPart prism(const std::string& name, const std::vector<Vec2>& outline, double low, double high) {
  std::vector<Vec3> points;
  for (const Vec2& x : outline) {
    points.push_back({x.x, x.y, low});
    points.push_back({x.x, x.y, high});
  }
  return {name, make_polyhedron(points)};
}

}  // namespace

std::vector<Vec2> outline_points(const ConvexPart& part, double tolerance) {
  std::vector<Vec2> points;
  for (const ChainArc& arc : chain_arcs(part.corners, chain_edges(part.corners))) {
    if (arc.radius > 0.0) {
      add_arc(arc, tolerance, part.name, points);
    } else {
      points.push_back(arc.centre);
    }
  }
  // an arc ends where the next begins
  const double near = 1e-3 * tolerance;
  const auto same = [&](Vec2 a, Vec2 b) { return std::hypot(a.x - b.x, a.y - b.y) < near; };
  points.erase(std::unique(points.begin(), points.end(), same), points.end());
  while (points.size() > 1 && same(points.front(), points.back())) points.pop_back();
  return points;
}

std::vector<SolidPart> make_prisms(const ConvexPart& part, double low, double high, double tolerance) {
  if (part.kind == PartKind::half_plane) {
    return {make_half_space(part.name, {part.normal.x, part.normal.y, 0.0}, part.offset)};
  }
  if (part.curve) {
    const Superellipse& c = *part.curve;
    const double least = 1e-5 * std::max(c.semi_axis_x, c.semi_axis_y);
    return make_prisms(make_superellipse(part.name, c.centre, c.semi_axis_x, c.semi_axis_y, c.order, c.turn,
                                         std::max(tolerance, least)),
                       low, high, tolerance);
  }
  const std::vector<Vec2> outline = outline_points(part, tolerance);
  const std::size_t n = outline.size();
  if (n <= most_prism_corners) return {prism(part.name, outline, low, high)};
  Vec2 middle;
  for (const Vec2& x : outline)
    middle = {middle.x + x.x / static_cast<double>(n), middle.y + x.y / static_cast<double>(n)};
  // The pieces are as equal as possible, and none spans half a turn or more about the middle, where it would not be
  // convex.
  constexpr std::size_t most_sides = most_prism_corners - 2;
  const std::size_t least = std::max<std::size_t>(3, (n + most_sides - 1) / most_sides);
  const std::size_t sides = (n + least - 1) / least;
  std::vector<SolidPart> pieces;
  for (std::size_t first = 0; first < n;) {
    std::vector<Vec2> piece{middle, outline[first]};
    const Vec2 from = outline[first] - middle;
    for (std::size_t k = first + 1; k <= n && k <= first + sides; ++k) {
      const Vec2 next = outline[k % n];
      if (k > first + 1 && !(cross(from, next - middle) > 0.0)) break;
      piece.push_back(next);
    }
    first += piece.size() - 2;
    const std::string name = pieces.empty() ? part.name : part.name + "_" + std::to_string(pieces.size() + 1);
    pieces.push_back(prism(name, piece, low, high));
  }
  return pieces;
}

}  // namespace pegrasp
