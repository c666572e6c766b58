// SPDX-License-Identifier: Apache-2.0
#include "src/formats/mesh_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "src/formats/mesh_text.hpp"
#include "src/geometry/placement.hpp"
#include "src/text/document.hpp"

namespace pegrasp {
namespace {

// Limits, because the time of a hull grows with the number of corners times the number of facets.
constexpr std::size_t most_corners = 20'000;
constexpr std::size_t most_parts = 10'000;
constexpr std::size_t largest_file = 256u << 20;  // bytes

std::string in_words(Vec3 v) {
  char text[120];
  std::snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", v.x, v.y, v.z);
  return text;
}

// Faces that may form one closed mesh. No two of the vertices have the same coordinates.
struct Piece {
  std::string label;  // `object "left"`, for messages
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
};

// Drops corners that repeat the one before them, which remain where rounding has closed a sliver.
void drop_repeats(std::vector<int>& face) {
  face.erase(std::unique(face.begin(), face.end()), face.end());
  while (face.size() > 1 && face.front() == face.back()) face.pop_back();
}

std::vector<Piece> split(const MeshText& mesh, const std::function<int(const MeshFace&)>& key) {
  using Place = std::tuple<double, double, double>;
  std::map<int, std::size_t> piece_of;
  std::vector<Piece> pieces;
  std::vector<std::map<Place, int>> welded;
  for (const MeshFace& face : mesh.faces) {
    const auto [found, fresh] = piece_of.emplace(key(face), pieces.size());
    if (fresh) {
      const std::string& object = mesh.objects[static_cast<std::size_t>(face.object)];
      pieces.push_back({object.empty() ? std::string() : "object \"" + object + "\": ", {}, {}});
      welded.emplace_back();
    }
    Piece& piece = pieces[found->second];
    std::vector<int> corners;
    for (const int corner : face.corners) {
      const Vec3 v = mesh.vertices[static_cast<std::size_t>(corner)];
      const auto [same, is_new] =
          welded[found->second].emplace(Place{v.x, v.y, v.z}, static_cast<int>(piece.vertices.size()));
      if (is_new) piece.vertices.push_back(v);
      corners.push_back(same->second);
    }
    drop_repeats(corners);
    if (corners.size() >= 3) piece.faces.push_back(std::move(corners));
  }
  std::erase_if(pieces, [](const Piece& piece) { return piece.faces.empty(); });
  return pieces;
}

// The reason why the piece is not a closed mesh, in words; empty if it is closed.
std::optional<std::string> opening(const Piece& piece) {
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
           " has no face on its other side: close the hole, for example with MeshLab";
  }
  return std::nullopt;
}

// Divides the faces into sets that are joined by edges, in the order of their first faces.
std::vector<Piece> components(const Piece& piece) {
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
  std::vector<Piece> out;
  std::map<int, std::size_t> place;
  std::vector<std::map<int, int>> renamed;
  for (std::size_t f = 0; f < piece.faces.size(); ++f) {
    const auto [found, fresh] = place.emplace(root(static_cast<int>(f)), out.size());
    if (fresh) {
      out.push_back({piece.label, {}, {}});
      renamed.emplace_back();
    }
    Piece& component = out[found->second];
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

// Groups and objects of a file may be parts of their own or patches of one part. Of the divisions into closed pieces
// the finest is taken.
std::vector<Piece> closed_pieces(const MeshText& mesh, const std::string& place) {
  if (mesh.faces.empty()) throw ShapeError(place + ": has no faces: export the mesh as polygons");
  std::string problem;
  const std::function<int(const MeshFace&)> keys[] = {[](const MeshFace& face) { return face.group; },
                                                      [](const MeshFace& face) { return face.object; },
                                                      [](const MeshFace&) { return 0; }};
  bool by_object = false;  // that one of several objects is open says more than that all of them are
  for (const auto& key : keys) {
    const std::vector<Piece> pieces = split(mesh, key);
    if (pieces.empty()) {
      problem = "has zero volume (all its faces are points or lines): give the faces of a solid";
      break;
    }
    std::vector<Piece> closed;
    bool all = true;
    for (const Piece& piece : pieces) {
      const std::optional<std::string> open = opening(piece);
      all = all && !open;
      if (open && !by_object) problem = (pieces.size() > 1 ? piece.label : "") + *open;
      if (!all) break;
      for (Piece& component : components(piece)) closed.push_back(std::move(component));
    }
    if (all) return closed;
    by_object = &key == &keys[1] && pieces.size() > 1;
  }
  throw ShapeError(place + ": " + problem);
}

Polyhedron convex(Piece& piece, const MeshPlacement& placement) {
  if (piece.vertices.size() > most_corners) {
    throw ShapeError("has a part of more than " + std::to_string(most_corners) + " vertices: thin the mesh out");
  }
  if (piece.faces.size() < 4 || piece.vertices.size() < 4) {
    throw ShapeError("has zero volume (" + std::to_string(piece.faces.size()) +
                     " faces back to back): give the faces of a solid");
  }
  const Vec3 scale = placement.scale;
  for (Vec3& v : piece.vertices) v = transformed(placement.pose, {scale.x * v.x, scale.y * v.y, scale.z * v.z});
  // Mirroring turns faces inside out.
  if (scale.x * scale.y * scale.z < 0.0) {
    for (std::vector<int>& face : piece.faces) std::reverse(face.begin(), face.end());
  }
  return make_polyhedron(piece.vertices, piece.faces, placement.tolerance);
}

std::string lower_extension(const std::filesystem::path& file) {
  std::string text = file.extension().string();
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

MeshText read_text(const std::filesystem::path& file) {
  const std::string place = printable(file.string());
  const std::string kind = lower_extension(file);
  if (kind != ".obj" && kind != ".stl") {
    throw ShapeError(place + ": meshes are read from .obj and .stl files" +
                     (kind.empty() ? std::string() : ", not from " + printable(kind)) +
                     ": convert it, for example with MeshLab or Blender");
  }
  const std::string bytes = read_part_file(file);
  return kind == ".obj" ? read_obj(bytes, place) : read_stl(bytes, place);
}

}  // namespace

std::string read_part_file(const std::filesystem::path& file) {
  const std::string place = printable(file.string());
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw ShapeError(place + ": no such file: check the path");
  if (std::filesystem::is_directory(file, error)) throw ShapeError(place + ": is a directory: name a file");
  if (const auto size = std::filesystem::file_size(file, error); !error && size > largest_file) {
    throw ShapeError(place + ": is larger than 256 MB: thin the mesh out");
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ShapeError(place + ": cannot be read (" + std::strerror(errno) + "): check its permissions");
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) throw ShapeError(place + ": cannot be read: check the disk");
  return text.str();
}

std::string fingerprint(const std::string& bytes, const std::string& before) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::string* text : {&before, &bytes}) {
    for (const char c : *text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash));
  return out;
}

std::vector<SolidPart> load_mesh(const std::filesystem::path& file, const std::string& name,
                                 const MeshPlacement& placement) {
  const std::string place = printable(file.string());
  const Vec3 scale = placement.scale;
  if (!(std::fabs(scale.x * scale.y * scale.z) > 0.0)) {
    throw ShapeError(place + ": is scaled by 0: give the length of its unit in metres, such as 0.001");
  }
  std::vector<Piece> pieces = closed_pieces(read_text(file), place);
  if (pieces.size() > most_parts) {
    throw ShapeError(place + ": has more than " + std::to_string(most_parts) + " parts: decompose it more coarsely");
  }
  std::vector<SolidPart> parts;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string part = pieces.size() == 1 ? name : name + "_" + std::to_string(i + 1);
    try {
      parts.push_back({part, convex(pieces[i], placement)});
    } catch (const ShapeError& error) {
      const std::string which = pieces.size() == 1 ? "" : pieces[i].label + "mesh " + std::to_string(i + 1) + ": ";
      throw ShapeError(place + ": " + which + error.what());
    }
  }
  return parts;
}

}  // namespace pegrasp
