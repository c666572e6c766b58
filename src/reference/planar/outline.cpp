// SPDX-License-Identifier: Apache-2.0
#include "src/reference/planar/outline.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::reference {
namespace {

// Directions this far outside a cone [rad] count as inside. The neighbouring edge gives the same result there, up to
// rounding.
constexpr double sliver = 1e-12;
// Below this, 1 - (n . u)^2 counts as zero: the vertex is the end point of the arc beside it.
constexpr double on_the_arc = 1e-12;
// Edges shorter than this, relative to the part, count as without length.
constexpr double no_length = 1e-7;

// Outward normal of the common tangent from corner a to corner b of a counter-clockwise chain.
Point tangent_normal(const Corner& a, const Corner& b) {
  const Point way = point(b.centre) - point(a.centre);
  const double length = way.norm();
  const Point u = way / length;
  const double along = (a.radius - b.radius) / length;
  const double across_squared = (1.0 - along) * (1.0 + along);
  const double across = across_squared > on_the_arc ? std::sqrt(across_squared) : 0.0;
  return (along * u - across * turned_left(u)).normalized();
}

double distance_to_boundary(const Outline& outline, const Point& middle) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const OutlineEdge& edge : outline.edges) nearest = std::min(nearest, edge.offset - edge.normal.dot(middle));
  for (const OutlineCorner& corner : outline.corners) {
    if (corner.radius == 0.0) continue;
    const Point from_centre = middle - corner.centre;
    const double distance = from_centre.norm();
    const bool facing = distance == 0.0 || corner.normals.holds(from_centre / distance);
    if (facing) nearest = std::min(nearest, corner.radius - distance);
  }
  return std::max(0.0, nearest);
}

}  // namespace

Placement Placement::of(const Pose& pose) { return {{pose.x, pose.y}, std::cos(pose.theta), std::sin(pose.theta)}; }

NormalCone NormalCone::between(const Point& from, const Point& to) {
  NormalCone cone;
  cone.from = from;
  cone.to = to;
  cone.all = false;
  double turn = std::atan2(cross(from, to), from.dot(to));
  if (turn < -1e-9) turn += 2.0 * std::acos(-1.0);  // less than nothing by rounding stays nothing
  cone.wide = turn > std::acos(-1.0);
  const double half = 0.5 * turn;
  cone.middle = std::cos(half) * from + std::sin(half) * turned_left(from);
  return cone;
}

bool NormalCone::holds(const Point& direction) const {
  if (all) return true;
  const double after = cross(from, direction);
  const double before = cross(direction, to);
  if (wide) return !(after < -sliver && before < -sliver && middle.dot(direction) < 0.0);
  return after >= -sliver && before >= -sliver && middle.dot(direction) > -sliver;
}

bool Outline::contains(const Point& x, double tolerance) const {
  if (smooth) return smooth->distance(x) <= tolerance;
  for (const OutlineEdge& edge : edges) {
    if (edge.normal.dot(x) - edge.offset > tolerance) return false;
  }
  return std::none_of(corners.begin(), corners.end(), [&](const OutlineCorner& corner) {
    const Point from_centre = x - corner.centre;
    const double distance = from_centre.norm();
    return distance > corner.radius + tolerance && corner.normals.holds(from_centre / distance);
  });
}

Outline make_outline(const ConvexPart& part) {
  Outline out;
  if (part.kind == PartKind::half_plane) {
    OutlineEdge edge;
    edge.normal = point(part.normal).normalized();
    edge.offset = part.offset / point(part.normal).norm();
    edge.tail = edge.head = edge.offset * edge.normal;
    out.edges.push_back(edge);
    out.size = out.inradius = std::numeric_limits<double>::infinity();
    return out;
  }
  if (part.curve) {
    out.smooth = std::make_shared<const SmoothOutline>(*part.curve);
    out.centre = point(part.curve->centre);
    out.size = out.smooth->reach();
    out.inradius = out.smooth->inradius();
    out.corners.push_back({out.centre, out.size, {}, {}});
    return out;
  }
  const std::size_t n = part.corners.size();
  for (const Corner& corner : part.corners) out.centre += point(corner.centre) / static_cast<double>(n);
  for (const Corner& corner : part.corners) {
    out.corners.push_back({point(corner.centre), corner.radius, {}, {}});
    out.size = std::max(out.size, (point(corner.centre) - out.centre).norm() + corner.radius);
  }
  if (n == 1) {
    out.inradius = part.corners[0].radius;
    return out;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& a = part.corners[i];
    const Corner& b = part.corners[(i + 1) % n];
    OutlineEdge edge;
    edge.normal = tangent_normal(a, b);
    edge.offset = edge.normal.dot(point(a.centre)) + a.radius;
    edge.tail = point(a.centre) + a.radius * edge.normal;
    edge.head = point(b.centre) + b.radius * edge.normal;
    const bool two_arcs = a.radius > 0.0 && b.radius > 0.0;
    edge.facet = !two_arcs || (edge.head - edge.tail).norm() > no_length * out.size;
    out.edges.push_back(edge);
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.corners[i].normals = NormalCone::between(out.edges[(i + n - 1) % n].normal, out.edges[i].normal);
  }
  out.inradius = distance_to_boundary(out, point(area_properties(part).centroid));
  return out;
}

PlacedOutline::PlacedOutline(const std::vector<Outline>& parts, int index, const Placement& placement)
    : body(&parts),
      part(index),
      outline(&parts[static_cast<std::size_t>(index)]),
      at(placement),
      centres(2, static_cast<Eigen::Index>(outline->corners.size())),
      normals(2, static_cast<Eigen::Index>(outline->edges.size())),
      offsets(static_cast<Eigen::Index>(outline->edges.size())) {
  for (Eigen::Index i = 0; i < centres.cols(); ++i) {
    centres.col(i) = at(outline->corner(static_cast<int>(i)).centre);
  }
  for (Eigen::Index e = 0; e < normals.cols(); ++e) {
    const OutlineEdge& edge = outline->edge(static_cast<int>(e));
    normals.col(e) = at.direction(edge.normal);
    offsets[e] = edge.offset + normals.col(e).dot(at.origin);
  }
}

Point PlacedOutline::farthest(int corner, const Point& direction) const {
  if (outline->smooth) return at(outline->smooth->farthest(at.direction_back(direction)));
  return centres.col(corner) + outline->corner(corner).radius * direction;
}

double PlacedOutline::round(int corner, const Point& direction) const {
  return outline->smooth ? outline->smooth->radius(at.direction_back(direction)) : outline->corner(corner).radius;
}

Support PlacedOutline::support(const Point& direction) const {
  if (outline->smooth) return {0, direction.dot(farthest(0, direction))};
  Support best{0, -std::numeric_limits<double>::infinity()};
  for (Eigen::Index i = 0; i < centres.cols(); ++i) {
    const double radius = outline->corner(static_cast<int>(i)).radius;
    const double value = direction.dot(centres.col(i)) + radius;
    if (!(value > best.value)) continue;
    // Outside its normals an arc's circle need not belong to the part (a circular segment's does not).
    if (radius > 0.0 && !in_normals(static_cast<int>(i), direction)) continue;
    best = {static_cast<int>(i), value};
  }
  return best;
}

}  // namespace pegrasp::reference
