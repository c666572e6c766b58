// SPDX-License-Identifier: Apache-2.0
// Batches of the batched strategy on a device whose memory does not hold them: groups are halved until they fit, and
// the bytes are the same.
#include <gtest/gtest.h>

#include <cstring>

#include "src/backend/cuda_backend.hpp"
#include "src/model/model.hpp"
#include "tests/determinism/cases.hpp"
#include "tests/engine/scant_device.hpp"

namespace pegrasp::test {
namespace {

class ScantMemoryTest : public testing::Test {
 protected:
  ScantMemoryTest() { strict::scant_memory = {}; }

  static SceneBatchCase batch() {
    SceneBatchCase gear = gear_case(24, {.solver = SolverKind::aj, .duration = 0.1});
    gear.options.strategy = Strategy::batched;
    return gear;
  }

  Results run(const SceneBatchCase& batch) {
    Results out{std::vector<SceneOutcome>(static_cast<std::size_t>(batch.scenes())),
                std::vector<double>(static_cast<std::size_t>(batch.scenes() * batch.body_count * batch.pose_size))};
    made = 0;
    const auto backend =
        make_cuda_backend({"scant", {}, [&](const Model& model, const StepOptions& options) {
                             ++made;
                             return std::make_unique<strict::ScantBatchedScenes>(model.view(), options);
                           }});
    EXPECT_TRUE(backend->run(*batch.model, batch.options, batch.parameters, out.outcomes, out.poses, nullptr));
    EXPECT_EQ(strict::scant_memory.held, 0u);
    return out;
  }

  static bool same(const Results& a, const Results& b) {
    return std::memcmp(a.outcomes.data(), b.outcomes.data(), sizeof(SceneOutcome) * a.outcomes.size()) == 0 &&
           std::memcmp(a.poses.data(), b.poses.data(), sizeof(double) * a.poses.size()) == 0;
  }

  int made = 0;
};

TEST_F(ScantMemoryTest, GroupsAreHalvedUntilTheyFit) {
  const SceneBatchCase gear = batch();
  const Results expected = run_all(gear, 1, Arithmetic::strict, BackendKind::cpu);
  EXPECT_TRUE(same(run(gear), expected));
  EXPECT_EQ(made, 1);
  const std::size_t all = strict::scant_memory.most;

  // From what is short at the end of the batch, where contacts are most, to what hardly holds a scene.
  for (const double share : {0.999, 0.7, 0.3, 0.1}) {
    strict::scant_memory = {};
    strict::scant_memory.limit = static_cast<std::size_t>(share * static_cast<double>(all));
    EXPECT_TRUE(same(run(gear), expected)) << share;
    EXPECT_GT(strict::scant_memory.refused, 0) << share;
    EXPECT_EQ(made, 1 + strict::scant_memory.refused) << share;
  }
}

TEST_F(ScantMemoryTest, ASceneThatDoesNotFitIsSaid) {
  const SceneBatchCase gear = batch();
  strict::scant_memory.limit = 1000;
  EXPECT_THROW(run(gear), DeviceMemoryError);
  EXPECT_EQ(strict::scant_memory.held, 0u);
}

}  // namespace
}  // namespace pegrasp::test
