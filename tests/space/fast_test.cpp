// SPDX-License-Identifier: Apache-2.0
// Fast arithmetic in space (contraction, solver in float) promises no bits: outcomes are those of strict arithmetic, and what it leaves is
// judged by the same residual and overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "metrics/spatial_overlap.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "places.hpp"
#include "scenes/polyhedron_pour.hpp"

namespace pegrasp {
namespace {

struct Results {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
};

// Trials of the lift over its grid.
Results lift_trials(Road road, Arithmetic arithmetic, int threads) {
  const Problem problem = load_problem(test::source_file("examples/lift/lift.toml"));
  StepOptions options = problem.options;
  options.road = road;
  options = derive_options(options, problem.scene);
  const auto model = compile_model(problem.scene);
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> values(sampled_columns(problem).size()), parameters, row(base.size());
  constexpr int count = 8;
  for (int i = 0; i < count; ++i) {
    draw_sample(problem, base, i * problem.grid.cells() / count, 0, row, values);
    parameters.insert(parameters.end(), row.begin(), row.end());
  }
  Results results;
  results.outcomes.resize(count);
  results.poses.resize(7 * problem.scene.bodies.size() * count);
  EXPECT_TRUE(make_backend(BackendKind::cpu, arithmetic, threads)
                  ->run(*model, options, parameters, results.outcomes, results.poses, nullptr));
  return results;
}

TEST(SpatialFast, TrialsOfTheLiftEndAsInStrictArithmetic) {
  const Results strict = lift_trials(Road::fused, Arithmetic::strict, 1);
  for (const Road road : {Road::fused, Road::sparse}) {
    const Results fast = lift_trials(road, Arithmetic::fast, 1);
    int successes = 0;
    for (std::size_t i = 0; i < strict.outcomes.size(); ++i) {
      SCOPED_TRACE(i);
      EXPECT_EQ(fast.outcomes[i].status, status_ok);
      EXPECT_EQ(fast.outcomes[i].success, strict.outcomes[i].success);
      EXPECT_EQ(fast.outcomes[i].steps, strict.outcomes[i].steps);
      successes += fast.outcomes[i].success;
    }
    EXPECT_GT(successes, 0);
    EXPECT_LT(successes, static_cast<int>(strict.outcomes.size()));
  }
}

TEST(SpatialFast, ThreadsDoNotShow) {
  for (const Road road : {Road::fused, Road::sparse}) {
    const Results one = lift_trials(road, Arithmetic::fast, 1);
    const Results three = lift_trials(road, Arithmetic::fast, 3);
    EXPECT_EQ(std::memcmp(one.poses.data(), three.poses.data(), one.poses.size() * sizeof(double)), 0);
  }
}

TEST(SpatialFast, PouredPolyhedraDoNotOverlap) {
  const SceneSpec scene = scenes::polyhedron_box(1, 0.3, 4);
  for (const Road road : {Road::fused, Road::sparse}) {
    StepOptions options;
    options.h = 0.008;
    options.duration = 1.6;
    options.road = road;
    Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene),
                          Arithmetic::fast);
    const SpatialOverlap overlap(scene);
    std::vector<SpatialPose> poses(scene.bodies.size());
    std::vector<bool> present(scene.bodies.size());
    double most = 0.0;
    while (simulation.step()) {
      for (std::size_t b = 0; b < poses.size(); ++b) {
        poses[b] = simulation.spatial_pose(static_cast<int>(b));
        present[b] = simulation.present(static_cast<int>(b));
        EXPECT_LT(std::fabs(poses[b].position.x), 1.0);
        EXPECT_LT(std::fabs(poses[b].position.y), 1.0);
      }
      most = std::max(most, overlap.total(poses, present) / overlap.dynamic_volume());
    }
    EXPECT_EQ(simulation.outcome().status, status_ok);
    EXPECT_LE(simulation.outcome().residual_max, 1e-6);
    EXPECT_GT(simulation.outcome().contacts_max, 0);
    EXPECT_LT(most, 1e-6);
  }
}

}  // namespace
}  // namespace pegrasp
