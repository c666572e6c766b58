// SPDX-License-Identifier: Apache-2.0
// Cutting of polyhedra whose faces have more corners than contacts have room for. A cut goes through two opposite
// corners of the widest face and along that face's normal, so that a prism falls into wedges.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "pegrasp/polyhedron.hpp"
#include "src/geometry/merge_vertices.hpp"
#include "src/geometry/polyhedron_build.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t most_pieces = 64;
// Vertices within this of the cut, relative to the size, lie on it.
constexpr double on_cut = 1e-9;

struct Cut {
  Vec3 normal;  // unit
  Vec3 origin;
  double height(Vec3 x) const { return dot(normal, x - origin); }
};

const PolyhedronFace& widest_face(const Polyhedron& p) {
  return *std::max_element(p.faces.begin(), p.faces.end(), [](const PolyhedronFace& a, const PolyhedronFace& b) {
    return a.vertices.size() < b.vertices.size();
  });
}

Cut cut_through(const Polyhedron& p, const PolyhedronFace& face) {
  const auto at = [&](std::size_t k) { return p.vertices[static_cast<std::size_t>(face.vertices[k])]; };
  const Vec3 across = cross(face.normal, at(face.vertices.size() / 2) - at(0));
  return {(1.0 / length(across)) * across, at(0)};
}

// The points of one half: vertices on this side of the cut or on it, and where edges cross it.
std::vector<Vec3> half(const Polyhedron& p, const Cut& cut, double side, double slack) {
  std::vector<Vec3> points;
  for (const Vec3& v : p.vertices) {
    if (side * cut.height(v) >= -slack) points.push_back(v);
  }
  for (const PolyhedronEdge& edge : p.edges) {
    const Vec3 a = p.vertices[static_cast<std::size_t>(edge.tail)], b = p.vertices[static_cast<std::size_t>(edge.head)];
    const double from = cut.height(a), to = cut.height(b);
    if (std::min(from, to) >= -slack || std::max(from, to) <= slack) continue;
    points.push_back(a + (from / (from - to)) * (b - a));
  }
  return points;
}

}  // namespace

std::vector<Polyhedron> divided(const Polyhedron& polyhedron, int most) {
  std::vector<Polyhedron> waiting{polyhedron}, done;
  const double slack = on_cut * box_extent(polyhedron.vertices);
  while (!waiting.empty()) {
    const Polyhedron piece = std::move(waiting.back());
    waiting.pop_back();
    const PolyhedronFace& face = widest_face(piece);
    if (face.vertices.size() <= static_cast<std::size_t>(most)) {
      done.push_back(piece);
      continue;
    }
    if (done.size() + waiting.size() + 2 > most_pieces) {
      solid::fail("has a face of " + std::to_string(face.vertices.size()) + " corners, and cutting it into pieces of " +
                  std::to_string(most) + " makes more than " + std::to_string(most_pieces) + ": use a coarser mesh");
    }
    const Cut cut = cut_through(piece, face);
    // Pieces are taken from the end of the list, so that they come out in the order of the halves.
    constexpr double flat = 1e-6;  // as polyhedron_of_mesh()
    waiting.push_back(make_polyhedron(half(piece, cut, -1.0, slack), flat));
    waiting.push_back(make_polyhedron(half(piece, cut, 1.0, slack), flat));
  }
  return done;
}

}  // namespace pegrasp
