// SPDX-License-Identifier: Apache-2.0
// The five Platonic solids (Williams' thesis, 6.3), about the origin. A cube has its faces across the axes, a
// tetrahedron alternate corners of such a cube, an octahedron its corners on the axes; a dodecahedron and an
// icosahedron have edges across the axes.
#pragma once

#include <string>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

enum class PlatonicSolid { tetrahedron, cube, octahedron, dodecahedron, icosahedron };
// In that order.
const std::vector<std::string>& platonic_names();
// The corners of the solid with edges of that length [m].
std::vector<Vec3> platonic_corners(PlatonicSolid solid, double edge);

}  // namespace pegrasp
