// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/internal_edges.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::reference {
namespace {

// The distance outside an edge at which its cover is looked for, and the distance at which a sibling holds a vertex,
// relative to the size of the part. It is well above rounding and well below any feature.
constexpr double probe = 1e-6;
// The share of that distance that counts as touching.
constexpr double touch = 1e-3;
// A covered edge may have uncovered pieces shorter than this, relative to the part, where one sibling ends and the next
// begins.
constexpr double no_length = 1e-7;
// A sibling whose surface is in line with an edge of this part may seem to reach farther by so much [rad], by rounding.
constexpr double in_line = 1e-6;

// The parameters t of a + t (b - a) at which the line may cross the boundary of the part.
void crossings(const Outline& part, const Point& a, const Point& b, std::vector<double>& out) {
  const Point way = b - a;
  if (part.smooth) {  // short pieces, each of which is asked for
    constexpr int pieces = 400;
    for (int k = 1; k < pieces; ++k) out.push_back(k / static_cast<double>(pieces));
    return;
  }
  for (const OutlineEdge& edge : part.edges) {
    const double rate = edge.normal.dot(way);
    if (rate != 0.0) out.push_back((edge.offset - edge.normal.dot(a)) / rate);
  }
  for (const OutlineCorner& corner : part.corners) {
    if (corner.radius == 0.0) continue;
    // |a + t way - c|^2 = r^2
    const Point from_centre = a - corner.centre;
    const double half = from_centre.dot(way) / way.squaredNorm();
    const double rest = (from_centre.squaredNorm() - corner.radius * corner.radius) / way.squaredNorm();
    const double root = half * half - rest;
    if (root < 0.0) continue;
    out.push_back(-half - std::sqrt(root));
    out.push_back(-half + std::sqrt(root));
  }
}

bool covered(const std::vector<Outline>& parts, std::size_t self, const Point& a, const Point& b, double tolerance) {
  const auto held = [&](const Point& x) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j != self && parts[j].contains(x, tolerance)) return true;
    }
    return false;
  };
  if (!((b - a).norm() > 0.0)) return held(a);
  std::vector<double> cuts{0.0, 1.0};
  for (std::size_t j = 0; j < parts.size(); ++j) {
    if (j != self) crossings(parts[j], a, b, cuts);
  }
  for (double& t : cuts) t = std::clamp(t, 0.0, 1.0);
  std::sort(cuts.begin(), cuts.end());
  const double shortest = no_length * parts[self].size / (b - a).norm();
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
    if (cuts[k + 1] - cuts[k] < shortest) continue;
    if (!held(a + 0.5 * (cuts[k] + cuts[k + 1]) * (b - a))) return false;
  }
  return held(a) && held(b);
}

// Whether the part reaches farther along d than its point v, not counting what is in line with the surface there.
bool reaches_farther(const Outline& part, const Point& v, const Point& d, double near) {
  if (part.smooth) return (part.smooth->farthest(d) - v).dot(d) > near;
  for (const OutlineEdge& edge : part.edges) {
    if (part.half_plane()) return edge.normal.dot(d) < 1.0 - in_line || edge.normal.dot(v) < edge.offset - near;
    for (const Point& end : {edge.tail, edge.head}) {
      const Point way = end - v;
      if (way.norm() > near && way.dot(d) > in_line * way.norm()) return true;
    }
  }
  return std::any_of(part.corners.begin(), part.corners.end(), [&](const OutlineCorner& corner) {
    if (corner.radius == 0.0) {
      const Point way = corner.centre - v;
      return way.norm() > near && way.dot(d) > in_line * way.norm();
    }
    return corner.normals.holds(d) && (corner.centre - v).dot(d) + corner.radius > near;
  });
}

}  // namespace

void mark_internal_edges(std::vector<Outline>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Outline& part = parts[i];
    if (part.half_plane()) continue;
    const double out = probe * part.size;
    for (OutlineEdge& edge : part.edges) {
      const Point shift = out * edge.normal;
      edge.covered = edge.facet && covered(parts, i, edge.tail + shift, edge.head + shift, touch * out);
    }
    if (part.corners.size() < 2) continue;
    for (OutlineCorner& corner : part.corners) {
      if (corner.radius > 0.0) continue;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        if (j != i && parts[j].contains(corner.centre, out)) corner.siblings.push_back(static_cast<int>(j));
      }
    }
  }
}

bool on_surface(const std::vector<Outline>& parts, int part, int corner, const Point& d) {
  const Outline& own = parts[static_cast<std::size_t>(part)];
  if (own.smooth) {
    const double out = probe * own.size;
    const Point x = own.smooth->farthest(d) + out * d;
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (static_cast<int>(j) != part && parts[j].contains(x, touch * out)) return false;
    }
    return true;
  }
  const OutlineCorner& c = own.corner(corner);
  return std::none_of(c.siblings.begin(), c.siblings.end(), [&](int j) {
    return reaches_farther(parts[static_cast<std::size_t>(j)], c.centre, d, probe * own.size);
  });
}

}  // namespace pegrasp::reference
