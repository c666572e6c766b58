// SPDX-License-Identifier: Apache-2.0
// Checks, volume and placement of convex solids.
#include "src/metrics/solid.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace pegrasp {
namespace {

using solids::HalfSpace;
using solids::PlacedSolid;
using solids::Shell;

// Rounding of computed coordinates, relative to the largest of them. With a smaller value solids that were cut would be
// refused, first slivers and tiny parts far from the origin of the frame.
constexpr double coordinate_noise = 1e-14;

[[noreturn]] void fail(const std::string& problem) { throw std::invalid_argument("convex solid: " + problem); }

bool is_finite(Vec3 v) { return v.x - v.x == 0.0 && v.y - v.y == 0.0 && v.z - v.z == 0.0; }

Vec3 middle_of(const std::vector<Vec3>& points) {
  Vec3 sum;
  for (const Vec3& point : points) sum = sum + point;
  return (1.0 / static_cast<double>(points.size())) * sum;
}

double reach_of(const std::vector<Vec3>& points) {
  double reach = 0.0;
  for (const Vec3& point : points) reach = std::max(reach, length(point));
  return reach;
}

double extent_of(const std::vector<Vec3>& points) {
  const Vec3 middle = middle_of(points);
  double extent = 0.0;
  for (const Vec3& point : points) extent = std::max(extent, length(point - middle));
  return extent;
}

// Twice the area, along the outward normal. It is taken about a corner of the face, so that a small face far from the
// origin loses no digits.
Vec3 doubled_area(const Shell& shell, const std::vector<int>& face) {
  const Vec3 from = shell.points[face[0]];
  Vec3 sum;
  for (std::size_t k = 1; k + 1 < face.size(); ++k) {
    sum = sum + cross(shell.points[face[k]] - from, shell.points[face[k + 1]] - from);
  }
  return sum;
}

void check_closed(const ConvexSolid& solid) {
  std::set<std::pair<int, int>> edges;
  for (std::size_t f = 0; f < solid.faces.size(); ++f) {
    const std::vector<int>& face = solid.faces[f];
    if (face.size() < 3) fail("face " + std::to_string(f) + " has fewer than three vertices");
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int from = face[k];
      const int to = face[k + 1 == face.size() ? 0 : k + 1];
      if (from < 0 || static_cast<std::size_t>(from) >= solid.vertices.size()) {
        fail("face " + std::to_string(f) + " names a vertex that there is not");
      }
      if (from == to || !edges.insert({from, to}).second) {
        fail("face " + std::to_string(f) + " repeats an edge: list every face once, counter-clockwise from outside");
      }
    }
  }
  for (const std::pair<int, int>& edge : edges) {
    if (!edges.contains({edge.second, edge.first})) {
      fail("the edge from vertex " + std::to_string(edge.first) + " to " + std::to_string(edge.second) +
           " has a face on one side only: close the surface");
    }
  }
}

// The normal of every face, zero where one has no area.
std::vector<Vec3> normals_of(const Shell& shell) {
  std::vector<Vec3> normals;
  for (const std::vector<int>& face : shell.faces) {
    const Vec3 area = doubled_area(shell, face);
    const double length = pegrasp::length(area);
    normals.push_back(length > 0.0 ? (1.0 / length) * area : Vec3{});
  }
  return normals;
}

std::vector<std::array<int, 2>> edges_of(const ConvexSolid& solid) {
  std::vector<std::array<int, 2>> edges;
  for (const std::vector<int>& face : solid.faces) {
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int from = face[k];
      const int to = face[(k + 1) % face.size()];
      if (from < to) edges.push_back({from, to});  // its reverse is in the other face
    }
  }
  return edges;
}

void check_convex(const Shell& shell, double tolerance) {
  const double extent = extent_of(shell.points);
  const double noise = coordinate_noise * reach_of(shell.points);
  const Vec3 middle = middle_of(shell.points);
  for (std::size_t f = 0; f < shell.faces.size(); ++f) {
    const Vec3 area = doubled_area(shell, shell.faces[f]);
    const double length = pegrasp::length(area);
    if (!(length > 0.0)) continue;
    const Vec3 normal = (1.0 / length) * area;
    double inner = std::numeric_limits<double>::infinity();
    for (const int v : shell.faces[f]) inner = std::min(inner, dot(normal, shell.points[v] - middle));
    double outer = -std::numeric_limits<double>::infinity();
    for (const Vec3& point : shell.points) outer = std::max(outer, dot(normal, point - middle));
    // The narrower a sliver is, the less accurate is its normal.
    const double allowed = tolerance * extent + noise * (1.0 + extent * extent / length);
    if (outer - inner > allowed) {
      fail("vertices stand out of face " + std::to_string(f) + ": the solid is not convex, or is inside out");
    }
  }
  if (solids::shell_volume(shell) < -(dent_tolerance * extent + noise) * extent * extent) {
    fail("the faces are inside out");
  }
}

// The columns of the rotation matrix. They are divided by the square of the quaternion, so that a quaternion that
// rounding has made slightly too long does not scale the solid.
struct RotationColumns {
  Vec3 x, y, z;

  Vec3 apply(Vec3 v) const { return (v.x * x + v.y * y) + v.z * z; }
};

RotationColumns columns_of(const Quaternion& q) {
  const double square = (q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z);
  if (!(square > 0.0) || !(square - square == 0.0)) fail("the turn of its pose is no unit quaternion");
  const double s = 2.0 / square;
  return {{1.0 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y)},
          {s * (q.x * q.y - q.w * q.z), 1.0 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x)},
          {s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1.0 - s * (q.x * q.x + q.y * q.y)}};
}

// The rounding error of a - b.
double rounding_of(double a, double b) {
  const double difference = a - b;
  const double taken = difference - a;
  return (a - (difference - taken)) - (b + taken);
}

// Normals are turned from body coordinates, because there the normals of a box, for example, are exact. The offset of a
// side is that of the outermost vertex, so that no side cuts anything off its own solid, however inaccurate its normal
// is.
PlacedSolid place(const CheckedSolid& checked, const SpatialPose& pose, Vec3 origin) {
  const ConvexSolid& solid = checked.solid();
  PlacedSolid placed{{}, {}, &solid.faces, &checked.edges()};
  const RotationColumns turn = columns_of(pose.turn);
  const Vec3 at = pose.position - origin;
  if (!is_finite(at)) fail("its position is not finite");
  // The middle of a large solid may be far from the origin while its surface is near. Then the sum below is exact, and
  // only this difference is rounded.
  const Vec3 rest{rounding_of(pose.position.x, origin.x), rounding_of(pose.position.y, origin.y),
                  rounding_of(pose.position.z, origin.z)};
  placed.points.reserve(solid.vertices.size());
  for (const Vec3& vertex : solid.vertices) {
    placed.points.push_back((turn.apply(vertex) + at) + rest);
  }
  placed.sides.reserve(checked.normals().size());
  for (const Vec3& normal : checked.normals()) {
    HalfSpace side{normal, 0.0};
    if (side.has_direction()) {
      side.normal = turn.apply(normal);
      side.offset = -std::numeric_limits<double>::infinity();
      for (const Vec3& point : placed.points) side.offset = std::max(side.offset, dot(side.normal, point));
    }
    placed.sides.push_back(side);
  }
  return placed;
}

}  // namespace

void check_solid(const ConvexSolid& solid, double tolerance) {
  for (const Vec3& vertex : solid.vertices) {
    if (!is_finite(vertex)) fail("a vertex is not finite");
  }
  if (solid.faces.empty() && solid.vertices.empty()) return;
  if (solid.faces.empty()) fail("it has vertices but no faces");
  check_closed(solid);
  check_convex(solids::shell_of(solid), tolerance);
}

CheckedSolid::CheckedSolid(ConvexSolid solid, double tolerance) : solid_(std::move(solid)) {
  check_solid(solid_, tolerance);
  if (empty()) return;
  const Shell shell = solids::shell_of(solid_);
  extent_ = extent_of(shell.points);
  normals_ = normals_of(shell);
  edges_ = edges_of(solid_);
}

double solid_volume(const ConvexSolid& solid, double tolerance) {
  check_solid(solid, tolerance);
  return std::max(0.0, solids::shell_volume(solids::shell_of(solid)));
}

namespace solids {

Shell shell_of(const ConvexSolid& solid) { return {solid.vertices, solid.faces}; }

// By the divergence theorem the volume is that of the tetrahedra that the middle spans with every triangle of the
// faces.
double shell_volume(const Shell& shell) {
  if (shell.points.empty()) return 0.0;
  const Vec3 middle = middle_of(shell.points);
  double sum = 0.0;
  for (const std::vector<int>& face : shell.faces) {
    if (face.size() < 3) continue;
    sum += dot(shell.points[face[0]] - middle, doubled_area(shell, face));
  }
  return sum / 6.0;
}

PlacedPair place_pair(const CheckedSolid& a, const SpatialPose& pose_a, const CheckedSolid& b,
                      const SpatialPose& pose_b) {
  PlacedPair pair;
  if (!a.empty() && !b.empty()) pair.a_is_smaller = a.extent() <= b.extent();
  pair.origin = pair.a_is_smaller ? pose_a.position : pose_b.position;
  pair.a = place(a, pose_a, pair.origin);
  pair.b = place(b, pose_b, pair.origin);
  return pair;
}

}  // namespace solids
}  // namespace pegrasp
