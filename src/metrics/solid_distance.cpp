// SPDX-License-Identifier: Apache-2.0
// The set of differences of the points of two convex polyhedra is a convex polyhedron, whose faces are of three kinds:
// a face of one solid and a vertex of the other, the reverse, and an edge of each. The axes tried here are the normals
// of these faces. Any other axis separates less, so that an axis that rounding spoils does no harm. The closest points
// of disjoint solids lie on a vertex and a face, on two edges, or on the boundaries of these.
#include "src/metrics/solid_distance.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace pegrasp {
namespace {

using solids::HalfSpace;
using solids::PlacedPair;
using solids::PlacedSolid;

constexpr double infinite = std::numeric_limits<double>::infinity();

struct Edge {
  Vec3 from;
  Vec3 to;
};

std::vector<Edge> edges_of(const PlacedSolid& solid) {
  std::vector<Edge> edges;
  edges.reserve(solid.edges->size());
  for (const auto& [from, to] : *solid.edges) edges.push_back({solid.points[from], solid.points[to]});
  return edges;
}

struct Interval {
  double low = infinite;
  double high = -infinite;
};

Interval shadow(const PlacedSolid& solid, Vec3 axis) {
  Interval interval;
  for (const Vec3& point : solid.points) {
    const double x = dot(axis, point);
    interval.low = std::min(interval.low, x);
    interval.high = std::max(interval.high, x);
  }
  return interval;
}

struct WidestAxis {
  double separation = -infinite;
  Vec3 direction;
};

// Tries an axis of any length, in both directions.
void try_axis(const PlacedPair& pair, Vec3 axis, WidestAxis& best) {
  const double length = pegrasp::length(axis);
  if (!(length > 0.0)) return;
  const Vec3 direction = (1.0 / length) * axis;
  const Interval a = shadow(pair.a, direction);
  const Interval b = shadow(pair.b, direction);
  if (b.low - a.high > best.separation) best = {b.low - a.high, direction};
  if (a.low - b.high > best.separation) best = {a.low - b.high, -direction};
}

WidestAxis best_axis(const PlacedPair& pair) {
  WidestAxis best;
  for (const PlacedSolid* solid : {&pair.a, &pair.b}) {
    for (const HalfSpace& side : solid->sides) try_axis(pair, side.normal, best);
  }
  const std::vector<Edge> edges_b = edges_of(pair.b);
  for (const Edge& ea : edges_of(pair.a)) {
    for (const Edge& eb : edges_b) try_axis(pair, cross(ea.to - ea.from, eb.to - eb.from), best);
  }
  return best;
}

struct Closest {
  double distance = infinite;
  Vec3 on_a;
  Vec3 on_b;
};

void try_points(Vec3 on_a, Vec3 on_b, Closest& best) {
  const double distance = length(on_b - on_a);
  if (distance < best.distance) best = {distance, on_a, on_b};
}

Vec3 nearest_on(const Edge& edge, Vec3 point) {
  const Vec3 along = edge.to - edge.from;
  const double square = dot(along, along);
  if (!(square > 0.0)) return edge.from;
  const double t = dot(point - edge.from, along) / square;
  return t <= 0.0 ? edge.from : (t >= 1.0 ? edge.to : edge.from + t * along);
}

// Tries the ends of each edge against the other edge, and the common perpendicular of the two lines where it meets both
// edges.
void try_edges(const Edge& a, const Edge& b, Closest& best) {
  for (const Vec3& end : {a.from, a.to}) try_points(end, nearest_on(b, end), best);
  for (const Vec3& end : {b.from, b.to}) try_points(nearest_on(a, end), end, best);
  const Vec3 u = a.to - a.from;
  const Vec3 v = b.to - b.from;
  const Vec3 n = cross(u, v);
  const double square = dot(n, n);
  if (!(square > 0.0)) return;
  const Vec3 between = b.from - a.from;
  const double s = dot(cross(between, v), n) / square;
  const double t = dot(cross(between, u), n) / square;
  if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) try_points(a.from + s * u, b.from + t * v, best);
}

// The foot of the perpendicular from the point to the face's plane. False where it is outside the face: then one of the
// face's edges is nearer.
bool foot_on(const PlacedSolid& solid, std::size_t f, Vec3 point, Vec3& foot) {
  const Vec3 normal = solid.sides[f].normal;
  if (!solid.sides[f].has_direction()) return false;
  const std::vector<int>& face = (*solid.faces)[f];
  for (std::size_t k = 0; k < face.size(); ++k) {
    const Vec3 from = solid.points[face[k]];
    const Vec3 to = solid.points[face[(k + 1) % face.size()]];
    if (dot(cross(to - from, point - from), normal) < 0.0) return false;
  }
  // The plane goes through a vertex of the face instead of having the offset of the side, which for a sliver may
  // differ.
  foot = point - dot(normal, point - solid.points[face[0]]) * normal;
  return true;
}

// The closest points of the two surfaces.
Closest closest_points(const PlacedSolid& a, const PlacedSolid& b) {
  Closest best;
  Vec3 foot;
  for (const Vec3& point : b.points) {
    for (std::size_t f = 0; f < a.sides.size(); ++f) {
      if (foot_on(a, f, point, foot)) try_points(foot, point, best);
    }
  }
  for (const Vec3& point : a.points) {
    for (std::size_t f = 0; f < b.sides.size(); ++f) {
      if (foot_on(b, f, point, foot)) try_points(point, foot, best);
    }
  }
  const std::vector<Edge> edges_b = edges_of(b);
  for (const Edge& ea : edges_of(a)) {
    for (const Edge& eb : edges_b) try_edges(ea, eb, best);
  }
  return best;
}

PlacedPair placed_pair(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                       const SpatialPose& pose_b) {
  if (a.empty() || b.empty()) throw std::invalid_argument("an empty solid has no distance from anything");
  return solids::place_pair(a, pose_a, b, pose_b);
}

}  // namespace

AxisGap largest_separation(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                           const SpatialPose& pose_b) {
  const WidestAxis best = best_axis(placed_pair(a, pose_a, b, pose_b));
  return {best.separation, best.direction};
}

SolidGap solid_distance(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                        const SpatialPose& pose_b) {
  PlacedPair pair = placed_pair(a, pose_a, b, pose_b);
  WidestAxis best = best_axis(pair);
  if (best.separation > 0.0) {
    const Closest closest = closest_points(pair.a, pair.b);
    // For points that are very close the difference is mostly rounding. Then the axis is the better direction, and it
    // is recognised by separating more.
    try_axis(pair, closest.on_b - closest.on_a, best);
    return {closest.distance, best.direction, pair.origin + closest.on_a, pair.origin + closest.on_b};
  }
  // Solid b is moved out the shortest way, so that the two touch. Every point of contact is then a pair of deepest
  // points.
  const Vec3 out = best.separation * best.direction;
  for (Vec3& point : pair.b.points) point = point - out;
  const Closest closest = closest_points(pair.a, pair.b);
  return {best.separation, best.direction, pair.origin + closest.on_a, pair.origin + (closest.on_b + out)};
}

}  // namespace pegrasp
