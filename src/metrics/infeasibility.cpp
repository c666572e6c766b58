// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/infeasibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "pegrasp/parameters.hpp"
#include "src/geometry/placement.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

// rho of a half-space and a polytope with these corners, world: the polytope alone grows, until it meets the plane.
double metric_on_plane(const BoundingPlane& plane, Vec3 centre, const std::vector<Vec3>& corners) {
  const double size = length(plane.normal);
  const double height = (dot(plane.normal, centre) - plane.offset) / size;
  double below = 0.0;
  for (const Vec3& corner : corners) below = std::max(below, dot(plane.normal, centre - corner) / size);
  return height > 0.0 ? (height - below) / height : -std::numeric_limits<double>::infinity();
}

}  // namespace

Infeasibility::Infeasibility(const SceneSpec& scene) : spatial_(scene.spatial) {
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (may_touch(scene, a, b)) pairs_.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
    }
  }
  for (const BodySpec& body : scene.bodies) {
    std::vector<Part> parts;
    if (scene.spatial) {
      for (const SolidPart& part : body.spatial().parts) {
        if (part.kind == SolidKind::half_space) {
          parts.push_back({{{{part.shape.faces[0].normal, part.shape.faces[0].offset}}, {}}, {}});
        } else if (part.kind == SolidKind::polyhedron) {
          parts.push_back({growing(part.shape), part.shape.vertices});
        } else {
          throw std::invalid_argument("infeasibility: part \"" + part.name + "\" is no polyhedron");
        }
      }
    } else {
      for (const ConvexPart& part : body.planar().parts) {
        if (part.kind == PartKind::half_plane) {
          parts.push_back({{{{{part.normal.x, part.normal.y, 0.0}, part.offset}}, {}}, {}});
          continue;
        }
        Part out{growing(part), {}};
        for (const Corner& corner : part.corners) out.corners.push_back({corner.centre.x, corner.centre.y, 0.0});
        parts.push_back(std::move(out));
      }
    }
    parts_.push_back(std::move(parts));
  }
}

// place(body, x): where a point of the body is; turn(body, n): where a direction points.
template <class Place, class Turn>
double Infeasibility::worst(const Place& place, const Turn& turn, const std::vector<bool>& present) const {
  std::vector<std::vector<Part>> placed = parts_;
  for (std::size_t body = 0; body < placed.size(); ++body) {
    for (Part& part : placed[body]) {
      part.polytope.centre = place(body, part.polytope.centre);
      for (Vec3& corner : part.corners) corner = place(body, corner);
      for (BoundingPlane& plane : part.polytope.planes) {
        const Vec3 on = place(body, (plane.offset / dot(plane.normal, plane.normal)) * plane.normal);
        plane.normal = turn(body, plane.normal);
        plane.offset = dot(plane.normal, on);
      }
    }
  }
  const auto metric = [&](const Part& a, const Part& b) {
    if (a.corners.empty()) return metric_on_plane(a.polytope.planes[0], b.polytope.centre, b.corners);
    if (b.corners.empty()) return metric_on_plane(b.polytope.planes[0], a.polytope.centre, a.corners);
    return (spatial_ ? ratio_metric_3d(a.polytope, b.polytope) : ratio_metric_2d(a.polytope, b.polytope)).metric;
  };
  double worst = 0.0;
  for (const auto& [a, b] : pairs_) {
    if (!present[a] || !present[b]) continue;
    for (const Part& one : placed[a]) {
      for (const Part& other : placed[b]) worst = std::max(worst, -metric(one, other));
    }
  }
  return worst;
}

double Infeasibility::planar(const std::vector<Pose>& poses, const std::vector<bool>& present) const {
  const auto turn = [&](std::size_t body, Vec3 n) {
    const double c = std::cos(poses[body].theta), s = std::sin(poses[body].theta);
    return Vec3{c * n.x - s * n.y, s * n.x + c * n.y, 0.0};
  };
  return worst(
      [&](std::size_t body, Vec3 x) {
        return turn(body, x) + Vec3{poses[body].x, poses[body].y, 0.0};
      },
      turn, present);
}

double Infeasibility::spatial(const std::vector<SpatialPose>& poses, const std::vector<bool>& present) const {
  return worst([&](std::size_t body, Vec3 x) { return transformed(poses[body], x); },
               [&](std::size_t body, Vec3 n) { return turned(poses[body].turn, n); }, present);
}

}  // namespace pegrasp
