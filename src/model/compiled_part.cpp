// SPDX-License-Identifier: Apache-2.0
#include "model/compiled_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/sincos.hpp"
#include "scene/angle.hpp"
#include "scene/chain.hpp"
#include "scene/model.hpp"

namespace pegrasp {
namespace {

// An edge shorter than this, relative to the part, has no length: arcs that meet tangentially leave such edges.
constexpr double no_length = 1e-7;
// How far outside an edge its cover is probed, relative to the part.
constexpr double probe = 1e-6;

Vec2 turned(Vec2 v, double angle) {
  const strict::SinCos t = strict::sin_cos(angle);
  return {t.cos * v.x - t.sin * v.y, t.sin * v.x + t.cos * v.y};
}

double distance(Vec2 a, Vec2 b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }

CompiledEdge make_edge(const Corner& corner, const ChainEdge& chain) {
  CompiledEdge edge;
  edge.normal = chain.normal;
  edge.offset = chain.normal.x * corner.centre.x + chain.normal.y * corner.centre.y + corner.radius;
  edge.tail = chain.start;
  edge.head = chain.end;
  edge.use = edge_feature;
  return edge;
}

// Splits arc i (between edges i - 1 and i) into pieces of at most a right angle.
void append_arc(const Corner& corner, int name, Vec2 from, const CompiledEdge& to, CompiledPart& out) {
  const double angle = turn_between(from, to.normal);
  const int pieces = corner.radius > 0.0 ? std::max(1, static_cast<int>(std::ceil(angle / (0.5 * pi) - 1e-9))) : 1;
  for (int k = 1; k <= pieces; ++k) {
    out.corners.push_back(corner);
    out.names.push_back(name);
    if (k == pieces) {
      out.edges.push_back(to);
      break;
    }
    const Vec2 n = turned(from, angle * k / pieces);
    const Vec2 end{corner.centre.x + corner.radius * n.x, corner.centre.y + corner.radius * n.y};
    CompiledEdge edge = make_edge(corner, {n, end, end});
    edge.use = edge_hidden;
    out.edges.push_back(edge);
  }
}

bool contains(const CompiledPart& part, Vec2 x, double tolerance) {
  for (const CompiledEdge& edge : part.edges) {
    if (edge.normal.x * x.x + edge.normal.y * x.y - edge.offset > tolerance) return false;
  }
  const std::size_t n = part.corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Corner& corner = part.corners[i];
    const double dx = x.x - corner.centre.x;
    const double dy = x.y - corner.centre.y;
    const bool full = part.edges.empty();
    bool in_cone = full;
    if (!full) {
      const Vec2 from = part.edges[(i + n - 1) % n].normal;
      const Vec2 to = part.edges[i].normal;
      in_cone = from.x * dy - from.y * dx >= 0.0 && dx * to.y - dy * to.x >= 0.0 &&
                (from.x + to.x) * dx + (from.y + to.y) * dy > 0.0;
    }
    if (in_cone && std::sqrt(dx * dx + dy * dy) > corner.radius + tolerance) return false;
  }
  return true;
}

}  // namespace

CompiledPart compile_part(const ConvexPart& part) {
  CompiledPart out;
  if (part.kind == PartKind::half_plane) {
    CompiledEdge edge;
    edge.normal = part.normal;
    edge.offset = part.offset;
    edge.use = edge_feature;
    out.edges.push_back(edge);
    out.radius = -1.0;
    out.inradius = std::numeric_limits<double>::infinity();
    return out;
  }
  const std::size_t n = part.corners.size();
  for (const Corner& corner : part.corners) {
    out.centre.x += corner.centre.x / static_cast<double>(n);
    out.centre.y += corner.centre.y / static_cast<double>(n);
  }
  for (const Corner& corner : part.corners) {
    out.radius = std::max(out.radius, distance(corner.centre, out.centre) + corner.radius);
  }
  if (n == 1) {
    out.corners = part.corners;
    out.names = {0};
    out.inradius = part.corners[0].radius;
    return out;
  }
  const std::vector<ChainEdge> chain = chain_edges(part.corners, part.name);
  std::vector<CompiledEdge> edges;
  for (std::size_t i = 0; i < n; ++i) {
    CompiledEdge edge = make_edge(part.corners[i], chain[i]);
    // Two arcs that meet tangentially leave an edge of no length, which separates nothing; where an arc meets its own end
    // point, the tangent there is a facet.
    const bool arcs = part.corners[i].radius > 0.0 && part.corners[(i + 1) % n].radius > 0.0;
    if (arcs && !(distance(edge.tail, edge.head) > no_length * out.radius)) edge.use = edge_hidden;
    edges.push_back(edge);
  }
  for (std::size_t i = 0; i < n; ++i) {
    append_arc(part.corners[i], static_cast<int>(i), edges[(i + n - 1) % n].normal, edges[i], out);
  }
  const Vec2 middle = area_properties(part).centroid;
  out.inradius = std::numeric_limits<double>::infinity();
  for (const CompiledEdge& edge : out.edges) {
    out.inradius = std::min(out.inradius, edge.offset - edge.normal.x * middle.x - edge.normal.y * middle.y);
  }
  out.inradius = std::max(out.inradius, 0.0);
  return out;
}

void mark_covered(std::vector<CompiledPart>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (CompiledEdge& edge : parts[i].edges) {
      if (edge.use != edge_feature || parts[i].radius < 0.0) continue;
      const double out = probe * parts[i].radius;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        if (j == i || parts[j].radius < 0.0) continue;
        const auto outside = [&](Vec2 x) { return Vec2{x.x + out * edge.normal.x, x.y + out * edge.normal.y}; };
        const double tolerance = 1e-3 * out;
        if (contains(parts[j], outside(edge.tail), tolerance) && contains(parts[j], outside(edge.head), tolerance)) {
          edge.use = edge_covered;
        }
      }
    }
  }
}

}  // namespace pegrasp
