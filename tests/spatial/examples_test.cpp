// SPDX-License-Identifier: Apache-2.0
// The examples in 3D run as they stand: scenes stay in their joints and out of each other, lifts succeed where the part
// is between the jaws.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "pegrasp/scene_json.hpp"
#include "tests/spatial/lift_trials.hpp"

namespace pegrasp {
namespace {

class SpatialScenes : public testing::TestWithParam<const char*> {};

TEST_P(SpatialScenes, RunAsTheyStand) {
  const SceneFile file = load_scene_json(test::source_file(std::string("examples/scenes/") + GetParam()));
  StepOptions options;
  options.h = 0.005;
  options.duration = file.t_end;
  const StepOptions derived = derive_options(options, file.scene);
  const std::vector<double> parameters = scene_parameters(file.scene);
  Simulation simulation(compile_model(file.scene), derived, parameters);
  double apart = 0.0;
  while (simulation.step()) {
    for (std::size_t j = 0; j < file.scene.joints.size(); ++j) {
      apart = std::max(apart, simulation.joint_apart(static_cast<int>(j)));
    }
  }
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_LE(simulation.outcome().penetration_max, derived.penetration_tolerance);
  EXPECT_LT(apart, 1e-6);  // the thesis' 7e-5 for the hanging rod
}

INSTANTIATE_TEST_SUITE_P(Examples, SpatialScenes,
                         testing::Values("polyhedron_box.json", "sphere_on_spheres.json", "hanging_rod.json",
                                         "rolling_cart.json"));

class Lifts : public testing::TestWithParam<const char*> {};

// The middle cell is where the gripper comes down on the middle of the part.
TEST_P(Lifts, SucceedInTheMiddleAndNotInTheCorner) {
  const Problem problem = load_problem(test::source_file(std::string("examples/lift/") + GetParam()));
  const auto successes = [&](int cell) {
    const std::vector<double> base = scene_parameters(problem.scene);
    std::vector<double> values(sampled_columns(problem).size()), row(base.size()), parameters;
    constexpr int samples = 8;
    for (int sample = 0; sample < samples; ++sample) {
      draw_sample(problem, base, cell, sample, row, values);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
    int count = 0;
    for (const SceneOutcome& outcome :
         test::run_batch(problem.scene, problem.options, Arithmetic::strict, 2, parameters).outcomes) {
      EXPECT_EQ(outcome.status, status_ok);
      count += outcome.success;
    }
    return count;
  };
  EXPECT_GE(successes(problem.grid.cells() / 2), 6);
  EXPECT_LE(successes(0), 2);
}

INSTANTIATE_TEST_SUITE_P(Parts, Lifts, testing::Values("lift.toml", "prism.toml", "tee.toml"));

}  // namespace
}  // namespace pegrasp
