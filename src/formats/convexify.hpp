// SPDX-License-Identifier: Apache-2.0
// Convex decomposition of meshes, by CoACD (Wei, Liu, Ling, Su: Approximate Convex Decomposition for 3D Meshes with
// Collision-Aware Concavity and Tree Search, 2022), through its Python package.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

struct ConvexifyOptions {
  double threshold = 0.05;  // concavity at which CoACD stops dividing, 0.01 to 1; finer parts for smaller values
  int most_parts = 0;       // 0: as many as that takes
};
inline constexpr double least_threshold = 0.01;

// The parts, and what was changed: lengths and volumes in the unit of the mesh file.
struct Convexified {
  std::string obj;  // the parts, an object each, convex
  std::size_t parts = 0;
  double volume_before = 0.0;  // 0: the mesh is not closed
  double volume_after = 0.0;   // sum over the parts, which may overlap
  double mesh_to_parts = 0.0;  // largest distance of a point of the mesh from the surface of the parts
  double parts_to_mesh = 0.0;  // and of a point of the surface of the parts from the mesh
  bool cached = false;         // found in the cache, not computed
};

// Divides a mesh. The result is kept in a cache by the contents of the mesh and the options ($XDG_CACHE_HOME/pegrasp,
// else ~/.cache/pegrasp), and depends on nothing else. Throws ShapeError: one line that names the file.
Convexified convexify(const std::filesystem::path& file, const ConvexifyOptions& options);

// The report in one line, with lengths scaled to metres: "12 parts, volume ...".
std::string convexify_text(const Convexified& result, double scale);

}  // namespace pegrasp
