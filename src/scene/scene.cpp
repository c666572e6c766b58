// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/scene.hpp"

#include <algorithm>
#include <cmath>

#include "src/geometry/chain.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// Whether an arc has the outward normal d, of any length.
bool has_normal(const ChainArc& arc, Vec2 d) {
  const bool after_from = cross(arc.from, d) >= 0.0;
  const bool before_to = cross(d, arc.to) >= 0.0;
  const bool wide = cross(arc.from, arc.to) < 0.0;  // more than half a turn
  return wide ? after_from || before_to : after_from && before_to;
}

bool bounded(const ConvexPart& part) { return part.kind != PartKind::half_plane && !part.corners.empty(); }

// Largest distance of a point of the part from a point of the body's frame. On an arc it is where the outward normal
// points away from that point, if the arc has that normal; otherwise it is at an end of an edge.
double farthest_point(const ConvexPart& part, Vec2 from) {
  if (!bounded(part)) return 0.0;
  const auto arm = [from](Vec2 x) { return Vec2{x.x - from.x, x.y - from.y}; };
  if (part.corners.size() == 1) return length(arm(part.corners[0].centre)) + part.corners[0].radius;
  const std::vector<ChainEdge> edges = chain_edges(part.corners);
  const std::vector<ChainArc> arcs = chain_arcs(part.corners, edges);
  double farthest = 0.0;
  for (const ChainEdge& edge : edges) farthest = std::max({farthest, length(arm(edge.start)), length(arm(edge.end))});
  for (const ChainArc& arc : arcs) {
    const Vec2 c = arm(arc.centre);
    if (arc.radius > 0.0 && has_normal(arc, c)) farthest = std::max(farthest, length(c) + arc.radius);
  }
  return farthest;
}

double farthest_from(const SolidPart& part, Vec3 from) {
  double farthest = 0.0;
  for (const Vec3& v : part.shape.vertices) {
    farthest = std::max(farthest, length({v.x - from.x, v.y - from.y, v.z - from.z}));
  }
  const bool smooth = part.kind == SolidKind::superellipsoid;
  return farthest + (smooth ? bounding_radius(part) - length(part.shape.vertices[0]) : part.radius);
}

// The box of a body's bounded parts, in its frame.
class Box {
 public:
  void add(const ConvexPart& part) {
    if (!bounded(part)) return;
    if (part.corners.size() == 1)
      return add({part.corners[0].centre.x, part.corners[0].centre.y}, part.corners[0].radius);
    const std::vector<ChainEdge> edges = chain_edges(part.corners);
    for (const ChainEdge& edge : edges) {
      add({edge.start.x, edge.start.y}, 0.0);
      add({edge.end.x, edge.end.y}, 0.0);
    }
    for (const ChainArc& arc : chain_arcs(part.corners, edges)) {
      for (const Vec2 d : {Vec2{1.0, 0.0}, Vec2{0.0, 1.0}, Vec2{-1.0, 0.0}, Vec2{0.0, -1.0}}) {
        if (has_normal(arc, d)) add({arc.centre.x + arc.radius * d.x, arc.centre.y + arc.radius * d.y}, 0.0);
      }
    }
  }
  void add(const SolidPart& part) {
    const Vec3 reach = round_reach(part);
    for (const Vec3& v : part.shape.vertices) {
      add(v - reach, 0.0);
      add(v + reach, 0.0);
    }
  }
  bool empty() const { return !(low_.x <= high_.x); }
  // Of an empty box, too.
  bool holds_origin() const {
    return empty() ||
           (low_.x <= 0.0 && low_.y <= 0.0 && low_.z <= 0.0 && high_.x >= 0.0 && high_.y >= 0.0 && high_.z >= 0.0);
  }
  Vec3 middle() const { return {0.5 * (low_.x + high_.x), 0.5 * (low_.y + high_.y), 0.5 * (low_.z + high_.z)}; }

 private:
  void add(Vec3 x, double radius) {
    low_ = {std::min(low_.x, x.x - radius), std::min(low_.y, x.y - radius), std::min(low_.z, x.z - radius)};
    high_ = {std::max(high_.x, x.x + radius), std::max(high_.y, x.y + radius), std::max(high_.z, x.z + radius)};
  }

  Vec3 low_{1e300, 1e300, 1e300}, high_{-1e300, -1e300, -1e300};
};

double farthest_point(const BodySpec& body, Vec3 from) {
  double radius = 0.0;
  if (body.is_spatial()) {
    for (const SolidPart& part : body.spatial().parts) radius = std::max(radius, farthest_from(part, from));
  } else {
    for (const ConvexPart& part : body.planar().parts) {
      radius = std::max(radius, farthest_point(part, Vec2{from.x, from.y}));
    }
  }
  return radius;
}

}  // namespace

double bounding_radius(const BodySpec& body) { return farthest_point(body, Vec3{}); }

BodyExtent extent(const BodySpec& body) {
  Box box;
  std::visit(
      [&box](const auto& form) {
        for (const auto& part : form.parts) box.add(part);
      },
      body.form);
  const Vec3 middle = box.holds_origin() ? Vec3{} : box.middle();
  return {middle, farthest_point(body, middle)};
}

double length_scale(const SceneSpec& scene) {
  if (scene.length_scale > 0.0) return scene.length_scale;
  double scale = 0.0, followers = 0.0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind != BodyKind::dynamic) continue;
    double& of = follows_keyframes(scene, static_cast<int>(b)) ? followers : scale;
    of = std::max(of, extent(scene.bodies[b]).radius);
  }
  if (!(scale > 0.0)) scale = followers;
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

bool has_shells(const SceneSpec& scene) {
  const auto any = [](const auto& parts) {
    return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part.shell.has_value(); });
  };
  return std::any_of(scene.bodies.begin(), scene.bodies.end(), [&](const BodySpec& body) {
    return body.shell || (body.is_spatial() ? any(body.spatial().parts) : any(body.planar().parts));
  });
}

void remove_shells(SceneSpec& scene) {
  for (BodySpec& body : scene.bodies) {
    body.shell.reset();
    if (body.is_spatial()) {
      for (SolidPart& part : body.spatial().parts) part.shell.reset();
    } else {
      for (ConvexPart& part : body.planar().parts) part.shell.reset();
    }
  }
}

}  // namespace pegrasp
