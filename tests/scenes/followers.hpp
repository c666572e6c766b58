// SPDX-License-Identifier: Apache-2.0
// Scenes of bodies that follow their prescribed motion as far as a force takes them. In 2D y is up, in 3D z.
#pragma once

#include <string>
#include <vector>

#include "tests/scenes/squeeze.hpp"

namespace pegrasp::scenes {

inline Vec3 raised(bool spatial, double x, double z) { return spatial ? Vec3{x, 0.0, z} : Vec3{x, z, 0.0}; }
inline Vec3 size_of(bool spatial, double x, double z) { return spatial ? Vec3{x, 0.02, z} : Vec3{x, z, 0.02}; }

// A body of `mass` [kg] with its middle there.
inline BodySpec placed_box(bool spatial, const std::string& name, Vec3 half, Vec3 at, double mass) {
  BodySpec body = spatial ? solid_body(name, cuboid(half.x, half.y, half.z), mass / (8.0 * half.x * half.y * half.z))
                          : box_body(name, 2.0 * half.x, 2.0 * half.y, mass);
  if (spatial) {
    body.spatial().pose.position = at;
  } else {
    body.planar().pose = {at.x, at.y, 0.0};
  }
  return body;
}

inline SceneSpec empty_scene(bool spatial, bool weight) {
  SceneSpec scene;
  scene.spatial = spatial;
  const double g = weight ? -standard_gravity : 0.0;
  if (spatial) {
    scene.gravity_z = g;
  } else {
    scene.gravity = {0.0, g};
  }
  return scene;
}

// Bodies 0, 1, 2: a block of 0.1 kg on a floor, friction 0.5 there and none elsewhere; the floor; and a pusher that
// meets the block at 0.1 s and goes on at 20 mm/s.
inline SceneSpec pushed_block(bool spatial, const ForceLimit& limit) {
  SceneSpec scene = empty_scene(spatial, true);
  const double half = 0.02;
  scene.bodies.push_back(placed_box(spatial, "block", size_of(spatial, half, half), raised(spatial, 0.0, half), 0.1));
  scene.bodies.push_back(placed_box(spatial, "floor", size_of(spatial, 0.5, 0.05), raised(spatial, 0.0, -0.05), 1.0));
  scene.bodies[1].kind = BodyKind::fixed;
  const double from = -half - 0.01 - 0.002;
  scene.bodies.push_back(moved_box(spatial, "pusher", size_of(spatial, 0.01, 0.01), {0.0, 10.0},
                                   {raised(spatial, from, half), raised(spatial, from + 0.2, half)}));
  scene.friction.push_back({0, 1, 0.5});
  limit_force(scene, 2, limit);
  return scene;
}

// Bodies 0 to 3: a part of 0.1 kg, the floor that it stands on, and two jaws, which close on it by 0.2 mm too much
// until
// 0.1 s and rise by 30 mm from 0.2 s to 0.6 s. Friction 0.5.
inline SceneSpec lifting_jaws(bool spatial, const ForceLimit& limit) {
  SceneSpec scene = empty_scene(spatial, true);
  const double half = 0.02, jaw = 0.01, in = half + jaw - 1e-4, out = half + jaw + 2e-3;
  scene.bodies.push_back(placed_box(spatial, "part", size_of(spatial, half, half), raised(spatial, 0.0, 0.0), 0.1));
  scene.bodies.push_back(
      placed_box(spatial, "floor", size_of(spatial, 0.5, 0.05), raised(spatial, 0.0, -half - 0.05), 1.0));
  scene.bodies[1].kind = BodyKind::fixed;
  for (const double side : {-1.0, 1.0}) {
    scene.bodies.push_back(moved_box(spatial, side < 0.0 ? "left" : "right", size_of(spatial, jaw, 0.015),
                                     {0.0, 0.1, 0.2, 0.6},
                                     {raised(spatial, side * out, 0.0), raised(spatial, side * in, 0.0),
                                      raised(spatial, side * in, 0.0), raised(spatial, side * in, 0.03)}));
  }
  for (BodySpec& body : scene.bodies) body.friction = 0.5;
  for (const int body : {2, 3}) limit_force(scene, body, limit);
  return scene;
}

// Bodies 0, 1: a follower that is to stay where it is, and a piston of any force that pushes it back by 2 mm until 0.1
// s and draws back by 20 mm until 0.12 s. No weight.
inline SceneSpec pushed_back(bool spatial, const ForceLimit& limit) {
  SceneSpec scene = empty_scene(spatial, false);
  const Vec3 half = size_of(spatial, 0.01, 0.01);
  scene.bodies.push_back(moved_box(spatial, "follower", half, {0.0}, {raised(spatial, 0.0, 0.0)}));
  scene.bodies.push_back(
      moved_box(spatial, "piston", half, {0.0, 0.1, 0.12},
                {raised(spatial, 0.021, 0.0), raised(spatial, 0.018, 0.0), raised(spatial, 0.038, 0.0)}));
  limit_force(scene, 0, limit);
  return scene;
}

// Bodies 0, 1: a bar of 100 mm, turned about its middle at 1 rad/s, and a fixed post whose left side (in 3D: with a
// wall's height) it meets 40 mm from the middle. No weight, no friction.
inline SceneSpec turned_bar(bool spatial, const ForceLimit& limit) {
  SceneSpec scene = empty_scene(spatial, false);
  BodySpec bar = spatial ? solid_body("bar", cuboid(0.05, 0.005, 0.02), 1000.0) : box_body("bar", 0.1, 0.01, 1.0);
  bar.kind = BodyKind::kinematic;
  BodySpec post;
  if (spatial) {
    bar.spatial().velocity.angular = {0.0, 0.0, 1.0};
    post = solid_body("post", cuboid(0.002, 0.002, 0.01), 1000.0);
    post.spatial().pose.position = {0.042, 0.009, 0.0};
  } else {
    bar.planar().velocity.omega = 1.0;
    post = box_body("post", 0.004, 0.004, 1.0);
    post.planar().pose = {0.042, 0.009, 0.0};
  }
  post.kind = BodyKind::fixed;
  scene.bodies = {bar, post};
  limit_force(scene, 0, limit);
  return scene;
}

}  // namespace pegrasp::scenes
