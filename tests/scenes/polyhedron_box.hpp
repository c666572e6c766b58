// SPDX-License-Identifier: Apache-2.0
// Box of polyhedra: a floor, four walls, and hulls of ten random points dropped one after the other.
#pragma once

#include "pegrasp/polyhedron.hpp"
#include "tests/scenes/polygon_box.hpp"

namespace pegrasp::scenes {

inline Polyhedron cuboid(double x, double y, double z) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) corners.push_back({k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z});
  return make_polyhedron(corners);
}

// A body of one part about its centre of mass, of even density [kg/m^3].
inline BodySpec solid_body(const std::string& name, const Polyhedron& shape, double density) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = name;
  body.spatial().parts.push_back({name, centred(shape).polyhedron});
  const SolidProperties p = solid_properties(body.spatial().parts[0].shape);
  body.mass = density * p.volume;
  body.spatial().inertia = {density * p.inertia.xx, density * p.inertia.yy, density * p.inertia.zz,
                            density * p.inertia.xy, density * p.inertia.xz, density * p.inertia.yz};
  return body;
}

inline BodySpec fixed_cuboid(const std::string& name, Vec3 half, Vec3 at, double friction) {
  BodySpec body = solid_body(name, cuboid(half.x, half.y, half.z), 100.0);
  body.kind = BodyKind::fixed;
  body.spatial().pose.position = at;
  body.friction = friction;
  return body;
}

inline SceneSpec scene_3d(const std::string& name) {
  SceneSpec scene;
  scene.name = name;
  scene.spatial = true;
  scene.gravity_z = -standard_gravity;
  return scene;
}

// The hull of ten random points within +-0.25 m.
inline BodySpec random_hull(Random& random, const std::string& name) {
  std::vector<Vec3> points;
  for (int k = 0; k < 10; ++k) {
    const double x = random.uniform(-0.25, 0.25);
    const double y = random.uniform(-0.25, 0.25);
    points.push_back({x, y, random.uniform(-0.25, 0.25)});
  }
  return solid_body(name, make_polyhedron(points), 100.0);
}

constexpr double polyhedron_box_duration = 5.0;  // [s]

inline SceneSpec polyhedron_box(std::uint64_t seed, double friction, int count = 10) {
  SceneSpec scene = scene_3d("polyhedron_box");
  scene.bodies.push_back(fixed_cuboid("floor", {1.0, 1.0, 0.125}, {0.0, 0.0, -0.125}, friction));
  for (int side = 0; side < 4; ++side) {
    const double sign = side % 2 == 0 ? 1.0 : -1.0;
    const bool along_x = side < 2;
    const Vec3 half = along_x ? Vec3{0.125, 1.0, 0.5} : Vec3{1.0, 0.125, 0.5};
    const Vec3 at = along_x ? Vec3{0.875 * sign, 0.0, 0.5} : Vec3{0.0, 0.875 * sign, 0.5};
    scene.bodies.push_back(fixed_cuboid("wall" + std::to_string(side), half, at, friction));
  }
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    BodySpec body = random_hull(random, "hull" + std::to_string(i));
    const double x = random.uniform(-0.3, 0.3);
    body.spatial().pose.position = {x, random.uniform(-0.3, 0.3), 1.5};
    body.spatial().velocity.velocity = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.0};
    body.friction = friction;
    body.drop_time = 0.5 * i;
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes
