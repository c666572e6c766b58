// SPDX-License-Identifier: Apache-2.0
// The pieces of a mesh file.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "src/formats/mesh_text.hpp"

namespace pegrasp {

// Faces that may form one closed mesh. No two of the vertices have the same coordinates.
struct MeshPiece {
  std::string label;  // `object "left": `, for messages
  std::vector<Vec3> vertices;
  std::vector<std::vector<int>> faces;
};

// The closed pieces: groups, objects or, where these are patches of one surface, the whole; each taken apart where no
// edge joins its faces. Vertices within the tolerance, relative to the size of what is divided, are one vertex where
// the mesh is not closed without that. Throws ShapeError: one line that begins with `place`.
std::vector<MeshPiece> closed_pieces(const MeshText& mesh, const std::string& place, double tolerance);

// The pieces whose hulls are taken: the closed pieces or, where the mesh has holes, its objects.
std::vector<MeshPiece> hull_pieces(const MeshText& mesh, const std::string& place, double tolerance);

}  // namespace pegrasp
