// SPDX-License-Identifier: Apache-2.0
// A gripper in 3D: a palm on a prescribed way, two jaws on rails that close on a block and lift it off the floor; and a
// stack of boxes.
#pragma once

#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

inline SceneSpec stack_3d(int boxes, double friction) {
  SceneSpec scene = scene_3d("stack_3d");
  scene.bodies.push_back(fixed_cuboid("floor", {5.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  for (int i = 0; i < boxes; ++i) {
    BodySpec box = solid_body("box" + std::to_string(i), cuboid(0.5, 0.5, 0.5), 100.0);
    box.spatial().pose.position = {0.02 * (i % 3), -0.01 * (i % 4), 0.5 + i};
    box.friction = friction;
    scene.bodies.push_back(box);
  }
  return scene;
}

constexpr double space_lift_duration = 1.6;  // [s]

// The jaws close for 0.4 s, then the palm rises by 0.3 m within 0.8 s.
inline SceneSpec space_lift(double friction) {
  SceneSpec scene = scene_3d("space_lift");
  scene.bodies.push_back(fixed_cuboid("floor", {1.0, 1.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  BodySpec block = solid_body("block", cuboid(0.05, 0.05, 0.05), 1000.0);
  block.spatial().pose.position.z = 0.05;
  scene.bodies.push_back(block);
  BodySpec palm = solid_body("palm", cuboid(0.2, 0.05, 0.02), 1000.0);
  palm.kind = BodyKind::kinematic;
  palm.spatial().pose.position.z = 0.25;
  SpatialPose up = palm.spatial().pose;
  up.position.z += 0.3;
  palm.spatial().motion = {{0.4, palm.spatial().pose}, {1.2, up}};
  scene.bodies.push_back(palm);
  for (const double side : {-1.0, 1.0}) {
    BodySpec jaw = solid_body(side < 0.0 ? "left" : "right", cuboid(0.01, 0.04, 0.1), 1000.0);
    jaw.spatial().pose.position = {0.08 * side, 0.0, 0.12};
    scene.bodies.push_back(jaw);
    const int body = static_cast<int>(scene.bodies.size()) - 1;
    scene.joints.push_back(make_joint(scene, scene.bodies.back().name, JointKind::prismatic, 2, body,
                                      scene.bodies.back().spatial().pose.position, {1.0, 0.0, 0.0}));
    ActuatorSpec motor;
    motor.name = scene.bodies.back().name;
    motor.joint = static_cast<int>(scene.joints.size()) - 1;
    motor.kind = ActuatorKind::force;
    motor.target = -40.0 * side;
    scene.actuators.push_back(motor);
  }
  for (BodySpec& body : scene.bodies) body.friction = friction;
  return scene;
}

}  // namespace pegrasp::scenes
