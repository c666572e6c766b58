// SPDX-License-Identifier: Apache-2.0
// Scenes with exact cylinders.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/solid_part.hpp"
#include "src/geometry/placement.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

inline BodySpec cylinder(const std::string& name, double radius, double height, Vec3 axis, Vec3 at, double friction) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = name;
  const Vec3 end = (0.5 * height / length(axis)) * axis;
  body.spatial().parts = {make_cylinder(name, -1.0 * end, end, radius)};
  body.friction = friction;
  const SolidProperties p = solid_properties(body.spatial().parts[0]);
  body.mass = 1000.0 * p.volume;
  body.spatial().inertia = {1000.0 * p.inertia.xx, 1000.0 * p.inertia.yy, 1000.0 * p.inertia.zz,
                            1000.0 * p.inertia.xy, 1000.0 * p.inertia.xz, 1000.0 * p.inertia.yz};
  body.spatial().pose.position = at;
  return body;
}

// Ground or a plate whose top is z = 0, and gravity that pulls as on a slope that descends along x.
inline SceneSpec sloping(double angle, double friction, bool plate = false) {
  SceneSpec scene = scene_3d("slope");
  scene.gravity_z = -standard_gravity * std::cos(angle);
  scene.gravity = {standard_gravity * std::sin(angle), 0.0};
  if (plate) {
    scene.bodies.push_back(fixed_cuboid("plate", {3.0, 1.0, 0.1}, {0.0, 0.0, -0.1}, friction));
    return scene;
  }
  BodySpec ground;
  ground.form = SpatialBody{};
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.friction = friction;
  ground.spatial().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
  scene.bodies.push_back(ground);
  return scene;
}

// Lands on the rim of its end, which then goes round faster than passes follow; which: 0 to 2.
inline SceneSpec landing_on_a_rim(int which) {
  const double mu = which < 2 ? 0.9 : 0.5;
  SceneSpec scene = sloping(0.0, mu, true);
  scene.gravity_z = -9.81;
  scene.bodies.push_back(cylinder("part", 0.01, 0.02, {0.0, 0.0, 1.0}, {0.0, 0.0, 0.08}, mu));
  const Vec3 turning[] = {{-2.33, 0.63, 1.3}, {-4.18, -1.13, 3.55}, {-0.11, -0.86, 5.41}};
  scene.bodies[1].spatial().velocity.angular = turning[which];
  return scene;
}

// A roof on the ground, along x.
inline BodySpec fixed_roof(double mu) {
  BodySpec roof;
  roof.form = SpatialBody{};
  roof.name = "roof";
  roof.kind = BodyKind::fixed;
  roof.friction = mu;
  std::vector<Vec3> corners;
  for (const double x : {-0.02, 0.02}) {
    corners.insert(corners.end(), {{x, -0.0216, 0.0}, {x, 0.0216, 0.0}, {x, 0.0, 0.0375}});
  }
  roof.spatial().parts = {{"roof", make_polyhedron(corners)}};
  return roof;
}

// A thin disc falls against a roof, turning, and slides off. Its rim crosses the ridge, which dips below the plane of
// the cap beyond the rim, and far round the ridge the other side of the disc separates more and more again.
inline SceneSpec disc_against_a_roof(int which) {
  const double aside[] = {-0.015, 0.014, 0.001}, lean[] = {-0.05, -0.06, -0.01};
  const double about_y[] = {2.1, 0.3, 2.7}, about_z[] = {1.6, 0.9, 0.5};
  SceneSpec scene = sloping(0.0, 0.2);
  scene.bodies.push_back(fixed_roof(0.2));
  scene.bodies.push_back(cylinder("disc", 0.03, 0.004, {lean[which], 0.78, 0.63}, {aside[which], 0.019, 0.04}, 0.2));
  scene.bodies[2].spatial().velocity.angular = {0.0, about_y[which], about_z[which]};
  return scene;
}

}  // namespace pegrasp::scenes
