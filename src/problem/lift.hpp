// SPDX-License-Identifier: Apache-2.0
// Lifting: running a planar problem in 3D ([space] in the problem file).
#pragma once

#include "pegrasp/problem.hpp"
#include "src/problem/section.hpp"

namespace pegrasp {

struct SpaceSettings {
  bool lift = false;
  double thickness = 0.0;          // of bodies with a support [m]
  double clearance = 0.0;          // between these bodies and the table, and the radius of their support spheres [m]
  double polygon_tolerance = 0.0;  // of the polygons that replace arcs [m]
  bool level = false;              // only support spheres touch the table, at the height of the middle of the bodies
};

// Reads the table [space] (null: every key has its default) and stores its resolved form.
SpaceSettings read_space(ReadContext& context, const Node* node, bool spatial, Node& resolved);

// The problem in 3D. Outlines become prisms, support points become support spheres on a table at z = 0, and gravity out
// of the plane (`weight` [m/s^2]) becomes weight. Slide axes, motors, friction, the condition of success, the grid and
// all random draws stay the same, draw by draw. Throws InputError, at the node of [space], for what cannot be lifted.
Problem lifted(ReadContext& context, const Node* node, const Problem& flat, double weight,
               const SpaceSettings& settings);

}  // namespace pegrasp
