// SPDX-License-Identifier: Apache-2.0
// Convex parts from mesh files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pegrasp/solid_part.hpp"

namespace pegrasp {

struct MeshPlacement {
  Vec3 scale{1.0, 1.0, 1.0};  // metres for each unit of the file, axis by axis, first; negative: mirrored
  SpatialPose pose;           // of the mesh in the body, afterwards
  double tolerance = 1e-6;    // of make_polyhedron(): files hold single precision or six digits
};

// The closed, convex meshes of an OBJ or STL file, as parts called `name` or, if they are several, name_1, name_2, ... Meshes of one
// file are reported apart by its groups, its objects, or because no edge joins them. Throws ShapeError: one line that names the file.
std::vector<SolidPart> load_mesh(const std::filesystem::path& file, const std::string& name,
                                 const MeshPlacement& placement);

// All of a file that a scene refers to; throws ShapeError for one that cannot be read or is larger than 256 MB.
std::string read_part_file(const std::filesystem::path& file);

// Of a file's bytes, FNV-1a, in hexadecimal: so that a problem that was resolved can tell that a file has changed.
std::string fingerprint(const std::string& bytes, const std::string& before = {});

}  // namespace pegrasp
