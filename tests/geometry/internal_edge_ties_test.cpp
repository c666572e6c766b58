// SPDX-License-Identifier: Apache-2.0
// A face of a pusher along the stem of a tee: the stem's corners above and below are as far, those below lie at the
// internal edge with the support sphere.
#define PEGRASP_SPATIAL
#include "kernels/spatial/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "src/model/model.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

Polyhedron brick(Vec3 low, Vec3 high) {
  const Vec3 half{0.5 * (high.x - low.x), 0.5 * (high.y - low.y), 0.5 * (high.z - low.z)};
  return moved(scenes::cuboid(half.x, half.y, half.z), {{low.x + half.x, low.y + half.y, low.z + half.z}, {}});
}

// The stem beside the pusher: leaning about y [rad], a millimetre off, the support sphere below the pusher.
constexpr double gap = 1e-3;
spatial::Frame stem_at(double lean) {
  spatial::Frame f{};
  f.origin = {0.01 + gap + 0.008, 0.0, -0.02};
  spatial::matrix_of({std::cos(0.5 * lean), 0.0, std::sin(0.5 * lean), 0.0}, f.row);
  return f;
}

TEST(InternalEdgeTies, ACornerOnTheSurfaceIsEnoughWhicheverIsFartherByRounding) {
  SceneSpec scene = scenes::scene_3d("tee");
  BodySpec pusher = scenes::fixed_cuboid("pusher", {0.01, 0.01, 0.01}, {}, 0.3);
  BodySpec tee = scenes::solid_body("tee", brick({-0.025, -0.03, -0.006}, {0.025, 0.03, 0.006}), 1000.0);
  tee.spatial().parts.push_back({"stem", brick({-0.008, -0.03, 0.006}, {0.008, 0.03, 0.04})});
  scene.bodies = {pusher, tee};
  const auto model = compile_model(scene);
  const ModelView view = model->view();
  const spatial::PartView face = spatial::part_view(view, 0);
  const spatial::PartView stem = spatial::part_view(view, 2);
  int along_x = 0;
  for (int f = 0; f < face.faces; ++f) along_x = face.normal(f).x > 0.9 ? f : along_x;
  const auto separation = [&](double lean) { return spatial::face_separation(face, along_x, stem, stem_at(lean)); };
  for (const double lean : {-1e-9, -1e-12, 0.0, 1e-12, 1e-9}) {
    EXPECT_NEAR(separation(lean).s, gap, 1e-9) << lean;
    EXPECT_TRUE(separation(lean).surface) << lean;
  }
  // Leaning more than a tie, one way the corner at the internal edge is the farther one: the support sphere goes on
  // there.
  EXPECT_NE(separation(-1e-4).surface, separation(1e-4).surface);
}

// A cube on the ground, leaning on an edge; beside half of it a sibling goes on, so that one of the edge's two corners,
// which are as far, lies at the internal edge. A half-space has no size to measure a tie by: rounding reported whether
// the cube touched it at all.
TEST(InternalEdgeTies, OnAHalfSpaceAsOnASlab) {
  for (const bool half_space : {true, false}) {
    SceneSpec scene = scenes::scene_3d("ell");
    BodySpec ground = scenes::fixed_cuboid("ground", {50.0, 50.0, 0.5}, {0.0, 0.0, -0.5}, 0.3);
    if (half_space) ground.spatial().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
    BodySpec ell = scenes::solid_body("ell", brick({0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}), 1000.0);
    ell.spatial().parts.push_back({"side", brick({1.0, -1.0, 0.0}, {2.0, 0.5, 1.0})});
    scene.bodies = {ground, ell};
    const auto model = compile_model(scene);
    const ModelView view = model->view();
    const spatial::PartView floor = spatial::part_view(view, 0);
    const spatial::PartView cube = spatial::part_view(view, 1);
    spatial::Frame level{};
    spatial::matrix_of({1.0, 0.0, 0.0, 0.0}, level.row);
    if (!half_space) level.origin.z = -0.5;
    int unreported = 0;
    for (int i = 0; i < 200; ++i) {
      const double yaw = 0.0314 * i;
      const spatial::Turn lean{std::cos(0.005), 0.0, std::sin(0.005), 0.0};
      spatial::Frame pose{};
      spatial::matrix_of(spatial::Turn{std::cos(0.5 * yaw), 0.0, 0.0, std::sin(0.5 * yaw)} * lean, pose.row);
      pose.origin = {0.3 * std::cos(7.0 * yaw), 0.3 * std::sin(7.0 * yaw), 0.011};
      const spatial::Separation at = spatial::best_separation(floor, cube, level, pose, spatial::everywhere);
      unreported += at.mode == spatial::mode_none || at.mode_s < at.internal_edge ? 1 : 0;
    }
    EXPECT_EQ(unreported, 0) << (half_space ? "half-space" : "slab");
  }
}

}  // namespace
}  // namespace pegrasp
