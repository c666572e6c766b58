// SPDX-License-Identifier: Apache-2.0
// Trials of examples/lift/lift.toml, spread over its grid, and a batch of them on a CPU.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/places.hpp"

namespace pegrasp::test {

struct LiftTrials {
  Problem problem = load_problem(source_file("examples/lift/lift.toml"));
  std::vector<double> parameters;  // (count, layout.size()) row-major

  explicit LiftTrials(int count) {
    const std::vector<double> base = scene_parameters(problem.scene);
    std::vector<double> values(sampled_columns(problem).size());
    std::vector<double> row(base.size());
    for (int i = 0; i < count; ++i) {
      draw_sample(problem, base, i * problem.grid.cells() / count, 0, row, values);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
  }
};

struct BatchResults {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;  // (count, layout.body_count, layout.pose_size()) row-major
};

inline BatchResults run_batch(const SceneSpec& scene, const StepOptions& options, Arithmetic arithmetic, int threads,
                              const std::vector<double>& parameters) {
  const auto model = compile_model(scene);
  const ParameterLayout layout = parameter_layout(scene);
  const std::size_t count = parameters.size() / static_cast<std::size_t>(layout.size());
  BatchResults results;
  results.outcomes.resize(count);
  results.poses.resize(count * static_cast<std::size_t>(layout.pose_size() * layout.body_count));
  EXPECT_TRUE(make_backend(BackendKind::cpu, arithmetic, threads)
                  ->run(*model, derive_options(options, scene), parameters, results.outcomes, results.poses, nullptr));
  return results;
}

}  // namespace pegrasp::test
