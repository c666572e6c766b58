// SPDX-License-Identifier: Apache-2.0
// tests/engine/batched_conflict_test.cpp in 3D.
#define PEGRASP_SPATIAL
#define PEGRASP_OWN_NAMESPACE watched_batched_spatial
#include "tests/engine/batched_conflicts.hpp"
#include "tests/engine/small_scenes.hpp"
#include "tests/scenes/heaps.hpp"

namespace pegrasp {
namespace {

using namespace watched_batched_spatial;

TEST(SpatialBatchedConflict, NoneIn3D) {
  for (const test::TimedScene& timed : test::small_spatial_scenes()) {
    expect_loops_without_conflict(timed.scene,
                                  test::cut_off_batched_options(timed.scene, timed.h, 0.5 * timed.duration),
                                  scene_parameters(timed.scene), timed.name);
  }
  const SceneSpec heaps = scenes::two_heaps();
  expect_loops_without_conflict(heaps, test::cut_off_batched_options(heaps, 0.016, 0.128), test::nudged(heaps, 1, 3),
                                "heaps");
  const SceneSpec lift = scenes::space_lift(0.5);
  expect_loops_without_conflict(lift, test::cut_off_batched_options(lift, 0.01, 0.3), test::nudged(lift, 1, 2), "lift");
  const SceneSpec stack = scenes::stack_3d(20, 0.3);
  EXPECT_GT(expect_loops_without_conflict(stack, test::cut_off_batched_options(stack, 0.01, 0.03),
                                          scene_parameters(stack), "stack")
                .outcomes[0]
                .contacts_max,
            40);
}

}  // namespace
}  // namespace pegrasp
