// SPDX-License-Identifier: Apache-2.0
// What runs on a GPU in no order, in memory that nobody cleared, runs here so on purpose (engine/unordered_device.hpp):
// the batched strategy gives the bytes that it gives in order.
#include "tests/engine/batched_order.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "pegrasp/names.hpp"
#include "tests/engine/small_scenes.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/union_pile.hpp"

namespace pegrasp {
namespace {

int last_body(const SceneSpec& scene) { return static_cast<int>(scene.bodies.size()) - 1; }

TEST(BatchedOrder, SmallScenesAreTheSame) {
  for (const test::TimedScene& timed : test::small_planar_scenes()) {
    const auto model = compile_model(timed.scene);
    const StepOptions options = test::cut_off_batched_options(timed.scene, timed.h, timed.duration);
    strict::expect_order_does_not_show(*model, options, test::nudged(timed.scene, last_body(timed.scene), 3),
                                       timed.name);
  }
}

TEST(BatchedOrder, APileIsTheSame) {
  const SceneSpec scene = scenes::polygon_box(3, 0.3, 8);
  const strict::BatchRun run = strict::expect_order_does_not_show(
      *compile_model(scene), test::cut_off_batched_options(scene, 0.016, 2.4), test::nudged(scene, 5, 3), "pile");
  for (const SceneOutcome& outcome : run.outcomes) EXPECT_GT(outcome.contacts_max, 5);
  EXPECT_GT(run.outcomes[0].substeps_rejected, 0);
}

TEST(BatchedOrder, UnionsAndOtherContactModelsAreTheSame) {
  const SceneSpec scene = scenes::union_pile(1, 0.3, 4);
  for (const ContactModel contact : {ContactModel::peg, ContactModel::standard, ContactModel::corrective}) {
    const strict::BatchRun run = strict::expect_order_does_not_show(
        *compile_model(scene), test::cut_off_batched_options(scene, 0.008, 1.6, contact),
        test::nudged(scene, last_body(scene), 2), name_of(contact));
    EXPECT_GT(run.outcomes[0].contacts_max, 1);
  }
}

// Loops of more than the 512 items from which HostDevice's threads share them.
TEST(BatchedOrder, ALargeSceneIsTheSame) {
  const SceneSpec scene = scenes::polygon_pour(2, 0.25, 200, 100);
  const strict::BatchRun run = strict::expect_order_does_not_show(
      *compile_model(scene), test::cut_off_batched_options(scene, 0.008, 0.28), scene_parameters(scene), "pour");
  EXPECT_GT(run.outcomes[0].contacts_max, 20);
}

// Islands of more blocks, and of more bodies, than are added up in one piece.
TEST(BatchedOrder, ALargeIslandIsTheSame) {
  SceneSpec scene = scenes::stack(0, 0.25, 70);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) scene.bodies[i].planar().pose.y = 0.5 + static_cast<double>(i);
  const strict::BatchRun run = strict::expect_order_does_not_show(
      *compile_model(scene), test::cut_off_batched_options(scene, 0.01, 0.03), scene_parameters(scene), "stack");
  EXPECT_GT(run.outcomes[0].contacts_max, strict::blocks_a_piece);
}

// The device itself: a loop that leans on its order, or on cleared memory, is found out, and so is a wait in a
// recording.
TEST(UnorderedDevice, LeaningOnOrderShows) {
  for (const auto order : {strict::UnorderedDevice::Order::backwards, strict::UnorderedDevice::Order::shuffled}) {
    strict::UnorderedDevice device(order);
    std::vector<int> visits(100, 0), sum(100, 0);
    int *const visit = visits.data(), *const running = sum.data();
    device.for_each(100, [=](int i) {
      ++visit[i];
      running[i] = i > 0 ? running[i - 1] + i : 0;  // right only from the first to the last
    });
    EXPECT_EQ(visits, std::vector<int>(100, 1));
    EXPECT_NE(sum[99], 99 * 100 / 2);
  }
}

// For ThreadSanitizer, which sees a race only between threads.
TEST(UnorderedDevice, SideBySideThreadsShareEveryLoop) {
  strict::UnorderedDevice device(strict::UnorderedDevice::Order::side_by_side);
  std::vector<int> visits(100, 0);
  std::vector<std::thread::id> by(100);
  int* const visit = visits.data();
  std::thread::id* const thread = by.data();
  device.for_each(100, [=](int i) {
    ++visit[i];
    thread[i] = std::this_thread::get_id();
  });
  EXPECT_EQ(visits, std::vector<int>(100, 1));
  EXPECT_EQ(std::set<std::thread::id>(by.begin(), by.end()).size(), 3u);
  EXPECT_TRUE(device.any(100, [](int i) { return i == 98; }));
  EXPECT_FALSE(device.any(100, [](int) { return false; }));
}

// However many parts a part sweeps over: each of them in one piece, and not many pieces.
TEST(BatchedOrder, ASweepIsCutIntoPiecesThatHoldItWhole) {
  for (const int swept : {1, 63, 64, 65, 129, 1024, 1025, 62'000, 2'000'000}) {
    const int pieces = strict::sweep_pieces(swept);
    EXPECT_LE(pieces, strict::most_sweep_pieces);
    EXPECT_EQ(strict::sweep_piece_begin(swept, 0), 0);
    EXPECT_EQ(strict::sweep_piece_begin(swept, pieces), swept);
    for (int k = 0; k < pieces; ++k) {
      const int longest = std::max(strict::swept_a_piece, swept / pieces + 1);
      const int length = strict::sweep_piece_begin(swept, k + 1) - strict::sweep_piece_begin(swept, k);
      EXPECT_GT(length, 0) << swept;
      EXPECT_LE(length, longest) << swept;
    }
  }
  EXPECT_EQ(strict::sweep_pieces(0), 0);
}

TEST(UnorderedDevice, MemoryIsNotCleared) {
  strict::UnorderedDevice::Buffer<double> buffer;
  EXPECT_TRUE(std::isnan(buffer.capacity(3)[2]));
  buffer.capacity(3)[2] = 1.0;
  EXPECT_TRUE(std::isnan(buffer.capacity(2)[1]));
}

TEST(UnorderedDevice, ARecordingDoesWhatItSays) {
  strict::UnorderedDevice device(strict::UnorderedDevice::Order::shuffled);
  int count = 0, rounds = 0;
  int* const at = &count;
  const auto work = [&] {
    ++rounds;
    device.for_each(2, [=](int) { ++*at; });
    device.repeat([&] { device.for_each(1, [=](int) { ++*at; }); }, 1, [=](int) { return *at % 10 != 0; });
  };
  device.record(work, true);
  EXPECT_EQ(count, 10);
  device.record(work, true);
  EXPECT_EQ(count, 20);
  EXPECT_EQ(rounds, 2);
  EXPECT_EQ(device.played(), 1);
  EXPECT_THROW(device.record([&] { device.any(1, [](int) { return true; }); }, true), std::logic_error);
  strict::UnorderedDevice::Buffer<int> buffer;
  EXPECT_THROW(device.record([&] { buffer.capacity(1); }, true), std::logic_error);
  EXPECT_FALSE(device.any(3, [](int) { return false; }));
}

}  // namespace
}  // namespace pegrasp
