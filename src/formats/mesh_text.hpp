// SPDX-License-Identifier: Apache-2.0
// The vertices and faces of OBJ, STL and .poly files. Only the syntax of the file is checked, not the mesh.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

struct MeshFace {
  std::vector<int> corners;
  int object = 0;  // the "o" of an OBJ file, the "solid" of an STL file
  int group = 0;   // the "g" of an OBJ file; numbers are not reused by another object
};

struct MeshText {
  std::vector<Vec3> vertices;
  std::vector<MeshFace> faces;
  std::vector<std::string> objects;  // names, where there are any
};

// These throw ShapeError, one line that begins with `place`, the name of the file, and has the line number where there
// is one.
MeshText read_obj(std::string_view text, const std::string& place);
MeshText read_stl(std::string_view bytes, const std::string& place);
// The surfaces that TetGen takes (mesh_poly.cpp): facets of one polygon each, in any orientation.
MeshText read_poly(std::string_view text, const std::string& place);

}  // namespace pegrasp
