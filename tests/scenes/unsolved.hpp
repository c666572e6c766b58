// SPDX-License-Identifier: Apache-2.0
// Scenes that come to steps which nothing solves: bodies with prescribed motion squeeze a part askew.
#pragma once

#include <cmath>
#include <string>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

// A box of these half sizes at `at`, turned by `turn` [rad]: in 2D about z, in 3D about the axis `about`.
inline BodySpec askew_box(bool spatial, const std::string& name, Vec3 half, Vec3 at, double turn, Vec3 about) {
  BodySpec body = spatial ? solid_body(name, cuboid(half.x, half.y, half.z), 1000.0)
                          : box_body(name, 2.0 * half.x, 2.0 * half.y, 1.0);
  if (spatial) {
    const double f = std::sin(0.5 * turn);
    body.spatial().pose = {at, {std::cos(0.5 * turn), f * about.x, f * about.y, f * about.z}};
  } else {
    body.planar().pose = {at.x, at.y, turn};
  }
  return body;
}

inline void weigh(BodySpec& body, double mass, double inertia) {
  body.mass = mass;
  if (body.is_spatial()) {
    body.spatial().inertia = {inertia, inertia, inertia, 0.0, 0.0, 0.0};
  } else {
    body.planar().inertia = inertia;
  }
}

inline void drive(BodySpec& body, Vec3 velocity) {
  body.kind = BodyKind::kinematic;
  if (body.is_spatial()) {
    body.spatial().velocity.velocity = velocity;
  } else {
    body.planar().velocity = {velocity.x, velocity.y, 0.0};
  }
}

// Bodies 0, 1, 2: floor, box of 40 mm and 0.1 kg, hand. Nothing rubs. The hand comes down at 0.2 m/s, leans, and
// presses on the box beside its middle.
inline SceneSpec leaning_hand(bool spatial) {
  SceneSpec scene;
  scene.spatial = spatial;
  if (!spatial) scene.gravity = {0.0, -standard_gravity};
  scene.gravity_z = -standard_gravity;
  const auto at = [&](double x, double y, double z) { return spatial ? Vec3{x, y, z} : Vec3{x, z, 0.0}; };
  scene.bodies = {askew_box(spatial, "floor", at(0.5, 0.5, 0.05), at(0.0, 0.0, -0.05), 0.0, {}),
                  askew_box(spatial, "box", at(0.02, 0.02, 0.02), at(0.0, 0.0, 0.02), 0.0, {}),
                  askew_box(spatial, "hand", at(0.01, 0.01, 0.02), at(0.012, 0.003, 0.07), 0.1, {1.0, 0.0, 0.0})};
  scene.bodies[0].kind = BodyKind::fixed;
  weigh(scene.bodies[1], 0.1, 1e-5);
  drive(scene.bodies[2], at(0.0, 0.0, -0.2));
  for (BodySpec& body : scene.bodies) body.friction = 0.0;
  return scene;
}

// Bodies 0, 1, 2: part of 20 mm and 0.1 kg, left and right jaw. The jaws come at 50 mm/s each from 5 mm away, and
// friction of 1.2 wedges the part, which is turned by 0.05 rad. No weight.
inline SceneSpec askew_part(bool spatial) {
  SceneSpec scene;
  scene.spatial = spatial;
  scene.gravity = {0.0, 0.0};
  scene.gravity_z = 0.0;
  const Vec3 jaw{0.01, 0.02, 0.02};
  scene.bodies = {askew_box(spatial, "part", {0.01, 0.01, 0.01}, {}, 0.05, {0.0, 0.0, 1.0}),
                  askew_box(spatial, "left", jaw, {-0.025, 0.0, 0.0}, 0.0, {}),
                  askew_box(spatial, "right", jaw, {0.025, 0.0, 0.0}, 0.0, {})};
  weigh(scene.bodies[0], 0.1, 1e-5);
  drive(scene.bodies[1], {0.05, 0.0, 0.0});
  drive(scene.bodies[2], {-0.05, 0.0, 0.0});
  for (BodySpec& body : scene.bodies) body.friction = 1.2;
  return scene;
}

}  // namespace pegrasp::scenes
