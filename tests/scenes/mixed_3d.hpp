// SPDX-License-Identifier: Apache-2.0
// A little of everything in 3D: hulls, a union, a sphere and a capsule fall on a half-space and under a rod on a hinge
// with a motor.
#pragma once

#include "pegrasp/solid_part.hpp"
#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::scenes {

inline BodySpec round_solid(const SolidPart& part, double density) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = part.name;
  body.spatial().parts = {part};
  const SolidProperties p = solid_properties(part);
  body.mass = density * p.volume;
  body.spatial().inertia = {density * p.inertia.xx, density * p.inertia.yy, density * p.inertia.zz,
                            density * p.inertia.xy, density * p.inertia.xz, density * p.inertia.yz};
  return body;
}

inline SceneSpec mixed_3d(std::uint64_t seed, double friction = 0.3) {
  SceneSpec scene = scene_3d("mixed_3d");
  Random random(seed);
  BodySpec ground;
  ground.form = SpatialBody{};
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.spatial().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
  scene.bodies.push_back(ground);
  for (int i = 0; i < 2; ++i) {
    scene.bodies.push_back(random_hull(random, "hull" + std::to_string(i)));
  }
  BodySpec angle = solid_body("angle", cuboid(0.2, 0.06, 0.06), 100.0);
  angle.spatial().parts.push_back({"leg", moved(cuboid(0.06, 0.06, 0.1), {{-0.14, 0.0, 0.16}, {}})});
  scene.bodies.push_back(angle);
  scene.bodies.push_back(round_solid(make_sphere("ball", {}, 0.15), 100.0));
  scene.bodies.push_back(round_solid(make_capsule("pill", {-0.15, 0.0, 0.0}, {0.15, 0.0, 0.0}, 0.1), 100.0));
  for (int i = 1; i <= 5; ++i) {
    BodySpec& body = scene.bodies[static_cast<std::size_t>(i)];
    body.spatial().pose.turn = random_turn(random);
    const double x = random.uniform(-0.1, 0.1);
    body.spatial().pose.position = {x, random.uniform(-0.1, 0.1), 0.35 + 0.5 * (i - 1)};
    body.spatial().velocity.velocity.z = -2.0;
  }
  BodySpec rod = solid_body("rod", cuboid(0.4, 0.05, 0.05), 100.0);
  rod.spatial().pose.position = {0.8, 0.0, 0.2};
  scene.bodies.push_back(rod);
  for (BodySpec& body : scene.bodies) body.friction = friction;
  scene.joints.push_back(make_joint(scene, "hinge", JointKind::revolute, -1, 6, {1.2, 0.0, 0.2}, {0.0, 0.0, 1.0}));
  ActuatorSpec motor;
  motor.name = "motor";
  motor.joint = 0;
  motor.kind = ActuatorKind::velocity_servo;
  motor.rotary = true;
  motor.target = 1.0;
  motor.limit = 20.0;
  scene.actuators.push_back(motor);
  return scene;
}

}  // namespace pegrasp::scenes
