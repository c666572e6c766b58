// SPDX-License-Identifier: Apache-2.0
// Bodies of awkward shapes poured into the box of polyhedra: needles, plates, tetrahedra, and many hulls.
#pragma once

#include <cmath>
#include <stdexcept>

#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

// A turn from four numbers; even enough over all turns.
inline Quaternion random_turn(Random& random) {
  Quaternion q;
  double length = 0.0;
  do {
    q.w = random.uniform(-1.0, 1.0);
    q.x = random.uniform(-1.0, 1.0);
    q.y = random.uniform(-1.0, 1.0);
    q.z = random.uniform(-1.0, 1.0);
    length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  } while (length < 0.1 || length > 1.0);
  return {q.w / length, q.x / length, q.y / length, q.z / length};
}

// Corners in a cube of 0.5 m; slivers of less than a hundredth of the cube are drawn again.
inline Polyhedron random_tetrahedron(Random& random) {
  for (;;) {
    std::vector<Vec3> p;
    for (int k = 0; k < 4; ++k) {
      const double x = random.uniform(-0.25, 0.25);
      const double y = random.uniform(-0.25, 0.25);
      p.push_back({x, y, random.uniform(-0.25, 0.25)});
    }
    const Vec3 a{p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
    const Vec3 b{p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
    const Vec3 c{p[3].x - p[0].x, p[3].y - p[0].y, p[3].z - p[0].z};
    const double six = a.x * (b.y * c.z - b.z * c.y) + a.y * (b.z * c.x - b.x * c.z) + a.z * (b.x * c.y - b.y * c.x);
    if (std::fabs(six) > 6.0 * 0.01 * 0.125) return make_polyhedron(p);
  }
}

// `kind`: needles (1 : 0.1 : 0.1), plates (1 : 1 : 0.1), both half a metre long, or tetrahedra. One each half second.
inline SceneSpec solid_pour(const std::string& kind, std::uint64_t seed, double friction, int count = 10) {
  SceneSpec scene = polyhedron_box(seed, friction, 0);
  scene.name = kind;
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    Polyhedron shape;
    if (kind == "needles") {
      shape = cuboid(0.25, 0.025, 0.025);
    } else if (kind == "plates") {
      shape = cuboid(0.25, 0.25, 0.025);
    } else if (kind == "tetrahedra") {
      shape = random_tetrahedron(random);
    } else {
      throw std::invalid_argument("no pour '" + kind + "'");
    }
    BodySpec body = solid_body(kind + std::to_string(i), shape, 100.0);
    body.spatial().pose.turn = random_turn(random);
    const double x = random.uniform(-0.3, 0.3);
    body.spatial().pose.position = {x, random.uniform(-0.3, 0.3), 1.5};
    const double v = random.uniform(-1.0, 1.0);
    body.spatial().velocity.velocity = {v, random.uniform(-1.0, 1.0), 0.0};
    body.friction = friction;
    body.drop_time = 0.5 * i;
    scene.bodies.push_back(body);
  }
  return scene;
}

// Hulls in a box with walls three times as high, one each half second.
inline SceneSpec many_hulls(std::uint64_t seed, double friction, int count) {
  SceneSpec scene = polyhedron_box(seed, friction, count);
  scene.name = "many_hulls";
  for (int side = 1; side <= 4; ++side) {
    BodySpec& wall = scene.bodies[static_cast<std::size_t>(side)];
    const Vec3 at = wall.spatial().pose.position;
    const double x = side <= 2 ? 0.125 : 1.0;
    wall = fixed_cuboid(wall.name, {x, side <= 2 ? 1.0 : 0.125, 1.5}, {at.x, at.y, 1.5}, friction);
  }
  int i = 0;
  for (BodySpec& body : scene.bodies) {
    if (body.kind != BodyKind::dynamic) continue;
    body.spatial().pose.position.z = 2.5;
    body.drop_time = 0.5 * i++;
  }
  return scene;
}

}  // namespace pegrasp::scenes
