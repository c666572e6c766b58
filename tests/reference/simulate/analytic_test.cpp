// SPDX-License-Identifier: Apache-2.0
// The reference on scenes whose outcome can be worked out on paper.
#include <gtest/gtest.h>

#include <cmath>

#include "src/reference/planar/simulation.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::reference {
namespace {

using scenes::standard_gravity;
using test::steps_of;

PlanarSimulation reference(const SceneSpec& scene, const StepOptions& options) {
  return {scene, derive_options(options, scene), scene_parameters(scene)};
}

void expect_solved(const PlanarSimulation& simulation) {
  const SceneOutcome outcome = simulation.outcome();
  EXPECT_EQ(outcome.status, status_ok);
  EXPECT_LT(outcome.residual_max, 1e-8);
}

TEST(ReferenceAnalytic, FreeFlightIsTheParabolaToRounding) {
  const Twist start{2.0, 3.0, -4.0};
  PlanarSimulation simulation = reference(scenes::free_flight(start), steps_of(0.01, 0.5));
  simulation.run();
  const double n = 50.0;
  EXPECT_NEAR(simulation.pose(0).x, n * 0.01 * start.vx, 1e-12);
  EXPECT_NEAR(simulation.pose(0).y, n * 0.01 * start.vy - 0.5 * standard_gravity * 1e-4 * n * n, 1e-12);
  EXPECT_NEAR(simulation.pose(0).theta, n * 0.01 * start.omega, 1e-12);
  EXPECT_EQ(simulation.contact_count(), 0);
  expect_solved(simulation);
}

// It sticks above the slope's tangent, else slides with g (sin - mu cos).
TEST(ReferenceAnalytic, BlockOnInclineSticksOrSlides) {
  const double slope = 0.5;
  for (const double mu : {0.0, 0.2, 0.45, 0.51, 0.9}) {
    const SceneSpec scene = scenes::block_on_incline(slope, mu);
    PlanarSimulation simulation = reference(scene, steps_of(0.005, 0.5));
    simulation.run();
    const double along = mu >= slope ? 0.0 : scene.gravity.x + mu * scene.gravity.y;
    EXPECT_NEAR(simulation.velocity(1).vx, 0.5 * along, 1e-8) << mu;
    EXPECT_NEAR(simulation.pose(1).y, 0.05, 1e-9) << mu;
    EXPECT_EQ(simulation.contact_count(), 2) << mu;
    expect_solved(simulation);
  }
}

TEST(ReferenceAnalytic, BlockStopsByFriction) {
  const double mu = 0.3;
  const double speed = 2.0;
  PlanarSimulation simulation = reference(scenes::block_on_plane(mu, speed), steps_of(0.001, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.velocity(1).vx, 0.0, 1e-12);
  const double way = speed * speed / (2.0 * mu * standard_gravity);
  EXPECT_NEAR(simulation.pose(1).x, way, 0.13 * mu * standard_gravity * 1e-6 + 1e-6);
}

TEST(ReferenceAnalytic, DiscRollsWithoutLoss) {
  const double radius = 0.1;
  PlanarSimulation simulation =
      reference(scenes::disc_on_plane(radius, 1.0, 0.5, {1.0, 0.0, -1.0 / radius}), steps_of(0.01, 2.0));
  simulation.run();
  EXPECT_NEAR(simulation.velocity(1).vx, 1.0, 1e-9);
  EXPECT_NEAR(simulation.velocity(1).omega, -10.0, 1e-8);
  EXPECT_NEAR(simulation.pose(1).x, 2.0, 1e-8);
  expect_solved(simulation);
}

// A sliding disc comes to roll at two thirds of its speed (I = m r^2 / 2).
TEST(ReferenceAnalytic, SlidingDiscComesToRoll) {
  PlanarSimulation simulation = reference(scenes::disc_on_plane(0.1, 1.0, 0.3, {1.5, 0.0, 0.0}), steps_of(0.002, 1.0));
  simulation.run();
  EXPECT_NEAR(simulation.velocity(1).vx, 1.0, 1e-9);
}

TEST(ReferenceAnalytic, BlocksThatMeetStayTogether) {
  PlanarSimulation simulation = reference(scenes::head_on(2.0, 1.5, 1.0, -0.5), steps_of(0.004, 0.4));
  simulation.run();
  const double together = (2.0 * 1.5 - 1.0 * 0.5) / 3.0;
  EXPECT_NEAR(simulation.velocity(0).vx, together, 1e-9);
  EXPECT_NEAR(simulation.velocity(1).vx, together, 1e-9);
  EXPECT_NEAR(simulation.pose(1).x - simulation.pose(0).x, 0.2, 1e-9);
}

// Coulomb's quadratic law at three points: the stopping distance is the same in every direction.
TEST(ReferenceAnalytic, SupportStopsASliderAlikeInEveryDirection) {
  const double mu = 0.4;
  const double speed = 0.5;
  const double h = 0.001;
  for (const double angle : {0.0, 0.3, 0.785398163397448, 2.0}) {
    const SceneSpec scene = scenes::tripod_slider(scenes::regular_tripod(0.03), mu,
                                                  {speed * std::cos(angle), speed * std::sin(angle), 0.0});
    PlanarSimulation simulation = reference(scene, steps_of(h, 0.5));
    simulation.run();
    const Pose end = simulation.pose(0);
    const double way = speed * speed / (2.0 * mu * standard_gravity);
    EXPECT_NEAR(std::hypot(end.x, end.y), way, 0.13 * mu * standard_gravity * h * h + 1e-6) << angle;
    EXPECT_NEAR(std::atan2(end.y, end.x), angle, 1e-7);
    EXPECT_NEAR(end.theta, 0.0, 1e-7);
    expect_solved(simulation);
  }
}

// Spinning about the middle of a regular tripod of radius r: omega I / (mu m g r).
TEST(ReferenceAnalytic, SupportStopsASpin) {
  const double mu = 0.4, omega = 20.0, radius = 0.03, h = 0.0005;
  const SceneSpec scene = scenes::tripod_slider(scenes::regular_tripod(radius), mu, {0.0, 0.0, omega});
  const BodySpec& body = scene.bodies[0];
  const double stop = omega * body.planar().inertia / (mu * body.mass * standard_gravity * radius);
  PlanarSimulation simulation = reference(scene, steps_of(h, stop + 10.0 * h));
  double stopped = 0.0;
  while (simulation.step()) {
    if (std::fabs(simulation.velocity(0).omega) > 1e-9) stopped = simulation.time();
  }
  EXPECT_NEAR(stopped, stop, 2.0 * h);
  EXPECT_NEAR(std::hypot(simulation.pose(0).x, simulation.pose(0).y), 0.0, 1e-9);
}

SceneSpec driven_block(ActuatorKind kind, double target, double limit, double stiffness, double damping) {
  SceneSpec scene;
  scene.bodies = {scenes::box_body("cart", 0.2, 0.1, 2.0)};
  scene.bodies[0].slide_axis = Vec2{1.0, 0.0};
  ActuatorSpec actuator;
  actuator.name = "drive";
  actuator.kind = kind;
  actuator.target = target;
  actuator.limit = limit;
  actuator.stiffness = stiffness;
  actuator.damping = damping;
  scene.actuators = {actuator};
  return scene;
}

TEST(ReferenceAnalytic, ServosKeepSpeedAndPlaceWithinTheirLimits) {
  {  // 4 N on 2 kg: 2 m/s^2 until 0.5 m/s
    PlanarSimulation simulation =
        reference(driven_block(ActuatorKind::velocity_servo, 0.5, 4.0, 0.0, 0.0), steps_of(0.01, 1.0));
    for (int k = 0; k < 10; ++k) simulation.step();
    EXPECT_NEAR(simulation.velocity(0).vx, 0.2, 1e-9);
    simulation.run();
    EXPECT_NEAR(simulation.velocity(0).vx, 0.5, 1e-9);
    expect_solved(simulation);
  }
  {  // PD, v in mid-step: m (v - v_) / k = K (x* - x1 + a h v_) - D (g v + (1 - g) v_), k is h, first h / 2
    const double m = 2.0, K = 50.0, D = 20.0, h = 0.01, goal = 0.3;
    PlanarSimulation simulation =
        reference(driven_block(ActuatorKind::position_servo, goal, 1e3, K, D), steps_of(h, 3.0));
    double x = 0.0, v = 0.0, k = 0.5 * h;
    while (simulation.step()) {
      const double a = 1.0 / (1.0 + h * (h * K + D) / m), g = 1.0 - 0.5 * a;
      v = (m * v + k * (K * (goal - x + a * h * v) - D * (1.0 - g) * v)) / (m + k * (g * D + h * K));
      x += h * v;
      k = h;
      ASSERT_NEAR(simulation.middle_velocity(0).vx, v, 1e-8);
      ASSERT_NEAR(simulation.pose(0).x, x, 1e-8);
    }
    EXPECT_NEAR(x, goal, 1e-3);
  }
  {
    PlanarSimulation simulation = reference(driven_block(ActuatorKind::force, 3.0, 0.0, 0.0, 0.0), steps_of(0.01, 1.0));
    simulation.run();
    EXPECT_NEAR(simulation.velocity(0).vx, 1.5, 1e-9);
  }
}

// A block rides on a kinematic slab; keyframes are met, and friction takes it along.
TEST(ReferenceAnalytic, PrescribedMotionTakesABlockAlong) {
  SceneSpec scene = scenes::block_on_plane(0.8, 0.0);
  BodySpec& slab = scene.bodies[0];
  slab.kind = BodyKind::kinematic;
  slab.planar().motion = {{0.0, {0.0, 0.0, 0.0}}, {1.0, {0.5, 0.0, 0.0}}};
  PlanarSimulation simulation = reference(scene, steps_of(0.01, 0.8));
  simulation.run();
  EXPECT_NEAR(simulation.pose(0).x, 0.4, 1e-12);
  EXPECT_NEAR(simulation.velocity(1).vx, 0.5, 1e-9);
  expect_solved(simulation);
}

TEST(ReferenceAnalytic, BodiesAppearAtTheirDropTimeAndTheStopRuleEndsTheScene) {
  SceneSpec scene = scenes::block_on_plane(0.5, 0.0);
  scene.bodies[1].drop_time = 0.1;
  scene.bodies[1].planar().pose.y = 0.07;
  StepOptions options = steps_of(0.01, 5.0);
  options.still_time = 0.05;
  PlanarSimulation simulation = reference(scene, options);
  EXPECT_FALSE(simulation.present(1));
  for (int k = 0; k < 10; ++k) simulation.step();
  EXPECT_FALSE(simulation.present(1));
  EXPECT_EQ(simulation.pose(1).y, 0.07);
  simulation.run();
  EXPECT_TRUE(simulation.present(1));
  EXPECT_NEAR(simulation.pose(1).y, 0.05, 1e-9);
  EXPECT_EQ(simulation.outcome().stopped_still, 1);
  EXPECT_LT(simulation.time(), 0.4);
}

TEST(ReferenceAnalytic, InitialOverlapPartsNoFasterThanTheRecoverySpeed) {
  SceneSpec scene = scenes::block_on_plane(0.0, 0.0);
  scene.bodies[1].planar().pose.y = 0.03;
  const StepOptions options = derive_options(steps_of(0.01, 0.5), scene);
  PlanarSimulation simulation = reference(scene, steps_of(0.01, 0.5));
  simulation.step();
  EXPECT_NEAR(simulation.middle_velocity(1).vy, std::fmin(options.recovery_speed, 2.0), 1e-6);
  simulation.run();
  EXPECT_NEAR(simulation.pose(1).y, 0.05, 1e-7);
}

// What a solver leaves unsolved is halved, and at the smallest substep reported.
TEST(PlanarSimulation, AFailedSolveIsReported) {
  const SceneSpec scene = scenes::block_on_plane(0.3, 1.0);
  const StepOptions options = derive_options(steps_of(0.01, 0.05), scene);
  const StepSolver gives_up = [](const StepProblem& step, const StepSolution* start) {
    SolvedStep solved = solve_exactly(step, start);
    for (double& p : solved.solution.normal) p *= 1.01;
    solved.result.status = mcp::Status::no_progress;
    return solved;
  };
  PlanarSimulation simulation(std::make_shared<const PlanarScene>(scene), options, scene_parameters(scene), gives_up);
  ASSERT_TRUE(simulation.step());
  EXPECT_EQ(simulation.last_status(), status_not_converged);
  EXPECT_EQ(simulation.last_mcp_status(), mcp::Status::no_progress);
  EXPECT_GT(simulation.last_residual(), options.tolerance);
  EXPECT_GT(simulation.outcome().substeps_rejected, 0);
  const StepSolver breaks = [](const StepProblem& step, const StepSolution* start) {
    SolvedStep solved = solve_exactly(step, start);
    for (double& p : solved.solution.normal) p = std::nan("");
    return solved;
  };
  PlanarSimulation broken(std::make_shared<const PlanarScene>(scene), options, scene_parameters(scene), breaks);
  EXPECT_FALSE(broken.step());
  EXPECT_EQ(broken.outcome().status & status_non_finite, status_non_finite);
  EXPECT_FALSE(broken.step());
}

TEST(PlanarSimulation, ParametersThatAreNotFiniteAreNotBegun) {
  const SceneSpec scene = scenes::block_on_plane(0.3, 1.0);
  std::vector<double> parameters = scene_parameters(scene);
  parameters[0] = std::nan("");
  PlanarSimulation simulation(scene, derive_options(steps_of(0.01, 0.05), scene), parameters);
  EXPECT_FALSE(simulation.step());
  EXPECT_EQ(simulation.outcome().status, status_non_finite);
}

}  // namespace
}  // namespace pegrasp::reference
