// SPDX-License-Identifier: Apache-2.0
#include "src/model/solid_internal_edges.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/model/model.hpp"
#include "src/geometry/placement.hpp"

namespace pegrasp {
namespace {

// Relative to the part: how far outside a face its cover is looked for, and how near a feature lies to a sibling that
// holds it. Well above rounding, well below any feature.
constexpr double probe = 1e-6;
// Share of that distance within which parts touch.
constexpr double touch = 1e-3;
// Gaps narrower than this, relative to the part, may stay open: there one sibling ends and the next begins.
constexpr double no_length = 1e-5;
// A direction is dropped if no normal of the feature leans towards it by more than this.
constexpr double in_line = 1e-7;

double size_of(const Polyhedron& shape) {
  Vec3 low = shape.vertices[0];
  Vec3 high = low;
  for (const Vec3& v : shape.vertices) {
    low = {std::min(low.x, v.x), std::min(low.y, v.y), std::min(low.z, v.z)};
    high = {std::max(high.x, v.x), std::max(high.y, v.y), std::max(high.z, v.z)};
  }
  return 0.5 * length(high - low);
}

bool holds(const Polyhedron& shape, Vec3 x, double within) {
  return !shape.faces.empty() &&  // the core of a round part has no volume
         std::all_of(shape.faces.begin(), shape.faces.end(),
                     [&](const PolyhedronFace& face) { return dot(face.normal, x) <= face.offset + within; });
}

using Loop = std::vector<Vec3>;  // a convex polygon in 3D

// Whether the loop is no wider than `width`.
bool is_sliver(const Loop& loop, double width) {
  if (loop.size() < 3) return true;
  Vec3 area{};
  double longest = 0.0;
  for (std::size_t i = 1; i < loop.size(); ++i) {
    longest = std::max(longest, length(loop[i] - loop[0]));
    if (i + 1 < loop.size()) area = area + 0.5 * cross(loop[i] - loop[0], loop[i + 1] - loop[0]);
  }
  return length(area) <= 0.5 * width * longest;
}

// The part of a loop beyond the plane n . x = offset (`inside` false) or on its inner side.
Loop part_of(const Loop& loop, Vec3 n, double offset, bool inside) {
  Loop out;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3 next = loop[(i + 1) % loop.size()];
    const double here = dot(n, loop[i]) - offset;
    const double there = dot(n, next) - offset;
    if ((here <= 0.0) == inside) out.push_back(loop[i]);
    if ((here <= 0.0) != (there <= 0.0)) out.push_back(loop[i] + (here / (here - there)) * (next - loop[i]));
  }
  return out;
}

// The other parts of a body that a part may touch.
struct Siblings {
  const std::vector<SolidPart>& parts;
  const std::vector<std::size_t>& near;
  double within;

  // Whether a loop lies in the union of the siblings from `first` on, apart from remnants no wider than `width`. Each
  // sibling in turn cuts off the part that it holds.
  bool cover(Loop loop, double width, std::size_t first = 0) const {
    if (is_sliver(loop, width)) return true;
    for (std::size_t j = first; j < near.size(); ++j) {
      const std::vector<PolyhedronFace>& faces = parts[near[j]].shape.faces;
      const bool clear = std::any_of(faces.begin(), faces.end(), [&](const PolyhedronFace& face) {
        return std::all_of(loop.begin(), loop.end(),
                           [&](Vec3 x) { return dot(face.normal, x) > face.offset + within; });
      });
      if (clear) continue;
      for (const PolyhedronFace& face : faces) {
        const double offset = face.offset + within;
        if (!cover(part_of(loop, face.normal, offset, false), width, j + 1)) return false;
        loop = part_of(loop, face.normal, offset, true);
      }
      return true;
    }
    return false;
  }
};

void keep(Vec3 w, const std::vector<Vec3>& normals, std::vector<Vec3>& out) {
  const bool matters = std::any_of(normals.begin(), normals.end(), [&](const Vec3& n) { return dot(n, w) > in_line; });
  if (matters) out.push_back(w);
}

// Points that a sibling reaches, relative to a point x in it. For a half-space: some along its face, and one below.
std::vector<Vec3> reached(const SolidPart& sibling, Vec3 x) {
  if (sibling.kind != SolidKind::half_space) return sibling.shape.vertices;
  const Vec3 n = sibling.shape.faces[0].normal;
  const Vec3 t = cross(n, std::fabs(n.x) < 0.5 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
  const Vec3 o = cross(n, t);
  return {x + t, x - t, x + o, x - o, x - n};
}

// The siblings whose boxes come within a distance of the part's. The core of a round part has no volume, and holds
// nothing; nor does a cylinder or a superellipsoid.
std::vector<std::size_t> near_siblings(const std::vector<SolidPart>& parts, const std::vector<PartBox>& boxes,
                                       std::size_t part, double distance) {
  const PartBox& own = boxes[part];
  const auto reach = [distance](double low, double high, double other_low, double other_high) {
    return low <= other_high + distance && other_low <= high + distance;
  };
  std::vector<std::size_t> out;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const PartBox& other = boxes[j];
    if (j == part || parts[j].shape.faces.empty() || parts[j].kind == SolidKind::cylinder ||
        parts[j].kind == SolidKind::superellipsoid)
      continue;
    if (reach(own.low.x, own.high.x, other.low.x, other.high.x) &&
        reach(own.low.y, own.high.y, other.low.y, other.high.y) &&
        reach(own.low.z, own.high.z, other.low.z, other.high.z))
      out.push_back(j);
  }
  return out;
}

}  // namespace

std::vector<PartBox> part_boxes(const std::vector<SolidPart>& parts) {
  constexpr double far = 1e300;  // [m]
  std::vector<PartBox> out;
  for (const SolidPart& part : parts) {
    PartBox box{{far, far, far}, {-far, -far, -far}};
    if (part.kind == SolidKind::half_space) box = {{-far, -far, -far}, {far, far, far}};
    for (const Vec3& v : part.shape.vertices) {
      box.low = {std::min(box.low.x, v.x), std::min(box.low.y, v.y), std::min(box.low.z, v.z)};
      box.high = {std::max(box.high.x, v.x), std::max(box.high.y, v.y), std::max(box.high.z, v.z)};
    }
    out.push_back(box);
  }
  return out;
}

SolidInternalEdges solid_internal_edges(const std::vector<SolidPart>& parts, const std::vector<PartBox>& boxes,
                                        std::size_t part) {
  const Polyhedron& shape = parts[part].shape;
  SolidInternalEdges out;
  out.face_use.assign(shape.faces.size(), edge_feature);
  out.vertex.resize(shape.vertices.size());
  out.edge.resize(shape.edges.size());
  if (parts.size() < 2 || parts[part].kind != SolidKind::polyhedron) return out;
  const double size = size_of(shape);
  const double away = probe * size;
  const std::vector<std::size_t> near = near_siblings(parts, boxes, part, 2.0 * away);
  const Siblings siblings{parts, near, touch * away};
  for (std::size_t f = 0; f < shape.faces.size(); ++f) {
    const PolyhedronFace& face = shape.faces[f];
    Loop outside;
    for (const int v : face.vertices) {
      outside.push_back(shape.vertices[static_cast<std::size_t>(v)] + away * face.normal);
    }
    if (siblings.cover(std::move(outside), no_length * size)) out.face_use[f] = edge_covered;
  }
  for (const std::size_t j : near) {
    const Polyhedron& sibling = parts[j].shape;
    for (std::size_t v = 0; v < shape.vertices.size(); ++v) {
      const Vec3 x = shape.vertices[v];
      if (!holds(sibling, x, away)) continue;
      std::vector<Vec3> normals;
      for (const int f : shape.vertex_faces[v]) normals.push_back(shape.faces[static_cast<std::size_t>(f)].normal);
      for (const Vec3& y : reached(parts[j], x)) {
        const double far = length(y - x);
        if (far > away) keep((1.0 / far) * (y - x), normals, out.vertex[v]);
      }
    }
    for (std::size_t e = 0; e < shape.edges.size(); ++e) {
      const PolyhedronEdge& edge = shape.edges[e];
      const Vec3 tail = shape.vertices[static_cast<std::size_t>(edge.tail)];
      const Vec3 head = shape.vertices[static_cast<std::size_t>(edge.head)];
      if (!holds(sibling, tail, away) || !holds(sibling, head, away)) continue;
      const Vec3 along = (1.0 / length(head - tail)) * (head - tail);
      const std::vector<Vec3> normals{shape.faces[static_cast<std::size_t>(edge.left)].normal,
                                      shape.faces[static_cast<std::size_t>(edge.right)].normal};
      for (const Vec3& y : reached(parts[j], tail)) {
        const Vec3 across = (y - tail) - dot(y - tail, along) * along;
        const double far = length(across);
        if (far > away) keep((1.0 / far) * across, normals, out.edge[e]);
      }
    }
  }
  return out;
}

}  // namespace pegrasp
