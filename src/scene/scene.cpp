// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/scene.hpp"

#include <algorithm>
#include <cmath>

#include "src/geometry/chain.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// Largest distance of a point of the part from the body's origin. On an arc it is where the outward normal points away
// from the origin, if the arc has that normal; otherwise it is at an end of an edge.
double farthest_point(const ConvexPart& part) {
  if (part.kind == PartKind::half_plane || part.corners.empty()) return 0.0;
  if (part.corners.size() == 1) return length(part.corners[0].centre) + part.corners[0].radius;
  const std::vector<ChainEdge> edges = chain_edges(part.corners);
  const std::vector<ChainArc> arcs = chain_arcs(part.corners, edges);
  double farthest = 0.0;
  for (const ChainEdge& edge : edges) farthest = std::max({farthest, length(edge.start), length(edge.end)});
  for (const ChainArc& arc : arcs) {
    if (!(arc.radius > 0.0)) continue;
    const Vec2 c = arc.centre;
    const bool after_from = cross(arc.from, c) >= 0.0;
    const bool before_to = cross(c, arc.to) >= 0.0;
    const bool wide = cross(arc.from, arc.to) < 0.0;  // more than half a turn
    const bool inside = wide ? after_from || before_to : after_from && before_to;
    if (inside) farthest = std::max(farthest, length(c) + arc.radius);
  }
  return farthest;
}

}  // namespace

double bounding_radius(const BodySpec& body) {
  double radius = 0.0;
  if (body.is_spatial()) {
    for (const SolidPart& part : body.spatial().parts) radius = std::max(radius, bounding_radius(part));
  } else {
    for (const ConvexPart& part : body.planar().parts) radius = std::max(radius, farthest_point(part));
  }
  return radius;
}

double length_scale(const SceneSpec& scene) {
  if (scene.length_scale > 0.0) return scene.length_scale;
  double scale = 0.0;
  for (const BodySpec& body : scene.bodies) {
    if (body.kind == BodyKind::dynamic) scale = std::max(scale, bounding_radius(body));
  }
  return scale > 0.0 ? scale : 1.0;  // nothing dynamic has an extent: metres
}

std::vector<std::string> part_names(const BodySpec& body) {
  std::vector<std::string> names;
  std::visit(
      [&](const auto& form) {
        for (const auto& part : form.parts) names.push_back(part.name);
      },
      body.form);
  return names;
}

int part_index(const SceneSpec& scene, const std::string& body, const std::string& part) {
  int index = 0;
  for (const BodySpec& candidate : scene.bodies) {
    for (const std::string& name : part_names(candidate)) {
      if (candidate.name == body && name == part) return index;
      ++index;
    }
  }
  return -1;
}

std::optional<std::array<double, 3>> tripod_loads(const std::array<Vec2, 3>& point, double weight) {
  // sum N = W, sum N r = 0: the loads are W times the barycentric coordinates of the centre of mass in the triangle.
  const std::array<double, 3> part{cross(point[1], point[2]), cross(point[2], point[0]), cross(point[0], point[1])};
  const double twice_area = part[0] + part[1] + part[2];
  double extent = 0.0;
  for (const Vec2& p : point) extent = std::max(extent, length(p));
  // Relative to the triangle's extent: thinner than this it is a line and the loads are noise.
  constexpr double degenerate = 1e-9;
  if (!std::isfinite(twice_area) || !std::isfinite(weight)) return std::nullopt;
  if (!(std::fabs(twice_area) > degenerate * extent * extent)) return std::nullopt;
  std::array<double, 3> load{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = part[i] / twice_area;
    if (share < -1e-12) return std::nullopt;
    load[i] = weight * std::max(0.0, share);  // the centre of mass on an edge: rounding must not push up
  }
  return load;
}

}  // namespace pegrasp
