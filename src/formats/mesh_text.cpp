// SPDX-License-Identifier: Apache-2.0
// Readers of OBJ (vertices, polygons, objects and groups; statements that only concern rendering are skipped) and of
// STL, ASCII and binary. Decimal numbers are read to the nearest double.
#include "src/formats/mesh_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "src/formats/mesh_words.hpp"

namespace pegrasp {
namespace {

using mesh_words::lines_of;
using mesh_words::most_faces;
using mesh_words::read_vertex;
using mesh_words::Words;

// Reads the vertex of a face corner: "7", "7/1", "7//3" or "7/1/3" counts from 1, "-1" back from the latest vertex.
int read_corner(const Words& words, std::string_view word, std::size_t vertices) {
  const std::string_view index = word.substr(0, word.find('/'));
  long long value = 0;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), value);
  if (error != std::errc() || end != index.data() + index.size()) {
    words.fail("\"" + Words::shown(word) + "\" is not the number of a vertex: write one such as 7 or 7/1/3");
  }
  const long long count = static_cast<long long>(vertices);
  const long long corner = value < 0 ? count + value : value - 1;
  if (value == 0 || corner < 0 || corner >= count) {
    words.fail("a face names vertex " + std::to_string(value) + ", but there are " + std::to_string(count) +
               " before it: count from 1");
  }
  return static_cast<int>(corner);
}

bool is_curve(std::string_view keyword) {
  for (const char* curve : {"vp", "cstype", "deg", "bmat", "curv", "curv2", "surf", "step", "trim"}) {
    if (keyword == curve) return true;
  }
  return false;
}

constexpr std::size_t stl_head = 84, stl_triangle = 50;  // bytes

// The size [bytes] that the head of a binary STL asks for.
std::size_t binary_size(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + stl_head - 4, 4);
  return stl_head + stl_triangle * static_cast<std::size_t>(count);
}

MeshText read_binary_stl(std::string_view bytes, const std::string& place) {
  constexpr std::size_t head = stl_head, each = stl_triangle, normal = 12;
  const std::size_t count = (binary_size(bytes) - head) / each;
  if (count > most_faces) throw ShapeError(place + ": has more than a million triangles: thin the mesh out");
  if (bytes.size() < binary_size(bytes)) {
    throw ShapeError(place + ": is cut short: its " + std::to_string(count) + " triangles take " +
                     std::to_string(binary_size(bytes)) + " bytes, and it has " + std::to_string(bytes.size()) +
                     ": export it again");
  }
  MeshText mesh;
  mesh.objects.emplace_back();
  for (std::size_t f = 0; f < count; ++f) {
    MeshFace face;
    for (std::size_t k = 0; k < 3; ++k) {
      float x[3];
      std::memcpy(x, bytes.data() + head + each * f + normal + 12 * k, 12);
      if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) {
        throw ShapeError(place + ": triangle " + std::to_string(f + 1) +
                         " has a coordinate that is not finite: export it again");
      }
      face.corners.push_back(static_cast<int>(mesh.vertices.size()));
      mesh.vertices.push_back({x[0], x[1], x[2]});
    }
    mesh.faces.push_back(std::move(face));
  }
  return mesh;
}

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Zeros, and the mark that old systems put at the end of a text.
bool is_padding(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) { return c == '\0' || c == '\x1a'; });
}

// Whether a file is a binary STL. Its size is the one that the number of triangles gives, or larger where a writer left
// bytes at the end. A text begins with "solid" and holds no zero byte; the head of a binary file may begin so, too.
bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < stl_head) return false;
  if (bytes.size() == binary_size(bytes)) return true;
  constexpr std::size_t looked_at = 512;
  const bool zero = bytes.substr(0, looked_at).find('\0') != std::string_view::npos;
  if (!zero) return false;
  return bytes.size() > binary_size(bytes) ? binary_size(bytes) > stl_head : true;
}

}  // namespace

MeshText read_obj(std::string_view text, const std::string& place) {
  const std::string lines = lines_of(text);
  Words words(lines, place);
  MeshText mesh;
  mesh.objects.emplace_back();
  int groups = 0;
  int group = 0;
  while (words.next_line()) {
    const std::string_view keyword = words.next();
    if (keyword == "v") {
      mesh.vertices.push_back(read_vertex(words));
      if (mesh.vertices.size() > 3 * most_faces) words.fail("there are more than three million vertices: thin it out");
    } else if (keyword == "f") {
      MeshFace face;
      for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word.front() == '#') break;
        face.corners.push_back(read_corner(words, word, mesh.vertices.size()));
      }
      if (face.corners.size() < 3) words.fail("a face has fewer than three corners: drop it, or give them");
      face.object = static_cast<int>(mesh.objects.size()) - 1;
      face.group = group;
      mesh.faces.push_back(std::move(face));
      if (mesh.faces.size() > most_faces) words.fail("there are more than a million faces: thin the mesh out");
    } else if (keyword == "o") {
      mesh.objects.push_back(Words::shown(words.rest_of_line()));
      group = ++groups;
    } else if (keyword == "g") {
      words.rest_of_line();
      group = ++groups;
    } else if (is_curve(keyword)) {
      words.fail("holds a curved surface (\"" + std::string(keyword) + "\"): export polygons");
    }
  }
  return mesh;
}

MeshText read_stl(std::string_view bytes, const std::string& place) {
  if (is_binary_stl(bytes)) return read_binary_stl(bytes, place);
  const std::string lines = lines_of(bytes);
  Words words(lines, place);
  if (lower(words.next_anywhere()) != "solid") {
    throw ShapeError(place + ": is no STL file: it does not begin with \"solid\", and a binary one would have " +
                     "84 + 50 bytes for each of the triangles it counts; export it again");
  }
  MeshText mesh;
  std::optional<MeshFace> face;
  bool ended = false;  // what stands behind the last solid is no part of it
  mesh.objects.push_back(Words::shown(words.rest_of_line()));
  words.next_line();
  for (std::string_view given = words.next_anywhere(); !given.empty(); given = words.next_anywhere()) {
    const std::string word = lower(given);
    if (word == "solid") {
      ended = false;
      mesh.objects.push_back(Words::shown(words.rest_of_line()));
      if (!words.next_line()) break;
    } else if (word == "endsolid" || (ended && word != "facet")) {
      ended = true;
      if (!words.next_line()) break;
    } else if (word == "outer") {
      face.emplace();
      face->object = static_cast<int>(mesh.objects.size()) - 1;
      face->group = face->object;
    } else if (word == "vertex") {
      if (!face) words.fail("a \"vertex\" stands outside of \"outer loop\": export the file again");
      face->corners.push_back(static_cast<int>(mesh.vertices.size()));
      mesh.vertices.push_back(read_vertex(words));
    } else if (word == "endloop") {
      if (!face || face->corners.size() < 3) words.fail("a facet has fewer than three vertices: export the file again");
      mesh.faces.push_back(std::move(*face));
      face.reset();
      if (mesh.faces.size() > most_faces) words.fail("there are more than a million facets: thin the mesh out");
    } else if (word == "normal") {
      for (int k = 0; k < 3; ++k) words.next_anywhere();  // it follows from the order of the vertices
    } else if (word != "facet" && word != "loop" && word != "endfacet" && !is_padding(given)) {
      words.fail("\"" + Words::shown(given) + "\" is no word of an STL file: export it again");
    }
  }
  if (face) words.fail("the file ends within a facet: export it again");
  return mesh;
}

}  // namespace pegrasp
