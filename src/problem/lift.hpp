// SPDX-License-Identifier: Apache-2.0
// A planar problem, run in 3D ([space] in the problem file).
#pragma once

#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"

namespace pegrasp {

struct SpaceSettings {
  bool lift = false;
  double thickness = 0.0;          // [m] of what stands on support points
  double clearance = 0.0;          // [m] between it and the table, and the radius of its support spheres
  double polygon_tolerance = 0.0;  // [m] of arcs
  bool level = false;  // support spheres touch the table at the height of the middle, and nothing else touches it
};

// [space]; null: as given in no file. Stores the resolved table.
SpaceSettings read_space(ReadContext& context, const Node* node, bool spatial, Node& resolved);

// The problem in 3D. Outlines become prisms, support points support spheres on a table at z = 0, gravity out of the plane weight; slide axes, motors,
// friction, success, the grid and all that is drawn stay what they are, draw by draw. `weight`: gravity out of the plane [m/s^2]. Throws
// InputError, at the node of [space], for what has no meaning there.
Problem lifted(ReadContext& context, const Node* node, const Problem& flat, double weight,
               const SpaceSettings& settings);

}  // namespace pegrasp
