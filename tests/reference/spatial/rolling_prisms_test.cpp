// SPDX-License-Identifier: Apache-2.0
// The reference in 3D rolls prisms over their corners as the product does, and gains no energy by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/geometry/placement.hpp"
#include "tests/reference/spatial/cases.hpp"
#include "tests/scenes/rolling_3d.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp::reference::spatial {
namespace {

TEST(SpatialReference, PrismsThatRollGainNoEnergy) {
  for (const SceneSpec& scene : {scenes::rolling_prism(20, 60.0), scenes::rolling_prism(8, 60.0),
                                 scenes::prism_on_ridges(8, 20.0), scenes::rolling_cart(20, 20.0)}) {
    constexpr double h = 0.01, duration = 0.3;
    SpatialSimulation simulation = simulated(scene, h, duration);
    Simulation product = test::simulate(scene, h, duration);
    const double first = product.energy().kinetic;
    double rise = 0.0, apart = 0.0;
    while (simulation.step() && product.step()) {
      rise = std::max(rise, simulation.kinetic_energy() / first - 1.0);
      for (int body = 1; body < static_cast<int>(scene.bodies.size()); ++body) {
        apart = std::max(apart, length(simulation.pose(body).position - product.spatial_pose(body).position));
      }
    }
    EXPECT_EQ(simulation.time(), product.time());
    EXPECT_LT(rise, 0.01);
    EXPECT_LT(apart, 1e-5);
    EXPECT_EQ(simulation.outcome().status, status_ok);
  }
}

}  // namespace
}  // namespace pegrasp::reference::spatial
