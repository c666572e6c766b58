// SPDX-License-Identifier: Apache-2.0
// Prisms that roll in 3D, alone and as wheels, gain no energy where a step turns them by most of an edge or over
// several, and slow down much as they do at small steps. A ball keeps what it has.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/runs.hpp"
#include "tests/scenes/rolling_3d.hpp"

namespace pegrasp {
namespace {

constexpr double seconds = 0.5;

struct Rolled {
  double rise = 0.0, left = 0.0;  // of the kinetic energy at first: the largest gain of the whole; what is left of it
  double way = 0.0;               // [m] along x
  std::uint32_t status = 0;       // bits of all steps
};

Rolled rolled(const SceneSpec& scene, double h, Strategy strategy = Strategy::per_scene) {
  StepOptions options = test::steps_of(h, seconds);
  options.strategy = strategy;
  Simulation simulation = test::simulate(scene, options);
  const EnergyReport first = simulation.energy();
  const double from = simulation.spatial_pose(1).position.x;
  Rolled out;
  while (simulation.step()) {
    const EnergyReport now = simulation.energy();
    out.status |= simulation.last_status();
    out.left = (now.kinetic + now.potential - first.potential) / first.kinetic;
    out.rise = std::fmax(out.rise, out.left - 1.0);
    out.rise = std::fmax(out.rise, (now.kinetic - now.explained) / first.kinetic - 1.0);
  }
  out.way = simulation.spatial_pose(1).position.x - from;
  return out;
}

// At 5, 10 and 20 ms a step turns them by 17, 34 and 69 degrees.
void expect_no_gain(SceneSpec scene_of(int, double), Strategy strategy) {
  for (const int edges : {20, 16, 8}) {
    for (const double spin : {20.0, 60.0}) {
      const SceneSpec scene = scene_of(edges, spin);
      const double fine = rolled(scene, 0.001).way;
      for (const double h : {0.005, 0.01, 0.02}) {
        SCOPED_TRACE(testing::Message() << edges << " edges, " << spin << " rad/s, " << h << " s");
        const Rolled coarse = rolled(scene, h, strategy);
        EXPECT_LT(coarse.rise, 0.005);
        EXPECT_EQ(coarse.status, status_ok);
        EXPECT_NEAR(coarse.way, fine, 0.25 * fine);
      }
    }
  }
}

TEST(RollingIn3D, PrismsGainNoEnergy) { expect_no_gain(scenes::rolling_prism, Strategy::per_scene); }
TEST(RollingIn3D, PrismsGainNoEnergyOnTheBatchedStrategy) { expect_no_gain(scenes::rolling_prism, Strategy::batched); }
TEST(RollingIn3D, PrismsOnRidgesGainNoEnergy) { expect_no_gain(scenes::prism_on_ridges, Strategy::per_scene); }
TEST(RollingIn3D, CartsGainNoEnergy) { expect_no_gain(scenes::rolling_cart, Strategy::per_scene); }

TEST(RollingIn3D, BallsKeepTheirs) {
  for (const double h : {0.005, 0.02}) {
    for (const auto& scene : {scenes::rolling_prism(0, 60.0), scenes::rolling_cart(0, 60.0)}) {
      const Rolled ball = rolled(scene, h);
      EXPECT_NEAR(ball.left, 1.0, 1e-6) << h;
      EXPECT_NEAR(ball.way, scenes::rolling_radius * 60.0 * seconds, 1e-5) << h;
    }
  }
}

}  // namespace
}  // namespace pegrasp
