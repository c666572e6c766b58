// SPDX-License-Identifier: Apache-2.0
// The reference in 3D resolves what the product does where rims go round fast, and beside edges.
#include <gtest/gtest.h>

#include "tests/reference/spatial/cases.hpp"
#include "tests/scenes/cylinders.hpp"

namespace pegrasp::reference::spatial {
namespace {

class CylinderLandings : public testing::TestWithParam<int> {};

TEST_P(CylinderLandings, AreResolved) {
  const int which = GetParam();
  const SceneSpec scene = which < 3 ? scenes::landing_on_a_rim(which) : scenes::disc_against_a_roof(which - 3);
  SpatialSimulation simulation = simulated(scene, 0.005, 0.3);
  simulation.run();
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_LT(simulation.outcome().substeps_rejected, 20);
}

INSTANTIATE_TEST_SUITE_P(SpatialReference, CylinderLandings, testing::Range(0, 6));

}  // namespace
}  // namespace pegrasp::reference::spatial
