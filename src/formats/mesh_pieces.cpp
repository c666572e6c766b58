// SPDX-License-Identifier: Apache-2.0
#include "src/formats/mesh_pieces.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "pegrasp/shapes.hpp"
#include "src/geometry/merge_vertices.hpp"

namespace pegrasp {
namespace {

std::string in_words(Vec3 v) {
  char text[120];
  std::snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", v.x, v.y, v.z);
  return text;
}

using Key = std::function<int(const MeshFace&)>;

// Faces with the same key, by the vertices of the file.
std::vector<MeshPiece> split(const MeshText& mesh, const Key& key) {
  std::map<int, std::size_t> piece_of;
  std::vector<MeshPiece> pieces;
  std::vector<std::map<int, int>> renumbered;
  for (const MeshFace& face : mesh.faces) {
    const auto [found, fresh] = piece_of.emplace(key(face), pieces.size());
    if (fresh) {
      const std::string& object = mesh.objects[static_cast<std::size_t>(face.object)];
      pieces.push_back({object.empty() ? std::string() : "object \"" + object + "\": ", {}, {}});
      renumbered.emplace_back();
    }
    MeshPiece& piece = pieces[found->second];
    std::vector<int> corners;
    for (const int corner : face.corners) {
      const auto [same, is_new] = renumbered[found->second].emplace(corner, static_cast<int>(piece.vertices.size()));
      if (is_new) piece.vertices.push_back(mesh.vertices[static_cast<std::size_t>(corner)]);
      corners.push_back(same->second);
    }
    piece.faces.push_back(std::move(corners));
  }
  return pieces;
}

// Makes one of vertices within the tolerance, relative to the size of the piece, and drops the faces that so become
// lines or points.
void weld(MeshPiece& piece, double tolerance) {
  const std::vector<int> stands_for = merged_vertices(piece.vertices, tolerance * box_extent(piece.vertices));
  std::vector<int> number(piece.vertices.size(), -1);
  MeshPiece out{piece.label, {}, {}};
  for (const std::vector<int>& face : piece.faces) {
    std::vector<int> kept = merged_face(face, stands_for);
    if (kept.size() < 3) continue;
    for (int& corner : kept) {
      int& name = number[static_cast<std::size_t>(corner)];
      if (name < 0) {
        name = static_cast<int>(out.vertices.size());
        out.vertices.push_back(piece.vertices[static_cast<std::size_t>(corner)]);
      }
      corner = name;
    }
    out.faces.push_back(std::move(kept));
  }
  piece = std::move(out);
}

std::vector<MeshPiece> welded(const MeshText& mesh, const Key& key, double tolerance) {
  std::vector<MeshPiece> pieces = split(mesh, key);
  for (MeshPiece& piece : pieces) weld(piece, tolerance);
  std::erase_if(pieces, [](const MeshPiece& piece) { return piece.faces.empty(); });
  return pieces;
}

// The reason why the piece is not a closed mesh, in words; empty if it is closed.
std::optional<std::string> opening(const MeshPiece& piece) {
  std::map<std::pair<int, int>, int> uses;
  const auto at = [&](int i) { return in_words(piece.vertices[static_cast<std::size_t>(i)]); };
  const auto edge = [&](int a, int b) { return "the edge from " + at(a) + " to " + at(b); };
  for (const std::vector<int>& face : piece.faces) {
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int a = face[k], b = face[(k + 1) % face.size()];
      if (++uses[{a, b}] > 1) {
        return "is no closed surface: " + edge(a, b) +
               " runs the same way in two faces: list every face once, counter-clockwise seen from outside, and write "
               "convex parts that touch as an object each (OBJ)";
      }
    }
  }
  for (const auto& [ends, count] : uses) {
    if (uses.count({ends.second, ends.first}) != 0) continue;
    return "is open: " + edge(ends.first, ends.second) +
           " has no face on its other side: close the hole, for example with MeshLab, or set hull = true to take the "
           "convex hull";
  }
  return std::nullopt;
}

// Divides the faces into sets that are joined by edges, in the order of their first faces.
std::vector<MeshPiece> components(const MeshPiece& piece) {
  std::vector<int> parent(piece.faces.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[static_cast<std::size_t>(i)] != i) {
      int& up = parent[static_cast<std::size_t>(i)];
      up = parent[static_cast<std::size_t>(up)];
      i = up;
    }
    return i;
  };
  std::map<std::pair<int, int>, int> user;
  for (std::size_t f = 0; f < piece.faces.size(); ++f) {
    const std::vector<int>& face = piece.faces[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const int a = face[k], b = face[(k + 1) % face.size()];
      user[{a, b}] = static_cast<int>(f);
      const auto other = user.find({b, a});
      if (other == user.end()) continue;
      const int low = root(static_cast<int>(f)), high = root(other->second);
      parent[static_cast<std::size_t>(std::max(low, high))] = std::min(low, high);
    }
  }
  std::vector<MeshPiece> out;
  std::map<int, std::size_t> place;
  std::vector<std::map<int, int>> renamed;
  for (std::size_t f = 0; f < piece.faces.size(); ++f) {
    const auto [found, fresh] = place.emplace(root(static_cast<int>(f)), out.size());
    if (fresh) {
      out.push_back({piece.label, {}, {}});
      renamed.emplace_back();
    }
    MeshPiece& component = out[found->second];
    std::vector<int> face;
    for (const int corner : piece.faces[f]) {
      const auto [name, is_new] = renamed[found->second].emplace(corner, static_cast<int>(component.vertices.size()));
      if (is_new) component.vertices.push_back(piece.vertices[static_cast<std::size_t>(corner)]);
      face.push_back(name->second);
    }
    component.faces.push_back(std::move(face));
  }
  return out;
}

const Key& key_of_objects() {
  static const Key key = [](const MeshFace& face) { return face.object; };
  return key;
}

// Groups and objects of a file may be parts of their own or patches of one part. Of the divisions into closed pieces
// the finest is taken. Empty where there is none; `problem` then says why.
std::optional<std::vector<MeshPiece>> find_closed(const MeshText& mesh, double tolerance, std::string& problem) {
  problem.clear();
  const Key keys[] = {[](const MeshFace& face) { return face.group; }, key_of_objects(),
                      [](const MeshFace&) { return 0; }};
  bool by_object = false;  // that one of several objects is open says more than that all of them are
  for (const Key& key : keys) {
    const std::vector<MeshPiece> pieces = welded(mesh, key, tolerance);
    if (pieces.empty()) {
      problem = "has zero volume (all its faces are points or lines): give the faces of a solid";
      break;
    }
    std::vector<MeshPiece> closed;
    bool all = true;
    for (const MeshPiece& piece : pieces) {
      const std::optional<std::string> open = opening(piece);
      all = all && !open;
      if (open && !by_object) problem = (pieces.size() > 1 ? piece.label : "") + *open;
      if (!all) break;
      for (MeshPiece& component : components(piece)) closed.push_back(std::move(component));
    }
    if (all) return closed;
    by_object = &key == &keys[1] && pieces.size() > 1;
  }
  return std::nullopt;
}

std::optional<std::vector<MeshPiece>> find_closed_within(const MeshText& mesh, const std::string& place,
                                                         double tolerance, std::string& problem) {
  if (mesh.faces.empty()) throw ShapeError(place + ": has no faces: export the mesh as polygons");
  if (auto pieces = find_closed(mesh, 0.0, problem)) return pieces;
  std::string again;
  return find_closed(mesh, tolerance, again);
}

}  // namespace

std::vector<MeshPiece> closed_pieces(const MeshText& mesh, const std::string& place, double tolerance) {
  std::string problem;
  if (auto pieces = find_closed_within(mesh, place, tolerance, problem)) return std::move(*pieces);
  throw ShapeError(place + ": " + problem);
}

std::vector<MeshPiece> hull_pieces(const MeshText& mesh, const std::string& place, double tolerance) {
  std::string problem;
  if (auto pieces = find_closed_within(mesh, place, tolerance, problem)) return std::move(*pieces);
  std::vector<MeshPiece> pieces = welded(mesh, key_of_objects(), 0.0);
  if (pieces.empty()) throw ShapeError(place + ": " + problem);
  return pieces;
}

}  // namespace pegrasp
