// SPDX-License-Identifier: Apache-2.0
#include "src/formats/mesh_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "src/formats/mesh_pieces.hpp"
#include "src/formats/mesh_text.hpp"
#include "src/geometry/merge_vertices.hpp"
#include "src/geometry/placement.hpp"
#include "src/geometry/surface_distance.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

// Limits, because the time of a hull grows with the number of corners times the number of facets.
constexpr std::size_t most_corners = 20'000;
constexpr std::size_t most_hull_points = 100'000;
constexpr std::size_t most_parts = 10'000;
constexpr std::size_t largest_file = 256u << 20;  // bytes
// A mesh of this size [m] is more likely one in millimetres.
constexpr double suspicious_size = 3.0;

std::string short_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

Vec3 scaled(Vec3 v, Vec3 scale) { return {scale.x * v.x, scale.y * v.y, scale.z * v.z}; }

void place_piece(MeshPiece& piece, const MeshPlacement& placement) {
  const Vec3 scale = placement.scale;
  for (Vec3& v : piece.vertices) v = transformed(placement.pose, scaled(v, scale));
  // Mirroring turns faces inside out.
  if (scale.x * scale.y * scale.z < 0.0) {
    for (std::vector<int>& face : piece.faces) std::reverse(face.begin(), face.end());
  }
}

Polyhedron convex(const MeshPiece& piece, const MeshPlacement& placement) {
  const std::size_t most = placement.hull ? most_hull_points : most_corners;
  if (piece.vertices.size() > most) {
    throw ShapeError("has a part of " + std::to_string(piece.vertices.size()) + " vertices, and " +
                     std::to_string(most) + " are the most: thin the mesh out");
  }
  if (placement.hull) return hull_of_mesh(piece.vertices, placement.tolerance);
  if (piece.faces.size() < 4 || piece.vertices.size() < 4) {
    throw ShapeError("has zero volume (" + std::to_string(piece.faces.size()) +
                     " faces back to back): give the faces of a solid");
  }
  return polyhedron_of_mesh(piece.vertices, piece.faces, placement.tolerance);
}

// What the hull adds to a piece, in words.
Remark hull_remark(const std::string& place, const std::string& part, const MeshPiece& piece, const Polyhedron& hull) {
  const std::vector<Triangle3> inside = triangles_of(piece.vertices, piece.faces);
  const std::vector<Triangle3> outside = triangles_of(hull);
  const double before = enclosed_volume(inside), after = enclosed_volume(outside);
  std::string text = place + ": \"" + printable(part) + "\" is the convex hull of " +
                     (piece.label.empty() ? "the mesh" : piece.label.substr(0, piece.label.size() - 2)) + ": ";
  text += before > 0.0 && before <= after * (1.0 + 1e-9)
              ? "volume " + short_text(1e6 * before) + " cm^3 and " + short_text(1e6 * std::max(0.0, after - before)) +
                    " cm^3 added"
              : "volume " + short_text(1e6 * after) + " cm^3 (the mesh encloses none)";
  return {false, text + ", surface moved outwards by up to " + short_text(1e3 * farthest(outside, inside)) + " mm"};
}

// The parts of a division, and what it changed, in words.
MeshText convex_text(const std::filesystem::path& file, const std::string& name, const MeshPlacement& placement,
                     std::vector<Remark>* remarks, std::string* pieces) {
  const std::string place = printable(file.string());
  const Convexified parts = convexify(file, *placement.convexify);
  if (pieces != nullptr) *pieces = fingerprint(parts.obj);
  const Vec3 scale = placement.scale;
  if (remarks != nullptr) {
    remarks->push_back({false, place + ": \"" + printable(name) + "\" is divided by CoACD: " +
                                   convexify_text(parts, std::cbrt(std::fabs(scale.x * scale.y * scale.z)))});
  }
  return read_obj(parts.obj, place);
}

void warn_of_millimetres(const MeshText& mesh, const std::string& place, Vec3 scale, std::vector<Remark>& remarks) {
  if (std::max({std::fabs(scale.x), std::fabs(scale.y), std::fabs(scale.z)}) != 1.0) return;
  std::vector<Vec3> used;
  for (const MeshFace& face : mesh.faces) {
    for (const int corner : face.corners) used.push_back(mesh.vertices[static_cast<std::size_t>(corner)]);
  }
  const double size = box_extent(used);
  if (!(size > suspicious_size)) return;
  remarks.push_back({true, place + ": is " + short_text(size) +
                               " m long, as a mesh in millimetres would be: if it is one, set " +
                               "scale = 0.001 (in a URDF: scale=\"0.001 0.001 0.001\")"});
}

std::string lower_extension(const std::filesystem::path& file) {
  std::string text = file.extension().string();
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

}  // namespace

std::string read_part_file(const std::filesystem::path& file) {
  try {
    return read_file(file, largest_file);
  } catch (const ReadError& error) {
    throw ShapeError(printable(file.string()) + ": " + error.what());
  }
}

MeshText read_mesh_text(const std::filesystem::path& file) {
  const std::string place = printable(file.string());
  const std::string kind = lower_extension(file);
  const std::string bytes = read_part_file(file);
  if (kind != ".obj" && kind != ".stl" && kind != ".poly") {
    throw ShapeError(place + ": meshes are read from .obj, .stl and .poly files" +
                     (kind.empty() ? std::string() : ", not from " + printable(kind)) +
                     ": convert it, for example with MeshLab or Blender");
  }
  if (kind == ".poly") return read_poly(bytes, place);
  return kind == ".obj" ? read_obj(bytes, place) : read_stl(bytes, place);
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
                                 const MeshPlacement& placement, std::vector<Remark>* remarks, std::string* pieces_of) {
  const std::string place = printable(file.string());
  const Vec3 scale = placement.scale;
  if (!(std::fabs(scale.x * scale.y * scale.z) > 0.0)) {
    throw ShapeError(place + ": is scaled by 0: give the length of its unit in metres, such as 0.001");
  }
  const MeshText text =
      placement.convexify ? convex_text(file, name, placement, remarks, pieces_of) : read_mesh_text(file);
  std::vector<MeshPiece> pieces =
      placement.hull ? hull_pieces(text, place, placement.tolerance) : closed_pieces(text, place, placement.tolerance);
  if (pieces.size() > most_parts) {
    throw ShapeError(place + ": has more than " + std::to_string(most_parts) + " parts: decompose it more coarsely");
  }
  if (remarks != nullptr) warn_of_millimetres(text, place, scale, *remarks);
  std::vector<Polyhedron> shapes;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string which = pieces.size() == 1 ? "" : pieces[i].label + "mesh " + std::to_string(i + 1) + ": ";
    try {
      place_piece(pieces[i], placement);
      const Polyhedron shape = convex(pieces[i], placement);
      if (placement.hull && remarks != nullptr) {
        const std::string part = pieces.size() == 1 ? name : name + "_" + std::to_string(shapes.size() + 1);
        remarks->push_back(hull_remark(place, part, pieces[i], shape));
      }
      if (shape.edges.size() > static_cast<std::size_t>(most_part_edges)) {
        throw ShapeError("has " + std::to_string(shape.edges.size()) + " edges, and " +
                         std::to_string(most_part_edges) + " are the most of a part: thin the mesh out");
      }
      for (Polyhedron& piece : divided(shape)) shapes.push_back(std::move(piece));
    } catch (const ShapeError& error) {
      throw ShapeError(place + ": " + which + error.what());
    }
  }
  std::vector<SolidPart> parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    parts.push_back({shapes.size() == 1 ? name : name + "_" + std::to_string(i + 1), std::move(shapes[i])});
  }
  return parts;
}

}  // namespace pegrasp
