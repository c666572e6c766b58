// SPDX-License-Identifier: Apache-2.0
// A scene's result depends on its parameters alone: not on the number of threads, on how a batch is split, on the
// scenes around it or their order, on what was run before, or on the capacity it was given first. Batches run on the
// backend under test, single workers and Simulations on the CPU: on a device these tests compare the two.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/launch/scene_worker.hpp"
#include "src/model/model.hpp"
#include "tests/determinism/cases.hpp"
#include "tests/determinism/slice.hpp"
#include "tests/scenes/random.hpp"

namespace pegrasp::test {
namespace {

void expect_same(const Results& a, const Results& b, const std::string& what) {
  EXPECT_EQ(difference(a, b), "") << what;
}

// The same scenes with other friction, so that a pile is a batch too.
SceneBatchCase many_piles(int count) {
  SceneBatchCase batch = pile_case(3, 6, {.duration = 0.5});
  const ParameterLayout& layout = batch.model->layout();
  const std::vector<double> base = batch.parameters;
  for (int i = 1; i < count; ++i) {
    std::vector<double> other = base;
    for (int slot = 0; slot < layout.friction_count; ++slot) {
      other[static_cast<std::size_t>(layout.friction(slot))] = 0.05 * i;
    }
    batch.parameters.insert(batch.parameters.end(), other.begin(), other.end());
  }
  return batch;
}

std::vector<SceneBatchCase> batches() {
  return {as_asked(gear_case(200)), as_asked(many_piles(12)), as_asked(space_case(1, true, 12))};
}

Results of_the_cpu(const SceneBatchCase& batch) { return run_all(batch, 1, Arithmetic::strict, BackendKind::cpu); }

void expect_any_threads_the_same(const SceneBatchCase& batch, Arithmetic arithmetic) {
  const Results one = arithmetic == Arithmetic::strict ? of_the_cpu(batch) : run_all(batch, 1, arithmetic);
  for (int threads : {2, 3, 5}) {
    expect_same(run_all(batch, threads, arithmetic), one, std::to_string(threads) + " threads");
  }
}

// On a device, which has no such number: again and again.
TEST(Batch, AnyNumberOfThreads) {
  for (const SceneBatchCase& batch : batches()) expect_any_threads_the_same(batch, Arithmetic::strict);
}

TEST(Batch, AnyNumberOfThreadsInFastArithmetic) {
  expect_any_threads_the_same(as_asked(gear_case(20)), Arithmetic::fast);
}

TEST(Batch, AnySplit) {
  for (const SceneBatchCase& batch : batches()) {
    const Results whole = of_the_cpu(batch);
    const auto backend = make_backend_under_test(2);
    for (int size : {1, 7, 64}) {
      Results parts = whole;
      std::fill(parts.poses.begin(), parts.poses.end(), -1.0);
      std::fill(parts.outcomes.begin(), parts.outcomes.end(), SceneOutcome{});
      for (int first = 0; first < batch.scenes(); first += size) {
        const auto at = static_cast<std::size_t>(first);
        const auto count = static_cast<std::size_t>(std::min(size, batch.scenes() - first));
        const auto stride = static_cast<std::size_t>(batch.parameter_count);
        const auto poses = static_cast<std::size_t>(batch.pose_size * batch.body_count);
        backend->run(*batch.model, batch.options, std::span(batch.parameters).subspan(at * stride, count * stride),
                     std::span(parts.outcomes).subspan(at, count),
                     std::span(parts.poses).subspan(at * poses, count * poses), nullptr);
      }
      expect_same(parts, whole, "pieces of " + std::to_string(size));
    }
  }
}

TEST(Batch, AnyOrderOfScenes) {
  for (const SceneBatchCase& batch : batches()) {
    const Results expected = of_the_cpu(batch);
    const auto count = static_cast<std::size_t>(batch.scenes());
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    scenes::Random random(11);
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    SceneBatchCase shuffled = batch;
    const auto stride = static_cast<std::size_t>(batch.parameter_count);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(batch.parameters.begin() + static_cast<std::ptrdiff_t>(order[i] * stride), stride,
                  shuffled.parameters.begin() + static_cast<std::ptrdiff_t>(i * stride));
    }
    const Results mixed = run_all(shuffled, 2);
    Results back = expected;
    const auto poses = static_cast<std::size_t>(batch.pose_size * batch.body_count);
    for (std::size_t i = 0; i < count; ++i) {
      back.outcomes[order[i]] = mixed.outcomes[i];
      std::copy_n(mixed.poses.begin() + static_cast<std::ptrdiff_t>(i * poses), poses,
                  back.poses.begin() + static_cast<std::ptrdiff_t>(order[i] * poses));
    }
    expect_same(back, expected, "permuted");
  }
}

TEST(Batch, RunTwice) {
  for (const SceneBatchCase& batch : batches()) expect_same(run_all(batch, 2), run_all(batch, 2), "again");
}

// Starts with next to no capacity and grows as the backend does.
TEST(Batch, AnyCapacityToStartWith) {
  std::vector<SceneBatchCase> cases;
  for (ContactModel contact : all_contacts) {
    cases.push_back(gear_case(8, {.contact = contact, .duration = 0.4}));
    cases.push_back(pile_case(3, 6, {.contact = contact, .duration = 0.4}));
    for (std::size_t i = cases.size() - 2; i < cases.size(); ++i) cases[i].options.max_iterations = 60;
  }
  // In 3D not with the thesis' features, which know no round parts.
  for (ContactModel contact : {ContactModel::peg, ContactModel::standard, ContactModel::corrective}) {
    cases.push_back(space_case(2, true, 1));
    cases.back().options.contact = contact;
    cases.back().options.duration = 0.2;
    cases.back().options.max_iterations = 60;
  }
  int grown_scenes = 0;
  for (const SceneBatchCase& batch : cases) {
    const auto worker = [&](const Capacity& capacity) {
      return batch.pose_size == 3 ? make_strict_worker(batch.model->view(), batch.options, capacity)
                                  : make_spatial_worker(batch.model->view(), batch.options, capacity);
    };
    const Results expected = run_all(batch, 1);
    Results small = expected;
    for (int i = 0; i < batch.scenes(); ++i) {
      Capacity capacity{1, 1, batch.options.contact == ContactModel::peg_features ? 1 : 0};
      SceneOutcome& outcome = small.outcomes[static_cast<std::size_t>(i)];
      double* const poses = small.poses.data() + static_cast<std::size_t>(batch.pose_size * batch.body_count * i);
      int rounds = 0;
      do {
        if (rounds > 0) capacity = grown(capacity, outcome.contacts_demand);
        worker(capacity)->run(batch.scene(i), &outcome, poses);
        ASSERT_LT(++rounds, 30) << "capacity never suffices";
      } while (outcome.status & status_capacity);
      if (rounds > 1) ++grown_scenes;
    }
    expect_same(small, expected, "tiny capacity");
  }
  EXPECT_GT(grown_scenes, 20);
}

void write_pose(const Simulation& simulation, int body, bool spatial, double* out) {
  if (spatial) {
    const SpatialPose pose = simulation.spatial_pose(body);
    const double all[] = {pose.position.x, pose.position.y, pose.position.z, pose.turn.w,
                          pose.turn.x,     pose.turn.y,     pose.turn.z};
    std::copy(std::begin(all), std::end(all), out);
    return;
  }
  const Pose pose = simulation.pose(body);
  out[0] = pose.x;
  out[1] = pose.y;
  out[2] = pose.theta;
}

// A scene watched step by step ends as the batch has it.
TEST(Batch, StepByStep) {
  for (const SceneBatchCase& batch : {gear_case(20), many_piles(3), space_case(1, true, 3), space_case(2, false, 2)}) {
    const Results expected = run_all(batch, 1);
    Results stepped = expected;
    for (int i = 0; i < batch.scenes(); ++i) {
      Simulation simulation(batch.model, batch.options,
                            std::span(batch.scene(i), static_cast<std::size_t>(batch.parameter_count)));
      simulation.run();
      stepped.outcomes[static_cast<std::size_t>(i)] = simulation.outcome();
      for (int body = 0; body < batch.body_count; ++body) {
        write_pose(simulation, body, batch.pose_size != 3,
                   stepped.poses.data() + batch.pose_size * (i * batch.body_count + body));
      }
    }
    expect_same(stepped, expected, "step by step");
  }
}

}  // namespace
}  // namespace pegrasp::test
