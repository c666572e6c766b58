// SPDX-License-Identifier: Apache-2.0
#include "src/geometry/surface_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/geometry/triangulate.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// The most distances of points to triangles that are computed.
constexpr double most_distances = 2e7;

double clamped(double x) { return std::clamp(x, 0.0, 1.0); }

double square_to_segment(Vec3 x, Vec3 a, Vec3 b) {
  const Vec3 along = b - a;
  const double size = dot(along, along);
  const double t = size > 0.0 ? clamped(dot(x - a, along) / size) : 0.0;
  const Vec3 off = x - (a + t * along);
  return dot(off, off);
}

// The square of the distance of x to a triangle: to its plane where x lies over it, else to its sides.
double square_to(Vec3 x, const Triangle3& t) {
  const Vec3 normal = cross(t[1] - t[0], t[2] - t[0]);
  const double size = dot(normal, normal);
  bool over = size > 0.0;
  for (std::size_t k = 0; k < 3 && over; ++k) {
    over = dot(cross(t[(k + 1) % 3] - t[k], x - t[k]), normal) >= 0.0;
  }
  if (over) {
    const double height = dot(normal, x - t[0]);
    return height * height / size;
  }
  return std::min(
      {square_to_segment(x, t[0], t[1]), square_to_segment(x, t[1], t[2]), square_to_segment(x, t[2], t[0])});
}

double area_of(const Triangle3& t) { return length(triangle_area(t[0], t[1], t[2])); }

struct Sample {
  Vec3 point;
  Vec3 normal;  // unit; zero of a triangle without area
};

// Corners, centres, and more points where a triangle is large.
std::vector<Sample> samples_of(const std::vector<Triangle3>& triangles, double budget) {
  double area = 0.0;
  for (const Triangle3& t : triangles) area += area_of(t);
  std::vector<Sample> samples;
  for (const Triangle3& t : triangles) {
    const Vec3 across = triangle_area(t[0], t[1], t[2]);
    const double size = length(across);
    const Vec3 normal = size > 0.0 ? (1.0 / size) * across : Vec3{};
    // n^2 small triangles, of which the corners and centres are taken
    const double share = area > 0.0 ? budget * size / area : 0.0;
    const int n = std::clamp(static_cast<int>(std::sqrt(share)), 1, 64);
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; i + j <= n; ++j) {
        const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
        samples.push_back({t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]), normal});
      }
    }
    samples.push_back({(1.0 / 3.0) * (t[0] + (t[1] + t[2])), normal});
  }
  return samples;
}

}  // namespace

std::vector<Triangle3> triangles_of(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces) {
  std::vector<Triangle3> out;
  const auto at = [&](int corner) { return vertices[static_cast<std::size_t>(corner)]; };
  for (const std::vector<int>& face : faces) {
    for (const auto& [a, b, c] : triangulated(vertices, face)) out.push_back({at(a), at(b), at(c)});
  }
  return out;
}

std::vector<Triangle3> triangles_of(const Polyhedron& polyhedron) {
  std::vector<std::vector<int>> faces;
  for (const PolyhedronFace& face : polyhedron.faces) faces.push_back(face.vertices);
  return triangles_of(polyhedron.vertices, faces);
}

double farthest(const std::vector<Triangle3>& from, const std::vector<Triangle3>& to,
                const std::function<bool(Vec3, Vec3)>& counts) {
  if (from.empty() || to.empty()) return 0.0;
  const double room = most_distances / static_cast<double>(to.size());
  const std::vector<Sample> samples = samples_of(from, std::clamp(room / 4.0, 100.0, 20'000.0));
  // Where there is no room for all, evenly chosen ones.
  const std::size_t step =
      std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(samples.size()) / room));
  double worst = 0.0;
  for (std::size_t i = 0; i < samples.size(); i += step) {
    if (counts && !counts(samples[i].point, samples[i].normal)) continue;
    double nearest = std::numeric_limits<double>::infinity();
    for (const Triangle3& t : to) {
      nearest = std::min(nearest, square_to(samples[i].point, t));
      if (nearest <= worst) break;  // it cannot be the farthest
    }
    worst = std::max(worst, nearest);
  }
  return std::sqrt(worst);
}

double enclosed_volume(const std::vector<Triangle3>& triangles) {
  if (triangles.empty()) return 0.0;
  const Vec3 origin = triangles[0][0];
  double six = 0.0;
  for (const Triangle3& t : triangles) six += dot(t[0] - origin, cross(t[1] - origin, t[2] - origin));
  return six / 6.0;
}

}  // namespace pegrasp
