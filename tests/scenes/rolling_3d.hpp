// SPDX-License-Identifier: Apache-2.0
// Prisms that roll along x on level ground, alone and as the wheels of a cart.
#pragma once

#include <cmath>
#include <numbers>
#include <string>

#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

constexpr double rolling_radius = 0.1;  // [m] of a prism's corners

inline SceneSpec level_ground() {
  SceneSpec scene = scene_3d("rolling");
  BodySpec ground;
  ground.form = SpatialBody{};
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.friction = 1.0;
  ground.spatial().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
  scene.bodies.push_back(ground);
  return scene;
}

// Adds a prism that stands on a face at x and y and rolls with `spin` [rad/s] about y. edges: 0 for a ball of the same
// mass and inertia as a prism of 20.
inline void add_rolling(SceneSpec& scene, const std::string& name, int edges, double width, double spin, double x,
                        double y) {
  const int corners = edges > 0 ? edges : 20;
  std::vector<Vec3> points;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 0.5) / corners;  // from straight down
    for (const double side : {-0.5, 0.5}) {
      points.push_back({rolling_radius * std::sin(angle), side * width, -rolling_radius * std::cos(angle)});
    }
  }
  BodySpec body = solid_body(name, make_polyhedron(points), 300.0);
  if (edges == 0) body.spatial().parts = {make_sphere(name, {}, rolling_radius)};
  body.friction = 1.0;
  const double height = edges > 0 ? rolling_radius * std::cos(std::numbers::pi / edges) : rolling_radius;
  body.spatial().pose.position = {x, y, height};
  body.spatial().velocity = {{rolling_radius * spin, 0.0, 0.0}, {0.0, spin, 0.0}};
  scene.bodies.push_back(body);
}

inline SceneSpec rolling_prism(int edges, double spin) {
  SceneSpec scene = level_ground();
  add_rolling(scene, "prism", edges, rolling_radius, spin, 0.0, 0.0);
  return scene;
}

// The same across two ridges along x, so that edges touch edges.
inline SceneSpec prism_on_ridges(int edges, double spin) {
  SceneSpec scene = rolling_prism(edges, spin);
  std::vector<SolidPart> ridges;
  for (const double y : {-0.3 * rolling_radius, 0.3 * rolling_radius}) {
    std::vector<Vec3> corners;
    for (const double x : {-50.0, 50.0}) {
      corners.insert(corners.end(), {{x, y, 0.0}, {x, y - 0.01, -0.01}, {x, y + 0.01, -0.01}});
    }
    ridges.push_back({"ridge", make_polyhedron(corners)});
  }
  scene.bodies[0].spatial().parts = ridges;
  return scene;
}

// Body 1 is the chassis, which touches nothing; four wheels hang on it by hinges.
inline SceneSpec rolling_cart(int edges, double spin) {
  SceneSpec scene = level_ground();
  BodySpec chassis = solid_body("chassis", cuboid(0.3, 0.12, 0.04), 100.0);
  chassis.spatial().velocity.velocity = {rolling_radius * spin, 0.0, 0.0};
  scene.bodies.push_back(chassis);
  for (int k = 0; k < 4; ++k) {
    const std::string name = "wheel" + std::to_string(k);
    add_rolling(scene, name, edges, 0.04, spin, k < 2 ? -0.2 : 0.2, k % 2 == 0 ? -0.16 : 0.16);
    const Vec3 axle = scene.bodies.back().spatial().pose.position;
    scene.bodies[1].spatial().pose.position.z = axle.z;
    scene.joints.push_back(make_joint(scene, name, JointKind::revolute, 1, 2 + k, axle, {0.0, 1.0, 0.0}));
  }
  return scene;
}

}  // namespace pegrasp::scenes
