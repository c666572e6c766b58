// SPDX-License-Identifier: Apache-2.0
// As tests/analytic/weightless_test.cpp, by the reference simulator.
#include <gtest/gtest.h>

#include <vector>

#include "src/reference/batch.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/weightless.hpp"

namespace pegrasp::reference {
namespace {

TEST(ReferenceWeightless, ABlowLeavesTheCommonVelocity) {
  for (const bool in_3d : {false, true}) {
    const SceneSpec scene = scenes::closing_boxes(in_3d, 0.0, 12.5, -10.0);
    const StepOptions options = derive_options(test::steps_of(0.005, 0.1), scene);
    const AnyScene prepared(scene);
    std::vector<SceneOutcome> outcome(1);
    std::vector<double> poses(prepared.bodies() * prepared.pose_size());
    ASSERT_TRUE(run_reference(prepared, options, scene_parameters(scene), outcome, poses, 1, nullptr));
    EXPECT_EQ(outcome[0].status, status_ok) << in_3d;
    EXPECT_EQ(outcome[0].steps, 20);
    // Side by side, and the centre of mass has gone on at P / m.
    const double part = poses[0], left = poses[prepared.pose_size()], right = poses[2 * prepared.pose_size()];
    EXPECT_NEAR(part - left, 0.025, options.penetration_tolerance) << in_3d;
    EXPECT_NEAR(right - part, 0.025, options.penetration_tolerance) << in_3d;
    EXPECT_NEAR(0.5 * part + 0.2 * (left + right), 0.5 * 0.003 + 0.1 * 0.2 * 2.5, 1e-12) << in_3d;
  }
}

}  // namespace
}  // namespace pegrasp::reference
