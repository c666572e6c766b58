// SPDX-License-Identifier: Apache-2.0
// Scenes in 3D of several islands: heaps far from each other, and bodies that come into reach of each other within a
// step.
#pragma once

#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::scenes {

// A slab, and tetrahedra that fall on it; `violent`: so fast that long steps are rejected.
inline void add_heap(SceneSpec& scene, const std::string& name, Vec3 at, bool violent) {
  constexpr std::uint64_t shapes = 3;  // the same for all heaps: tolerances follow the sizes of all bodies
  scene.bodies.push_back(fixed_cuboid(name + "_floor", {4.0, 4.0, 0.1}, {at.x, at.y, at.z - 0.1}, 0.3));
  Random random(shapes);
  for (int i = 0; i < 3; ++i) {
    BodySpec body = solid_body(name + std::to_string(i), random_tetrahedron(random), 100.0);
    body.spatial().pose.turn = random_turn(random);
    body.spatial().pose.position = {at.x + 0.05 * i, at.y, at.z + 0.4 + 0.45 * i};
    body.spatial().velocity.velocity = {0.0, 0.0, violent ? -12.0 - 6.0 * i : -1.0};
    if (violent) body.spatial().velocity.angular = {20.0, -15.0, 10.0};
    body.friction = 0.3;
    scene.bodies.push_back(body);
  }
}

inline SceneSpec two_heaps() {
  SceneSpec scene = scene_3d("two_heaps");
  add_heap(scene, "violent", {100.0, 0.0, 0.0}, true);
  add_heap(scene, "calm", {0.0, 0.0, 0.0}, false);
  return scene;
}

// Three cubes in a row, without weight. In 16 ms the first reaches the second, and only what that takes on reaches the
// third.
inline SceneSpec row_of_cubes() {
  SceneSpec scene = scene_3d("row_of_cubes");
  scene.gravity_z = 0.0;
  const double x[] = {0.0, 0.35, 0.6};
  for (int i = 0; i < 3; ++i) {
    BodySpec body = solid_body("cube" + std::to_string(i), cuboid(0.1, 0.1, 0.1), 100.0);
    body.spatial().pose.position = {x[i], 0.01 * i, 0.02 * i};
    body.friction = 0.3;
    scene.bodies.push_back(body);
  }
  scene.bodies[0].spatial().velocity.velocity = {20.0, 0.0, 0.0};
  return scene;
}

}  // namespace pegrasp::scenes
