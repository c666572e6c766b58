// SPDX-License-Identifier: Apache-2.0
// Triangle drop (Williams' thesis 5.2.1): a triangle of side 2.45 m, 1 kg, 0.6495 kg m^2 falls beside the tip of a
// fixed one of side 4.9 m and must slide down its right face: a vertex that is held above the tip sits in a
// standard-model trap.
#pragma once

#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

constexpr double triangle_drop_duration = 1.5;  // [s]

// Equilateral, tip up, centred.
inline ConvexPart equilateral_part(const std::string& name, double side) {
  const double root = 1.7320508075688772;  // sqrt(3)
  return make_polygon(name, {{0.0, side / root}, {-0.5 * side, -0.5 * side / root}, {0.5 * side, -0.5 * side / root}});
}

// offset: x of the falling triangle [m]; its lowest left vertex is then offset - 1.225 to the right of the tip.
inline SceneSpec triangle_drop(double offset = 1.275, double friction = 0.0) {
  SceneSpec scene;
  scene.name = "triangle_drop";
  scene.gravity = {0.0, -standard_gravity};
  BodySpec large;
  large.name = "large";
  large.kind = BodyKind::fixed;
  large.mass = 4.0;
  large.friction = friction;
  large.planar().parts = {equilateral_part("large", 4.9)};
  BodySpec small;
  small.name = "small";
  small.mass = 1.0;
  small.planar().inertia = 0.6495;
  small.friction = friction;
  small.planar().pose = {offset, 6.75, 0.0};
  small.planar().parts = {equilateral_part("small", 2.45)};
  scene.bodies = {large, small};
  return scene;
}

}  // namespace pegrasp::scenes
