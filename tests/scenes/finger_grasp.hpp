// SPDX-License-Identifier: Apache-2.0
// The 2D grasp experiment of Williams' thesis (5.2.5, with friction 5.2.6): a gripper of five links and two fingers, PD
// controlled in its four joints, closes on a random convex polygon that lies on a surface. Its sizes and gains, which
// the thesis does not give, are ours but for the gains.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/scenes/polygon_box.hpp"

namespace pegrasp::scenes {

constexpr double finger_grasp_duration = 2.5;  // [s]
constexpr double finger_grasp_lift = 1.4;      // [s] until when the palm stays where it is
constexpr int finger_grasp_object = 1;         // index of the polygon among the bodies

// Of the polygon's positions after every step: the first at which a finger has moved it.
template <class Position>
std::size_t first_moved(const std::vector<Position>& at, double step) {
  constexpr double lies = 0.2;    // [s] it has come to rest, and no finger is there yet
  constexpr double least = 1e-5;  // [m]
  const auto from = at.begin() + static_cast<std::ptrdiff_t>(lies / step);
  const auto moved = [&](const Position& x) { return std::hypot(x.x - from->x, x.y - from->y) > least; };
  return static_cast<std::size_t>(std::find_if(from, at.end(), moved) - at.begin());
}

inline SceneSpec finger_grasp(std::uint64_t seed, double friction) {
  constexpr double degree = 3.14159265358979323846 / 180.0;
  constexpr double link = 0.3, width = 0.04;         // [m]
  constexpr double stiffness = 50.0, damping = 5.0;  // the thesis' gains (script 7)
  SceneSpec scene;
  scene.name = "finger_grasp";
  scene.gravity = {0.0, -standard_gravity};
  scene.bodies.push_back(ground_body(friction));

  Random random(seed);
  std::vector<Vec2> points;
  for (int k = 0; k < 10; ++k) {
    const double x = random.uniform(-0.13, 0.13);
    points.push_back({x, random.uniform(-0.13, 0.13)});
  }
  BodySpec object = polygon_body("object", convex_hull(points), 10.0);
  double low = 0.0;
  for (const Corner& corner : object.planar().parts[0].corners) low = std::min(low, corner.centre.y);
  object.planar().pose = {0.02 * random.uniform(-1.0, 1.0), -low + 0.001, 0.0};
  object.friction = friction;
  scene.bodies.push_back(object);

  BodySpec palm = box_body("palm", 0.3, 0.06, 1.0);
  palm.kind = BodyKind::kinematic;
  palm.planar().pose = {0.0, 0.62, 0.0};
  palm.planar().motion = {{finger_grasp_lift, palm.planar().pose}, {2.0, {0.0, 0.72, 0.0}}};  // lifts what it holds
  palm.friction = friction;
  scene.bodies.push_back(palm);
  const int palm_index = static_cast<int>(scene.bodies.size()) - 1;

  // Angles [rad] from hanging straight, inwards.
  const double open[2] = {-50.0 * degree, -10.0 * degree};
  const double closed[2] = {35.0 * degree, 50.0 * degree};  // turns of the two joints
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0.0 ? "left" : "right";
    Vec2 joint{side * 0.15, 0.62};
    int parent = palm_index;
    for (int k = 0; k < 2; ++k) {
      const double lean = open[k];
      // unit vector along the link: inwards is towards x = 0
      const Vec2 along{-side * std::sin(lean), -std::cos(lean)};
      BodySpec body = box_body(name + (k == 0 ? "_upper" : "_lower"), width, link, 0.5);
      body.planar().pose = {joint.x + 0.5 * link * along.x, joint.y + 0.5 * link * along.y, -side * lean};
      body.friction = friction;
      scene.bodies.push_back(body);
      const int index = static_cast<int>(scene.bodies.size()) - 1;
      scene.joints.push_back(make_joint(scene, name + (k == 0 ? "_shoulder" : "_elbow"), JointKind::revolute, parent,
                                        index, {joint.x, joint.y, 0.0}));
      ActuatorSpec motor;
      motor.name = scene.joints.back().name;
      motor.joint = static_cast<int>(scene.joints.size()) - 1;
      motor.kind = ActuatorKind::position_servo;
      motor.rotary = true;
      motor.stiffness = stiffness;
      motor.damping = damping;
      motor.limit = 100.0;
      motor.program = {{0.5, 0.0}, {1.2, -side * closed[k]}};
      scene.actuators.push_back(motor);
      joint = {joint.x + link * along.x, joint.y + link * along.y};
      parent = index;
    }
  }
  return scene;
}

}  // namespace pegrasp::scenes
