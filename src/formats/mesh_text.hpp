// SPDX-License-Identifier: Apache-2.0
// What OBJ and STL files say: vertices and faces, nothing checked but the file itself.
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

// Throw ShapeError, one line that begins with `place`, the file's name, and the line where there is one.
MeshText read_obj(std::string_view text, const std::string& place);
MeshText read_stl(std::string_view bytes, const std::string& place);

}  // namespace pegrasp
