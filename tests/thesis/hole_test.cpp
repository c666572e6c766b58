// SPDX-License-Identifier: Apache-2.0
// Figure 3.1 of Berard's thesis: a block slides without friction over a hole whose far side slopes up to its edge. The
// free motion of a step leads the block's leading edge below that, which the solution never does.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pegrasp/simulation.hpp"
#include "tests/scenes/followers.hpp"

namespace pegrasp {
namespace {

constexpr int block = 2;

// Bodies: the near side, whose top ends at x = 0; the far side, whose top begins at 0.3; the block, 1 m long, 1 m/s.
SceneSpec over_a_hole(bool spatial, double start) {
  SceneSpec scene = scenes::empty_scene(spatial, true);
  const auto half = [&](double x, double z) { return spatial ? Vec3{x, 0.4, z} : Vec3{x, z, 0.4}; };
  scene.bodies.push_back(
      scenes::placed_box(spatial, "near", half(1.0, 0.25), scenes::raised(spatial, -1.0, -0.25), 1.0));
  const std::vector<Vec2> outline{{0.1, -0.5}, {3.0, -0.5}, {3.0, 0.0}, {0.3, 0.0}};
  BodySpec far;
  if (spatial) {
    std::vector<Vec3> corners;
    for (const Vec2& x : outline) {
      for (const double y : {-0.6, 0.6}) corners.push_back({x.x, y, x.y});
    }
    far = scenes::solid_body("far", make_polyhedron(corners), 1000.0);
  } else {
    far.planar().parts.push_back(make_polygon("far", outline));
    far.mass = far.planar().inertia = 1.0;
  }
  far.name = "far";
  scene.bodies.push_back(far);
  for (BodySpec& body : scene.bodies) body.kind = BodyKind::fixed;
  scene.bodies.push_back(
      scenes::placed_box(spatial, "block", half(0.5, 0.25), scenes::raised(spatial, start, 0.25), 1.0));
  if (spatial) {
    scene.bodies[block].spatial().velocity.velocity = {1.0, 0.0, 0.0};
  } else {
    scene.bodies[block].planar().velocity = {1.0, 0.0, 0.0};
  }
  return scene;
}

double speed_beyond(bool spatial, double start, double h) {
  const SceneSpec scene = over_a_hole(spatial, start);
  StepOptions options;
  options.h = h;
  options.duration = 1.2;
  Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
  while (simulation.step()) {
  }
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0) << start;
  return spatial ? simulation.spatial_velocity(block).velocity.x : simulation.velocity(block).vx;
}

TEST(BlockOverHole, KeepsItsSpeedWhereverItStarts) {
  for (const bool spatial : {false, true}) {
    for (const double h : {0.005, 0.01, 0.02}) {
      for (int k = 0; k < 25; ++k) {
        // Not -0.6: a leading edge that ends a step exactly over the far edge, to 1e-9 m, touches both of its faces.
        const double start = -0.6001 - 0.0004 * k;
        EXPECT_NEAR(speed_beyond(spatial, start, h), 1.0, 1e-6) << (spatial ? "3D" : "2D") << ", h " << h << ", " << k;
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp
