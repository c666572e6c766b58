// SPDX-License-Identifier: Apache-2.0
// A box on tiles that are bodies of their own, in 2D and in 3D.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/scenes/bricks.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

constexpr double slider_half = 0.02;  // [m] of the box's side

struct Slab {
  double left, right, bottom, top;
};

inline BodySpec slab_body(const Slab& slab, const std::string& name, double friction) {
  BodySpec body = ground_body(friction);
  body.name = name;
  body.planar().parts = {make_polygon(
      name, {{slab.left, slab.bottom}, {slab.right, slab.bottom}, {slab.right, slab.top}, {slab.left, slab.top}})};
  return body;
}

// A box on slabs that are bodies of their own, its lower right corner at x = `from`.
inline SceneSpec slider_on_slabs(const std::vector<Slab>& slabs, double speed, double friction, double from = -0.01) {
  SceneSpec scene;
  scene.name = "slider";
  scene.gravity = {0.0, -standard_gravity};
  for (const Slab& slab : slabs) {
    scene.bodies.push_back(slab_body(slab, "tile" + std::to_string(scene.bodies.size()), friction));
  }
  BodySpec box = box_body("box", 2.0 * slider_half, 2.0 * slider_half, 0.2);
  box.friction = friction;
  box.planar().pose = {from - slider_half, slider_half, 0.0};
  box.planar().velocity.vx = speed;
  scene.bodies.push_back(box);
  return scene;
}

inline BodySpec brick_body(Vec3 low, Vec3 high, const std::string& name) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = name;
  body.kind = BodyKind::fixed;
  body.spatial().parts = {brick(name, low, high)};
  return body;
}

// Square tiles of 0.1 m with their tops at z = 0, from x = -0.1 on; `lift`: how much higher those with x > 0 are.
inline std::vector<BodySpec> square_tiles(int columns, int rows, double gap = 0.0, double lift = 0.0) {
  std::vector<BodySpec> out;
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      const double x = -0.1 + 0.1 * i;
      const double y = -0.05 * rows + 0.1 * j;
      const double top = i > 0 ? lift : 0.0;
      const std::string name = "tile" + std::to_string(i) + "_" + std::to_string(j);
      out.push_back(
          brick_body({x + (i > 0 ? gap : 0.0), y + (j > 0 ? gap : 0.0), -0.04 + top}, {x + 0.1, y + 0.1, top}, name));
    }
  }
  return out;
}

// A cube that slides along x over the floor's bodies, turned by `yaw` [rad] about z.
inline SceneSpec cube_on(const std::vector<BodySpec>& floor, double speed, double friction, double yaw = 0.0) {
  SceneSpec scene = scene_3d("slider");
  scene.bodies = floor;
  BodySpec box = solid_body("box", cuboid(slider_half, slider_half, slider_half), 1000.0);
  box.spatial().pose.position = {-0.04, 0.0, slider_half};
  box.spatial().pose.turn = {std::cos(0.5 * yaw), 0.0, 0.0, std::sin(0.5 * yaw)};
  box.spatial().velocity.velocity = {speed, 0.0, 0.0};
  scene.bodies.push_back(box);
  for (BodySpec& body : scene.bodies) body.friction = friction;
  return scene;
}

}  // namespace pegrasp::scenes
