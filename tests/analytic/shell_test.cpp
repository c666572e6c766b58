// SPDX-License-Identifier: Apache-2.0
// Compliant shells (Berard's thesis, 3.5.2 and 3.5.3.3) against closed forms: a disc that falls on one, stiff ones that
// are rigid, springs in series and along the surface, what a body sinks in; and that strategies agree.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {
namespace {

constexpr double thesis_gravity = 9.81;  // [m/s^2]

CompliantShell shell_of(double thickness, double stiffness, double damping = 0.0, double tangential = 0.0,
                        double tangential_damping = 0.0) {
  return {thickness, stiffness, damping, tangential, tangential_damping};
}

// --- the disc of the thesis ------------------------------------------------------------------------------------------

SceneSpec falling_disc(double thickness) {
  SceneSpec scene = scenes::disc_on_plane(1.0, 1.0, 0.0, {});
  scene.gravity = {0.0, -thesis_gravity};
  scene.bodies[1].planar().pose.y = 1.5;
  scene.bodies[1].planar().inertia = 0.5;
  scene.bodies[0].shell = shell_of(thickness, 1000.0);
  return scene;
}

struct Fall {
  double deepest = 0.0;          // [m]
  double core = -1.0;            // [s] when it is reached first
  double after_core = 0.0;       // [J] left when the disc leaves the shell after that
  double energy = 0.0;           // [J] at the end, of the velocity in the middle of the last step
  double least = 1e9, most = 0;  // [J] over the last 0.7 s
};

Fall fall(double thickness, double h, SpringForce force, Strategy strategy = Strategy::per_scene) {
  const SceneSpec scene = falling_disc(thickness);
  StepOptions options = steps_of(h, 4.0);
  options.spring_force = force;
  options.strategy = strategy;
  Simulation simulation = simulate(scene, options);
  Fall out;
  while (simulation.step()) {
    EXPECT_EQ(simulation.last_status(), status_ok);
    const double depth = std::fmax(0.0, 1.0 - simulation.pose(1).y);
    const double v = simulation.middle_velocity(1).vy;
    const double energy = 0.5 * v * v + thesis_gravity * (simulation.pose(1).y - 1.0) + 0.5 * 1000.0 * depth * depth;
    out.deepest = std::fmax(out.deepest, depth);
    if (out.core < 0.0 && depth >= thickness - 1e-6) out.core = simulation.time();
    if (out.core > 0.0 && out.after_core == 0.0 && depth == 0.0) out.after_core = energy;
    out.energy = energy;
    if (simulation.time() > 3.3) {
      out.least = std::fmin(out.least, energy);
      out.most = std::fmax(out.most, energy);
    }
  }
  EXPECT_LE(simulation.outcome().penetration_max, 1e-9);  // beyond the shell
  return out;
}

TEST(ShellDisc, ReachesTheCoreAndKeepsWhatTheSpringHolds) {
  const Fall end = fall(0.05, 1e-4, SpringForce::end);
  EXPECT_NEAR(end.core, 0.3356, 2e-4);
  EXPECT_NEAR(end.after_core, 0.7548, 0.0076);
  EXPECT_NEAR(end.energy, 0.656, 0.0066);
  EXPECT_NEAR(end.deepest, 0.05, 1e-6);
}

TEST(ShellDisc, SwingsOnADeepShellAndLosesWhatImplicitEulerTakes) {
  const Fall coarse = fall(1.0, 1e-4, SpringForce::end);
  EXPECT_NEAR(coarse.deepest, 0.10906, 0.0011);
  EXPECT_NEAR(coarse.energy, 4.628, 0.046);
  const Fall fine = fall(1.0, 5e-5, SpringForce::end);
  const double whole = 0.5 * thesis_gravity;
  EXPECT_NEAR(whole - coarse.energy, 0.277, 0.01);
  EXPECT_NEAR((whole - coarse.energy) / (whole - fine.energy), 2.0, 0.1);
}

TEST(ShellDisc, KeepsItsEnergyWithTheForceAtTheStart) {
  const Fall deep = fall(1.0, 1e-4, SpringForce::start);
  EXPECT_NEAR(deep.deepest, 0.10934, 1e-5);
  EXPECT_GE(deep.least, 4.905 - 0.01);
  EXPECT_LE(deep.most, 4.905 + 0.01);
  const Fall thin = fall(0.05, 1e-4, SpringForce::start);
  EXPECT_NEAR(thin.core, 0.3356, 2e-4);
  EXPECT_GE(thin.least, 0.757);
  EXPECT_LE(thin.most, 0.7615);
}

// --- stiff shells are rigid ------------------------------------------------------------------------------------------

// A block that is thrown on the floor, tips on a corner, slides and comes to rest.
SceneSpec thrown_block() {
  SceneSpec scene = scenes::block_on_plane(0.3, 0.6);
  scene.bodies[1].planar().pose = {0.0, 0.12, 0.15};
  return scene;
}
SceneSpec thrown_cuboid() {
  SceneSpec scene = scenes::scene_3d("thrown");
  BodySpec box = scenes::solid_body("box", scenes::cuboid(0.1, 0.075, 0.025), 500.0);
  box.friction = 0.3;
  box.spatial().pose.position = {0.0, 0.0, 0.08};
  box.spatial().tilt = {0.1, 0.07, 0.0};
  box.spatial().velocity.velocity = {0.5, 0.2, 0.0};
  BodySpec floor = scenes::fixed_cuboid("floor", {2.0, 2.0, 0.5}, {0.0, 0.0, -0.5}, 0.3);
  scene.bodies = {floor, box};
  return scene;
}

TEST(ShellLimit, OneAsStiffAsStoneIsRigidInThePlane) {
  SceneSpec scene = thrown_block();
  const StepOptions options = steps_of(0.001, 0.8);
  Simulation rigid = simulate(scene, options);
  rigid.run();
  scene.bodies[1].shell = shell_of(0.002, 1e9);
  Simulation shell = simulate(scene, options);
  shell.run();
  EXPECT_EQ(shell.outcome().status, status_ok);
  EXPECT_NEAR(shell.pose(1).x, rigid.pose(1).x, 1e-6);
  EXPECT_NEAR(shell.pose(1).y, rigid.pose(1).y, 1e-6);
  EXPECT_NEAR(shell.pose(1).theta, rigid.pose(1).theta, 1e-6);
}

TEST(ShellLimit, OneAsStiffAsStoneIsRigidInSpace) {
  SceneSpec scene = thrown_cuboid();
  const StepOptions options = steps_of(0.001, 0.5);
  Simulation rigid = simulate(scene, options);
  rigid.run();
  scene.bodies[0].shell = shell_of(0.002, 1e9);
  Simulation shell = simulate(scene, options);
  shell.run();
  EXPECT_EQ(shell.outcome().status, status_ok);
  const Vec3 a = shell.spatial_pose(1).position, b = rigid.spatial_pose(1).position;
  EXPECT_NEAR(a.x, b.x, 1e-6);
  EXPECT_NEAR(a.y, b.y, 1e-6);
  EXPECT_NEAR(a.z, b.z, 1e-6);
}

// --- what bodies sink in ---------------------------------------------------------------------------------------------

// A block of 2 kg on two corners.
double block_sinks(std::optional<CompliantShell> block, std::optional<CompliantShell> floor, SpringForce force) {
  SceneSpec scene = scenes::block_on_plane(0.3, 0.0);
  scene.bodies[0].shell = floor;
  scene.bodies[1].shell = block;
  StepOptions options = steps_of(0.001, 1.0);
  options.spring_force = force;
  Simulation simulation = simulate(scene, options);
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  return 0.05 - simulation.pose(1).y;
}

TEST(ShellSinks, EveryContactPointOfABlockHasASpring) {
  const double weight = 2.0 * scenes::standard_gravity;
  for (const SpringForce force : {SpringForce::end, SpringForce::start}) {
    EXPECT_NEAR(block_sinks({}, shell_of(0.01, 5e3, 100.0), force), weight / (2.0 * 5e3), 1e-6);
    EXPECT_NEAR(block_sinks(shell_of(0.01, 5e3, 100.0), {}, force), weight / (2.0 * 5e3), 1e-6);
  }
}

TEST(ShellSinks, TwoShellsAreInSeries) {
  const double weight = 2.0 * scenes::standard_gravity;
  const double depth = block_sinks(shell_of(0.01, 5e3, 200.0), shell_of(0.01, 2e3, 200.0), SpringForce::end);
  EXPECT_NEAR(depth, 0.5 * weight * (1.0 / 5e3 + 1.0 / 2e3), 1e-6);
  // Their thicknesses add: on softer ones the cores meet.
  EXPECT_NEAR(block_sinks(shell_of(0.01, 500.0, 50.0), shell_of(0.004, 200.0, 50.0), SpringForce::end), 0.014, 1e-6);
}

TEST(ShellSinks, ABoxInSpaceStandsOnFourSpringsAndASphereOnOne) {
  SceneSpec scene = scenes::scene_3d("sinks");
  BodySpec floor = scenes::fixed_cuboid("floor", {2.0, 2.0, 0.5}, {0.0, 0.0, -0.5}, 0.3);
  floor.shell = shell_of(0.02, 4e3, 80.0);
  BodySpec box = scenes::solid_body("box", scenes::cuboid(0.1, 0.1, 0.05), 250.0);
  box.spatial().pose.position = {0.0, 0.0, 0.05};
  BodySpec ball = box;
  ball.name = "ball";
  ball.spatial().parts = {make_sphere("ball", {0.0, 0.0, 0.0}, 0.05)};
  ball.spatial().pose.position = {0.6, 0.0, 0.05};
  scene.bodies = {floor, box, ball};
  Simulation simulation = simulate(scene, steps_of(0.001, 1.0));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_NEAR(0.05 - simulation.spatial_pose(1).position.z, box.mass * scenes::standard_gravity / (4.0 * 4e3), 1e-6);
  EXPECT_NEAR(0.05 - simulation.spatial_pose(2).position.z, ball.mass * scenes::standard_gravity / 4e3, 1e-6);
}

// --- along the surface -----------------------------------------------------------------------------------------------

// A flat block on an incline of slope 0.3; each of its two corners has springs.
SceneSpec block_on_springs(double slope, double friction) {
  SceneSpec scene = scenes::block_on_incline(slope, friction);
  scene.bodies[0].shell = shell_of(0.01, 1e6, 1e3, 1e4, 200.0);
  return scene;
}

TEST(ShellTangential, ABlockSticksOnItsSpringsAndDoesNotCreep) {
  const double mu = 0.5, slope = 0.3;
  const SceneSpec scene = block_on_springs(slope, mu);
  for (const SpringForce force : {SpringForce::end, SpringForce::start}) {
    StepOptions options = steps_of(0.001, 3.0);
    options.spring_force = force;
    Simulation simulation = simulate(scene, options);
    double settled = 0.0;
    while (simulation.step()) {
      if (simulation.time() < 1.0005) settled = simulation.pose(1).x;
    }
    const double cosine = 1.0 / std::sqrt(1.0 + slope * slope);
    const double half_weight = 0.5 * 2.0 * scenes::standard_gravity * cosine;  // on a corner, across the incline
    EXPECT_LT(simulation.pose(1).x, mu * half_weight / 1e4);
    EXPECT_NEAR(simulation.pose(1).x, slope * half_weight / 1e4, 0.03 * slope * half_weight / 1e4);
    EXPECT_NEAR(simulation.pose(1).x, settled, 1e-8);
  }
}

TEST(ShellTangential, ABlockSlidesWithCoulombsBound) {
  const double mu = 0.2, slope = 0.5;
  const SceneSpec scene = block_on_springs(slope, mu);
  Simulation simulation = simulate(scene, steps_of(0.001, 0.5));
  simulation.run();
  const double cosine = 1.0 / std::sqrt(1.0 + slope * slope);
  const double way = 0.5 * scenes::standard_gravity * cosine * (slope - mu) * 0.25;
  EXPECT_NEAR(simulation.pose(1).x, way, 0.01 * way);
}

SceneSpec box_on_springs() {
  SceneSpec scene = scenes::scene_3d("sticks");
  BodySpec floor = scenes::fixed_cuboid("floor", {2.0, 2.0, 0.5}, {0.0, 0.0, -0.5}, 0.5);
  floor.shell = shell_of(0.01, 1e6, 1e3, 1e4, 200.0);
  BodySpec box = scenes::solid_body("box", scenes::cuboid(0.2, 0.2, 0.05), 100.0);
  box.friction = 0.5;
  box.spatial().pose.position = {0.0, 0.0, 0.05};
  scene.bodies = {floor, box};
  scene.gravity = {2.0, 1.0};
  return scene;
}

TEST(ShellTangential, InSpaceABoxSticksOnSpringsInBothDirections) {
  const SceneSpec scene = box_on_springs();
  const BodySpec& box = scene.bodies[1];
  Simulation simulation = simulate(scene, steps_of(0.001, 2.0));
  simulation.run();
  const Vec3 at = simulation.spatial_pose(1).position;
  EXPECT_NEAR(at.x, box.mass * 2.0 / (4.0 * 1e4), 0.03 * box.mass * 2.0 / 4e4);
  EXPECT_NEAR(at.y, box.mass * 1.0 / (4.0 * 1e4), 0.03 * box.mass * 1.0 / 4e4);
}

// --- solvers, strategies, threads ------------------------------------------------------------------------------------

TEST(ShellStrategies, SolversAgree) {
  const SceneSpec scene = block_on_springs(0.3, 0.5);
  StepOptions options = steps_of(0.002, 0.3);
  Simulation newton = simulate(scene, options);
  newton.run();
  for (const SolverKind solver : every_solver) {
    options.solver = solver;
    Simulation other = simulate(scene, options);
    other.run();
    EXPECT_EQ(other.outcome().status, status_ok) << name_of(solver);
    EXPECT_NEAR(newton.pose(1).x, other.pose(1).x, 2e-6) << name_of(solver);
    EXPECT_NEAR(newton.pose(1).y, other.pose(1).y, 2e-6) << name_of(solver);
  }
}

TEST(ShellStrategies, StrategiesAgree) {
  for (const double thickness : {0.05, 1.0}) {
    const Fall one = fall(thickness, 5e-4, SpringForce::end);
    const Fall other = fall(thickness, 5e-4, SpringForce::end, Strategy::batched);
    EXPECT_NEAR(one.energy, other.energy, 1e-6);
    EXPECT_NEAR(one.deepest, other.deepest, 1e-8);
  }
  StepOptions options = steps_of(0.001, 0.5);
  const auto end = [&](const SceneSpec& scene, Strategy strategy) {
    options.strategy = strategy;
    Simulation simulation = simulate(scene, options);
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    return scene.spatial ? simulation.spatial_pose(1).position.x : simulation.pose(1).x;
  };
  for (const SceneSpec& scene : {block_on_springs(0.3, 0.5), box_on_springs()})
    EXPECT_NEAR(end(scene, Strategy::per_scene), end(scene, Strategy::batched), 2e-6);
}

TEST(ShellStrategies, AnyNumberOfThreadsGivesTheSameBits) {
  for (const SceneSpec& scene : {block_on_springs(0.3, 0.5), box_on_springs(), thrown_block()}) {
    const auto model = compile_model(scene);
    const std::vector<double> one = scene_parameters(scene);
    std::vector<double> all;
    constexpr std::size_t scenes = 5;
    for (std::size_t i = 0; i < scenes; ++i) {
      all.insert(all.end(), one.begin(), one.end());
      all[i * one.size() + static_cast<std::size_t>(parameter_layout(scene).velocity(1))] +=
          0.05 * static_cast<double>(i);
    }
    for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
      StepOptions options = steps_of(0.002, 0.2);
      options.strategy = strategy;
      options = derive_options(options, scene);
      const auto poses = [&](int threads) {
        std::vector<SceneOutcome> outcomes(scenes);
        std::vector<double> out(scenes * scene.bodies.size() * static_cast<std::size_t>(scene.spatial ? 7 : 3));
        make_backend(BackendKind::cpu, Arithmetic::strict, threads)->run(*model, options, all, outcomes, out, nullptr);
        return out;
      };
      EXPECT_EQ(poses(1), poses(3)) << scene.name;
    }
  }
}

// K h^2 = 4 m is where a spring with the force of the step's start gains energy without end.
TEST(ShellRefuses, ForcesAtTheStartThatNoStepFollows) {
  const SceneSpec scene = falling_disc(0.05);
  StepOptions options = steps_of(0.0632, 1.0);
  options.spring_force = SpringForce::start;
  EXPECT_NO_THROW(derive_options(options, scene));
  options.h = 0.0633;
  EXPECT_THROW(derive_options(options, scene), std::invalid_argument);
  options.spring_force = SpringForce::end;
  EXPECT_NO_THROW(derive_options(options, scene));
  // Two shells in series are half as stiff, a damper lets the step be longer.
  SceneSpec both = scene;
  both.bodies[1].shell = both.bodies[0].shell;
  options = steps_of(0.0633, 1.0);
  options.spring_force = SpringForce::start;
  EXPECT_NO_THROW(derive_options(options, both));
  SceneSpec damped = scene;
  damped.bodies[0].shell->damping = 1.0;
  EXPECT_NO_THROW(derive_options(options, damped));
}

TEST(ShellRefuses, WhatMakesNoShell) {
  SceneSpec scene = falling_disc(0.05);
  StepOptions options = steps_of(0.001, 0.1, ContactModel::standard);
  EXPECT_THROW(derive_options(options, scene), std::invalid_argument);
  scene.bodies[0].shell = shell_of(0.05, 0.0);
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
  scene.bodies[0].shell = shell_of(0.05, 1e3, 0.0, 0.0, 1.0);
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp::test
