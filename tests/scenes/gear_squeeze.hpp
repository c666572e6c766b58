// SPDX-License-Identifier: Apache-2.0
// A scene like the gear grasp that any engine can be given: a toothed wheel of convex polygons, free in 2D, and two
// heavy jaws that come at it off its centre and squeeze it. No gravity, no actuators; all is still once the jaws have
// met it.
#pragma once

#include <cmath>
#include <string>

#include "tests/scenes/shapes.hpp"

namespace pegrasp::scenes {

constexpr double gear_squeeze_duration = 0.6;  // [s]

inline SceneSpec gear_squeeze(double friction) {
  constexpr double turn = 6.28318530717958647693;
  constexpr int sides = 24, teeth = 12;
  constexpr double radius = 0.0185, support_sphere = 0.018, tip = 0.0225;  // [m]
  const auto on_circle = [](double r, double angle) { return Vec2{r * std::cos(angle), r * std::sin(angle)}; };

  BodySpec gear;
  gear.name = "gear";
  gear.mass = 0.03;
  gear.planar().inertia = 0.5 * gear.mass * radius * radius;
  gear.friction = friction;
  std::vector<Vec2> core;
  for (int i = 0; i < sides; ++i) core.push_back(on_circle(radius, turn * i / sides));
  gear.planar().parts.push_back(make_polygon("core", core));
  for (int i = 0; i < teeth; ++i) {
    const double angle = turn * (i + 0.25) / teeth;
    gear.planar().parts.push_back(make_polygon(
        "tooth_" + std::to_string(i), {on_circle(support_sphere, angle - 0.09), on_circle(tip, angle - 0.05),
                                       on_circle(tip, angle + 0.05), on_circle(support_sphere, angle + 0.09)}));
  }

  SceneSpec scene;
  scene.name = "gear_squeeze";
  scene.bodies.push_back(gear);
  for (const double side : {-1.0, 1.0}) {
    BodySpec jaw = box_body(side < 0.0 ? "left" : "right", 0.008, 0.012, 20.0);
    jaw.friction = friction;
    jaw.planar().pose = {0.042 * side, 0.004 + 0.002 * side, 0.0};
    jaw.planar().velocity.vx = -0.1 * side;
    scene.bodies.push_back(jaw);
  }
  return scene;
}

}  // namespace pegrasp::scenes
