// SPDX-License-Identifier: Apache-2.0
// tests/engine/batched_order_test.cpp in 3D: the batched strategy in no order, in memory that nobody cleared, with
// islands that are halved and merge, and batches.
#define PEGRASP_SPATIAL
#include "tests/engine/batched_order.hpp"

#include "pegrasp/names.hpp"
#include "tests/engine/small_scenes.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/polyhedron_pour.hpp"

namespace pegrasp {
namespace {

int last_body(const SceneSpec& scene) { return static_cast<int>(scene.bodies.size()) - 1; }

TEST(SpatialBatchedOrder, SmallScenesAreTheSame) {
  for (const test::TimedScene& timed : test::small_spatial_scenes()) {
    const StepOptions options = test::cut_off_batched_options(timed.scene, timed.h, 0.5 * timed.duration);
    spatial::expect_order_does_not_show(*compile_model(timed.scene), options,
                                        test::nudged(timed.scene, last_body(timed.scene), 3), timed.name);
  }
}

TEST(SpatialBatchedOrder, IslandsThatAreHalvedAndMergeAreTheSame) {
  for (const SceneSpec& scene : {scenes::two_heaps(), scenes::row_of_cubes()}) {
    const spatial::BatchRun run =
        spatial::expect_order_does_not_show(*compile_model(scene), test::cut_off_batched_options(scene, 0.016, 0.256),
                                            test::nudged(scene, last_body(scene), 4), scene.name);
    EXPECT_GT(run.outcomes[0].contacts_max, 0);
    EXPECT_TRUE(scene.name == scenes::row_of_cubes().name || run.outcomes[0].substeps_rejected > 0);
  }
}

// With islands of joints that close, and with one island for all.
TEST(SpatialBatchedOrder, ALiftIsTheSame) {
  const SceneSpec scene = scenes::space_lift(0.5);
  for (const bool islands : {true, false}) {
    StepOptions options = test::cut_off_batched_options(scene, 0.005, 0.7);
    options.islands = islands;
    const spatial::BatchRun run =
        spatial::expect_order_does_not_show(*compile_model(scene), options, test::nudged(scene, 1, 2), "lift");
    EXPECT_GT(run.outcomes[0].contacts_max, 4);
  }
}

TEST(SpatialBatchedOrder, OtherContactModelsAreTheSame) {
  const SceneSpec scene = test::two_angles();
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective}) {
    StepOptions options = test::cut_off_batched_options(scene, 0.005, 0.3, contact);
    options.max_iterations = 200;
    options.max_substep_level = 1;  // steps that no solver can solve are halved no further
    const spatial::BatchRun run = spatial::expect_order_does_not_show(*compile_model(scene), options,
                                                                      test::nudged(scene, 1, 2), name_of(contact));
    EXPECT_GT(run.outcomes[0].contacts_max, 1);
  }
}

// Loops of more than the 512 items from which HostDevice's threads share them; as one island, it has more bodies than
// are added up in one piece.
TEST(SpatialBatchedOrder, ALargeSceneIsTheSame) {
  const SceneSpec scene = scenes::polyhedron_pour(2, 0.3, 200, 10);
  for (const bool islands : {true, false}) {
    StepOptions options = test::cut_off_batched_options(scene, 0.008, 0.24);
    options.islands = islands;
    const spatial::BatchRun run =
        spatial::expect_order_does_not_show(*compile_model(scene), options, scene_parameters(scene), "pour");
    EXPECT_GT(run.outcomes[0].contacts_max, 40);
  }
}

// Islands of more blocks than are added up in one piece.
TEST(SpatialBatchedOrder, ALargeIslandIsTheSame) {
  const SceneSpec scene = scenes::stack_3d(20, 0.3);
  const spatial::BatchRun run = spatial::expect_order_does_not_show(
      *compile_model(scene), test::cut_off_batched_options(scene, 0.01, 0.03), scene_parameters(scene), "stack");
  EXPECT_GT(run.outcomes[0].contacts_max, spatial::blocks_a_piece);
}

}  // namespace
}  // namespace pegrasp
