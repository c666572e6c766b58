// SPDX-License-Identifier: Apache-2.0
// The quasistatic model of the reference simulator in 3D: fence and particle (Berard's thesis, 3.4.6) and a block that
// a fence pushes, in closed form, and the kernels beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "src/reference/step/formulate.hpp"
#include "tests/reference/spatial/cases.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::reference::spatial {
namespace {

constexpr double ball_radius = 0.05, fence_step = 0.01, full_turn = 2.0 * std::numbers::pi;

BodySpec plane_body(const std::string& name, BodyKind kind, Vec3 normal, double offset) {
  BodySpec body;
  body.name = name;
  body.kind = kind;
  body.form = SpatialBody{};
  body.spatial().parts = {make_half_space(name, normal, offset)};
  return body;
}

// Bodies 0 to 2: the plane z = 0, a wall that faces -x, and a fence that faces +x, begins at (x, y)(0) and is at (x, y)
// at the end of every step. Nothing rubs at the wall.
template <class Way>
SceneSpec pushed(const BodySpec& body, double wall, double mu_fence, double mu_plane, double duration, const Way& way) {
  SceneSpec scene = scenes::scene_3d("fence");
  scene.model = MotionModel::quasistatic;
  scene.bodies = {plane_body("plane", BodyKind::fixed, {0.0, 0.0, 1.0}, 0.0),
                  plane_body("wall", BodyKind::fixed, {-1.0, 0.0, 0.0}, -wall),
                  plane_body("fence", BodyKind::kinematic, {1.0, 0.0, 0.0}, 0.0), body};
  for (int k = 0; k <= std::lround(duration / fence_step); ++k) {
    SpatialKeyframe key;
    key.time = k * fence_step;
    key.pose.position = way(k * fence_step);
    scene.bodies[2].spatial().motion.push_back(key);
  }
  scene.bodies[2].spatial().pose = scene.bodies[2].spatial().motion.front().pose;
  scene.friction = {{0, 3, mu_plane}, {1, 3, 0.5}, {2, 3, mu_fence}};
  return scene;
}

SceneSpec fence_and_particle(double mu_fence) {
  BodySpec body;
  body.name = "particle";
  body.form = SpatialBody{};
  body.spatial().parts = {make_sphere("particle", {}, ball_radius)};
  body.spatial().pose.position = {0.6, 0.0, ball_radius};
  body.turns = false;
  return pushed(body, 1.0 + ball_radius, mu_fence, 0.3, full_turn, [](double t) {
    return Vec3{0.5 + 0.4 * std::sin(t) - ball_radius, t, 0.0};
  });
}

double farthest_fence() {
  double farthest = 0.6;
  for (int k = 1; k <= std::lround(full_turn / fence_step); ++k)
    farthest = std::fmax(farthest, 0.5 + 0.4 * std::sin(fence_step * k));
  return farthest;
}

// Where body 3 ends.
SpatialPose ends_of(const SceneSpec& scene, double duration) {
  SpatialSimulation simulation = simulated(scene, fence_step, duration);
  while (simulation.step()) EXPECT_EQ(simulation.last_status(), status_ok) << simulation.time();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return simulation.pose(3);
}

TEST(SpatialQuasistatic, FenceSlipsToTheClosedForm) {
  const Vec3 end = ends_of(fence_and_particle(0.5), full_turn).position;
  EXPECT_NEAR(end.x, farthest_fence(), 1e-6);
  EXPECT_NEAR(end.y, 0.5 * (farthest_fence() - 0.6), 1e-6);
  EXPECT_NEAR(end.z, ball_radius, 1e-6);
}

// mu = 3: it sticks from t = 0.2527 to 0.5857, then slips; the times are resolved to a step.
TEST(SpatialQuasistatic, FenceSticks) {
  EXPECT_NEAR(ends_of(fence_and_particle(3.0), full_turn).position.y, 0.8697, 3.0 * fence_step);
}

// What the solver finds with bodies that are nearly without mass is what the equations without masses have as their
// solution (Berard 3.37 to 3.40).
TEST(SpatialQuasistatic, IsTheBalanceWithoutMasses) {
  const SceneSpec scene = fence_and_particle(0.5);
  Formulation balance;
  balance.form = Form::quadratic;
  balance.scheme = Scheme::quasistatic;
  int compared = 0;
  const StepSolver own = spatial_solver();
  const StepSolver solver = [&](const StepProblem& step, const StepSolution* start) {
    const SolvedStep solved = own(step, start);
    // Rows in metres a second and newton seconds: coordinates are roots of masses, a thousandth of those of 1 kg.
    const double size = step.contacts.front().normal.norm();
    StepProblem plain = step;
    plain.external /= plain.external.norm();
    for (Contact& contact : plain.contacts) {
      contact.normal /= size;
      if (contact.push.size() > 0) contact.push /= size;
      for (SparseVector& tangent : contact.tangents) tangent /= size;
    }
    const SolvedStep free = solve_step(plain, balance);
    if (free.result.status == mcp::Status::solved) {
      ++compared;
      EXPECT_LT((free.solution.velocity / size - solved.solution.velocity).norm() * size, 2e-6);
    }
    return solved;
  };
  SpatialSimulation simulation(std::make_shared<const SpatialScene>(scene),
                               derive_options(test::steps_of(fence_step, 1.0), scene), scene_parameters(scene), solver);
  while (simulation.step()) {
  }
  EXPECT_GT(compared, 50);
}

// A fence that goes along itself as fast as it pushes: the block slips along it, with it or not, by the friction at the
// fence, and does not turn, as the force at its face can be anywhere between the corners.
TEST(SpatialQuasistatic, BlockBeforeAFence) {
  BodySpec block = scenes::solid_body("block", scenes::cuboid(0.1, 0.1, 0.03), 500.0);
  block.spatial().pose.position = {0.1, 0.0, 0.03};
  for (const double mu : {0.0, 0.3}) {
    const SceneSpec scene = pushed(block, 10.0, mu, 0.4, 0.5, [](double t) { return Vec3{0.1 * t, 0.1 * t, 0.0}; });
    const SpatialPose end = ends_of(scene, 0.5);
    EXPECT_NEAR(end.position.x, 0.15, 1e-6) << mu;
    EXPECT_NEAR(end.position.y, mu * 0.05, 1e-6) << mu;
    EXPECT_NEAR(end.position.z, 0.03, 1e-6) << mu;
    EXPECT_NEAR(end.turn.z, 0.0, 1e-6) << mu;
  }
}

// A plate on three balls, which know their loads, pushed off its middle: it turns. The kernels do the same.
TEST(SpatialQuasistatic, TurnsATripodAsTheKernelsDo) {
  BodySpec body = scenes::solid_body("tripod", scenes::cuboid(0.1, 0.1, 0.01), 500.0);
  for (int k = 0; k < 3; ++k) {
    const double a = full_turn * k / 3.0;
    body.spatial().parts.push_back(
        make_sphere("ball_" + std::to_string(k), {0.08 * std::cos(a), 0.08 * std::sin(a), -0.01}, 0.02));
  }
  body.spatial().pose.position = {0.1, 0.0, 0.03};
  SceneSpec scene = pushed(body, 10.0, 0.2, 0.3, 0.5, [](double t) { return Vec3{0.1 * t - 0.02, 0.0, 0.0}; });
  scene.bodies[2].spatial().parts = {make_sphere("finger", {0.0, 0.05, 0.03}, 0.02)};
  const SpatialPose other = ends_of(scene, 0.5);
  Simulation product = test::simulate(scene, test::steps_of(fence_step, 0.5));
  product.run();
  const SpatialPose own = product.spatial_pose(3);
  EXPECT_EQ(product.outcome().status, status_ok);
  EXPECT_GT(std::fabs(other.turn.z), 0.05) << "it must turn";
  EXPECT_NEAR(own.position.x, other.position.x, 1e-6);
  EXPECT_NEAR(own.position.y, other.position.y, 1e-6);
  EXPECT_NEAR(own.turn.z, other.turn.z, 5e-6);
}

// Weight that friction holds rests; what nothing holds stays, and a status says that it is not in balance.
TEST(SpatialQuasistatic, WeightRestsOrIsToldFromBalance) {
  BodySpec block = scenes::solid_body("block", scenes::cuboid(0.1, 0.1, 0.03), 500.0);
  block.spatial().pose.position = {0.1, 0.0, 0.03};
  SceneSpec scene = pushed(block, 10.0, 0.3, 0.4, 0.1, [](double) { return Vec3{-1.0, 0.0, 0.0}; });
  scene.gravity = {3.0, 0.0};
  EXPECT_NEAR(ends_of(scene, 0.1).position.x, 0.1, 1e-7);
  scene.gravity = {5.0, 0.0};
  SpatialSimulation slides = simulated(scene, fence_step, 0.05);
  while (slides.step()) {
  }
  EXPECT_NE(slides.outcome().status & status_not_converged, 0u);
  EXPECT_EQ(slides.pose(3).position.x, 0.1);
}

}  // namespace
}  // namespace pegrasp::reference::spatial
