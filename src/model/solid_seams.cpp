// SPDX-License-Identifier: Apache-2.0
#include "model/solid_seams.hpp"

#include <algorithm>
#include <cmath>

#include "scene/model.hpp"
#include "scene/turn.hpp"

namespace pegrasp {
namespace {

// How far outside a face its cover is looked for, and how near a feature lies to a sibling that holds it, relative to the part: well
// above rounding, well below any feature.
constexpr double probe = 1e-6;
// Of that: what counts as touching.
constexpr double touch = 1e-3;
// Pieces smaller than this, relative to the part, may stay open: there one sibling ends and the next begins.
constexpr double no_length = 1e-5;
// Directions that no normal of the feature leans to by more than this need not be kept.
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
  return !shape.faces.empty() &&  // a round part's core holds nothing
         std::all_of(shape.faces.begin(), shape.faces.end(),
                     [&](const PolyhedronFace& face) { return dot(face.normal, x) <= face.offset + within; });
}

// The other parts of a body.
struct Siblings {
  const std::vector<SolidPart>& parts;
  std::size_t self;
  double within;

  template <class Test>
  bool any(const Test& test) const {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (j != self && test(parts[j].shape)) return true;
    }
    return false;
  }
  bool hold(Vec3 x) const {
    return any([&](const Polyhedron& shape) { return holds(shape, x, within); });
  }
  // Whether a triangle lies in their union. Parts are convex: one that holds the corners holds what is between.
  bool cover(Vec3 a, Vec3 b, Vec3 c, double shortest) const {
    const bool one = any([&](const Polyhedron& shape) {
      return holds(shape, a, within) && holds(shape, b, within) && holds(shape, c, within);
    });
    if (one) return true;
    if (!hold(a) || !hold(b) || !hold(c)) return false;
    if (std::max({length(b - a), length(c - b), length(a - c)}) < shortest) return true;
    const Vec3 ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
    return cover(a, ab, ca, shortest) && cover(ab, b, bc, shortest) && cover(ca, bc, c, shortest) &&
           cover(ab, bc, ca, shortest);
  }
};

void keep(Vec3 w, const std::vector<Vec3>& normals, std::vector<Vec3>& out) {
  const bool matters = std::any_of(normals.begin(), normals.end(), [&](const Vec3& n) { return dot(n, w) > in_line; });
  if (matters) out.push_back(w);
}

// Points that a sibling reaches, as seen from x in it: of a half-space some along its face, and one below.
std::vector<Vec3> reached(const SolidPart& sibling, Vec3 x) {
  if (sibling.kind != SolidKind::half_space) return sibling.shape.vertices;
  const Vec3 n = sibling.shape.faces[0].normal;
  const Vec3 t = cross(n, std::fabs(n.x) < 0.5 ? Vec3{1.0, 0.0, 0.0} : Vec3{0.0, 1.0, 0.0});
  const Vec3 o = cross(n, t);
  return {x + t, x - t, x + o, x - o, x - n};
}

}  // namespace

SolidSeams solid_seams(const std::vector<SolidPart>& parts, std::size_t part) {
  const Polyhedron& shape = parts[part].shape;
  SolidSeams out;
  out.face_use.assign(shape.faces.size(), edge_feature);
  out.vertex.resize(shape.vertices.size());
  out.edge.resize(shape.edges.size());
  if (parts.size() < 2 || parts[part].kind != SolidKind::polyhedron) return out;
  const double size = size_of(shape);
  const double away = probe * size;
  const Siblings siblings{parts, part, touch * away};
  for (std::size_t f = 0; f < shape.faces.size(); ++f) {
    const PolyhedronFace& face = shape.faces[f];
    const auto outside = [&](std::size_t k) {
      return shape.vertices[static_cast<std::size_t>(face.vertices[k])] + away * face.normal;
    };
    bool covered = true;
    for (std::size_t k = 1; k + 1 < face.vertices.size() && covered; ++k) {
      covered = siblings.cover(outside(0), outside(k), outside(k + 1), no_length * size);
    }
    if (covered) out.face_use[f] = edge_covered;
  }
  for (std::size_t j = 0; j < parts.size(); ++j) {
    if (j == part) continue;
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
