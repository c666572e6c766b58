// SPDX-License-Identifier: Apache-2.0
// The quasistatic model of the kernels: fence and particle (Berard's thesis, 3.4.6), and scenes with weight.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "src/metrics/motion_cone.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"

namespace pegrasp::test {
namespace {

constexpr double g = scenes::standard_gravity;
constexpr double radius = 0.05;
constexpr int particle = 2;

// Seen from above: a wall at x = 1, a fence that comes and goes between x = 0.1 and 0.9 and slides along y, and a
// particle that rests on the plane with friction mu_plane.
SceneSpec fence_and_particle(double mu_fence, double mu_plane) {
  SceneSpec scene;
  scene.model = MotionModel::quasistatic;
  BodySpec wall;
  wall.name = "wall";
  wall.kind = BodyKind::fixed;
  wall.planar().parts = {make_half_plane("wall", {-1.0, 0.0}, -1.0 - radius)};
  BodySpec fence;
  fence.name = "fence";
  fence.kind = BodyKind::kinematic;
  fence.planar().parts = {make_half_plane("fence", {1.0, 0.0}, -radius)};
  fence.planar().motion_function = [](double t) { return Pose{0.5 + 0.4 * std::sin(t), t, 0.0}; };
  BodySpec body = scenes::disc_body("particle", radius, 1.0);
  body.turns = false;
  body.planar().pose = {0.6, 0.0, 0.0};
  SupportTripod support;
  for (std::size_t k = 0; k < 3; ++k) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / 3.0;
    support.point[k] = {0.02 * std::cos(angle), 0.02 * std::sin(angle)};
    support.load[k] = g / 3.0;
    support.friction[k] = mu_plane;
  }
  body.planar().support = support;
  scene.bodies = {wall, fence, body};
  scene.friction = {{0, 2, 0.5}, {1, 2, mu_fence}};
  return scene;
}

struct FenceEnd {
  Pose pose;
  int steps = 0, unique = 0, unique_apart = 0, apart = 0;
};
FenceEnd run_fence(double mu_fence, double mu_plane, double h) {
  const SceneSpec scene = fence_and_particle(mu_fence, mu_plane);
  Simulation simulation = simulate(scene, steps_of(h, 2.0 * std::numbers::pi));
  simulation.watch_contacts();
  FenceEnd end;
  while (simulation.step()) {
    ++end.steps;
    const bool unique = leaves_rest_alone(cone_of_step(scene, simulation, 1e-6));
    end.unique += unique ? 1 : 0;
    bool touches = false;
    for (const ContactReport& contact : simulation.contents().contacts) touches |= contact.normal_impulse > 0.0;
    end.apart += touches ? 0 : 1;
    end.unique_apart += unique && !touches ? 1 : 0;
    EXPECT_EQ(simulation.last_status(), 0u) << simulation.time();
  }
  end.pose = simulation.pose(particle);
  return end;
}

// With friction at the plane the motion is unique, and where the fence slips along the particle its force leans by the
// angle of friction: dy = mu dx.
TEST(QuasistaticFence, SlipsToTheClosedForm) {
  const FenceEnd end = run_fence(0.5, 0.3, 0.01);
  double farthest = 0.6;
  for (int k = 1; k <= end.steps; ++k) farthest = std::fmax(farthest, 0.5 + 0.4 * std::sin(0.01 * k));
  EXPECT_NEAR(end.pose.x, farthest, 1e-6);
  EXPECT_NEAR(end.pose.y, 0.5 * (farthest - 0.6), 1e-6);
  EXPECT_EQ(end.unique, end.steps);
}

// mu = 3: it sticks from t = 0.2527 to 0.5857, then slips; the times are resolved to a step.
TEST(QuasistaticFence, SticksAndSlips) {
  for (const double h : {0.01, 0.005}) EXPECT_NEAR(run_fence(3.0, 0.3, h).pose.y, 0.8697, 3.0 * h) << h;
}

TEST(QuasistaticFence, IsNotUniqueWithoutFrictionAtThePlane) {
  const FenceEnd end = run_fence(0.5, 0.0, 0.01);
  EXPECT_GT(end.apart, 400);
  EXPECT_EQ(end.unique_apart, 0);
  EXPECT_NEAR(end.pose.x, 0.9, 1e-4) << "the step of least motion: no farther than it must";
}

// A box on a slope stays as long as friction holds it, and a box in the air stays where it is.
TEST(Quasistatic, WeightRests) {
  SceneSpec scene = scenes::block_on_incline(0.3, 0.4);
  scene.model = MotionModel::quasistatic;
  BodySpec far = scenes::box_body("far", 0.1, 0.1, 1.0);
  far.planar().pose = {0.0, 5.0, 0.3};
  far.planar().velocity = {1.0, 2.0, 3.0};
  scene.bodies.push_back(far);
  Simulation simulation = simulate(scene, steps_of(0.01, 0.5));
  simulation.run();
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_NEAR(simulation.pose(1).x, 0.0, 1e-7);
  EXPECT_EQ(simulation.pose(2).x, 0.0);
  EXPECT_EQ(simulation.pose(2).y, 5.0);
  EXPECT_EQ(simulation.pose(2).theta, 0.3);
}

// What nothing holds is no equilibrium, and a status says so.
TEST(Quasistatic, SaysWhereForcesDoNotBalance) {
  SceneSpec scene = scenes::block_on_incline(0.5, 0.4);
  scene.model = MotionModel::quasistatic;
  Simulation simulation = simulate(scene, steps_of(0.01, 0.05));
  simulation.run();
  EXPECT_NE(simulation.outcome().status & status_not_converged, 0u);
  EXPECT_EQ(simulation.pose(1).x, 0.0);
}

TEST(Quasistatic, RefusesWhatItHasNot) {
  SceneSpec scene = scenes::block_on_incline(0.3, 0.4);
  scene.model = MotionModel::quasistatic;
  StepOptions options = steps_of(0.01, 0.1);
  EXPECT_THROW(derive_options(options, scene, Arithmetic::fast), std::invalid_argument);
  options.strategy = Strategy::batched;
  EXPECT_THROW(derive_options(options, scene), std::invalid_argument);
}

TEST(MotionCone, LeavesRestOrNot) {
  EXPECT_TRUE(leaves_rest_alone({2, {}, {{1.0, 0.0}, {0.0, 2.0}}}));
  EXPECT_FALSE(leaves_rest_alone({2, {}, {{1.0, 0.0}}}));
  EXPECT_FALSE(leaves_rest_alone({2, {{1.0, 0.0}, {0.0, 1.0}}, {}}));
  EXPECT_TRUE(leaves_rest_alone({2, {{1.0, 0.0}, {-1.0, 1.0}, {-1.0, -1.0}}, {}}));  // d_x >= 0 and -d_x >= |d_y|
  EXPECT_FALSE(leaves_rest_alone({3, {{1.0, 0.0, 0.0}, {-1.0, 1.0, 0.0}, {-1.0, -1.0, 0.0}}, {}}));
  EXPECT_TRUE(leaves_rest_alone({0, {}, {}}));
}

}  // namespace
}  // namespace pegrasp::test
