// SPDX-License-Identifier: Apache-2.0
// Mesh files for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp::test {

using Triangles = std::vector<std::vector<Vec3>>;

inline std::filesystem::path written(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

// The corners and faces of a box, in an OBJ file; `first` is the number of vertices before it.
inline std::string box_vertices(Vec3 low, Vec3 high) {
  std::string text;
  for (int k = 0; k < 8; ++k) {
    text += "v " + std::to_string(k & 1 ? high.x : low.x) + " " + std::to_string(k & 2 ? high.y : low.y) + " " +
            std::to_string(k & 4 ? high.z : low.z) + "\n";
  }
  return text;
}
inline const std::vector<std::vector<int>>& cuboid_quads() {
  static const std::vector<std::vector<int>> faces{{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5},
                                                   {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
  return faces;
}
inline std::string face_line(const std::vector<int>& face, int first) {
  std::string text = "f";
  for (const int corner : face) text += " " + std::to_string(first + corner);
  return text + "\n";
}
inline std::string box_obj(Vec3 low, Vec3 high, int first = 0) {
  std::string text = box_vertices(low, high);
  for (const auto& face : cuboid_quads()) text += face_line(face, first);
  return text;
}

// The same as loose triangles.
inline Triangles box_triangles(Vec3 low, Vec3 high) {
  Triangles out;
  const auto corner = [&](int k) {
    k -= 1;
    return Vec3{k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
  };
  for (const auto& f : cuboid_quads()) {
    out.push_back({corner(f[0]), corner(f[1]), corner(f[2])});
    out.push_back({corner(f[0]), corner(f[2]), corner(f[3])});
  }
  return out;
}

inline std::string ascii_stl(const Triangles& triangles) {
  std::string text = "solid something with a name\n";
  for (const auto& triangle : triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const Vec3& v : triangle) {
      text += "  vertex " + std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z) + "\n";
    }
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid\n";
}

inline std::string binary_stl(const Triangles& triangles) {
  std::string bytes(84, ' ');
  bytes.replace(0, 5, "solid");  // some writers begin so
  const auto count = static_cast<std::uint32_t>(triangles.size());
  std::memcpy(bytes.data() + 80, &count, 4);
  for (const auto& triangle : triangles) {
    std::string facet(50, '\0');
    for (std::size_t k = 0; k < 3; ++k) {
      const float x[3] = {static_cast<float>(triangle[k].x), static_cast<float>(triangle[k].y),
                          static_cast<float>(triangle[k].z)};
      std::memcpy(facet.data() + 12 + 12 * k, x, 12);
    }
    bytes += facet;
  }
  return bytes;
}

// An L of two boxes, one closed surface, not convex.
inline std::string l_shape_obj() {
  const char* const outline[] = {"0 0", "2 0", "2 1", "1 1", "1 2", "0 2"};
  std::string text;
  for (const char* z : {" 0", " 1"}) {
    for (const char* xy : outline) text += std::string("v ") + xy + z + "\n";
  }
  text += "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n";
  for (int k = 1; k <= 6; ++k) {
    const int next = k % 6 + 1;
    text += face_line({k, next, next + 6, k + 6}, 0);
  }
  return text;
}

}  // namespace pegrasp::test
