// SPDX-License-Identifier: Apache-2.0
// Flush surfaces in the reference simulator: a box slides over tiles that are bodies of their own, and step by step the
// product makes the same contacts.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "src/reference/planar/simulation.hpp"
#include "tests/reference/spatial/cases.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/tiles.hpp"

namespace pegrasp::reference {
namespace {

void expect_alike(const ValidateCase& job) {
  const StepComparison steps = compare_steps(job, ValidateTolerances{}, Watch{1, nullptr, {}});
  EXPECT_GT(steps.steps, 20);
  EXPECT_EQ(steps.otherwise, 0);
  EXPECT_EQ(steps.fast.unresolved, 0);
  EXPECT_EQ(steps.other.unresolved, 0);
}

TEST(ReferenceFlushSurfaces, ABoxSlidesOverTiles) {
  for (const double speed : {0.05, 0.3, 1.0, 3.0}) {
    const SceneSpec scene =
        scenes::slider_on_slabs({{-0.5, 0.0, -0.1, 0.0}, {0.0, 0.05, -0.2, 0.0}, {0.05, 1.0, -0.1, 0.0}}, speed, 0.0);
    const StepOptions options = derive_options(test::steps_of(0.005, 0.15 / speed + 0.1), scene);
    PlanarSimulation simulation(std::make_shared<const PlanarScene>(scene), options, scene_parameters(scene));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_NEAR(simulation.velocity(3).vx, speed, 1e-6);
    EXPECT_NEAR(simulation.pose(3).y, scenes::slider_half, 1e-7);
    ValidateCase job;
    job.scene = scene;
    job.model = compile_model(scene);
    job.planar_scene = std::make_shared<const PlanarScene>(scene);
    job.options = options;
    job.trials = {Trial{-1, -1, scene_parameters(scene)}};
    expect_alike(job);
  }
}

TEST(ReferenceFlushSurfaces, ACubeSlidesOverTiles) {
  for (const double speed : {0.3, 1.0, 3.0}) {
    for (const double yaw : {0.0, 0.4}) {
      const SceneSpec scene = scenes::cube_on(scenes::square_tiles(8, 2), speed, 0.0, yaw);
      spatial::SpatialSimulation simulation = spatial::simulated(scene, 0.005, 0.15);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok);
      EXPECT_NEAR(simulation.velocity(16).velocity.x, speed, 1e-6) << yaw;
      EXPECT_NEAR(simulation.pose(16).position.z, scenes::slider_half, 1e-7) << yaw;
      expect_alike(spatial::case_of(scene, 0.005, 0.15));
    }
  }
}

}  // namespace
}  // namespace pegrasp::reference
