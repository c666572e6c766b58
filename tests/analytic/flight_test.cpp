// SPDX-License-Identifier: Apache-2.0
// Motion without contact.
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

using scenes::standard_gravity;

// Semi-implicit Euler: v_n = v_0 - n h g,  y_n = y_0 + n h v_0 - n (n + 1) / 2 h^2 g.
TEST(FreeFlight, IsTheExactSolutionOfSemiImplicitEuler) {
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
    EXPECT_NEAR(simulation.pose(0).y, -0.1 + 4.0 * t - 0.5 * n * (n + 1) * h * h * standard_gravity, 1e-11);
    EXPECT_NEAR(simulation.pose(0).theta, 0.3 - 3.0 * t, 1e-12);
    EXPECT_NEAR(simulation.velocity(0).vy, 4.0 - t * standard_gravity, 1e-12);
    EXPECT_EQ(simulation.velocity(0).vx, 1.5);
    EXPECT_EQ(simulation.velocity(0).omega, -3.0);
  }
}

// The parabola is missed by h g t / 2: first order in the step.
TEST(FreeFlight, ComesToTheParabolaInProportionToTheStep) {
  const double t = 1.0;
  for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
    Simulation simulation = simulate(scenes::free_flight({0.0, 4.0, 1.0}), steps_of(h, t));
    simulation.run();
    const double error = 4.0 * t - 0.5 * standard_gravity * t * t - simulation.pose(0).y;
    EXPECT_NEAR(error, 0.5 * standard_gravity * h * t, 1e-10) << h;
  }
}

// Over one step gravity does the work m g (v + v') / 2 h: kinetic - explained is conserved to rounding.
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
  EXPECT_NEAR(simulation.pose(0).y, -0.5 * n * (n + 1) * 1e-4 * standard_gravity, 1e-12);
}

}  // namespace
}  // namespace pegrasp::test
