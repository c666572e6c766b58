// SPDX-License-Identifier: Apache-2.0
// Makers of discs, half-planes, rounded polygons and circular segments.
#include "pegrasp/shapes.hpp"

#include <cmath>
#include <sstream>

#include "kernels/base/sincos.hpp"
#include "src/geometry/angle.hpp"
#include "src/geometry/chain.hpp"

namespace pegrasp {
namespace {

bool finite(Vec2 v) { return std::isfinite(v.x) && std::isfinite(v.y); }

void check_disc(const std::string& what, Vec2 centre, double radius) {
  std::ostringstream text;
  if (!finite(centre)) {
    text << what << ": centre (" << centre.x << ", " << centre.y << ") is not finite: give real numbers";
    throw ShapeError(text.str());
  }
  if (!(radius > 0.0) || !std::isfinite(radius)) {
    text << what << ": radius must be a finite number > 0 m, got " << radius;
    throw ShapeError(text.str());
  }
}

}  // namespace

ConvexPart make_disc(std::string name, Vec2 centre, double radius) {
  check_disc("disc '" + name + "'", centre, radius);
  ConvexPart part;
  part.name = std::move(name);
  part.corners = {{centre, radius}};
  return part;
}

ConvexPart make_half_plane(std::string name, Vec2 normal, double offset) {
  const double length = std::sqrt(normal.x * normal.x + normal.y * normal.y);
  if (!std::isfinite(length) || !(length > 0.0) || !std::isfinite(offset / length)) {
    std::ostringstream text;
    text << "half-plane '" << name << "': normal (" << normal.x << ", " << normal.y << ") and offset " << offset
         << " must be finite and the normal not zero: give the normal that points out of it";
    throw ShapeError(text.str());
  }
  ConvexPart part;
  part.name = std::move(name);
  part.kind = PartKind::half_plane;
  part.normal = normal;
  part.offset = offset;
  // A normal that is already a unit vector keeps its bits, so that reading back a written scene changes nothing.
  if (std::fabs(length - 1.0) > 1e-15) {
    part.normal = {normal.x / length, normal.y / length};
    part.offset = offset / length;
  }
  return part;
}

ConvexPart make_chain(std::string name, const std::vector<Corner>& corners, const std::string& shape) {
  const std::string what = shape + " '" + name + "'";
  if (corners.empty()) throw ShapeError(what + ": has no corners, needs at least 1: add one");
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Corner& corner = corners[i];
    if (finite(corner.centre) && std::isfinite(corner.radius) && corner.radius >= 0.0) continue;
    std::ostringstream text;
    text << what << ": corners[" << i << "] needs a finite centre and a radius >= 0 m: correct it";
    throw ShapeError(text.str());
  }
  if (corners.size() == 1) return make_disc(std::move(name), corners[0].centre, corners[0].radius);
  bool all_vertices = true;
  for (const Corner& corner : corners) all_vertices = all_vertices && corner.radius == 0.0;
  if (all_vertices) {
    std::vector<Vec2> vertices;
    for (const Corner& corner : corners) vertices.push_back(corner.centre);
    return make_polygon(std::move(name), vertices);
  }
  // A closed chain is convex when it never turns right and turns once in all; a wrong order, a buried corner or a
  // reflex one shows as a second turn.
  const std::vector<ChainArc> arcs = chain_arcs(corners, chain_edges(corners, what));
  double turned = 0.0;
  std::size_t sharpest = 0;
  for (std::size_t i = 0; i < arcs.size(); ++i) {
    turned += arcs[i].angle;
    const bool turns_right = arcs[i].angle > pi && (arcs[i].radius == 0.0 || arcs[i].angle > arcs[sharpest].angle);
    if (turns_right) sharpest = i;
  }
  if (std::fabs(turned - 2.0 * pi) > 1e-6) {
    std::ostringstream text;
    text << what << ": is not convex at corners[" << sharpest
         << "]: list the corners counter-clockwise and drop those inside the hull of the others";
    throw ShapeError(text.str());
  }
  ConvexPart part;
  part.name = std::move(name);
  part.corners = corners;
  return part;
}

ConvexPart make_rounded_polygon(std::string name, const std::vector<Corner>& corners) {
  ConvexPart part = make_chain(std::move(name), corners, "rounded polygon");
  // A large disc next to a narrow hull may reach through its far side: the chain is convex, but not the hull of the
  // discs.
  for (const ChainEdge& edge : chain_edges(part.corners)) {
    const double offset = edge.normal.x * edge.start.x + edge.normal.y * edge.start.y;
    for (std::size_t i = 0; i < part.corners.size(); ++i) {
      const Corner& corner = part.corners[i];
      const double reach = edge.normal.x * corner.centre.x + edge.normal.y * corner.centre.y + corner.radius;
      if (reach - offset <= 1e-9 * (std::fabs(reach) + corner.radius)) continue;
      std::ostringstream text;
      text << "rounded polygon '" << part.name << "': the disc of corners[" << i
           << "] reaches through the far side: list it there too, or make it smaller";
      throw ShapeError(text.str());
    }
  }
  return part;
}

ConvexPart make_circular_segment(std::string name, Vec2 centre, double radius, double from, double to) {
  const std::string what = "circular segment '" + name + "'";
  check_disc(what, centre, radius);
  const double angle = to - from;
  // Below this the segment is thinner than rounding; a full turn is a disc.
  constexpr double smallest = 1e-6;
  if (!std::isfinite(from) || !std::isfinite(to) || !(angle >= smallest) || !(angle <= 2.0 * pi - smallest)) {
    std::ostringstream text;
    text << what << ": angles from " << from << " to " << to << " rad must satisfy 0 < to - from < 2 pi: "
         << (angle >= 2.0 * pi - smallest ? "use a disc for a full turn" : "swap them or add a full turn to `to`");
    throw ShapeError(text.str());
  }
  const strict::SinCos begin = strict::sin_cos(from);
  const strict::SinCos end = strict::sin_cos(to);
  ConvexPart part;
  part.name = std::move(name);
  part.corners = {{centre, radius},
                  {{centre.x + radius * end.cos, centre.y + radius * end.sin}, 0.0},
                  {{centre.x + radius * begin.cos, centre.y + radius * begin.sin}, 0.0}};
  return part;
}

}  // namespace pegrasp
