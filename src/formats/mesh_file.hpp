// SPDX-License-Identifier: Apache-2.0
// Convex parts from mesh files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/formats/convexify.hpp"
#include "src/formats/mesh_text.hpp"

namespace pegrasp {

struct MeshPlacement {
  Vec3 scale{1.0, 1.0, 1.0};  // metres for each unit of the file, by axis, applied first; negative values mirror
  SpatialPose pose;           // of the scaled mesh in the body
  double tolerance = mesh_tolerance;  // for polyhedron_of_mesh()
  bool hull = false;                  // the convex hull of every piece in place of the piece, which may then have holes
  std::optional<ConvexifyOptions> convexify;  // divides the mesh into convex parts first
};

// The closed, convex meshes of an OBJ or STL file, as parts called `name` or, if there are several, name_1, name_2 and
// so on. The meshes of one file are told apart by groups, by objects, or because no edge joins them. What has a face of
// too many corners is cut into several parts. `remarks` receives what a reader should know: what a hull adds, a mesh
// that looks like one in millimetres, what a division changed. `pieces` receives the fingerprint of the parts of a
// division. Throws ShapeError: one line that names the file.
std::vector<SolidPart> load_mesh(const std::filesystem::path& file, const std::string& name,
                                 const MeshPlacement& placement, std::vector<Remark>* remarks = nullptr,
                                 std::string* pieces = nullptr);

// The vertices and faces of an OBJ or STL file. Throws ShapeError.
MeshText read_mesh_text(const std::filesystem::path& file);

// The contents of a file that a scene refers to. Throws ShapeError when it cannot be read or is larger than 256 MB.
std::string read_part_file(const std::filesystem::path& file);

// FNV-1a hash of the bytes of a file, in hexadecimal. By it a resolved problem notices that a file has changed.
std::string fingerprint(const std::string& bytes, const std::string& before = {});

}  // namespace pegrasp
