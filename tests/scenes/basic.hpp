// SPDX-License-Identifier: Apache-2.0
// Scenes whose outcome can be worked out on paper.
#pragma once

#include <cmath>

#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

// A box thrown upwards, nothing to touch: ballistic.
inline SceneSpec free_flight(Twist velocity) {
  SceneSpec scene;
  scene.name = "free_flight";
  scene.gravity = {0.0, -standard_gravity};
  BodySpec box = box_body("box", 0.2, 0.1, 0.5);
  box.planar().velocity = velocity;
  scene.bodies = {box};
  return scene;
}

// A disc on a half-plane. Rolls without loss when velocity = (v, 0, -v / radius).
inline SceneSpec disc_on_plane(double radius, double mass, double friction, Twist velocity) {
  SceneSpec scene;
  scene.name = "disc_on_plane";
  scene.gravity = {0.0, -standard_gravity};
  BodySpec disc = disc_body("disc", radius, mass);
  disc.friction = friction;
  disc.planar().pose.y = radius;
  disc.planar().velocity = velocity;
  scene.bodies = {ground_body(friction), disc};
  return scene;
}

// The same with a regular polygon of `edges` edges inscribed in the disc, standing on an edge (mass and inertia of the
// disc).
inline SceneSpec polygon_on_plane(int edges, double radius, double mass, double friction, Twist velocity) {
  SceneSpec scene = disc_on_plane(radius, mass, friction, velocity);
  scene.name = "polygon_on_plane";
  std::vector<Vec2> vertices;
  constexpr double turn = 6.28318530717958647693;
  for (int i = 0; i < edges; ++i) {
    const double angle = turn * (i + 0.5) / edges - 0.25 * turn;  // vertex pairs either side of straight down
    vertices.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  scene.bodies[1].planar().parts = {make_polygon("disc", vertices)};
  scene.bodies[1].planar().pose.y = radius * std::cos(0.5 * turn / edges);
  return scene;
}

// A block on level ground, pushed off at `speed`: it stops after v / (mu g), having gone v^2 / (2 mu g). Low enough not
// to tip.
inline SceneSpec block_on_plane(double friction, double speed) {
  SceneSpec scene;
  scene.name = "block_on_plane";
  scene.gravity = {0.0, -standard_gravity};
  BodySpec block = box_body("block", 0.4, 0.1, 2.0);
  block.friction = friction;
  block.planar().pose.y = 0.05;
  block.planar().velocity.vx = speed;
  scene.bodies = {ground_body(friction), block};
  return scene;
}

// A block at rest on an incline of the given slope (tangent of its angle), seen along the incline: gravity is tilted.
// It sticks for mu >= slope, else slides with acceleration g (sin - mu cos).
inline SceneSpec block_on_incline(double slope, double friction) {
  SceneSpec scene = block_on_plane(friction, 0.0);
  scene.name = "block_on_incline";
  const double cosine = 1.0 / std::sqrt(1.0 + slope * slope);
  scene.gravity = {standard_gravity * slope * cosine, -standard_gravity * cosine};
  return scene;
}

// A disc between the tips of two fingers that close with equal forces along x at height y above its centre, on rails.
// It jams for mu >= |y| / sqrt(R^2 - y^2), else it is squeezed out away from the fingers. No gravity, |y| < 0.9 R.
constexpr int wedge_disc = 0;  // body index

inline double wedge_threshold(double radius, double y) { return std::fabs(y) / std::sqrt(radius * radius - y * y); }

inline SceneSpec wedge(double radius, double y, double friction, double force = 5.0) {
  SceneSpec scene;
  scene.name = "wedge";
  BodySpec disc = disc_body("disc", radius, 0.03);
  disc.friction = friction;
  scene.bodies = {disc};
  const double length = 0.6 * radius;
  const double width = 0.15 * radius;  // half of the finger's back: slim enough to touch with its tip only
  for (const double side : {-1.0, 1.0}) {
    BodySpec finger;
    finger.name = side < 0.0 ? "left" : "right";
    finger.mass = 0.2;
    finger.planar().inertia = 1e-4;  // of no effect on a rail
    finger.friction = friction;
    // tip towards the disc, centred at the centre of mass
    const double tip = -side * 2.0 / 3.0 * length;
    const double back = side * length / 3.0;
    finger.planar().parts = {make_polygon(finger.name, {{tip, 0.0}, {back, -side * width}, {back, side * width}})};
    finger.planar().pose = {side * std::sqrt(radius * radius - y * y) - tip, y, 0.0};
    finger.slide_axis = Vec2{1.0, 0.0};
    scene.bodies.push_back(finger);
    ActuatorSpec push;
    push.name = finger.name;
    push.body = static_cast<int>(scene.bodies.size()) - 1;
    push.axis = {1.0, 0.0};
    push.target = -side * force;
    scene.actuators.push_back(push);
  }
  scene.ignored_pairs = {{1, 2}};
  return scene;
}

// Two blocks that meet head on and stay together: v = (m1 v1 + m2 v2) / (m1 + m2).
inline SceneSpec head_on(double mass_a, double speed_a, double mass_b, double speed_b) {
  SceneSpec scene;
  scene.name = "head_on";
  BodySpec a = box_body("a", 0.2, 0.2, mass_a);
  BodySpec b = box_body("b", 0.2, 0.2, mass_b);
  b.planar().pose.x = 0.3;
  a.planar().velocity.vx = speed_a;
  b.planar().velocity.vx = speed_b;
  scene.bodies = {a, b};
  return scene;
}

// A disc that slides on the plane under it, on three points: gravity acts through the support alone. Translating
// without spin it stops after v / (mu g); spinning about its centre of mass on a regular tripod of radius r after omega
// I / (mu m g r).
inline SceneSpec tripod_slider(const std::array<Vec2, 3>& points, double friction, Twist velocity) {
  SceneSpec scene;
  scene.name = "tripod_slider";
  BodySpec disc = disc_body("slider", 0.05, 0.3);
  disc.planar().velocity = velocity;
  SupportTripod support;
  support.point = points;
  const auto load = tripod_loads(points, disc.mass * standard_gravity);
  if (!load) throw std::invalid_argument("tripod_slider: the tripod does not hold the centre of mass");
  support.load = *load;
  support.friction = {friction, friction, friction};
  disc.planar().support = support;
  scene.bodies = {disc};
  return scene;
}

// Corners of a regular tripod of the given radius about the centre of mass.
inline std::array<Vec2, 3> regular_tripod(double radius) {
  const double half_root = 0.86602540378443865;  // sqrt(3) / 2
  return {Vec2{radius, 0.0}, Vec2{-0.5 * radius, half_root * radius}, Vec2{-0.5 * radius, -half_root * radius}};
}

}  // namespace pegrasp::scenes
