// SPDX-License-Identifier: Apache-2.0
// Small scenes with joints, in 2D and in 3D.
#pragma once

#include <cmath>

#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {

constexpr double rod_length = 0.5;

// A rod of square section that hangs by one end from a joint at the origin, turned by `angle` about y away from the
// vertical.
inline SceneSpec hanging_rod(double angle, JointKind kind) {
  SceneSpec scene = scenes::scene_3d("hanging_rod");
  BodySpec rod = scenes::solid_body("rod", scenes::cuboid(0.05, 0.05, 0.5 * rod_length), 1000.0);
  rod.spatial().pose.position = {-0.5 * rod_length * std::sin(angle), 0.0, -0.5 * rod_length * std::cos(angle)};
  rod.spatial().pose.turn = {std::cos(0.5 * angle), 0.0, std::sin(0.5 * angle), 0.0};
  scene.bodies.push_back(rod);
  scene.joints.push_back(make_joint(scene, "hinge", kind, -1, 0, {0.0, 0.0, 0.0}, {0.0, 1.0, 0.0}));
  return scene;
}

// A rod of square section that stands upright on a ball joint at the origin, which lets it lean by `swing` and no
// farther. It is pushed along `heading` and spins about itself.
inline SceneSpec leaning_rod(double swing, double heading, double spin) {
  SceneSpec scene = scenes::scene_3d("leaning_rod");
  BodySpec rod = scenes::solid_body("rod", scenes::cuboid(0.05, 0.05, 0.5 * rod_length), 1000.0);
  rod.spatial().pose.position = {0.0, 0.0, 0.5 * rod_length};
  const Vec3 w{-0.5 * std::sin(heading), 0.5 * std::cos(heading), spin};
  rod.spatial().velocity = {{0.5 * rod_length * w.y, -0.5 * rod_length * w.x, 0.0}, w};
  scene.bodies.push_back(rod);
  scene.joints.push_back(make_joint(scene, "ball", JointKind::spherical, -1, 0, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
  scene.joints[0].swing = swing;
  return scene;
}

// A rod without weight that circles about the vertical, leant against the limit of its ball joint all the way.
inline SceneSpec circling_rod(double swing, double speed) {
  SceneSpec scene = leaning_rod(swing, 0.0, 0.0);
  scene.gravity_z = 0.0;
  BodySpec& rod = scene.bodies[0];
  rod.spatial().pose.position = {0.5 * rod_length * std::sin(swing), 0.0, 0.5 * rod_length * std::cos(swing)};
  rod.spatial().pose.turn = {std::cos(0.5 * swing), 0.0, std::sin(0.5 * swing), 0.0};
  rod.spatial().velocity = {{0.0, speed * rod.spatial().pose.position.x, 0.0}, {0.0, 0.0, speed}};
  return scene;
}

// The same at one side of its cone, and turning back through the middle so fast that a step may take it across.
inline SceneSpec crossing_rod(double swing, double speed) {
  SceneSpec scene = circling_rod(swing, 0.0);
  BodySpec& rod = scene.bodies[0];
  rod.spatial().velocity = {{-speed * rod.spatial().pose.position.z, 0.0, speed * rod.spatial().pose.position.x},
                            {0.0, -speed, 0.0}};
  return scene;
}

// A motor of the scene's first joint, a spherical one.
inline ActuatorSpec ball_motor(ActuatorKind kind, Vec3 target, double limit, double stiffness = 0.0,
                               double damping = 0.0) {
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = 0;
  motor.kind = kind;
  motor.rotary = true;
  motor.ball = target;
  motor.limit = limit;
  motor.stiffness = stiffness;
  motor.damping = damping;
  return motor;
}

// A rod on a ball joint, whose motor lifts it in a program as strongly as it may: first at its limit, then below it.
inline SceneSpec held_by_a_ball_motor() {
  SceneSpec scene = hanging_rod(0.7, JointKind::spherical);
  scene.actuators = {ball_motor(ActuatorKind::position_servo, {0.0, 0.3, 0.0}, 9.0, 300.0, 20.0)};
  scene.actuators[0].program = {{0.1, 0.0, {}}, {0.7, 0.0, {0.4, -0.5, 0.9}}};
  return scene;
}

// The same hanging rod in 2D: y is up.
inline SceneSpec planar_rod(double angle) {
  SceneSpec scene;
  scene.name = "planar_rod";
  scene.gravity = {0.0, -scenes::standard_gravity};
  BodySpec rod;
  rod.name = "rod";
  rod.planar().parts.push_back(make_polygon(
      "rod",
      {{-0.05, -0.5 * rod_length}, {0.05, -0.5 * rod_length}, {0.05, 0.5 * rod_length}, {-0.05, 0.5 * rod_length}}));
  rod.mass = 5.0;
  rod.planar().inertia = rod.mass * (rod_length * rod_length + 0.01) / 12.0;
  rod.planar().pose = {-0.5 * rod_length * std::sin(angle), -0.5 * rod_length * std::cos(angle), -angle};
  scene.bodies.push_back(rod);
  scene.joints.push_back(make_joint(scene, "hinge", JointKind::revolute, -1, 0, {0.0, 0.0, 0.0}));
  return scene;
}

// A rod without weight that turns about one end.
inline SceneSpec spinning_rod(bool spatial, double speed) {
  SceneSpec scene = spatial ? hanging_rod(0.0, JointKind::revolute) : planar_rod(0.0);
  scene.gravity = {};
  scene.gravity_z = 0.0;
  if (spatial) {
    scene.bodies[0].spatial().velocity = {{-0.5 * rod_length * speed, 0.0, 0.0}, {0.0, speed, 0.0}};
  } else {
    scene.bodies[0].planar().velocity = {0.5 * rod_length * speed, 0.0, speed};
  }
  return scene;
}

// [s], of small swings, with the first two terms of what larger ones add.
inline double rod_period(double amplitude) {
  const double inertia =
      (rod_length * rod_length + 0.01) / 12.0 + 0.25 * rod_length * rod_length;  // a kilogram, about the hinge
  return 2.0 * 3.14159265358979323846 * std::sqrt(inertia / (scenes::standard_gravity * 0.5 * rod_length)) *
         (1.0 + amplitude * amplitude * (1.0 / 16.0 + 11.0 / 3072.0 * amplitude * amplitude));
}

}  // namespace pegrasp::test
