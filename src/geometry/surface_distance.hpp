// SPDX-License-Identifier: Apache-2.0
// How far the surfaces of meshes lie apart. For reports: distances are measured at samples, not everywhere.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "pegrasp/geometry.hpp"
#include "pegrasp/polyhedron.hpp"

namespace pegrasp {

using Triangle3 = std::array<Vec3, 3>;

// The faces of polygons as triangles.
std::vector<Triangle3> triangles_of(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces);
std::vector<Triangle3> triangles_of(const Polyhedron& polyhedron);

// The largest distance [m] of a point of `from` to the nearest point of `to`, over corners and points spread evenly
// over the triangles, of which `counts` chooses by the point and the triangle's unit normal (empty: all). 0 where a
// list is empty. Takes less than a second.
double farthest(const std::vector<Triangle3>& from, const std::vector<Triangle3>& to,
                const std::function<bool(Vec3, Vec3)>& counts = {});

// The enclosed volume [m^3] of closed triangles.
double enclosed_volume(const std::vector<Triangle3>& triangles);

}  // namespace pegrasp
