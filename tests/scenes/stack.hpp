// SPDX-License-Identifier: Apache-2.0
// Stack of ten boxes (Williams' thesis 5.2.2): squares of 1 m^2, the lowest one fixed, staggered by up to 0.1 m to
// either side and 0.25 m apart at the start. The right result is a stack that stands.
#pragma once

#include "tests/scenes/random.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

inline SceneSpec stack(std::uint64_t seed, double friction, int box_count = 10) {
  SceneSpec scene;
  scene.name = "stack";
  scene.gravity = {0.0, -standard_gravity};
  Random random(seed);
  for (int i = 0; i < box_count; ++i) {
    BodySpec box = box_body("box" + std::to_string(i), 1.0, 1.0, 10.0);
    box.kind = i == 0 ? BodyKind::fixed : BodyKind::dynamic;
    box.planar().pose = {random.uniform(-0.1, 0.1), 0.5 + 1.25 * i, 0.0};
    box.friction = friction;
    scene.bodies.push_back(box);
  }
  return scene;
}

}  // namespace pegrasp::scenes
