// SPDX-License-Identifier: Apache-2.0
// Every solver on the same scenes: the same motion where it is unique, and an honest word where it was cut short.
#include <cstdint>
#include <functional>

#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"
#include "tests/scenes/lift_3d.hpp"

namespace pegrasp::test {
namespace {

struct Named {
  const char* name;
  SceneSpec scene;
};

std::vector<Named> scenes_with_one_answer() {
  std::vector<Named> all;
  all.push_back({"block slides to rest", scenes::block_on_plane(0.4, 1.0)});
  all.push_back({"block slips on an incline", scenes::block_on_incline(0.5, 0.45)});
  all.push_back({"block sticks on an incline", scenes::block_on_incline(0.5, 0.55)});
  all.push_back({"disc slides, then rolls", scenes::disc_on_plane(0.1, 1.0, 0.3, {1.0, 0.0, 0.0})});
  all.push_back({"disc is squeezed out", scenes::wedge(0.02, 0.01, 0.4)});
  all.push_back({"disc is jammed", scenes::wedge(0.02, 0.01, 0.7)});
  all.push_back({"blocks meet head on", scenes::head_on(3.0, 1.0, 0.5, -2.0)});
  all.push_back({"five bodies in a row", scenes::momentum_row()});
  all.push_back(
      {"tripod slides and spins",
       scenes::tripod_slider({Vec2{0.04, 0.005}, Vec2{-0.01, 0.03}, Vec2{-0.025, -0.02}}, 0.3, {0.3, 0.1, 8.0})});
  all.push_back({"stack of three, smooth", scenes::stack(0, 0.0, 3)});
  all.push_back({"stack of three, rough", scenes::stack(0, 0.25, 3)});
  all.push_back({"triangle drop", scenes::triangle_drop(1.275, 0.2)});
  return all;
}

TEST(Solvers, AgreeOnVelocitiesAndPoses) {
  for (const Named& named : scenes_with_one_answer()) {
    StepOptions options = steps_of(0.005, 1.5);
    options.tolerance = 1e-10;
    options.max_iterations = 200000;
    Simulation reference = simulate(named.scene, options);
    reference.run();
    ASSERT_EQ(reference.outcome().status, status_ok) << named.name;
    for (const SolverKind solver : every_solver) {
      options.solver = solver;
      Simulation simulation = simulate(named.scene, options);
      simulation.run();
      EXPECT_EQ(simulation.outcome().status, status_ok) << named.name << ", " << name_of(solver);
      EXPECT_LE(simulation.outcome().residual_max, 1e-9) << named.name << ", " << name_of(solver);
      for (int body = 0; body < static_cast<int>(named.scene.bodies.size()); ++body) {
        const Twist v = simulation.velocity(body);
        const Twist w = reference.velocity(body);
        const Pose q = simulation.pose(body);
        const Pose r = reference.pose(body);
        const std::string what = std::string(named.name) + ", " + name_of(solver) + ", body " + std::to_string(body);
        EXPECT_NEAR(v.vx, w.vx, 1e-7) << what;
        EXPECT_NEAR(v.vy, w.vy, 1e-7) << what;
        EXPECT_NEAR(v.omega, w.omega, 1e-5) << what;
        EXPECT_NEAR(q.x, r.x, 1e-7) << what;
        EXPECT_NEAR(q.y, r.y, 1e-7) << what;
        EXPECT_NEAR(q.theta, r.theta, 1e-6) << what;
      }
    }
  }
}

// A landing stack asks for more than one iteration of anything.
TEST(Solvers, CutShortTheySayNotConverged) {
  const SceneSpec scene = scenes::stack(0, 0.25, 5);
  for (const SolverKind solver : every_solver) {
    StepOptions options = steps_of(0.005, 1.0);
    options.solver = solver;
    options.max_iterations = 1;
    options.max_substep_level = 1;
    Simulation simulation = simulate(scene, options);
    std::uint32_t seen = 0;
    int unresolved = 0;
    double largest = 0.0;
    while (simulation.step()) {
      seen |= simulation.last_status();
      unresolved += simulation.last_status() != status_ok ? 1 : 0;
      largest = std::fmax(largest, simulation.last_residual());
    }
    const SceneOutcome outcome = simulation.outcome();
    EXPECT_TRUE(outcome.status & status_not_converged) << name_of(solver);
    EXPECT_EQ(outcome.status, seen) << name_of(solver);
    EXPECT_EQ(outcome.unresolved_steps, unresolved) << name_of(solver);
    EXPECT_GT(outcome.unresolved_steps, 0) << name_of(solver);
    EXPECT_EQ(outcome.residual_max, largest) << name_of(solver);
    EXPECT_GT(outcome.residual_max, 10.0 * derive_options(options, scene).tolerance) << name_of(solver);
    EXPECT_GT(outcome.substeps_rejected, 0) << name_of(solver) << ": it must have tried smaller steps";
    EXPECT_LE(outcome.iterations, outcome.solves) << name_of(solver) << ": one iteration a solve";
  }
}

// (Newton starts a step cold from free flight and needs few iterations either way.)
TEST(Solvers, WarmStartSavesWorkAndDoesNotChangeTheAnswer) {
  const SceneSpec scene = scenes::stack(1, 0.25, 4);
  for (const SolverKind solver : {SolverKind::aj, SolverKind::nncg, SolverKind::newton}) {
    StepOptions options = steps_of(0.005, 2.0);
    options.solver = solver;
    options.max_iterations = 20000;
    Simulation warm = simulate(scene, options);
    warm.run();
    options.warm_start = false;
    Simulation cold = simulate(scene, options);
    cold.run();
    EXPECT_EQ(cold.outcome().status, status_ok) << name_of(solver);
    if (solver != SolverKind::newton) {
      EXPECT_LT(2 * warm.outcome().iterations, cold.outcome().iterations) << name_of(solver);
    }
    for (int body = 0; body < 4; ++body) {
      EXPECT_NEAR(warm.pose(body).x, cold.pose(body).x, 1e-5) << name_of(solver);
      EXPECT_NEAR(warm.pose(body).y, cold.pose(body).y, 1e-5) << name_of(solver);
    }
  }
}

// Weight acts for half of a step where a body begins, and for a whole one in the step after: a block at rest needs
// twice the impulses, from which the second solve begins.
TEST(Solvers, SweepsBeginWithImpulsesThatActForTheirTime) {
  for (const SceneSpec& scene : {scenes::block_on_plane(0.4, 0.0), scenes::stack_3d(1, 0.4)}) {
    for (const SolverKind solver : {SolverKind::pgs, SolverKind::nncg, SolverKind::jacobi}) {
      StepOptions options = steps_of(0.005, 1.0);
      options.solver = solver;
      options.tolerance = 1e-9;
      Simulation simulation = simulate(scene, options);
      simulation.step();
      const std::int64_t first = simulation.outcome().iterations;
      simulation.step();
      const std::int64_t second = simulation.outcome().iterations - first;
      EXPECT_LE(4 * second, first) << scene.name << ", " << name_of(solver);
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
