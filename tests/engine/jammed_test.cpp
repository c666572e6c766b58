// SPDX-License-Identifier: Apache-2.0
// Bodies that friction wedges where they overlap by less than is accepted are to stay, and the steps to count as
// solved.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/runs.hpp"
#include "tests/scenes/groove.hpp"

namespace pegrasp {
namespace {

struct Groove {
  const char* name;
  SceneSpec (*scene)(double friction);
  Strategy strategy;
};

class WedgeInAGroove : public testing::TestWithParam<Groove> {};

SceneOutcome last(const SceneSpec& scene, Strategy strategy, double& moved, double duration = 0.02) {
  StepOptions options = test::steps_of(0.002, duration);
  options.strategy = strategy;
  Simulation simulation = test::simulate(scene, options);
  while (simulation.step()) {
  }
  const BodySpec& wedge = scene.bodies[0];
  if (scene.spatial) {
    const Vec3 at = simulation.spatial_pose(0).position;
    const Vec3 from = wedge.spatial().pose.position;
    moved = std::hypot(at.x - from.x, at.y - from.y, at.z - from.z);
  } else {
    moved = std::hypot(simulation.pose(0).x - wedge.planar().pose.x, simulation.pose(0).y - wedge.planar().pose.y);
  }
  return simulation.outcome();
}

TEST_P(WedgeInAGroove, StaysWhereItIs) {
  double moved = 0.0;
  const SceneOutcome outcome = last(GetParam().scene(scenes::groove_holds), GetParam().strategy, moved);
  EXPECT_EQ(outcome.status, status_ok);
  EXPECT_EQ(outcome.unresolved_steps, 0);
  EXPECT_LE(outcome.residual_max, 1e-6);
  EXPECT_GT(outcome.penetration_max, 0.5 * scenes::groove_overlap);
  EXPECT_LT(outcome.penetration_max, 1.1 * scenes::groove_overlap);
  EXPECT_LT(moved, 1e-6);
}

// A load that grows drives it no deeper than is accepted, however long it lasts, and what the wedge was allowed stays
// what it was.
TEST_P(WedgeInAGroove, IsDrivenNoDeeper) {
  for (const double load : {10.0, 1000.0}) {
    SCOPED_TRACE(load);
    SceneSpec scene = GetParam().scene(scenes::groove_holds);
    scene.gravity = {0.0, load * scene.gravity.y};
    scene.gravity_z *= load;
    double moved = 0.0;
    const SceneOutcome outcome = last(scene, GetParam().strategy, moved, 0.1);
    EXPECT_EQ(outcome.status, status_ok);
    EXPECT_LT(outcome.penetration_max, 2.0 * scenes::groove_overlap);
    EXPECT_LT(moved, 1e-6);
  }
}

// Friction that lets go of it: the groove drives it out by what it overlaps.
TEST_P(WedgeInAGroove, ComesOutWithoutFriction) {
  double moved = 0.0;
  const SceneOutcome outcome = last(GetParam().scene(0.0), GetParam().strategy, moved);
  EXPECT_EQ(outcome.status, status_ok);
  EXPECT_EQ(outcome.substeps_rejected, 0);
  EXPECT_NEAR(moved, scenes::groove_overlap / std::sin(scenes::groove_half_angle), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Strategies, WedgeInAGroove,
                         testing::Values(Groove{"planar_per_scene", scenes::groove_in_2d, Strategy::per_scene},
                                         Groove{"planar_batched", scenes::groove_in_2d, Strategy::batched},
                                         Groove{"spatial_per_scene", scenes::groove_in_3d, Strategy::per_scene},
                                         Groove{"spatial_batched", scenes::groove_in_3d, Strategy::batched}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pegrasp
