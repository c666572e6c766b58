// SPDX-License-Identifier: Apache-2.0
// The gear grasp in space against the same in the plane, trial by trial, on a coarse grid. pegrasp_space_map compares the whole map.
#include <gtest/gtest.h>

#include "files.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {
namespace {

std::vector<SceneOutcome> outcomes(const Problem& problem) {
  const std::vector<double> base = scene_parameters(problem.scene);
  const std::size_t trials = static_cast<std::size_t>(problem.grid.cells()) * static_cast<std::size_t>(problem.samples);
  std::vector<double> parameters(trials * base.size());
  std::vector<double> values(sampled_columns(problem).size());
  for (std::size_t i = 0; i < trials; ++i) {
    draw_sample(problem, base, static_cast<int>(i) / problem.samples, static_cast<int>(i) % problem.samples,
                {parameters.data() + i * base.size(), base.size()}, values);
  }
  std::vector<SceneOutcome> out(trials);
  std::vector<double> poses(trials * problem.scene.bodies.size() * 7);
  const std::size_t pose_size = problem.scene.spatial ? 7 : 3;
  make_backend(BackendKind::cpu, Arithmetic::strict, 0)
      ->run(*compile_model(problem.scene), derive_options(problem.options, problem.scene), parameters, out,
            {poses.data(), trials * problem.scene.bodies.size() * pose_size}, nullptr);
  return out;
}

TEST(GearInSpace, EndsAsInThePlane) {
  std::vector<Override> overrides{{"grid.x_mm.step", "4"}, {"grid.y_mm.step", "4"}, {"map.samples", "3"}};
  const std::string file = test::source_file("examples/gear/gear.toml");
  const std::vector<SceneOutcome> flat = outcomes(load_problem(file, overrides));
  overrides.push_back({"space.lift", "true"});
  const std::vector<SceneOutcome> space = outcomes(load_problem(file, overrides));
  ASSERT_EQ(flat.size(), 108u);
  int alike = 0, unresolved = 0, successes = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    alike += flat[i].success == space[i].success ? 1 : 0;
    unresolved += space[i].status != 0 ? 1 : 0;
    successes += flat[i].success;
  }
  EXPECT_GE(alike, 105);
  EXPECT_LE(unresolved, 1);
  EXPECT_GT(successes, 20) << "a map without grasps says nothing";
}

// Servos move fingers from rest: a free motion without energy to measure by, where what a solve leaves looked like energy out of nothing.
TEST(GearInSpace, SmallStepsFromRestAreTaken) {
  const std::vector<Override> overrides{{"space.lift", "true"},   {"grid.x_mm", "[-9]"},
                                        {"grid.y_mm", "[-11]"},   {"map.samples", "3"},
                                        {"simulation.h_ms", "1"}, {"simulation.duration_s", "0.05"}};
  for (const SceneOutcome& outcome : outcomes(load_problem(test::source_file("examples/gear/gear.toml"), overrides))) {
    EXPECT_EQ(outcome.status, status_ok);
  }
}

}  // namespace
}  // namespace pegrasp
