// SPDX-License-Identifier: Apache-2.0
// The scenes of Drumwright's paper on penalty contact (IV-A to IV-C): a cube set into a plane, a cube that is pushed at
// random points of its top, and a pile. Sizes, friction and what is random are ours where the paper leaves them open.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/scenes/solid_pours.hpp"

namespace pegrasp::scenes {

constexpr int penalty_cube = 1;  // body index

inline BodySpec penalty_plane(const std::string& name, Vec3 normal, double offset) {
  BodySpec plane;
  plane.name = name;
  plane.kind = BodyKind::fixed;
  plane.form = SpatialBody{};
  plane.spatial().parts = {make_half_space(name, normal, offset)};
  return plane;
}

// A cube of 1 m on level ground, `depth` [m] deep in it.
inline SceneSpec cube_in_plane(double mass, double depth, double friction, Quaternion turn = {}) {
  SceneSpec scene = scene_3d("cube_in_plane");
  BodySpec cube = solid_body("cube", cuboid(0.5, 0.5, 0.5), mass);
  cube.spatial().pose.turn = turn;
  double lowest = 0.0;
  for (const Vec3& corner : moved(cube.spatial().parts[0].shape, cube.spatial().pose).vertices) {
    lowest = std::min(lowest, corner.z);
  }
  cube.spatial().pose.position.z = -lowest - depth;
  scene.bodies = {penalty_plane("ground", {0.0, 0.0, 1.0}, 0.0), cube};
  scene.friction = {{0, penalty_cube, friction}};
  return scene;
}

// The same cube, flat and 10 kg heavy: ten times it is pushed down at a random point of its top by 10 to 100 N for 500
// steps of h [s], and then left alone for as many. A force at a point is one along the line to a point far above.
inline SceneSpec pushed_cube(std::uint64_t seed, double friction, double h, double depth = 0.0) {
  constexpr double far = 1e4;  // [m]
  constexpr int pushes = 10, steps = 500;
  SceneSpec scene = cube_in_plane(10.0, depth, friction);
  scene.name = "pushed_cube";
  Random random(seed);
  for (int k = 0; k < pushes; ++k) {
    SpringSpec push;
    push.name = "push" + std::to_string(k);
    push.body_b = penalty_cube;
    push.point_b.x = random.uniform(-0.5, 0.5);
    push.point_b.y = random.uniform(-0.5, 0.5);
    push.point_b.z = 1.0 - depth;
    push.point_a = {push.point_b.x, push.point_b.y, far};
    ActuatorSpec& force = scene.actuators[static_cast<std::size_t>(add_spring(scene, push))];
    force.kind = ActuatorKind::force;
    force.target = force.limit = force.stiffness = force.damping = 0.0;
    const double newton = random.uniform(10.0, 100.0), begin = 2.0 * k * steps * h, end = begin + steps * h;
    const double edge = 1e-3 * h;
    force.program = {{begin - edge, 0.0}, {begin, newton}, {end - edge, newton}, {end, 0.0}};
    if (k == 0) force.program.erase(force.program.begin());
  }
  return scene;
}

inline BodySpec body_of_mass(const std::string& name, const Polyhedron& shape, double mass) {
  return solid_body(name, shape, mass / solid_properties(shape).volume);
}

inline BodySpec ball_of_mass(const std::string& name, double radius, double mass) {
  BodySpec body = solid_body(name, cuboid(radius, radius, radius), 1.0);
  body.spatial().parts = {make_sphere(name, {}, radius)};
  const double moment = 0.4 * mass * radius * radius;
  body.mass = mass;
  body.spatial().inertia = {moment, moment, moment, 0.0, 0.0, 0.0};
  return body;
}

// A prism of 12 corners about z, in place of a cylinder.
inline Polyhedron prism_of(double radius, double half_height) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 12; ++i) {
    const double angle = 6.28318530717958647693 * i / 12;
    for (const double z : {-half_height, half_height}) {
      corners.push_back({radius * std::cos(angle), radius * std::sin(angle), z});
    }
  }
  return make_polyhedron(corners);
}

constexpr double pile_wall = 0.6;  // [m] of the box from its middle
constexpr int pile_walls = 5;      // bodies

// Boxes, prisms and balls of 0.2 to 0.4 m and up to 100 kg fall into a box.
inline SceneSpec penalty_pile(std::uint64_t seed, double friction, int count = 12) {
  SceneSpec scene = scene_3d("pile");
  scene.bodies = {penalty_plane("floor", {0.0, 0.0, 1.0}, 0.0), penalty_plane("left", {1.0, 0.0, 0.0}, -pile_wall),
                  penalty_plane("right", {-1.0, 0.0, 0.0}, -pile_wall),
                  penalty_plane("front", {0.0, 1.0, 0.0}, -pile_wall),
                  penalty_plane("back", {0.0, -1.0, 0.0}, -pile_wall)};
  Random random(seed);
  for (int k = 0; k < count; ++k) {
    const double a = random.uniform(0.1, 0.2), b = random.uniform(0.1, 0.2), c = random.uniform(0.1, 0.2);
    const double mass = random.uniform(0.0, 100.0);
    const std::string name = "body" + std::to_string(k);
    scene.bodies.push_back(k % 3 == 0   ? body_of_mass(name, cuboid(a, b, c), mass)
                           : k % 3 == 1 ? body_of_mass(name, prism_of(a, b), mass)
                                        : ball_of_mass(name, a, mass));
    SpatialPose& pose = scene.bodies.back().spatial().pose;
    pose.turn = random_turn(random);
    pose.position = {k % 2 == 0 ? -0.3 : 0.3, k / 2 % 2 == 0 ? -0.3 : 0.3, 0.4 + 0.5 * (k / 4)};
  }
  for (BodySpec& body : scene.bodies) body.friction = friction;
  return scene;
}

}  // namespace pegrasp::scenes
