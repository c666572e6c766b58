// SPDX-License-Identifier: Apache-2.0
#include "src/formats/convexify.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "pegrasp/polyhedron.hpp"
#include "src/formats/atomic_file.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/formats/mesh_pieces.hpp"
#include "src/geometry/merge_vertices.hpp"
#include "src/geometry/surface_distance.hpp"
#include "src/geometry/triangulate.hpp"
#include "src/geometry/vectors.hpp"
#include "src/machine/script.hpp"
#include "src/text/printable.hpp"
#include "src/text/read_file.hpp"

namespace pegrasp {
namespace {

constexpr const char* seed = "0";                   // of CoACD's search: the same parts every time
constexpr std::size_t largest_result = 256u << 20;  // bytes

std::string convex_number(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string rounded(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// The whole mesh as triangles whose corners are shared.
MeshPiece whole(const MeshText& mesh) {
  MeshPiece piece{{}, mesh.vertices, {}};
  const std::vector<int> stands_for = merged_vertices(mesh.vertices, 0.0);
  for (const MeshFace& face : mesh.faces) {
    const std::vector<int> corners = merged_face(face.corners, stands_for);
    for (const auto& [a, b, c] : triangulated(mesh.vertices, corners)) piece.faces.push_back({a, b, c});
  }
  return piece;
}

std::string obj_text(const MeshPiece& piece) {
  std::vector<int> number(piece.vertices.size(), 0);
  std::string vertices, faces;
  int count = 0;
  for (const std::vector<int>& face : piece.faces) {
    faces += "f";
    for (const int corner : face) {
      int& name = number[static_cast<std::size_t>(corner)];
      if (name == 0) {
        name = ++count;
        const Vec3 v = piece.vertices[static_cast<std::size_t>(corner)];
        vertices += "v " + convex_number(v.x) + " " + convex_number(v.y) + " " + convex_number(v.z) + "\n";
      }
      faces += " " + std::to_string(name);
    }
    faces += "\n";
  }
  return vertices + faces;
}

// The parts as CoACD gave them, whose convexity is up to rounding, as the hulls that they stand for.
std::vector<Polyhedron> hulls_of(const std::string& obj, const std::string& place) {
  std::vector<Polyhedron> hulls;
  for (const MeshPiece& piece : hull_pieces(read_obj(obj, place), place, mesh_tolerance)) {
    try {
      hulls.push_back(hull_of_mesh(piece.vertices));
    } catch (const ShapeError&) {
      continue;  // a sliver without volume
    }
  }
  if (hulls.empty()) throw ShapeError(place + ": CoACD made no part of it that has a volume: check the mesh");
  return hulls;
}

std::string obj_text(const std::vector<Polyhedron>& hulls) {
  std::string text = "# convex parts, by pegrasp convexify\n";
  int first = 1;
  for (std::size_t k = 0; k < hulls.size(); ++k) {
    text += "o part_" + std::to_string(k + 1) + "\n";
    for (const Vec3& v : hulls[k].vertices) {
      text += "v " + convex_number(v.x) + " " + convex_number(v.y) + " " + convex_number(v.z) + "\n";
    }
    for (const PolyhedronFace& face : hulls[k].faces) {
      text += "f";
      for (const int corner : face.vertices) text += " " + std::to_string(first + corner);
      text += "\n";
    }
    first += static_cast<int>(hulls[k].vertices.size());
  }
  return text;
}

std::filesystem::path cache_folder(const std::string& place) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (cache != nullptr && *cache == '/') {
    folder = cache;
  } else if (home != nullptr && *home == '/') {
    folder = std::filesystem::path(home) / ".cache";
  } else {
    throw ShapeError(place + ": there is no place for its convex parts: set HOME or XDG_CACHE_HOME");
  }
  folder = folder / "pegrasp" / "convexify";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw ShapeError(place + ": its convex parts cannot be kept in " + printable(folder.string()) + " (" +
                     error.message() + "): set XDG_CACHE_HOME to a folder that can be written");
  }
  return folder;
}

// Removes files at the end of a scope.
class Scratch {
 public:
  explicit Scratch(std::filesystem::path file) : file_(std::move(file)) {}
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

struct Interrupted {};

// Calls CoACD. The two files have names of their own beside `result`.
std::string divide(const std::string& mesh, const ConvexifyOptions& options, const std::filesystem::path& result,
                   const std::string& place) {
  const std::filesystem::path script = find_script("convexify.py");
  if (script.empty())
    throw ShapeError(place + ": convexify.py was not found beside the program: install pegrasp again");
  const std::string own = result.string() + "." + std::to_string(static_cast<long>(::getpid()));
  const Scratch input(own + ".in"), output(own + ".out");
  std::error_code ignored;
  std::filesystem::remove(output.file(), ignored);
  write_file_atomically(input.file(), mesh);
  std::string reason;
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    std::string said;
    const int code = run_program(
        {python, script.string(), input.file().string(), output.file().string(), convex_number(options.threshold),
         std::to_string(options.most_parts > 0 ? options.most_parts : -1), seed},
        said, OnInterrupt::ends);
    if (code == interrupted) throw Interrupted{};
    if (code == 0) return read_file(output.file(), largest_result);
    if (code == could_not_run) continue;
    if (code == package_missing) {
      if (reason.empty())
        reason = "CoACD is not there (" + last_line(said) + "): pip install coacd, or divide the mesh elsewhere";
      continue;
    }
    throw ShapeError(place + ": " + printable(last_line(said)));
  }
  throw ShapeError(
      place + ": " +
      (reason.empty() ? "python3 was not found: install it, and pip install coacd" : printable_line(reason)));
}

void measure(const MeshPiece& mesh, const std::vector<Polyhedron>& hulls, Convexified& out) {
  const std::vector<Triangle3> before = triangles_of(mesh.vertices, mesh.faces);
  std::vector<Triangle3> after;
  for (const Polyhedron& hull : hulls) {
    const std::vector<Triangle3> more = triangles_of(hull);
    after.insert(after.end(), more.begin(), more.end());
    out.volume_after += solid_properties(hull).volume;
  }
  out.parts = hulls.size();
  out.volume_before = std::max(0.0, enclosed_volume(before));
  out.mesh_to_parts = farthest(before, after);
  // Where parts meet or overlap, a step outwards leads into another part. Such points lie inside the whole.
  const double step = mesh_tolerance * box_extent(mesh.vertices);
  out.parts_to_mesh = farthest(after, before, [&](Vec3 x, Vec3 normal) {
    const Vec3 beyond = x + step * normal;
    const auto inside = [&](const Polyhedron& hull) {
      return std::all_of(hull.faces.begin(), hull.faces.end(),
                         [&](const PolyhedronFace& face) { return dot(face.normal, beyond) <= face.offset; });
    };
    return std::none_of(hulls.begin(), hulls.end(), inside);
  });
}

}  // namespace

Convexified convexify(const std::filesystem::path& file, const ConvexifyOptions& options) {
  const std::string place = printable(file.string());
  const MeshPiece mesh = whole(read_mesh_text(file));
  if (mesh.faces.empty()) throw ShapeError(place + ": has no faces: export the mesh as polygons");
  const std::string text = obj_text(mesh);
  const std::string chosen = "coacd threshold " + convex_number(options.threshold) + " parts " +
                             std::to_string(options.most_parts) + " seed " + seed;
  const std::filesystem::path kept = cache_folder(place) / (fingerprint(text, chosen) + ".obj");
  Convexified out;
  std::vector<Polyhedron> hulls;
  try {
    out.obj = read_file(kept, largest_result);
    hulls = hulls_of(out.obj, place);
    out.cached = true;
  } catch (const ReadError&) {
  } catch (const ShapeError&) {  // damaged: made again
  }
  try {
    if (!out.cached) {
      hulls = hulls_of(divide(text, options, kept, place), place);
      out.obj = obj_text(hulls);
      write_file_atomically(kept, out.obj);
    }
  } catch (const ReadError& error) {
    throw ShapeError(place + ": its convex parts cannot be read: " + error.what());
  } catch (const WriteError& error) {
    throw ShapeError(place + ": its convex parts cannot be kept: " + error.what());
  } catch (const Interrupted&) {
    std::raise(SIGINT);  // ends the program, unless it has something to finish
    throw ShapeError(place + ": was interrupted while CoACD divided it: start again");
  }
  measure(mesh, hulls, out);
  return out;
}

std::string convexify_text(const Convexified& result, double scale) {
  const double cubic = 1e6 * scale * scale * scale;  // to cm^3
  std::string text = std::to_string(result.parts) + (result.parts == 1 ? " part, " : " parts, ");
  if (result.volume_before > 0.0) {
    const double change = std::round(1e4 * (result.volume_after / result.volume_before - 1.0)) / 100.0 + 0.0;
    text += "volume " + rounded(cubic * result.volume_before) + " cm^3 became " + rounded(cubic * result.volume_after) +
            " cm^3 (" + (change > 0.0 ? "+" : "") + rounded(change) + " %)";
  } else {
    text += "volume " + rounded(cubic * result.volume_after) + " cm^3 (the mesh encloses none)";
  }
  return text + ", largest distance " + rounded(1e3 * scale * result.mesh_to_parts) +
         " mm from the mesh to the parts and " + rounded(1e3 * scale * result.parts_to_mesh) +
         " mm from the parts to the mesh";
}

}  // namespace pegrasp
