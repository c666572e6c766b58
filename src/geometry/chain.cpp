// SPDX-License-Identifier: Apache-2.0
#include "src/geometry/chain.hpp"

#include <cmath>
#include <sstream>

#include "src/geometry/angle.hpp"

namespace pegrasp {

std::vector<ChainEdge> chain_edges(const std::vector<Corner>& corners, const std::string& what) {
  std::vector<ChainEdge> edges;
  const std::size_t n = corners.size();
  if (n < 2) return edges;
  edges.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& a = corners[i];
    const Corner& b = corners[(i + 1) % n];
    const double dx = b.centre.x - a.centre.x;
    const double dy = b.centre.y - a.centre.y;
    const double length = std::sqrt(dx * dx + dy * dy);
    // Common tangent: n . a + ra = n . b + rb, with n to the right of the direction of travel.
    const double along = length > 0.0 ? (a.radius - b.radius) / length : 2.0;
    double across_squared = (1.0 - along) * (1.0 + along);
    // The end point of an arc lies on it up to rounding: the tangent point is the end point and the edge has no length.
    const double coordinates =
        std::fabs(a.centre.x) + std::fabs(a.centre.y) + std::fabs(b.centre.x) + std::fabs(b.centre.y);
    const double on_the_arc = 1e-13 + 1e-15 * coordinates / length;
    if (std::fabs(across_squared) < on_the_arc) across_squared = 0.0;
    if (!(across_squared >= 0.0)) {
      std::ostringstream text;
      text << what << ": corners[" << i << "] and corners[" << (i + 1) % n
           << "] have no common tangent (one contains the other): drop the smaller one";
      throw ShapeError(text.str());
    }
    const double across = std::sqrt(across_squared);
    const double ux = dx / length;
    const double uy = dy / length;
    ChainEdge edge;
    edge.normal = {along * ux + across * uy, along * uy - across * ux};
    const double scale = std::sqrt(edge.normal.x * edge.normal.x + edge.normal.y * edge.normal.y);
    edge.normal = {edge.normal.x / scale, edge.normal.y / scale};
    edge.start = {a.centre.x + a.radius * edge.normal.x, a.centre.y + a.radius * edge.normal.y};
    edge.end = {b.centre.x + b.radius * edge.normal.x, b.centre.y + b.radius * edge.normal.y};
    edges.push_back(edge);
  }
  return edges;
}

std::vector<ChainArc> chain_arcs(const std::vector<Corner>& corners, const std::vector<ChainEdge>& edges) {
  const std::size_t n = corners.size();
  std::vector<ChainArc> arcs(n);
  for (std::size_t i = 0; i < n; ++i) {
    ChainArc& arc = arcs[i];
    arc.centre = corners[i].centre;
    arc.radius = corners[i].radius;
    if (edges.empty()) {
      arc.angle = 2.0 * pi;
      continue;
    }
    arc.from = edges[(i + n - 1) % n].normal;
    arc.to = edges[i].normal;
    arc.angle = turn_between(arc.from, arc.to);
  }
  return arcs;
}

}  // namespace pegrasp
