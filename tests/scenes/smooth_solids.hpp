// SPDX-License-Identifier: Apache-2.0
// Scenes with ellipsoids and superellipsoids.
#pragma once

#include <string>

#include "pegrasp/solid_part.hpp"
#include "tests/scenes/cylinders.hpp"

namespace pegrasp::scenes {

// A homogeneous body of one part, as heavy as water.
inline BodySpec of_water(const std::string& name, const SolidPart& part, Vec3 at, double friction) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = name;
  body.spatial().parts = {part};
  body.friction = friction;
  const SolidProperties p = solid_properties(part);
  body.mass = 1000.0 * p.volume;
  body.spatial().inertia = {1000.0 * p.inertia.xx, 1000.0 * p.inertia.yy, 1000.0 * p.inertia.zz,
                            1000.0 * p.inertia.xy, 1000.0 * p.inertia.xz, 1000.0 * p.inertia.yz};
  body.spatial().pose.position = at;
  return body;
}
inline BodySpec ellipsoid(const std::string& name, Vec3 half_axes, Vec3 at, double friction, int order = 2) {
  return of_water(name, make_ellipsoid(name, {}, half_axes, {}, order), at, friction);
}

}  // namespace pegrasp::scenes
