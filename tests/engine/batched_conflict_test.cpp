// SPDX-License-Identifier: Apache-2.0
// The batched strategy's loops have items that a GPU may run in any order and at once: none touches what another
// writes.
#define PEGRASP_OWN_NAMESPACE watched_batched
#include "tests/engine/batched_conflicts.hpp"
#include "tests/engine/small_scenes.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/union_pile.hpp"

namespace pegrasp {
namespace {

using namespace watched_batched;

TEST(BatchedConflict, NoneIn2D) {
  for (const test::TimedScene& timed : test::small_planar_scenes()) {
    expect_loops_without_conflict(timed.scene, test::cut_off_batched_options(timed.scene, timed.h, timed.duration),
                                  scene_parameters(timed.scene), timed.name);
  }
  const SceneSpec pile = scenes::polygon_box(3, 0.3, 8);
  EXPECT_GT(expect_loops_without_conflict(pile, test::cut_off_batched_options(pile, 0.016, 2.0),
                                          test::nudged(pile, 5, 3), "pile")
                .outcomes[0]
                .contacts_max,
            3);
  const SceneSpec unions = scenes::union_pile(1, 0.3, 4);
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective}) {
    expect_loops_without_conflict(unions, test::cut_off_batched_options(unions, 0.008, 1.0, contact),
                                  scene_parameters(unions), "unions");
  }
  const SceneSpec pour = scenes::polygon_pour(2, 0.25, 200, 100);
  EXPECT_GT(expect_loops_without_conflict(pour, test::cut_off_batched_options(pour, 0.008, 0.28),
                                          scene_parameters(pour), "pour")
                .outcomes[0]
                .contacts_max,
            20);
}

TEST(BatchedConflict, ItemsThatLeanOnEachOtherAreSeen) {
  test::LoopWatch watch;
  UnorderedDevice device(UnorderedDevice::Order::shuffled);
  device.tell(&watch);
  std::vector<int> memory(100, 0);
  int* const x = memory.data();
  device.for_each(100, [=](int i) { x[i] = i; });
  device.for_each(100, [=](int i) { x[99 - i] += i; });
  EXPECT_EQ(watch.conflicts(), 0) << watch.first_conflict();
  device.for_each(100, [=](int i) { x[i] = i > 0 ? x[i - 1] : 0; });
  EXPECT_GT(watch.conflicts(), 0);
  EXPECT_EQ(watch.loops(), 3);
}

// However simple the loop: what its compiler sees through must not hide it.
TEST(BatchedConflict, EveryAccessOfASimpleLoopIsSeen) {
  struct Pair {
    double a, b;
  };
  std::vector<double> memory(101, 0.0);
  std::vector<Pair> pairs(101, Pair{0.0, 0.0});
  double* const x = memory.data();
  Pair* const p = pairs.data();
  const auto seen = [](const auto& loop) {
    test::LoopWatch watch;
    UnorderedDevice device(UnorderedDevice::Order::backwards);
    device.tell(&watch);
    device.for_each(100, loop);
    return std::pair<std::int64_t, bool>(watch.touched(), watch.conflicts() > 0);
  };
  EXPECT_EQ(seen([=](int i) { x[i] = i; }), std::pair(std::int64_t{100}, false));
  EXPECT_EQ(seen([=](int i) { x[i / 2] = i; }), std::pair(std::int64_t{100}, true));
  EXPECT_EQ(seen([=](int i) { x[i] = x[i + 1]; }), std::pair(std::int64_t{200}, true));
  EXPECT_TRUE(seen([=](int i) { p[i].a = p[i + 1].a; }).second);
#if !defined(__clang__)  // which copies structures by memcpy, unseen
  EXPECT_TRUE(seen([=](int i) { p[i] = p[i + 1]; }).second);
#endif
}

}  // namespace
}  // namespace pegrasp
