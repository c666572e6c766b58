// SPDX-License-Identifier: Apache-2.0
// Unions of cuboids: bodies that are not convex, poured into the box of polyhedra.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

inline SolidPart brick(const std::string& name, Vec3 low, Vec3 high) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back({k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z});
  return {name, make_polyhedron(corners)};
}

constexpr double union_box_duration = 5.0;  // [s]

// An L, a T and a cross in turns, eight in all, one each half second; the bars of the cross go through each other.
inline SceneSpec union_box(std::uint64_t seed, double friction) {
  SceneSpec scene = polyhedron_box(seed, friction, 0);
  scene.name = "unions";
  Random random(seed);
  const double a = 0.06, b = 0.2;
  const std::vector<std::vector<SolidPart>> shapes{
      {brick("support_sphere", {-b, -a, -a}, {b, a, a}), brick("leg", {-b, -a, a}, {-b + 2 * a, a, 0.25})},
      {brick("bar", {-b, -a, -a}, {b, a, a}), brick("post", {-a, -a, a}, {a, a, 0.25})},
      {brick("x", {-b, -a, -a}, {b, a, a}), brick("y", {-a, -b, -a}, {a, b, a}), brick("z", {-a, -a, -b}, {a, a, b})}};
  for (int i = 0; i < 8; ++i) {
    BodySpec body;
    body.form = SpatialBody{};
    body.name = "union" + std::to_string(i);
    body.spatial().parts = shapes[static_cast<std::size_t>(i) % shapes.size()];
    // about the middle of the union, well enough: what matters is that it is the same in all steps
    Vec3 middle;
    double volume = 0.0;
    for (const SolidPart& part : body.spatial().parts) {
      const SolidProperties p = solid_properties(part.shape);
      volume += p.volume;
      middle = {middle.x + p.volume * p.centroid.x, middle.y + p.volume * p.centroid.y,
                middle.z + p.volume * p.centroid.z};
    }
    const Vec3 shift{-middle.x / volume, -middle.y / volume, -middle.z / volume};
    for (SolidPart& part : body.spatial().parts) part.shape = moved(part.shape, {shift, {}});
    body.mass = 100.0 * volume;
    body.spatial().inertia = {0.02 * body.mass, 0.02 * body.mass, 0.02 * body.mass, 0.0, 0.0, 0.0};
    const double turn = random.uniform(0.0, 3.0);
    body.spatial().pose.position = {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 1.5};
    body.spatial().pose.turn = {std::cos(turn), 0.6 * std::sin(turn), 0.8 * std::sin(turn), 0.0};
    body.spatial().velocity.velocity = {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), 0.0};
    body.friction = friction;
    body.drop_time = 0.5 * i;
    scene.bodies.push_back(body);
  }
  return scene;
}

}  // namespace pegrasp::scenes
