// SPDX-License-Identifier: Apache-2.0
// A wedge in a groove that is steeper than friction lets go of, a little too deep in it: no impulse drives it out, as
// friction grows with what pushes (kernels/solver/jammed.hpp).
#pragma once

#include <cmath>
#include <vector>

#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::scenes {

constexpr double groove_half_angle = 0.2;  // [rad] also of the wedge
constexpr double groove_holds = 0.405;     // coefficient of friction, twice the tangent
constexpr double groove_overlap = 1e-7;    // [m] at the start, on either side

// The wedge from its centre of mass in 2D, from an arbitrary point of it in 3D [m].
struct Wedge {
  static constexpr double apex = -0.3;  // where its sides would meet
  static constexpr double low = -0.1, high = 0.2, half_depth = 0.2;
};
inline double wedge_half_width(double z) { return (z - Wedge::apex) * std::tan(groove_half_angle); }

// Middle of a wall of half the thickness `half` on one side (-1, 1): its face is the wedge's, moved in by the overlap.
inline Vec2 groove_wall(double side, double half) {
  const double out = half - groove_overlap;
  return {side * (wedge_half_width(0.0) + out * std::cos(groove_half_angle)), -out * std::sin(groove_half_angle)};
}

inline SceneSpec groove_in_2d(double friction) {
  SceneSpec scene;
  scene.name = "wedge_in_a_groove";
  scene.gravity = {0.0, -standard_gravity};
  BodySpec wedge;
  wedge.name = "wedge";
  wedge.mass = 1.0;
  wedge.planar().inertia = 0.02;
  wedge.planar().parts = {make_polygon("wedge", {{-wedge_half_width(Wedge::low), Wedge::low},
                                                 {wedge_half_width(Wedge::low), Wedge::low},
                                                 {wedge_half_width(Wedge::high), Wedge::high},
                                                 {-wedge_half_width(Wedge::high), Wedge::high}})};
  scene.bodies = {wedge};
  for (const double side : {-1.0, 1.0}) {
    BodySpec wall = box_body(side < 0.0 ? "left" : "right", 0.2, 1.0, 1.0);
    wall.kind = BodyKind::fixed;
    const Vec2 at = groove_wall(side, 0.1);
    wall.planar().pose = {at.x, at.y, -side * groove_half_angle};
    scene.bodies.push_back(wall);
  }
  for (BodySpec& body : scene.bodies) body.friction = friction;
  return scene;
}

inline SceneSpec groove_in_3d(double friction) {
  SceneSpec scene = scene_3d("wedge_in_a_groove");
  std::vector<Vec3> corners;
  for (const double z : {Wedge::low, Wedge::high}) {
    for (const double x : {-wedge_half_width(z), wedge_half_width(z)}) {
      for (const double y : {-Wedge::half_depth, Wedge::half_depth}) corners.push_back({x, y, z});
    }
  }
  const Polyhedron shape = make_polyhedron(corners);
  scene.bodies = {solid_body("wedge", shape, 100.0)};
  scene.bodies[0].spatial().pose.position = solid_properties(shape).centroid;
  for (const double side : {-1.0, 1.0}) {
    const Vec2 at = groove_wall(side, 0.1);
    BodySpec wall = fixed_cuboid(side < 0.0 ? "left" : "right", {0.1, 0.5, 0.5}, {at.x, 0.0, at.y}, friction);
    wall.spatial().pose.turn = {std::cos(0.5 * groove_half_angle), 0.0, side * std::sin(0.5 * groove_half_angle), 0.0};
    scene.bodies.push_back(wall);
  }
  for (BodySpec& body : scene.bodies) body.friction = friction;
  return scene;
}

}  // namespace pegrasp::scenes
