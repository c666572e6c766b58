// SPDX-License-Identifier: Apache-2.0
// Motion without contact.
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

// The velocity in mid-step takes a body along its parabola exactly, whatever the step.
TEST(FreeFlight, IsTheParabola) {
  for (const double h : {0.001, 0.01, 0.016}) {
    SceneSpec scene = scenes::free_flight({1.5, 4.0, -3.0});
    scene.bodies[0].planar().pose = {0.2, -0.1, 0.3};
    const int n = 200;
    Simulation simulation = simulate(scene, steps_of(h, n * h));
    simulation.run();
    EXPECT_EQ(simulation.outcome().steps, n);
    EXPECT_EQ(simulation.outcome().status, status_ok);
    const double t = n * h;
    EXPECT_NEAR(simulation.pose(0).x, 0.2 + 1.5 * t, 1e-12);
    EXPECT_NEAR(simulation.pose(0).y, -0.1 + 4.0 * t - 0.5 * t * t * standard_gravity, 1e-11);
    EXPECT_NEAR(simulation.pose(0).theta, 0.3 - 3.0 * t, 1e-12);
    EXPECT_NEAR(simulation.velocity(0).vy, 4.0 - t * standard_gravity, 1e-12);
    EXPECT_EQ(simulation.velocity(0).vx, 1.5);
    EXPECT_EQ(simulation.velocity(0).omega, -3.0);
  }
}

// Every velocity is that at the time of its pose: at the start, after each step and at the end.
TEST(FreeFlight, EveryVelocityIsThatAtItsTime) {
  Simulation simulation = simulate(scenes::free_flight({0.0, 4.0, 1.0}), steps_of(0.01, 0.2));
  EXPECT_EQ(simulation.velocity(0).vy, 4.0);
  EXPECT_EQ(simulation.last_substep(0), 0.0);
  int n = 0;
  while (simulation.step()) {
    ++n;
    EXPECT_NEAR(simulation.velocity(0).vy, 4.0 - n * 0.01 * standard_gravity, 1e-12);
    EXPECT_NEAR(simulation.middle_velocity(0).vy, 4.0 - (n - 0.5) * 0.01 * standard_gravity, 1e-12);
    EXPECT_EQ(simulation.last_substep(0), 0.01);
  }
  EXPECT_EQ(n, 20);
}

// Gravity acts at once between two steps, by m g h on the mean velocity: kinetic - explained is conserved to rounding.
TEST(FreeFlight, TheWorkOfGravityExplainsTheKineticEnergy) {
  Simulation simulation = simulate(scenes::free_flight({1.0, 3.0, 5.0}), steps_of(0.01, 1.0));
  const double before = simulation.energy().kinetic;
  simulation.run();
  const EnergyReport after = simulation.energy();
  EXPECT_NEAR(after.kinetic - after.explained, before, 1e-12 * after.kinetic);
}

TEST(FreeFlight, ABodyIsAbsentUntilItIsDropped) {
  SceneSpec scene = scenes::free_flight({0.0, 0.0, 0.0});
  scene.bodies[0].drop_time = 0.5;
  Simulation simulation = simulate(scene, steps_of(0.01, 1.0));
  EXPECT_FALSE(simulation.present(0));
  simulation.run();
  EXPECT_TRUE(simulation.present(0));
  const int n = 50;  // steps in flight
  EXPECT_NEAR(simulation.pose(0).y, -0.5 * n * n * 1e-4 * standard_gravity, 1e-12);
}

}  // namespace
}  // namespace pegrasp::test
