// SPDX-License-Identifier: Apache-2.0
// make_polygon(): checks a list of vertices and makes it a chain. Errors say in one line what is wrong with the list.
#include <cmath>
#include <sstream>

#include "pegrasp/shapes.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// Relative to the extent of the outline: vertices closer than this are the same point, and a vertex that lies closer
// than this to the line through its neighbours is on it. Well above rounding, well below any feature that matters.
constexpr double coincidence = 1e-12;

struct Outline {
  const std::string& name;
  const std::vector<Vec2>& vertices;

  std::size_t size() const { return vertices.size(); }
  std::size_t next(std::size_t i) const { return i + 1 == vertices.size() ? 0 : i + 1; }

  std::string vertex(std::size_t i) const {
    std::ostringstream text;
    text << "vertices[" << i << "] (" << vertices[i].x << ", " << vertices[i].y << ")";
    return text.str();
  }
  [[noreturn]] void fail(const std::string& problem) const { throw ShapeError("polygon '" + name + "': " + problem); }
};

// Twice the signed area of the triangle a, b, c.
double doubled_area(Vec2 a, Vec2 b, Vec2 c) { return cross(b - a, c - a); }

double distance(Vec2 a, Vec2 b) { return length(b - a); }

double check_points(const Outline& outline) {
  if (outline.size() < 3) {
    std::ostringstream text;
    text << "has " << outline.size() << " vertices, needs at least 3";
    outline.fail(text.str());
  }
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Vec2 v = outline.vertices[i];
    if (!std::isfinite(v.x) || !std::isfinite(v.y))
      outline.fail(outline.vertex(i) + " is not finite: give real numbers");
  }
  double extent = 0.0;
  for (const Vec2& v : outline.vertices) extent = std::fmax(extent, distance(outline.vertices[0], v));
  if (!std::isfinite(extent * extent)) outline.fail("is too large to compute with: use metres");
  for (std::size_t i = 0; i < outline.size(); ++i) {
    for (std::size_t j = i + 1; j < outline.size(); ++j) {
      if (distance(outline.vertices[i], outline.vertices[j]) > coincidence * extent) continue;
      std::ostringstream text;
      text << outline.vertex(j) << " repeats vertices[" << i << "]: drop one of them";
      outline.fail(text.str());
    }
  }
  return extent;
}

void check_area(const Outline& outline, double extent) {
  const std::vector<Vec2>& v = outline.vertices;
  // The baseline goes from vertices[0] to the vertex farthest from it. A thin triangle is allowed, a line is not.
  std::size_t far = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    if (distance(v[0], v[i]) > distance(v[0], v[far])) far = i;
  }
  double width = 0.0;
  for (const Vec2& p : v) width = std::fmax(width, std::fabs(doubled_area(v[0], v[far], p)) / distance(v[0], v[far]));
  if (!(width > coincidence * extent)) {
    outline.fail("has zero area (all vertices lie on one line): move a vertex off the line");
  }
}

void check_crossings(const Outline& outline) {
  const std::vector<Vec2>& v = outline.vertices;
  const auto opposite = [](double a, double b) { return (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0); };
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t j = i + 2; j < v.size(); ++j) {
      const Vec2 a = v[i], b = v[outline.next(i)], c = v[j], d = v[outline.next(j)];
      if (!opposite(doubled_area(a, b, c), doubled_area(a, b, d)) ||
          !opposite(doubled_area(c, d, a), doubled_area(c, d, b)))
        continue;
      std::ostringstream text;
      text << "crosses itself: edge " << i << "-" << outline.next(i) << " cuts edge " << j << "-" << outline.next(j)
           << ": list the vertices in order around the outline";
      outline.fail(text.str());
    }
  }
}

void check_orientation(const Outline& outline) {
  double twice_area = 0.0;
  for (std::size_t i = 1; i + 1 < outline.size(); ++i) {
    twice_area += doubled_area(outline.vertices[0], outline.vertices[i], outline.vertices[i + 1]);
  }
  if (!(twice_area > 0.0)) outline.fail("runs clockwise: reverse the order of the vertices");
}

// Indices of the vertices that are corners, the collinear ones dropped.
std::vector<std::size_t> corners_of(const Outline& outline, double extent) {
  const std::vector<Vec2>& v = outline.vertices;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < v.size(); ++i) kept.push_back(i);
  for (bool changed = true; changed && kept.size() > 3;) {
    changed = false;
    for (std::size_t k = 0; k < kept.size() && kept.size() > 3; ++k) {
      const Vec2 a = v[kept[(k + kept.size() - 1) % kept.size()]];
      const Vec2 b = v[kept[k]];
      const Vec2 c = v[kept[(k + 1) % kept.size()]];
      const double base = distance(a, c);
      const bool between = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) > 0.0;
      if (!between || std::fabs(doubled_area(a, b, c)) > coincidence * extent * base) continue;
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(k));
      changed = true;
      --k;
    }
  }
  return kept;
}

void check_convexity(const Outline& outline, const std::vector<std::size_t>& kept, double extent) {
  const std::vector<Vec2>& v = outline.vertices;
  const std::size_t n = kept.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (doubled_area(v[kept[(k + n - 1) % n]], v[kept[k]], v[kept[(k + 1) % n]]) > 0.0) continue;
    outline.fail("is not convex at " + outline.vertex(kept[k]) + ": split the outline into convex parts there");
  }
  // Left turns alone still allow an outline that winds twice: every vertex must lie to the left of every edge.
  for (std::size_t k = 0; k < n; ++k) {
    const Vec2 a = v[kept[k]];
    const Vec2 b = v[kept[(k + 1) % n]];
    for (const std::size_t i : kept) {
      if (doubled_area(a, b, v[i]) >= -coincidence * extent * distance(a, b)) continue;
      outline.fail("is not convex: " + outline.vertex(i) +
                   " lies outside an edge: list the vertices in order, once around");
    }
  }
}

}  // namespace

ConvexPart make_polygon(std::string name, const std::vector<Vec2>& vertices) {
  const Outline outline{name, vertices};
  const double extent = check_points(outline);
  check_area(outline, extent);
  check_crossings(outline);
  check_orientation(outline);
  const std::vector<std::size_t> kept = corners_of(outline, extent);
  check_convexity(outline, kept, extent);
  ConvexPart part;
  for (const std::size_t i : kept) part.corners.push_back({vertices[i], 0.0});
  part.name = std::move(name);
  return part;
}

}  // namespace pegrasp
