// SPDX-License-Identifier: Apache-2.0
#include "src/geometry/platonic.hpp"

#include <cmath>

#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

const double golden = 0.5 * (1.0 + std::sqrt(5.0));

// The corners of a cube with coordinates +-c; of these, the alternate ones.
std::vector<Vec3> cube_corners(double c, bool alternate) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    const double x = k & 1 ? c : -c, y = k & 2 ? c : -c, z = k & 4 ? c : -c;
    if (!alternate || x * y * z > 0.0) corners.push_back({x, y, z});
  }
  return corners;
}

// (0, +-b, +-c) and the same in turn about the axes.
void add_in_turn(std::vector<Vec3>& corners, double b, double c) {
  for (const double y : {-b, b}) {
    for (const double z : {-c, c}) {
      for (const Vec3 corner : {Vec3{0.0, y, z}, Vec3{z, 0.0, y}, Vec3{y, z, 0.0}}) corners.push_back(corner);
    }
  }
}

}  // namespace

const std::vector<std::string>& platonic_names() {
  static const std::vector<std::string> names{"tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron"};
  return names;
}

std::vector<Vec3> platonic_corners(PlatonicSolid solid, double edge) {
  std::vector<Vec3> corners;
  switch (solid) {
    case PlatonicSolid::tetrahedron:
      return cube_corners(edge / std::sqrt(8.0), true);
    case PlatonicSolid::cube:
      return cube_corners(0.5 * edge, false);
    case PlatonicSolid::octahedron: {
      const double c = edge / std::sqrt(2.0);
      return {{c, 0.0, 0.0}, {-c, 0.0, 0.0}, {0.0, c, 0.0}, {0.0, -c, 0.0}, {0.0, 0.0, c}, {0.0, 0.0, -c}};
    }
    case PlatonicSolid::dodecahedron:
      corners = cube_corners(0.5 * golden * edge, false);
      add_in_turn(corners, 0.5 * edge, 0.5 * golden * golden * edge);
      return corners;
    case PlatonicSolid::icosahedron:
      break;
  }
  add_in_turn(corners, 0.5 * edge, 0.5 * golden * edge);
  return corners;
}

}  // namespace pegrasp
