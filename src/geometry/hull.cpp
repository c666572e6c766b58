// SPDX-License-Identifier: Apache-2.0
// Incremental hull: each point replaces the facets that it sees by the triangles to their horizon. A point in the plane
// of a facet does not see it; with exact signs the seen facets are then always a disc, and no new triangle is
// degenerate.
#include "src/geometry/hull.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pegrasp::hull {
namespace {

__extension__ typedef __int128 Wide;  // ISO C++ has no name for it

struct WideVector {
  Wide x = 0;
  Wide y = 0;
  Wide z = 0;
};

GridPoint difference(GridPoint a, GridPoint b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }

// Differences are up to 2^41 in size, so that the elements are up to 2^83.
WideVector cross(GridPoint a, GridPoint b) {
  return {static_cast<Wide>(a.y) * b.z - static_cast<Wide>(a.z) * b.y,
          static_cast<Wide>(a.z) * b.x - static_cast<Wide>(a.x) * b.z,
          static_cast<Wide>(a.x) * b.y - static_cast<Wide>(a.y) * b.x};
}

// The result is up to 3 * 2^124 < 2^126 in size.
Wide dot(const WideVector& a, GridPoint b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

double length(const WideVector& a) {
  const double x = static_cast<double>(a.x), y = static_cast<double>(a.y), z = static_cast<double>(a.z);
  return std::sqrt(x * x + y * y + z * z);
}

double length(GridPoint a) {
  const double x = static_cast<double>(a.x), y = static_cast<double>(a.y), z = static_cast<double>(a.z);
  return std::sqrt(x * x + y * y + z * z);
}

Wide magnitude(Wide a) { return a < 0 ? -a : a; }

struct Facet {
  Triangle corners{};
  WideVector normal;  // outward, not of unit length
  Wide offset = 0;
};

Facet make_facet(const std::vector<GridPoint>& points, int a, int b, int c) {
  const GridPoint origin = points[static_cast<std::size_t>(a)];
  Facet facet{{a, b, c},
              cross(difference(points[static_cast<std::size_t>(b)], origin),
                    difference(points[static_cast<std::size_t>(c)], origin)),
              0};
  facet.offset = dot(facet.normal, origin);
  return facet;
}

bool sees(GridPoint point, const Facet& facet) { return dot(facet.normal, point) > facet.offset; }

// Moves the facets that the point sees from `facets` to `seen`. The other facets keep their order.
void take_seen(GridPoint point, std::vector<Facet>& facets, std::vector<Facet>& seen) {
  seen.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < facets.size(); ++i) {
    if (sees(point, facets[i])) {
      seen.push_back(facets[i]);
    } else {
      if (kept != i) facets[kept] = facets[i];
      ++kept;
    }
  }
  facets.resize(kept);
}

}  // namespace

Simplex spanning_simplex(const std::vector<GridPoint>& points, const std::vector<int>& chosen) {
  const auto at = [&](int i) { return points[static_cast<std::size_t>(i)]; };
  Simplex simplex;
  int a = chosen.front();
  for (const int i : chosen) {
    const GridPoint p = at(i), q = at(a);
    if (std::make_pair(p.x, std::make_pair(p.y, p.z)) < std::make_pair(q.x, std::make_pair(q.y, q.z))) a = i;
  }
  int b = a;
  double longest = 0.0;
  for (const int i : chosen) {
    const double here = length(difference(at(i), at(a)));
    if (here > longest) longest = here, b = i;
  }
  const GridPoint ab = difference(at(b), at(a));
  int c = a;
  double widest = 0.0;
  for (const int i : chosen) {
    const double here = length(cross(ab, difference(at(i), at(a))));
    if (here > widest) widest = here, c = i;
  }
  const WideVector normal = cross(ab, difference(at(c), at(a)));
  int d = a;
  Wide deepest = 0;
  for (const int i : chosen) {
    const Wide here = dot(normal, difference(at(i), at(a)));
    if (magnitude(here) > magnitude(deepest)) deepest = here, d = i;
  }
  simplex.height = longest > 0.0 ? widest / longest : 0.0;
  simplex.depth = widest > 0.0 ? static_cast<double>(magnitude(deepest)) / widest : 0.0;
  simplex.points = {a, b, c, d};
  if (deepest > 0) std::swap(simplex.points[1], simplex.points[2]);
  return simplex;
}

std::vector<Triangle> hull_triangles(const std::vector<GridPoint>& points, const std::vector<int>& chosen) {
  if (chosen.size() < 4) return {};
  const Simplex simplex = spanning_simplex(points, chosen);
  if (!(simplex.depth > 0.0)) return {};
  const auto [a, b, c, d] = simplex.points;
  std::vector<Facet> facets{make_facet(points, a, b, c), make_facet(points, b, a, d), make_facet(points, c, b, d),
                            make_facet(points, a, c, d)};
  std::vector<Facet> seen;
  std::vector<std::pair<int, int>> sides;
  for (const int i : chosen) {
    const GridPoint point = points[static_cast<std::size_t>(i)];
    take_seen(point, facets, seen);
    if (seen.empty()) continue;
    sides.clear();
    for (const Facet& facet : seen) {
      for (std::size_t k = 0; k < 3; ++k) sides.emplace_back(facet.corners[k], facet.corners[(k + 1) % 3]);
    }
    std::sort(sides.begin(), sides.end());
    for (const auto& [tail, head] : sides) {
      if (std::binary_search(sides.begin(), sides.end(), std::make_pair(head, tail))) continue;  // seen from both sides
      facets.push_back(make_facet(points, tail, head, i));
    }
  }
  std::vector<Triangle> triangles;
  triangles.reserve(facets.size());
  for (const Facet& facet : facets) triangles.push_back(facet.corners);
  return triangles;
}

}  // namespace pegrasp::hull
