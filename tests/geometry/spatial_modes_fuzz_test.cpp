// SPDX-License-Identifier: Apache-2.0
// Modes of random pairs of polyhedra against the brute-force axes of metrics/solid_distance.hpp.
#define PEGRASP_SPATIAL
#include "geometry/spatial_modes.hpp"

#include <gtest/gtest.h>

#include "fuzz_seed.hpp"
#include "metrics/solid_distance.hpp"
#include "metrics/spatial_overlap.hpp"
#include "model/model.hpp"
#include "scenes/polyhedron_box.hpp"

namespace pegrasp {
namespace {

constexpr double within = 1e-9;  // [m] a reach that leaves most edges to the second look

Polyhedron random_shape(scenes::Random& random, int kind) {
  if (kind == 0) return scenes::cuboid(random.uniform(0.2, 1.0), random.uniform(0.2, 1.0), random.uniform(0.02, 1.0));
  std::vector<Vec3> points;
  const int count = kind == 1 ? 4 : 12;
  for (int k = 0; k < count; ++k) {
    const double x = random.uniform(-1.0, 1.0);
    const double y = random.uniform(-1.0, 1.0);
    points.push_back({x, y, random.uniform(-1.0, 1.0)});
  }
  return make_polyhedron(points);
}

SpatialPose random_pose(scenes::Random& random, double reach) {
  SpatialPose pose;
  pose.position.x = random.uniform(-reach, reach);
  pose.position.y = random.uniform(-reach, reach);
  pose.position.z = random.uniform(-reach, reach);
  double q[4], length2 = 0.0;
  for (double& part : q) {
    part = random.uniform(-1.0, 1.0);
    length2 += part * part;
  }
  const double length = std::sqrt(length2);
  pose.turn = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
  return pose;
}

spatial::Frame frame(const SpatialPose& pose) {
  spatial::Frame f{};
  f.origin = {pose.position.x, pose.position.y, pose.position.z};
  spatial::matrix_of({pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z}, f.row);
  return f;
}

ConvexSolid solid(const Polyhedron& shape) {
  ConvexSolid result;
  result.vertices = shape.vertices;
  for (const PolyhedronFace& face : shape.faces) result.faces.push_back(face.vertices);
  return result;
}

TEST(SpatialModesFuzz, AgreeWithAllAxes) {
  const std::uint64_t seed = test::fuzz_seed(20261123);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  scenes::Random random(seed);
  int overlapping = 0;
  int by_edges = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    SceneSpec scene = scenes::space_scene("pair");
    const Polyhedron shape[2] = {random_shape(random, trial % 3), random_shape(random, trial / 3 % 3)};
    const double reach = random.uniform(0.1, 1.5);
    const SpatialPose pose[2] = {random_pose(random, 0.1), random_pose(random, reach)};
    for (const Polyhedron& part : shape) {
      BodySpec body;
      body.name = "body" + std::to_string(scene.bodies.size());
      body.space.parts.push_back({body.name, part});
      body.space.inertia = {1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
      scene.bodies.push_back(body);
    }
    const auto model = compile_model(scene);
    const ModelView view = model->view();
    const spatial::PartView a = spatial::part_view(view, 0);
    const spatial::PartView b = spatial::part_view(view, 1);
    const spatial::Separation best = spatial::best_separation(a, b, frame(pose[0]), frame(pose[1]), within);
    const spatial::LatestMode latest =
        spatial::latest_mode(a, b, frame(pose[0]), frame(pose[1]), frame(pose[0]), frame(pose[1]), false, within);
    const AxisGap oracle = largest_separation(solid(shape[0]), pose[0], solid(shape[1]), pose[1]);
    ASSERT_NEAR(latest.s0_max, best.s, 1e-12) << "trial " << trial;
    if (oracle.separation < 0.0) {
      // the depth of penetration, exactly
      ASSERT_NEAR(best.s, oracle.separation, 1e-9) << "trial " << trial;
      ++overlapping;
      by_edges += spatial::mode_type(best.mode) == spatial::mode_edges ? 1 : 0;
    } else {
      // apart: some facet says so; axes that are no facets may say a little more
      ASSERT_GE(best.s, -1e-9) << "trial " << trial;
      ASSERT_LE(best.s, oracle.separation + 1e-9) << "trial " << trial;
    }
  }
  EXPECT_GT(overlapping, 1000);
  EXPECT_GT(by_edges, 100);
}

}  // namespace
}  // namespace pegrasp
