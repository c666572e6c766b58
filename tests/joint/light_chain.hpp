// SPDX-License-Identifier: Apache-2.0
// Chains of light links under a heavy load, in 2D and in 3D. Links and load do not touch each other.
#pragma once

#include <cmath>
#include <string>

#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {

constexpr double link_length = 0.05;
constexpr double load_radius = 0.02;

// A box of `length` along the direction (cos, -sin) of `angle` below the x axis (in 3D of the x-z plane), centred at
// the distance `at` along it.
inline BodySpec chain_box(bool spatial, const std::string& name, double length, double mass, Vec2 centre,
                          double angle) {
  constexpr double half_width = 0.004;
  if (!spatial) {
    BodySpec box = scenes::box_body(name, length, 2.0 * half_width, mass);
    box.planar().pose = {centre.x, centre.y, -angle};
    return box;
  }
  const double volume = 4.0 * length * half_width * half_width;
  BodySpec box = scenes::solid_body(name, scenes::cuboid(0.5 * length, half_width, half_width), mass / volume);
  box.spatial().pose.position = {centre.x, 0.0, centre.y};
  box.spatial().pose.turn = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  return box;
}

inline Vec3 chain_place(bool spatial, Vec2 at) { return spatial ? Vec3{at.x, 0.0, at.y} : Vec3{at.x, at.y, 0.0}; }

inline SceneSpec chain_scene(bool spatial, const std::string& name) {
  if (spatial) return scenes::scene_3d(name);
  SceneSpec scene;
  scene.name = name;
  scene.gravity = {0.0, -scenes::standard_gravity};
  return scene;
}

inline void touch_nothing(SceneSpec& scene) {
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) scene.ignored_pairs.push_back({a, b});
  }
}

// Hung from the origin, straight, `angle` below the horizontal, at rest. The last body is the load.
inline SceneSpec light_chain(bool spatial, int links, double link_mass, double load_mass, double angle) {
  SceneSpec scene = chain_scene(spatial, "light_chain");
  const auto along = [&](double at) { return Vec2{at * std::cos(angle), -at * std::sin(angle)}; };
  const JointKind kind = spatial ? JointKind::spherical : JointKind::revolute;
  for (int k = 0; k <= links; ++k) {
    const bool load = k == links;
    const double length = load ? 2.0 * load_radius : link_length;
    scene.bodies.push_back(chain_box(spatial, load ? "load" : "link" + std::to_string(k), length,
                                     load ? load_mass : link_mass, along(k * link_length + 0.5 * length), angle));
    scene.joints.push_back(
        make_joint(scene, "joint" + std::to_string(k), kind, k - 1, k, chain_place(spatial, along(k * link_length))));
  }
  touch_nothing(scene);
  return scene;
}

// A closed chain of links in a circle that hangs from the origin; the link opposite is the load.
inline SceneSpec light_ring(bool spatial, int links, double link_mass, double load_mass) {
  SceneSpec scene = chain_scene(spatial, "light_ring");
  constexpr double whole = 6.283185307179586;
  const double radius = 0.5 * link_length / std::sin(0.5 * whole / links);
  const auto corner = [&](int k) {
    const double turn = whole * k / links;
    return Vec2{radius * std::sin(turn), radius * (std::cos(turn) - 1.0)};
  };
  const JointKind kind = spatial ? JointKind::spherical : JointKind::revolute;
  for (int k = 0; k < links; ++k) {
    const Vec2 a = corner(k);
    const Vec2 b = corner(k + 1);
    scene.bodies.push_back(chain_box(spatial, "link" + std::to_string(k), link_length,
                                     k == links / 2 ? load_mass : link_mass, {0.5 * (a.x + b.x), 0.5 * (a.y + b.y)},
                                     std::atan2(a.y - b.y, b.x - a.x)));
  }
  scene.joints.push_back(make_joint(scene, "hook", kind, -1, 0, chain_place(spatial, corner(0))));
  for (int k = 0; k < links; ++k) {
    scene.joints.push_back(
        make_joint(scene, "joint" + std::to_string(k), kind, k, (k + 1) % links, chain_place(spatial, corner(k + 1))));
  }
  touch_nothing(scene);
  return scene;
}

}  // namespace pegrasp::test
