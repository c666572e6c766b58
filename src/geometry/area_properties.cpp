// SPDX-License-Identifier: Apache-2.0
// Area, centroid and second moment of a chain: the polygon through the ends of its edges, plus one circular segment per
// arc.
//
// Segment of angle phi on a circle of radius r, about the circle's centre (sin, cos from the end normals, no libm):
//   area = r^2/2 (phi - sin phi),   first moment along the bisector = 2/3 r^3 sin^3(phi/2),
//   polar second moment = r^4 (phi/4 - sin phi (2 + cos phi)/12)   [sector minus triangle].
#include <cmath>

#include "src/geometry/angle.hpp"
#include "src/geometry/chain.hpp"
#include "src/geometry/smooth_part.hpp"

namespace pegrasp {
namespace {

// The integrals of 1, of x and y, and of x^2 + y^2 over the area, about the origin.
struct Moments {
  double area = 0.0;
  Vec2 first;
  double second = 0.0;

  // Adds a piece that is given by its moments about the point c.
  void add_about(Vec2 c, double piece_area, Vec2 piece_first, double piece_second) {
    area += piece_area;
    first.x += piece_first.x + piece_area * c.x;
    first.y += piece_first.y + piece_area * c.y;
    second += piece_second + 2.0 * (c.x * piece_first.x + c.y * piece_first.y) + piece_area * (c.x * c.x + c.y * c.y);
  }

  // Adds the triangle (origin, a, b), with the sign of its area.
  void add_triangle(Vec2 a, Vec2 b) {
    const double twice = a.x * b.y - a.y * b.x;
    area += twice / 2.0;
    first.x += twice / 6.0 * (a.x + b.x);
    first.y += twice / 6.0 * (a.y + b.y);
    second += twice / 12.0 * (a.x * a.x + a.y * a.y + a.x * b.x + a.y * b.y + b.x * b.x + b.y * b.y);
  }

  void add_segment(const ChainArc& arc) {
    const double r = arc.radius;
    const double phi = arc.angle;
    const double sine = arc.from.x * arc.to.y - arc.from.y * arc.to.x;
    const double cosine = arc.from.x * arc.to.x + arc.from.y * arc.to.y;
    // Of sin(phi/2) and cos(phi/2) the larger comes from a root, the other from sin phi = 2 sin(phi/2) cos(phi/2), so
    // that neither loses digits.
    double half_sine = 0.0, half_cosine = 0.0;
    if (cosine < 0.0) {
      half_sine = std::sqrt(0.5 * (1.0 - cosine));
      half_cosine = sine / (2.0 * half_sine);
    } else {
      half_cosine = (phi > pi ? -1.0 : 1.0) * std::sqrt(0.5 * (1.0 + cosine));
      half_sine = sine / (2.0 * half_cosine);
    }
    const Vec2 bisector{half_cosine * arc.from.x - half_sine * arc.from.y,
                        half_sine * arc.from.x + half_cosine * arc.from.y};
    const double lever = 2.0 / 3.0 * r * r * r * half_sine * half_sine * half_sine;
    add_about(arc.centre, 0.5 * r * r * (phi - sine), {lever * bisector.x, lever * bisector.y},
              r * r * r * r * (phi / 4.0 - sine * (2.0 + cosine) / 12.0));
  }
};

}  // namespace

AreaProperties area_properties(const ConvexPart& part) {
  if (part.kind == PartKind::half_plane) {
    throw ShapeError("half-plane '" + part.name + "': has no finite area: give the body's mass and inertia instead");
  }
  if (part.curve) return smooth_area_properties(*part.curve);
  // The moments are taken about a point of the part, so that parts far from the body's origin lose no digits.
  const Vec2 origin = part.corners.front().centre;
  std::vector<Corner> corners = part.corners;
  for (Corner& corner : corners) {
    corner.centre.x -= origin.x;
    corner.centre.y -= origin.y;
  }
  const std::vector<ChainEdge> edges = chain_edges(corners);
  const std::vector<ChainArc> arcs = chain_arcs(corners, edges);
  Moments moments;
  if (edges.empty()) {
    const double r = corners[0].radius;
    moments.add_about(corners[0].centre, pi * r * r, {0.0, 0.0}, 0.5 * pi * r * r * r * r);
  } else {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      moments.add_triangle(edges[i].start, edges[i].end);
      moments.add_triangle(edges[i].end, edges[(i + 1) % edges.size()].start);  // chord of the arc of the next corner
      if (arcs[i].radius > 0.0) moments.add_segment(arcs[i]);
    }
  }
  AreaProperties result;
  result.area = moments.area;
  const Vec2 centroid{moments.first.x / moments.area, moments.first.y / moments.area};
  result.second_moment = moments.second - moments.area * (centroid.x * centroid.x + centroid.y * centroid.y);
  result.centroid = {origin.x + centroid.x, origin.y + centroid.y};
  return result;
}

}  // namespace pegrasp
