// SPDX-License-Identifier: Apache-2.0
// Unions of parts in the reference simulator: what turns over the surface of several parts is not thrown off it.
#include <gtest/gtest.h>

#include <cmath>

#include "src/reference/planar/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/turning_cup.hpp"

namespace pegrasp::reference {
namespace {

TEST(InternalEdgesReference, ACupThatTurnsOverAFlankIsNotThrown) {
  const SceneSpec scene = scenes::turning_cup();
  PlanarSimulation simulation(scene, derive_options(test::steps_of(0.001, 0.32), scene), scene_parameters(scene));
  while (simulation.step()) {
    const Twist v = simulation.velocity(0);
    ASSERT_LT(std::hypot(v.vx, v.vy), 1.6);
    ASSERT_EQ(simulation.last_status(), std::uint32_t{status_ok});
  }
}

}  // namespace
}  // namespace pegrasp::reference
