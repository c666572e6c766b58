// SPDX-License-Identifier: Apache-2.0
// Faces grow from the largest triangle. The largest neighbour is tried first, and a triangle is added as long as one
// plane fits all corners of the face within the tolerance.
//
// Distances decide, not normals. Between points that are coplanar up to rounding the hull has slivers, whose normals
// mean nothing, but whose corners lie in the plane of a neighbour that is no sliver. The plane is fitted again with
// every triangle (sum of area vectors, weighted mean of centres), so that the first, small one is not stretched over a
// large face.
#include "src/geometry/coplanar.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "src/geometry/vectors.hpp"

namespace pegrasp::hull {
namespace {

struct Piece {
  Vec3 area;    // area vector
  Vec3 centre;  // mean of the corners
  double size = 0.0;
};

Piece piece_of(const std::vector<Vec3>& points, const Triangle& triangle) {
  const Vec3 a = points[static_cast<std::size_t>(triangle[0])];
  const Vec3 b = points[static_cast<std::size_t>(triangle[1])];
  const Vec3 c = points[static_cast<std::size_t>(triangle[2])];
  const Vec3 area = triangle_area(a, b, c);
  return {area, (1.0 / 3.0) * (a + (b + c)), length(area)};
}

// A face that is growing.
class Patch {
 public:
  Patch(const std::vector<Vec3>& points, double tolerance, const Triangle& triangle, const Piece& piece)
      : points_(points), tolerance_(tolerance) {
    add(triangle, piece);
  }

  // Adds the triangle and returns true, if one plane then still fits all corners.
  bool offer(const Triangle& triangle, const Piece& piece) {
    const Vec3 area = area_ + piece.area;
    const double size = length(area);
    if (!(size > 0.0)) return false;
    const Vec3 normal = (1.0 / size) * area;
    const Vec3 origin = (1.0 / (weight_ + piece.size)) * (moment_ + piece.size * piece.centre);
    const auto on_plane = [&](int corner) {
      return std::fabs(dot(normal, points_[static_cast<std::size_t>(corner)] - origin)) <= tolerance_;
    };
    if (!std::all_of(triangle.begin(), triangle.end(), on_plane)) return false;
    if (!std::all_of(corners_.begin(), corners_.end(), on_plane)) return false;
    add(triangle, piece);
    return true;
  }

 private:
  void add(const Triangle& triangle, const Piece& piece) {
    area_ = area_ + piece.area;
    moment_ = moment_ + piece.size * piece.centre;
    weight_ += piece.size;
    corners_.insert(triangle.begin(), triangle.end());
  }

  const std::vector<Vec3>& points_;
  double tolerance_;
  Vec3 area_;
  Vec3 moment_;
  double weight_ = 0.0;
  std::set<int> corners_;
};

}  // namespace

std::vector<std::array<int, 3>> triangle_neighbours(const std::vector<Triangle>& triangles) {
  struct Side {
    std::pair<int, int> ends;
    int triangle = 0;
    bool operator<(const Side& other) const { return ends < other.ends; }
  };
  std::vector<Side> sides;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k)
      sides.push_back({{triangles[t][k], triangles[t][(k + 1) % 3]}, static_cast<int>(t)});
  }
  std::sort(sides.begin(), sides.end());
  std::vector<std::array<int, 3>> neighbours(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Side twin{{triangles[t][(k + 1) % 3], triangles[t][k]}, 0};
      neighbours[t][k] = std::lower_bound(sides.begin(), sides.end(), twin)->triangle;
    }
  }
  return neighbours;
}

std::vector<int> coplanar_faces(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles,
                                double tolerance) {
  const std::vector<std::array<int, 3>> neighbours = triangle_neighbours(triangles);
  std::vector<Piece> pieces;
  for (const Triangle& triangle : triangles) pieces.push_back(piece_of(points, triangle));
  // The triangles, largest first; of two of equal size the one that comes first in the list.
  std::vector<std::size_t> order(triangles.size()), rank(triangles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a].size > pieces[b].size; });
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = r;

  std::vector<int> face(triangles.size(), -1);
  int count = 0;
  for (const std::size_t seed : order) {
    if (face[seed] >= 0) continue;
    Patch patch(points, tolerance, triangles[seed], pieces[seed]);
    face[seed] = count;
    std::set<std::size_t> waiting, refused;  // ranks
    const auto look_around = [&](std::size_t t) {
      for (const int next : neighbours[t]) {
        const std::size_t r = rank[static_cast<std::size_t>(next)];
        if (face[static_cast<std::size_t>(next)] < 0 && refused.count(r) == 0) waiting.insert(r);
      }
    };
    look_around(seed);
    for (bool grown = false; !waiting.empty();) {
      const std::size_t r = *waiting.begin();
      const std::size_t next = order[r];
      waiting.erase(waiting.begin());
      if (patch.offer(triangles[next], pieces[next])) {
        face[next] = count;
        look_around(next);
        grown = true;
      } else {
        refused.insert(r);
      }
      // The plane has moved since triangles were refused, so they are tried again, until none fits.
      if (waiting.empty() && grown) {
        waiting.swap(refused);
        grown = false;
      }
    }
    ++count;
  }
  return face;
}

}  // namespace pegrasp::hull
