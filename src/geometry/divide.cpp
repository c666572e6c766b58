// SPDX-License-Identifier: Apache-2.0
// Polyhedra whose faces have more corners than contacts have room for. Corners within the tolerance of meshes of the
// line between their neighbours are dropped first. Where that does not suffice, the polyhedron is cut through two
// opposite corners of the widest face and along that face's normal, so that a prism falls into wedges.
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

double distance_to_line(Vec3 x, Vec3 a, Vec3 b) {
  const Vec3 along = b - a;
  const double size = length(along);
  return size > 0.0 ? length(cross(along, x - a)) / size : length(x - a);
}

// The vertices without those corners of the face, none beside another, that stand out least, so that `most` are left.
// Empty where one of these stands out by more than `distance`.
std::vector<Vec3> thinned(const Polyhedron& p, const PolyhedronFace& face, int most, double distance) {
  const std::size_t n = face.vertices.size();
  const auto at = [&](std::size_t k) { return p.vertices[static_cast<std::size_t>(face.vertices[k % n])]; };
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t k = 0; k < n; ++k) order.emplace_back(distance_to_line(at(k), at(k + n - 1), at(k + 1)), k);
  std::sort(order.begin(), order.end());
  std::vector<bool> fixed(n, false), dropped(p.vertices.size(), false);
  std::size_t left = n;
  for (const auto& [height, k] : order) {
    if (left <= static_cast<std::size_t>(most) || height > distance) break;
    if (fixed[k]) continue;
    fixed[(k + 1) % n] = fixed[(k + n - 1) % n] = true;
    dropped[static_cast<std::size_t>(face.vertices[k])] = true;
    --left;
  }
  std::vector<Vec3> kept;
  if (left > static_cast<std::size_t>(most)) return kept;
  for (std::size_t i = 0; i < p.vertices.size(); ++i) {
    if (!dropped[i]) kept.push_back(p.vertices[i]);
  }
  return kept;
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
  const double size = box_extent(polyhedron.vertices);
  const double slack = on_cut * size;
  while (!waiting.empty()) {
    const Polyhedron piece = std::move(waiting.back());
    waiting.pop_back();
    const PolyhedronFace& face = widest_face(piece);
    if (face.vertices.size() <= static_cast<std::size_t>(most)) {
      done.push_back(piece);
      continue;
    }
    constexpr double flat = 1e-6;  // as polyhedron_of_mesh()
    if (const std::vector<Vec3> fewer = thinned(piece, face, most, mesh_tolerance * size); !fewer.empty()) {
      waiting.push_back(make_polyhedron(fewer, flat));
      continue;
    }
    if (done.size() + waiting.size() + 2 > most_pieces) {
      solid::fail("has a face of " + std::to_string(face.vertices.size()) + " corners, and cutting it into pieces of " +
                  std::to_string(most) + " makes more than " + std::to_string(most_pieces) + ": use a coarser mesh");
    }
    const Cut cut = cut_through(piece, face);
    // Pieces are taken from the end of the list, so that they come out in the order of the halves.
    waiting.push_back(make_polyhedron(half(piece, cut, -1.0, slack), flat));
    waiting.push_back(make_polyhedron(half(piece, cut, 1.0, slack), flat));
  }
  return done;
}

}  // namespace pegrasp
