// SPDX-License-Identifier: Apache-2.0
// Inelastic impacts (Williams' thesis 5.4): bodies that meet go on together, and no momentum is lost.
#include <utility>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/thesis.hpp"

namespace pegrasp::test {
namespace {

struct Momentum {
  double x = 0.0, y = 0.0;    // [kg m/s]
  double about_origin = 0.0;  // [kg m^2/s]
};

Momentum momentum(const SceneSpec& scene, const Simulation& simulation) {
  Momentum sum;
  for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
    const BodySpec& b = body_of(scene, body);
    const Twist v = simulation.velocity(body);
    const Pose q = simulation.pose(body);
    sum.x += b.mass * v.vx;
    sum.y += b.mass * v.vy;
    sum.about_origin += b.mass * (q.x * v.vy - q.y * v.vx) + b.planar().inertia * v.omega;
  }
  return sum;
}

TEST(Impact, TwoBlocksGoOnAtTheCommonVelocity) {
  struct Case {
    double mass_a, speed_a, mass_b, speed_b;
  };
  for (const Case& c : {Case{1.0, 2.0, 1.0, 0.0}, Case{3.0, 1.0, 0.5, -2.0}, Case{0.1, 4.0, 10.0, 0.5}}) {
    for (const SolverKind solver : every_solver) {
      StepOptions options = steps_of(0.005, 0.5);
      options.solver = solver;
      options.tolerance = 1e-10;
      const SceneSpec scene = scenes::head_on(c.mass_a, c.speed_a, c.mass_b, c.speed_b);
      Simulation simulation = simulate(scene, options);
      simulation.run();
      const double common = (c.mass_a * c.speed_a + c.mass_b * c.speed_b) / (c.mass_a + c.mass_b);
      for (const int body : {0, 1}) {
        EXPECT_NEAR(simulation.velocity(body).vx, common, 1e-8) << name_of(solver);
        EXPECT_NEAR(simulation.velocity(body).vy, 0.0, 1e-9) << name_of(solver);
      }
      EXPECT_EQ(simulation.outcome().status, status_ok);
    }
  }
}

TEST(Impact, ARowOfBodiesKeepsItsMomentum) {
  for (const SolverKind solver : every_solver) {
    for (const double h : {0.001, 0.01}) {
      StepOptions options = steps_of(h, 4.0);
      options.solver = solver;
      options.tolerance = 1e-10;
      const SceneSpec scene = scenes::momentum_row();
      Simulation simulation = simulate(scene, options);
      const double before = momentum(scene, simulation).x;
      double worst = 0.0;
      while (simulation.step()) worst = std::fmax(worst, std::fabs(momentum(scene, simulation).x / before - 1.0));
      EXPECT_LT(worst, 1e-12) << name_of(solver);
      double mass = 0.0;
      for (const double m : scenes::momentum_masses) mass += m;
      for (int body = 0; body < 5; ++body) {
        EXPECT_NEAR(simulation.velocity(body).vx, before / mass, 1e-8) << name_of(solver) << " " << body;
      }
    }
  }
}

// Off-centre blows with friction. The impulse acts at one point at the end of the step while positions move on by h v,
// so the angular momentum about the origin is kept to first order in the step.
TEST(Impact, GlancingBlowsKeepLinearMomentumExactlyAndAngularMomentumToTheStep) {
  SceneSpec scene = scenes::head_on(1.0, 2.0, 2.0, -0.5);
  scene.bodies[0].planar().pose = {0.0, 0.12, 0.3};
  scene.bodies[0].friction = scene.bodies[1].friction = 0.4;
  for (const double h : {0.008, 0.004, 0.002, 0.001}) {
    Simulation simulation = simulate(scene, steps_of(h, 0.3));
    const Momentum before = momentum(scene, simulation);
    simulation.run();
    const Momentum after = momentum(scene, simulation);
    EXPECT_NEAR(after.x, before.x, 1e-12);
    EXPECT_NEAR(after.y, before.y, 1e-12);
    EXPECT_GT(std::fabs(simulation.velocity(1).omega), 0.5) << "they must have met";
    const double lost = std::fabs(after.about_origin - before.about_origin);
    EXPECT_LT(lost, 1.3 * h) << h;  // [kg m^2/s], by where in the step they meet
  }
}

// Which body comes first is of no matter, though the last one be a half-plane, which has no corners.
TEST(Impact, TheGroundMayComeFirstOrLast) {
  for (const double h : {0.001, 0.01}) {
    SceneSpec first;
    first.gravity = {0.0, -scenes::standard_gravity};
    BodySpec box = scenes::box_body("box", 0.2, 0.1, 1.0);
    box.planar().pose = {0.0, 0.3, 0.4};
    box.friction = 0.3;
    first.bodies = {scenes::ground_body(0.3), box};
    SceneSpec last = first;
    std::swap(last.bodies[0], last.bodies[1]);
    Simulation a = simulate(first, steps_of(h, 1.0));
    Simulation b = simulate(last, steps_of(h, 1.0));
    while (a.step() && b.step()) {
      EXPECT_NEAR(a.pose(1).x, b.pose(0).x, 1e-6);
      EXPECT_NEAR(a.pose(1).y, b.pose(0).y, 1e-6);
      EXPECT_NEAR(a.pose(1).theta, b.pose(0).theta, 1e-5);
    }
    EXPECT_NEAR(b.pose(0).y, 0.05, 1e-6) << "it must have come to lie";
  }
}

// The kinetic energy of a totally inelastic impact falls by m1 m2 / (m1 + m2) / 2 (v1 - v2)^2.
TEST(Impact, TheEnergyOfTheRelativeMotionIsLost) {
  const SceneSpec scene = scenes::head_on(3.0, 1.0, 0.5, -2.0);
  Simulation simulation = simulate(scene, steps_of(0.005, 0.5));
  const double before = simulation.energy().kinetic;
  simulation.run();
  EXPECT_NEAR(before - simulation.energy().kinetic, 0.5 * (3.0 * 0.5 / 3.5) * 9.0, 1e-5);
}

}  // namespace
}  // namespace pegrasp::test
