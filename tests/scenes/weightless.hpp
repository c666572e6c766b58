// SPDX-License-Identifier: Apache-2.0
// Bodies without weight that hit each other: two boxes close in on a third one from either side, along x.
#pragma once

#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

// A part of 0.5 kg, and 0.2 kg on its left and on its right with these velocities [m/s].
inline SceneSpec closing_boxes(bool spatial, double friction, double left, double right) {
  SceneSpec scene;
  scene.name = "closing_boxes";
  scene.spatial = spatial;
  struct Box {
    const char* name;
    double mass, x, width, height, speed;
  };
  for (const Box& box : {Box{"part", 0.5, 0.003, 0.04, 0.04, 0.0}, Box{"left", 0.2, -0.05, 0.01, 0.02, left},
                         Box{"right", 0.2, 0.05, 0.01, 0.02, right}}) {
    BodySpec body;
    if (spatial) {
      const double depth = 0.04, density = box.mass / (box.width * box.height * depth);
      body = solid_body(box.name, cuboid(0.5 * box.width, 0.5 * box.height, 0.5 * depth), density);
      body.spatial().pose.position.x = box.x;
      body.spatial().velocity.velocity.x = box.speed;
    } else {
      body = box_body(box.name, box.width, box.height, box.mass);
      body.planar().pose.x = box.x;
      body.planar().velocity.vx = box.speed;
    }
    body.friction = friction;
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes
