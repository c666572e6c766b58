// SPDX-License-Identifier: Apache-2.0
// As tests/joint/varying_poses_test.cpp, by the reference simulator.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "src/reference/batch.hpp"
#include "tests/joint/varying_poses.hpp"

namespace pegrasp::reference {
namespace {

class ReferenceVaryingPoses : public testing::TestWithParam<test::VaryingProblem> {};

TEST_P(ReferenceVaryingPoses, EveryTrialStaysAndStartsAsTheProductsDo) {
  const Problem problem = parse_problem(GetParam().text, "problem.toml");
  const StepOptions options = derive_options(problem.options, problem.scene);
  const AnyScene scene(problem.scene);
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> parameters(base.size()), values(sampled_columns(problem).size());
  const std::size_t size = scene.bodies() * scene.pose_size();
  std::vector<double> poses(size), own(size);
  const auto model = compile_model(problem.scene);
  const auto product = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  for (int cell = 0; cell < problem.grid.cells(); ++cell) {
    draw_sample(problem, base, cell, 1, parameters, values);
    std::vector<SceneOutcome> outcome(1), of_product(1);
    ASSERT_TRUE(run_reference(scene, options, parameters, outcome, poses, 1, nullptr));
    ASSERT_TRUE(product->run(*model, options, parameters, of_product, own, nullptr));
    EXPECT_EQ(outcome[0].status, status_ok);
    EXPECT_EQ(outcome[0].success, 1);
    for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(poses[i], own[i], 1e-8) << cell << ' ' << i;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceVaryingPoses, testing::ValuesIn(test::varying_problems()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace pegrasp::reference
