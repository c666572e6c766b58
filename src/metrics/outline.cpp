// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/outline.hpp"

#include <algorithm>
#include <cmath>

#include "src/geometry/angle.hpp"
#include "src/geometry/chain.hpp"

namespace pegrasp {
namespace {

// Height of a circle above its centre at the horizontal distance u from the centre.
double half_chord(double radius, double u) { return std::sqrt(std::max(0.0, (radius - u) * (radius + u))); }

// phi - sin phi, computed without cancellation.
double phi_minus_sine(double phi, double sine) {
  if (phi > 0.3) return phi - sine;
  const double z = phi * phi;
  return phi * z / 6.0 * (1.0 - z / 20.0 * (1.0 - z / 42.0 * (1.0 - z / 72.0 * (1.0 - z / 110.0))));
}

void append_inside(double x, double from, double to, std::vector<double>& out) {
  if (x > from && x < to) out.push_back(x);
}

void cross_lines(const BoundaryPiece& p, const BoundaryPiece& q, double from, double to, std::vector<double>& out) {
  const double before = p.at(from) - q.at(from);
  const double after = p.at(to) - q.at(to);
  if ((before > 0.0 && after < 0.0) || (before < 0.0 && after > 0.0)) {
    append_inside(from + (to - from) * (before / (before - after)), from, to, out);
  }
}

void cross_line_circle(const BoundaryPiece& line, const BoundaryPiece& arc, double from, double to,
                       std::vector<double>& out) {
  const double dx = line.x1 - line.x0;
  const double dy = line.y1 - line.y0;
  const double length = std::sqrt(dx * dx + dy * dy);
  if (!(length > 0.0)) return;
  const double ux = dx / length;
  const double uy = dy / length;
  // The point of the line nearest to the centre, and its distance d. The form (r - d)(r + d) keeps the digits of a
  // shallow cut.
  const double rx = arc.centre.x - line.x0;
  const double ry = arc.centre.y - line.y0;
  const double distance = ux * ry - uy * rx;
  const double support_sphere = line.x0 + (rx * ux + ry * uy) * ux;
  if (std::fabs(distance) >= arc.radius) return;
  const double half = half_chord(arc.radius, distance);
  append_inside(support_sphere - half * ux, from, to, out);
  append_inside(support_sphere + half * ux, from, to, out);
}

void cross_circles(const BoundaryPiece& p, const BoundaryPiece& q, double from, double to, std::vector<double>& out) {
  const double dx = q.centre.x - p.centre.x;
  const double dy = q.centre.y - p.centre.y;
  const double d = std::sqrt(dx * dx + dy * dy);
  if (!(d > 0.0)) return;
  // `a` is the distance of the common chord from the centre of p. p.radius - a and p.radius + a are computed as
  // products, so that a shallow lens keeps its digits.
  const double beyond = (p.radius + q.radius - d) * (q.radius + d - p.radius) / (2.0 * d);
  const double within = (d + p.radius - q.radius) * (d + p.radius + q.radius) / (2.0 * d);
  if (!(beyond > 0.0) || !(within > 0.0)) return;
  const double half = std::sqrt(beyond * within);
  const double support_sphere = p.centre.x + (p.radius - beyond) * (dx / d);
  append_inside(support_sphere - half * (dy / d), from, to, out);
  append_inside(support_sphere + half * (dy / d), from, to, out);
}

// Cuts an arc where its normal is horizontal, and adds the pieces to the upper and the lower boundary.
void append_arc(const ChainArc& arc, Outline& outline) {
  Vec2 normal = arc.from;
  double remaining = arc.angle;
  for (int piece = 0; piece < 3 && remaining > 0.0; ++piece) {
    const bool upper = normal.y > 0.0 || (normal.y == 0.0 && normal.x > 0.0);
    const Vec2 boundary{upper ? -1.0 : 1.0, 0.0};
    const double turn = turn_between(normal, boundary);
    const bool last = turn >= remaining;
    const Vec2 end = last ? arc.to : boundary;
    const double xa = arc.centre.x + arc.radius * normal.x;
    const double xb = arc.centre.x + arc.radius * end.x;
    BoundaryPiece p;
    p.x0 = std::min(xa, xb);
    p.x1 = std::max(xa, xb);
    p.centre = arc.centre;
    p.radius = arc.radius;
    p.side = upper ? 1.0 : -1.0;
    (upper ? outline.upper : outline.lower).push_back(p);
    normal = boundary;
    remaining -= turn;
    if (last) break;
  }
}

void include(Vec2 v, Outline& outline) {
  outline.low = {std::min(outline.low.x, v.x), std::min(outline.low.y, v.y)};
  outline.high = {std::max(outline.high.x, v.x), std::max(outline.high.y, v.y)};
}

}  // namespace

double BoundaryPiece::at(double x) const {
  if (radius > 0.0) return centre.y + side * half_chord(radius, x - centre.x);
  // Measured from the nearer end, so that a crossing next to a vertex keeps its digits.
  const double slope = (y1 - y0) / (x1 - x0);
  if (x <= x0) return y0;
  if (x >= x1) return y1;
  return x - x0 < x1 - x ? y0 + slope * (x - x0) : y1 - slope * (x1 - x);
}

double BoundaryPiece::bulge(double from, double to) const {
  if (!(radius > 0.0) || !(to > from)) return 0.0;
  const double u0 = std::clamp(from - centre.x, -radius, radius);
  const double u1 = std::clamp(to - centre.x, -radius, radius);
  const double v0 = half_chord(radius, u0);
  const double v1 = half_chord(radius, u1);
  const double dx = u1 - u0;
  const double dy = v0 + v1 > 0.0 ? dx * (u0 + u1) / (v0 + v1) : 0.0;
  // Half of the angle that the chord subtends. Its sine comes from the length of the chord and its cosine from the
  // distance of the chord from the centre, because neither gives the other accurately at both ends of the range.
  const double sine = std::min(1.0, std::sqrt(dx * dx + dy * dy) / (2.0 * radius));
  const double cosine = std::min(1.0, std::sqrt((u0 + u1) * (u0 + u1) + (v0 + v1) * (v0 + v1)) / (2.0 * radius));
  return 0.5 * radius * radius * phi_minus_sine(2.0 * angle_of({cosine, sine}), 2.0 * sine * cosine);
}

void append_crossings(const BoundaryPiece& p, const BoundaryPiece& q, double from, double to,
                      std::vector<double>& out) {
  if (p.radius > 0.0 && q.radius > 0.0) {
    cross_circles(p, q, from, to, out);
  } else if (p.radius > 0.0) {
    cross_line_circle(q, p, from, to, out);
  } else if (q.radius > 0.0) {
    cross_line_circle(p, q, from, to, out);
  } else {
    cross_lines(p, q, from, to, out);
  }
}

Outline make_outline(const std::vector<Corner>& corners) {
  Outline outline;
  const std::vector<ChainEdge> edges = chain_edges(corners);
  const std::vector<ChainArc> arcs = chain_arcs(corners, edges);
  const Vec2 start = edges.empty() ? corners[0].centre : edges[0].start;
  outline.low = outline.high = start;
  for (const ChainEdge& edge : edges) {
    include(edge.start, outline);
    include(edge.end, outline);
    if (edge.start.x == edge.end.x) continue;
    const bool upper = edge.end.x < edge.start.x;  // counter-clockwise: the top runs to the left
    BoundaryPiece piece;
    const Vec2 left = upper ? edge.end : edge.start;
    const Vec2 right = upper ? edge.start : edge.end;
    piece.x0 = left.x;
    piece.y0 = left.y;
    piece.x1 = right.x;
    piece.y1 = right.y;
    (upper ? outline.upper : outline.lower).push_back(piece);
  }
  for (const ChainArc& arc : arcs) {
    if (!(arc.radius > 0.0)) continue;
    append_arc(arc, outline);
    // The box may be slightly too large where the arc does not reach the extremes of its circle. It only excludes
    // pairs.
    include({arc.centre.x - arc.radius, arc.centre.y - arc.radius}, outline);
    include({arc.centre.x + arc.radius, arc.centre.y + arc.radius}, outline);
  }
  return outline;
}

}  // namespace pegrasp
