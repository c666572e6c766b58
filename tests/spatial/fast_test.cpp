// SPDX-License-Identifier: Apache-2.0
// Fast arithmetic in 3D (contraction, solver in float) promises no bits: outcomes are those of strict arithmetic, and
// what it leaves is judged by the same residual and overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "src/metrics/spatial_overlap.hpp"
#include "tests/scenes/polyhedron_pour.hpp"
#include "tests/spatial/lift_trials.hpp"

namespace pegrasp {
namespace {

using Results = test::BatchResults;

Results run_batch(const SceneSpec& scene, const StepOptions& asked, Strategy strategy, Arithmetic arithmetic,
                  int threads, const std::vector<double>& parameters) {
  StepOptions options = asked;
  options.strategy = strategy;
  return test::run_batch(scene, options, arithmetic, threads, parameters);
}

// Trials of the lift over its grid. Where a jaw comes down on the part the step problems have several solutions, and
// solvers part ways in strict arithmetic, too: one trial may end otherwise, and one may say that it was not solved to
// the tolerance.
TEST(SpatialFastLong, TrialsOfTheLiftEndAsInStrictArithmetic) {
  constexpr int count = 8;
  const test::LiftTrials trials(count);
  const auto run = [&](Strategy strategy, Arithmetic arithmetic) {
    return run_batch(trials.problem.scene, trials.problem.options, strategy, arithmetic, 2, trials.parameters);
  };
  const Results strict = run(Strategy::per_scene, Arithmetic::strict);
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    const Results fast = run(strategy, Arithmetic::fast);
    int successes = 0;
    int same = 0;
    int unresolved = 0;
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(fast.outcomes[i].status & ~status_not_converged, status_ok) << i;
      unresolved += fast.outcomes[i].status != status_ok ? 1 : 0;
      EXPECT_EQ(fast.outcomes[i].steps, strict.outcomes[i].steps) << i;
      successes += fast.outcomes[i].success;
      same += fast.outcomes[i].success == strict.outcomes[i].success ? 1 : 0;
    }
    EXPECT_GT(successes, 0);
    EXPECT_LT(successes, count);
    EXPECT_GE(same, count - 1);
    EXPECT_LE(unresolved, 1);
  }
}

TEST(SpatialFast, ThreadsDoNotShow) {
  const SceneSpec scene = scenes::polyhedron_box(3, 0.3, 2);
  StepOptions options;
  options.h = 0.008;
  options.duration = 0.9;
  std::vector<double> parameters;
  for (int i = 0; i < 3; ++i) {
    std::vector<double> one = scene_parameters(scene);
    one[static_cast<std::size_t>(parameter_layout(scene).velocity(5))] += 0.1 * i;
    parameters.insert(parameters.end(), one.begin(), one.end());
  }
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    const Results one = run_batch(scene, options, strategy, Arithmetic::fast, 1, parameters);
    const Results three = run_batch(scene, options, strategy, Arithmetic::fast, 3, parameters);
    EXPECT_GT(one.outcomes[0].contacts_max, 0);
    EXPECT_EQ(std::memcmp(one.poses.data(), three.poses.data(), one.poses.size() * sizeof(double)), 0);
  }
}

TEST(SpatialFast, PouredPolyhedraDoNotOverlap) {
  const SceneSpec scene = scenes::polyhedron_box(1, 0.3, 4);
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    StepOptions options;
    options.h = 0.008;
    options.duration = 1.6;
    options.strategy = strategy;
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
