// SPDX-License-Identifier: Apache-2.0
// A batch that is asked to stop ends after the steps at hand, however long its scenes go on.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "pegrasp/names.hpp"
#include "tests/determinism/cases.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::test {
namespace {

using Seconds = std::chrono::duration<double>;

// A day of a stack that stands: some ten million steps.
SceneBatchCase endless(Strategy strategy) {
  StepOptions options = steps_of(0.01, 86'400.0);
  options.strategy = strategy;
  return one_scene(scenes::stack(0, 0.25), options, {.solver = SolverKind::aj});
}

TEST(Stop, IsHeardWithinAScene) {
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    const SceneBatchCase batch = endless(strategy);
    const auto backend = make_backend_under_test(1);
    std::vector<SceneOutcome> outcomes(1);
    std::vector<double> poses(static_cast<std::size_t>(batch.body_count * batch.pose_size));
    std::atomic<bool> stop{false};
    std::chrono::steady_clock::time_point asked;
    std::thread user([&] {
      std::this_thread::sleep_for(Seconds(0.3));
      asked = std::chrono::steady_clock::now();
      stop = true;
    });
    const bool ended = backend->run(*batch.model, batch.options, batch.parameters, outcomes, poses, &stop);
    user.join();
    EXPECT_FALSE(ended) << name_of(strategy);
    EXPECT_LT(Seconds(std::chrono::steady_clock::now() - asked).count(), 20.0) << name_of(strategy);
  }
}

}  // namespace
}  // namespace pegrasp::test
