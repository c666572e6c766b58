// SPDX-License-Identifier: Apache-2.0
// A fast rod against a thin plate.
#pragma once

#include <cmath>

#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::scenes {

struct Shot {
  double speed;  // [m/s]
  double spin;   // [rad/s] at most, about any axis
  double h;
  bool end_on;
};

constexpr double half_plate = 0.01;  // [m]

// A rod of 0.5 m by 2 cm by 2 cm above a plate of 2 cm, which nothing can get around in the time.
inline SceneSpec shot_scene(const Shot& shot, std::uint64_t seed) {
  Random random(seed);
  SceneSpec scene = scene_3d("shot");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(fixed_cuboid("plate", {20.0, 20.0, half_plate}, {}, 0.3));
  BodySpec rod = solid_body("rod", cuboid(0.25, 0.01, 0.01), 1000.0);
  rod.friction = 0.3;
  rod.spatial().pose.position = {0.0, 0.0, 0.4 + random.uniform(0.0, 1.0) * shot.speed * shot.h};
  if (shot.end_on) {  // within 0.2 rad of the normal
    const double lean = 0.5 * 3.14159265358979323846 - random.uniform(0.0, 0.2), yaw = random.uniform(0.0, 6.0);
    const double c = std::cos(0.5 * lean), s = std::sin(0.5 * lean);
    rod.spatial().pose.turn = {c * std::cos(0.5 * yaw), -s * std::sin(0.5 * yaw), s * std::cos(0.5 * yaw),
                               c * std::sin(0.5 * yaw)};
  } else {
    rod.spatial().pose.turn = random_turn(random);
  }
  const double aside = random.uniform(0.0, 0.3) * shot.speed, heading = random.uniform(0.0, 6.3);
  rod.spatial().velocity.velocity = {aside * std::cos(heading), aside * std::sin(heading), -shot.speed};
  if (shot.spin > 0.0) {
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0), z = random.uniform(-1.0, 1.0);
    rod.spatial().velocity.angular = {shot.spin * x, shot.spin * y, shot.spin * z};
  }
  scene.bodies.push_back(rod);
  return scene;
}

}  // namespace pegrasp::scenes
