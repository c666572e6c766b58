// SPDX-License-Identifier: Apache-2.0
// Bodies with prescribed motion that leave a part less room than it needs.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/scenes/polyhedron_box.hpp"
#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

struct Squeezing {
  double half = 0.02;      // [m] of the part: its faces are at +-half
  double narrower = 1e-6;  // [m] by how much less than the part is left between the jaws in the end
  double closed = 0.1;     // [s] when the jaws have closed; before they move at constant velocity
  double friction = 0.5;
  double tilt = 0.0;      // [rad] of each jaw: they wedge the part, which friction keeps between them
  double sideways = 0.0;  // [m] that the right jaw moves along its face meanwhile
};

inline BodySpec moved_box(bool spatial, const std::string& name, Vec3 half, const std::vector<double>& times,
                          const std::vector<Vec3>& path) {
  BodySpec body = spatial ? solid_body(name, cuboid(half.x, half.y, half.z), 1000.0)
                          : box_body(name, 2.0 * half.x, 2.0 * half.y, 1.0);
  body.kind = BodyKind::kinematic;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (spatial) {
      SpatialPose pose;
      pose.position = path[k];
      if (k == 0) body.spatial().pose = pose;
      body.spatial().motion.push_back({times[k], pose});
    } else {
      const Pose pose{path[k].x, path[k].y, 0.0};
      if (k == 0) body.planar().pose = pose;
      body.planar().motion.push_back({times[k], pose});
    }
  }
  return body;
}

// Bodies 0, 1, 2: part, left, right. The jaws come from 5 mm away. No weight.
inline SceneSpec closing_jaws(bool spatial, const Squeezing& with = {}) {
  SceneSpec scene;
  scene.spatial = spatial;
  scene.gravity = {0.0, 0.0};
  scene.gravity_z = 0.0;
  BodySpec part = spatial ? solid_body("part", cuboid(with.half, with.half, with.half), 1500.0)
                          : box_body("part", 2.0 * with.half, 2.0 * with.half, 0.1);
  scene.bodies.push_back(part);
  const double jaw = 0.01;
  const double from = with.half + jaw + 0.005, to = with.half + jaw - 0.5 * with.narrower;
  const Vec3 size{jaw, 1.5 * with.half, 1.5 * with.half};
  scene.bodies.push_back(moved_box(spatial, "left", size, {0.0, with.closed}, {{-from, 0.0, 0.0}, {-to, 0.0, 0.0}}));
  scene.bodies.push_back(
      moved_box(spatial, "right", size, {0.0, with.closed}, {{from, 0.0, 0.0}, {to, with.sideways, 0.0}}));
  for (const int jaw_at : {1, 2}) {
    BodySpec& body = scene.bodies[static_cast<std::size_t>(jaw_at)];
    const double turn = jaw_at == 1 ? with.tilt : -with.tilt;
    const Quaternion q{std::cos(0.5 * turn), 0.0, 0.0, std::sin(0.5 * turn)};
    if (spatial) {
      body.spatial().pose.turn = q;
      for (SpatialKeyframe& key : body.spatial().motion) key.pose.turn = q;
    } else {
      body.planar().pose.theta = turn;
      for (Keyframe& key : body.planar().motion) key.pose.theta = turn;
    }
  }
  for (BodySpec& body : scene.bodies) body.friction = with.friction;
  return scene;
}

// Bodies 0, 1, 2: box, floor, hand. The hand comes from 5 mm above the box, which rests on the floor, and lands
// `depth` [m] inside it at 0.1 s.
inline SceneSpec landing_hand(bool spatial, double depth) {
  SceneSpec scene;
  scene.spatial = spatial;
  const double half = 0.02;
  BodySpec box = spatial ? solid_body("box", cuboid(half, half, half), 1500.0) : box_body("box", 0.04, 0.04, 0.1);
  const double top = half + 0.01;
  const auto up = [&](double z) { return spatial ? Vec3{0.0, 0.0, z} : Vec3{0.0, z, 0.0}; };
  BodySpec floor =
      spatial ? fixed_cuboid("floor", {0.2, 0.2, 0.05}, up(-half - 0.05), 0.5) : box_body("floor", 0.4, 0.1, 1.0);
  if (!spatial) {
    floor.kind = BodyKind::fixed;
    floor.planar().pose = {0.0, -half - 0.05, 0.0};
    scene.gravity = {0.0, -standard_gravity};
  }
  scene.gravity_z = -standard_gravity;
  const Vec3 size = spatial ? Vec3{0.015, 0.015, 0.01} : Vec3{0.015, 0.01, 0.0};
  scene.bodies = {box, floor, moved_box(spatial, "hand", size, {0.0, 0.1}, {up(top + 0.005), up(top - depth)})};
  for (BodySpec& body : scene.bodies) body.friction = 0.5;
  return scene;
}

}  // namespace pegrasp::scenes
