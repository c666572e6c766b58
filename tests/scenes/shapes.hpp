// SPDX-License-Identifier: Apache-2.0
// Bodies that scenes are built from: homogeneous, centred at their centre of mass.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pegrasp/scene.hpp"

namespace pegrasp::scenes {

constexpr double standard_gravity = 9.81;  // [m/s^2]

inline ConvexPart box_part(const std::string& name, double width, double height) {
  const double x = 0.5 * width;
  const double y = 0.5 * height;
  return make_polygon(name, {{-x, -y}, {x, -y}, {x, y}, {-x, y}});
}

inline BodySpec box_body(const std::string& name, double width, double height, double mass) {
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.planar().inertia = mass * (width * width + height * height) / 12.0;
  body.planar().parts = {box_part(name, width, height)};
  return body;
}

inline BodySpec disc_body(const std::string& name, double radius, double mass) {
  BodySpec body;
  body.name = name;
  body.mass = mass;
  body.planar().inertia = 0.5 * mass * radius * radius;
  body.planar().parts = {make_disc(name, {0.0, 0.0}, radius)};
  return body;
}

// The half-plane y <= 0.
inline BodySpec ground_body(double friction) {
  BodySpec body;
  body.name = "ground";
  body.kind = BodyKind::fixed;
  body.friction = friction;
  body.planar().parts = {make_half_plane("ground", {0.0, 1.0}, 0.0)};
  return body;
}

// A homogeneous polygon of `density` [kg/m^2]. Vertices anywhere; the body's pose puts them back where they were.
inline BodySpec polygon_body(const std::string& name, std::vector<Vec2> vertices, double density) {
  BodySpec body;
  body.name = name;
  const AreaProperties properties = area_properties(make_polygon(name, vertices));
  for (Vec2& v : vertices) v = {v.x - properties.centroid.x, v.y - properties.centroid.y};
  body.planar().parts = {make_polygon(name, vertices)};
  body.mass = density * properties.area;
  body.planar().inertia = density * properties.second_moment;
  body.planar().pose = {properties.centroid.x, properties.centroid.y, 0.0};
  return body;
}

}  // namespace pegrasp::scenes
