// SPDX-License-Identifier: Apache-2.0
// A batch that is told to stop ends after the steps at hand, however long its scenes go on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/determinism/cases.hpp"
#include "pegrasp/names.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::test {
namespace {

using Seconds = std::chrono::duration<double>;

// A day of a stack that stands: some ten million steps.
SceneBatchCase endless(Road road) {
  StepOptions options = steps_of(0.01, 86'400.0);
  options.road = road;
  return one_scene(scenes::stack(0, 0.25), options, {.solver = SolverKind::aj});
}

TEST(Stop, IsHeardWithinAScene) {
  for (const Road road : {Road::fused, Road::sparse}) {
    const SceneBatchCase batch = endless(road);
    const auto backend = make_backend_under_test(1);
    std::vector<SceneOutcome> outcomes(1);
    std::vector<double> poses(static_cast<std::size_t>(batch.body_count * batch.pose_size));
    std::atomic<bool> stop{false};
    std::chrono::steady_clock::time_point told;
    std::thread user([&] {
      std::this_thread::sleep_for(Seconds(0.3));
      told = std::chrono::steady_clock::now();
      stop = true;
    });
    const bool ended = backend->run(*batch.model, batch.options, batch.parameters, outcomes, poses, &stop);
    user.join();
    EXPECT_FALSE(ended) << name_of(road);
    EXPECT_LT(Seconds(std::chrono::steady_clock::now() - told).count(), 20.0) << name_of(road);
  }
}

}  // namespace
}  // namespace pegrasp::test
