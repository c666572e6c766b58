// SPDX-License-Identifier: Apache-2.0
// Piles of bodies that are unions: L, T, U, a stepped bar, a plus, dropped into the container of the polygon box.
#pragma once

#include "tests/scenes/polygon_box.hpp"

namespace pegrasp::scenes {

inline ConvexPart bar(const char* name, double left, double right, double bottom, double top) {
  return make_polygon(name, {{left, bottom}, {right, bottom}, {right, top}, {left, top}});
}

inline std::vector<std::vector<ConvexPart>> unions() {
  return {
      {bar("support_sphere", -0.2, 0.2, -0.2, -0.08), bar("leg", -0.2, -0.08, -0.2, 0.2)},  // L, overlapping
      {bar("top", -0.2, 0.2, 0.1, 0.2), bar("stem", -0.05, 0.05, -0.2, 0.1)},               // T, flush
      {bar("floor", -0.2, 0.2, -0.2, -0.1), bar("left", -0.2, -0.1, -0.1, 0.15),
       bar("right", 0.1, 0.2, -0.2, 0.15)},                                             // U
      {bar("thin", -0.25, 0.0, 0.0, 0.1), bar("thick", 0.0, 0.25, -0.15, 0.1)},         // a bar with a step
      {bar("lying", -0.2, 0.2, -0.06, 0.06), bar("standing", -0.06, 0.06, -0.2, 0.2)},  // a plus
  };
}

inline SceneSpec union_pile(std::uint64_t seed, double friction, int count) {
  SceneSpec scene;
  scene.name = "union_pile";
  scene.gravity = {0.0, -standard_gravity};
  add_container(scene, friction);
  Random random(seed);
  const auto shapes = unions();
  for (int i = 0; i < count; ++i) {
    BodySpec body = box_body("union" + std::to_string(i), 0.4, 0.4, 10.0);
    body.planar().parts =
        shapes[static_cast<std::size_t>(random.uniform(0.0, 1.0) * static_cast<double>(shapes.size()))];
    body.planar().pose = {(i % 2 == 0 ? -1.0 : 1.0) * random.uniform(0.3, 0.6), 3.0, random.uniform(-3.1, 3.1)};
    body.planar().velocity.omega = random.uniform(-5.0, 5.0);
    body.drop_time = 0.4 * i;
    body.friction = friction;
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes
