// SPDX-License-Identifier: Apache-2.0
// Many polyhedra at once: they start in layers above the floor of a container as wide as a layer.
#pragma once

#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::scenes {

// Of hulls of ten random points, as in polyhedron_box(); a layer has columns x columns of them.
inline SceneSpec polyhedron_pour(std::uint64_t seed, double friction, int count, int columns) {
  constexpr double spacing =
      0.7;                        // [m] hulls are at most 0.5 m along each axis, and their centroids near their middles
  constexpr double lowest = 0.4;  // [m] centres of the first layer
  constexpr double thickness = 0.5;  // [m] of the floor and the walls
  SceneSpec scene = scene_3d("polyhedron_pour");
  const double inside = 0.5 * spacing * columns;
  const int layers = (count + columns * columns - 1) / (columns * columns);
  const double high = 0.5 * spacing * (layers + 1);
  const double outside = inside + thickness;
  scene.bodies.push_back(
      fixed_cuboid("floor", {outside, outside, 0.5 * thickness}, {0.0, 0.0, -0.5 * thickness}, friction));
  for (int side = 0; side < 4; ++side) {
    const double at = (side % 2 == 0 ? 1.0 : -1.0) * (inside + 0.5 * thickness);
    const bool along_x = side < 2;
    const Vec3 half = along_x ? Vec3{0.5 * thickness, outside, high} : Vec3{outside, 0.5 * thickness, high};
    const Vec3 place = along_x ? Vec3{at, 0.0, high} : Vec3{0.0, at, high};
    scene.bodies.push_back(fixed_cuboid("wall" + std::to_string(side), half, place, friction));
  }
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    BodySpec body = random_hull(random, "hull" + std::to_string(i));
    const int in_layer = i % (columns * columns);
    const auto place = [&](int column) { return spacing * (column + 0.5 - 0.5 * columns); };
    body.spatial().pose.position = {place(in_layer % columns), place(in_layer / columns),
                                    lowest + spacing * (i / (columns * columns))};
    body.friction = friction;
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes
