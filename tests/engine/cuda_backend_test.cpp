// SPDX-License-Identifier: Apache-2.0
// The CUDA backend's host side over an emulated device: however batches are cut and scenes taken from the queue,
// whatever outgrows its capacity, and after a stop or a fault, the bytes are those of the CPU backend.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "src/model/model.hpp"
#include "tests/determinism/cases.hpp"
#include "tests/engine/emulated_device.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"

namespace pegrasp::test {
namespace {

Results capacity_for(const SceneBatchCase& batch) {
  return {std::vector<SceneOutcome>(static_cast<std::size_t>(batch.scenes())),
          std::vector<double>(static_cast<std::size_t>(batch.scenes() * batch.body_count * batch.pose_size))};
}

bool run_on(Backend& backend, const SceneBatchCase& batch, Results& out, const std::atomic<bool>* stop = nullptr) {
  return backend.run(*batch.model, batch.options, batch.parameters, out.outcomes, out.poses, stop);
}

Results on_cpu(const SceneBatchCase& batch) { return run_all(batch, 1, Arithmetic::strict, BackendKind::cpu); }

bool same(const Results& a, const Results& b) {
  return a.outcomes.size() == b.outcomes.size() && a.poses.size() == b.poses.size() &&
         std::memcmp(a.outcomes.data(), b.outcomes.data(), sizeof(SceneOutcome) * a.outcomes.size()) == 0 &&
         std::memcmp(a.poses.data(), b.poses.data(), sizeof(double) * a.poses.size()) == 0;
}

// Half of the scenes need more capacity for contacts than a workspace is given first.
SceneBatchCase growing_case() {
  SceneSpec scene = scenes::polygon_on_plane(200, 0.1, 1.0, 0.3, {0.5, 0.0, 0.0});
  scene.bodies[1].planar().pose.y += 0.05;
  SceneBatchCase batch = one_scene(scene, steps_of(0.005, 0.5, ContactModel::standard), {ContactModel::standard});
  const ParameterLayout layout = parameter_layout(scene);
  const std::vector<double> lying = batch.parameters;
  for (int i = 1; i < 8; ++i) {
    batch.parameters.insert(batch.parameters.end(), lying.begin(), lying.end());
    if (i % 2 == 0) continue;
    // too high to come down within the time limit
    batch.parameters[static_cast<std::size_t>(i * batch.parameter_count + layout.pose(1)) + 1] += 10.0;
  }
  return batch;
}

TEST(CudaBackend, AnyQueueOrderAndAnyPieces) {
  for (const SceneBatchCase& batch : {gear_case(30), space_case(1, true, 8), growing_case()}) {
    const Results expected = on_cpu(batch);
    for (const std::size_t most : {1u, 3u, 7u, 1000u}) {
      for (const std::size_t fills : {1u, 5u}) {
        EmulatedDevice device;
        device.most_scenes = most;
        device.fills = fills;
        device.seed = 10 * most + fills;
        Results out = capacity_for(batch);
        ASSERT_TRUE(run_on(*make_backend_on(device), batch, out));
        EXPECT_TRUE(same(out, expected)) << "at most " << most << ", at least " << fills;
      }
    }
  }
}

TEST(CudaBackend, ScenesThatOutgrowTheirRoomAreRunAgain) {
  const SceneBatchCase batch = growing_case();
  EmulatedDevice device;
  Results out = capacity_for(batch);
  std::atomic<bool> stop{false};
  ASSERT_TRUE(run_on(*make_backend_on(device), batch, out, &stop));
  EXPECT_GE(device.reruns, 4) << "a piece each";
  EXPECT_TRUE(same(out, on_cpu(batch)));
}

TEST(CudaBackend, APieceIsBegunBeforeTheOneBeforeItIsFinished) {
  const SceneBatchCase batch = gear_case(16);
  EmulatedDevice device;
  Results out = capacity_for(batch);
  ASSERT_TRUE(run_on(*make_backend_on(device), batch, out));
  EXPECT_EQ(device.events, (std::vector<std::string>{"start 0", "start 1", "finish 0", "start 0", "finish 1", "start 1",
                                                     "finish 0", "finish 1"}));
}

TEST(CudaBackend, TheRunnerIsKeptForTheSameModel) {
  const SceneBatchCase gear = gear_case(6), again = gear_case(6), pile = pile_case(1, 4, {.duration = 0.1});
  ASSERT_NE(gear.model.get(), again.model.get());
  EmulatedDevice device;
  const auto backend = make_backend_on(device);
  Results out = capacity_for(gear);
  for (const SceneBatchCase* batch : {&gear, &gear, &again, &again}) {
    ASSERT_TRUE(run_on(*backend, *batch, out));
    EXPECT_TRUE(same(out, on_cpu(gear)));
  }
  EXPECT_EQ(device.made, 1) << "compiled twice, a model is the same";
  Results other = capacity_for(pile);
  ASSERT_TRUE(run_on(*backend, pile, other));
  EXPECT_TRUE(same(other, on_cpu(pile)));
  EXPECT_EQ(device.made, 2);
}

// Of two models that differ in one number.
TEST(CudaBackend, ARunnerIsNotUsedForAModelThatIsAlmostTheSame) {
  SceneSpec scene = scenes::stack(1, 0.25, 3);
  const SceneBatchCase first = one_scene(scene, steps_of(0.01, 0.2), {});
  scene.gravity.y *= 1.25;
  const SceneBatchCase second = one_scene(scene, steps_of(0.01, 0.2), {});
  EmulatedDevice device;
  const auto backend = make_backend_on(device);
  for (const SceneBatchCase* batch : {&first, &second}) {
    Results out = capacity_for(*batch);
    ASSERT_TRUE(run_on(*backend, *batch, out));
    EXPECT_TRUE(same(out, on_cpu(*batch)));
  }
  EXPECT_EQ(device.made, 2);
}

TEST(CudaBackend, LeavesIslandNewtonToACpu) {
  const SceneBatchCase batch = pile_case(1, 4, {.solver = SolverKind::island_newton, .duration = 0.1});
  EmulatedDevice device;
  Results out = capacity_for(batch);
  try {
    run_on(*make_backend_on(device), batch, out);
    ADD_FAILURE() << "taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "solver island-newton runs on a CPU alone; choose --backend cpu, or solver aj");
  }
}

// Which wants all of the device's memory.
TEST(CudaBackend, TheRunnerIsNotKeptThroughTheBatched) {
  SceneBatchCase batch = gear_case(4, {.solver = SolverKind::aj, .duration = 0.05});
  EmulatedDevice device;
  const auto backend = make_backend_on(device);
  Results out = capacity_for(batch);
  ASSERT_TRUE(run_on(*backend, batch, out));
  EXPECT_EQ(device.living, 1);
  batch.options.strategy = Strategy::batched;
  ASSERT_TRUE(run_on(*backend, batch, out));
  EXPECT_EQ(device.living, 0);
  EXPECT_TRUE(same(out, on_cpu(batch)));
}

// At whichever event the stop comes, the run says so, or had nothing left to do; the next is whole.
TEST(CudaBackend, AStopAtAnyTimeLeavesTheNextRunWhole) {
  const SceneBatchCase batch = growing_case();
  const Results expected = on_cpu(batch);
  std::size_t events = 0;
  for (std::size_t at = 0; at <= events; ++at) {  // the last: before it begins
    EmulatedDevice device;
    const auto backend = make_backend_on(device);
    std::atomic<bool> stop{at == events && at > 0};
    device.event = [&](const std::string&) {
      if (at > 0 && device.events.size() == at) stop.store(true);
    };
    Results out = capacity_for(batch);
    const bool ended = run_on(*backend, batch, out, &stop);
    if (at == 0) {
      ASSERT_TRUE(ended);
      events = device.events.size() + 1;
      ASSERT_GT(events, 30u);
      continue;
    }
    EXPECT_FALSE(ended) << "at event " << at;
    stop.store(false);
    device.event = nullptr;
    ASSERT_TRUE(run_on(*backend, batch, out, &stop));
    EXPECT_TRUE(same(out, expected)) << "at event " << at;
  }
}

TEST(CudaBackend, AStopIsSeenWhileAPieceIsComputed) {
  const SceneBatchCase batch = gear_case(4);
  EmulatedDevice device;
  device.looks = 1'000'000'000;
  std::atomic<bool> stop{false};
  device.event = [&](const std::string& what) {
    if (what.starts_with("look")) stop.store(true);
  };
  Results out = capacity_for(batch);
  EXPECT_FALSE(run_on(*make_backend_on(device), batch, out, &stop));
  EXPECT_EQ(device.abandoned, 1);
  EXPECT_EQ(std::count(device.events.begin(), device.events.end(), "finish 0"), 0);
}

TEST(CudaBackend, AfterAFaultTheNextRunHasARunnerOfItsOwn) {
  const SceneBatchCase batch = gear_case(12);
  EmulatedDevice device;
  const auto backend = make_backend_on(device);
  device.event = [&](const std::string& what) {
    if (what == "finish 1") throw std::runtime_error("CUDA: scene kernel: an illegal memory access");
  };
  Results out = capacity_for(batch);
  EXPECT_THROW(run_on(*backend, batch, out), std::runtime_error);
  EXPECT_EQ(device.abandoned, 1);  // the piece in the other lane is not waited for
  device.event = nullptr;
  ASSERT_TRUE(run_on(*backend, batch, out));
  EXPECT_TRUE(same(out, on_cpu(batch)));
  EXPECT_EQ(device.made, 2);
}

}  // namespace
}  // namespace pegrasp::test
