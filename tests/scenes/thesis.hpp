// SPDX-License-Identifier: Apache-2.0
// Small scenes of Williams' thesis, chapter 5. Sizes that the figures do not give are ours.
#pragma once

#include <array>

#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

// Figure 5.1: a block slides along the top of a fixed one towards its corner, from behind the corner's side face. It
// must pass undisturbed at its speed; contacts with every near edge stop it (a dual standard-model trap).
constexpr double corner_approach_speed = 1.0;  // [m/s]
constexpr double corner_approach_gap = 0.1;    // [m] from the block's leading vertex to the corner at the start

inline SceneSpec corner_approach() {
  SceneSpec scene;
  scene.name = "corner_approach";
  scene.gravity = {0.0, -standard_gravity};
  BodySpec base = box_body("base", 2.0, 1.0, 1.0);
  base.kind = BodyKind::fixed;
  base.planar().pose = {-1.0, -0.5, 0.0};  // corner at the origin
  BodySpec block = box_body("block", 0.5, 0.5, 1.0);
  block.planar().pose = {-0.25 - corner_approach_gap, 0.25, 0.0};
  block.planar().velocity = {corner_approach_speed, 0.0, 0.0};
  scene.bodies = {base, block};
  return scene;
}

// Figures 5.24 and 5.25: a block of 1 m x 0.5 m lies on one of 2 m x 0.5 m, both turn at 1 rad/s, no gravity, no
// friction. One step h that keeps the normals of its start ends with an overlap of 0.5 (1 - cos h) m^2: the thesis'
// 0.000025 for h = 0.01, 0.0025 for 0.1, 0.0612 for 0.5.
inline SceneSpec rotation_overlap() {
  SceneSpec scene;
  scene.name = "rotation_overlap";
  BodySpec bottom = box_body("bottom", 2.0, 0.5, 2.0);
  bottom.planar().velocity.omega = 1.0;
  BodySpec top = box_body("top", 1.0, 0.5, 1.0);
  top.planar().pose.y = 0.5;
  top.planar().velocity.omega = 1.0;
  scene.bodies = {bottom, top};
  return scene;
}

// Section 5.4: five bodies in a row, the first at 2 m/s: inelastic impacts one after the other keep the momentum.
constexpr std::array<double, 5> momentum_masses{1.5, 1.0, 0.25, 0.12, 0.8};  // [kg]
constexpr double momentum_speed = 2.0;                                       // [m/s]

inline SceneSpec momentum_row() {
  SceneSpec scene;
  scene.name = "momentum";
  for (std::size_t i = 0; i < momentum_masses.size(); ++i) {
    BodySpec body = box_body("body" + std::to_string(i), 0.5, 0.5, momentum_masses[i]);
    body.planar().pose.x = 0.8 * static_cast<double>(i);
    if (i == 0) body.planar().velocity.vx = momentum_speed;
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes
