// SPDX-License-Identifier: Apache-2.0
// Bodies that do not turn, bodies that oscillate or repeat their motion, and motion and targets that are functions.
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "pegrasp/names.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp::test {
namespace {

constexpr double g = scenes::standard_gravity;

// A sphere on a level half-space, at x, pushed off at `speed`.
SceneSpec sphere_in_3d(double mu, double speed, bool turns) {
  SceneSpec scene;
  scene.spatial = true;
  scene.gravity_z = -g;
  BodySpec ground;
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.friction = mu;
  ground.form = SpatialBody{};
  ground.spatial().parts = {make_half_space("top", {0.0, 0.0, 1.0}, 0.0)};
  BodySpec ball;
  ball.name = "ball";
  ball.mass = 0.001;
  ball.friction = mu;
  ball.turns = turns;
  ball.form = SpatialBody{};
  ball.spatial().parts = {make_sphere("ball", {}, 0.001)};
  const double inertia = 0.4 * 0.001 * 1e-6;
  ball.spatial().inertia = {inertia, inertia, inertia, 0.0, 0.0, 0.0};
  ball.spatial().pose.position = {0.0, 0.0, 0.001};
  ball.spatial().velocity.velocity = {speed, 0.0, 0.0};
  scene.bodies = {ground, ball};
  return scene;
}

// A tall block that would tip slides, and keeps its angle to the last bit.
TEST(Particle, SlidesToRestIn2dWithoutTurning) {
  SceneSpec scene = scenes::block_on_plane(0.5, 1.0);
  scene.bodies[1] = scenes::box_body("block", 0.1, 1.0, 2.0);
  scene.bodies[1].turns = false;
  scene.bodies[1].friction = 0.5;
  scene.bodies[1].planar().pose = {0.0, 0.5, 0.25};
  scene.bodies[1].planar().pose.y = 0.5 * std::cos(0.25) + 0.05 * std::sin(0.25);
  scene.bodies[1].planar().velocity = {1.0, 0.0, 3.0};
  Simulation simulation = simulate(scene, steps_of(0.002, 0.5));
  simulation.run();
  EXPECT_NEAR(simulation.pose(1).x, 1.0 / (2.0 * 0.5 * g), 2e-5);
  EXPECT_EQ(simulation.pose(1).theta, 0.25);
  EXPECT_EQ(simulation.velocity(1).omega, 0.0);
}

TEST(Particle, SlidesToRestIn3dWhereABallWouldRoll) {
  const double mu = 0.3, speed = 0.5;
  Simulation particle = simulate(sphere_in_3d(mu, speed, false), 0.001, 0.5);
  particle.run();
  EXPECT_NEAR(particle.spatial_pose(1).position.x, speed * speed / (2.0 * mu * g), 2e-6);
  EXPECT_EQ(particle.spatial_pose(1).turn.w, 1.0);
  Simulation ball = simulate(sphere_in_3d(mu, speed, true), 0.001, 0.5);
  ball.run();
  EXPECT_NEAR(ball.spatial_velocity(1).velocity.x, 5.0 / 7.0 * speed, 1e-4) << "a ball that turns rolls on";
}

TEST(Particle, NeedsNoInertiaAndTakesNoJoints) {
  SceneSpec scene = scenes::block_on_plane(0.5, 1.0);
  scene.bodies[1].turns = false;
  scene.bodies[1].planar().inertia = 0.0;
  EXPECT_NO_THROW(compile_model(scene));
  scene.bodies[1].planar().inertia = 1.0;
  scene.joints = {make_joint(scene, "hinge", JointKind::revolute, -1, 1, {0.0, 0.0, 0.0})};
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
  scene.joints.clear();
  scene.bodies[0].turns = false;
  EXPECT_THROW(compile_model(scene), std::invalid_argument);
}

Oscillation shaking(bool end) {
  Oscillation out;
  out.frequency = 33.0;
  out.acceleration = {8.0, -5.0, 3.0, 100.0, 120.0, 180.0};
  out.phase = {0.3, 1.0, 2.0, 0.5 * std::numbers::pi, -1.0, 4.0};
  out.end_velocity = end;
  return out;
}

double displacement_of(const Oscillation& o, std::size_t i, double t) {
  const double w = 2.0 * std::numbers::pi * o.frequency;
  return -o.acceleration[i] * std::sin(w * t + o.phase[i]) / (w * w);
}
double rate_of(const Oscillation& o, std::size_t i, double t) {
  const double w = 2.0 * std::numbers::pi * o.frequency;
  return -o.acceleration[i] * std::cos(w * t + o.phase[i]) / w;
}

SceneSpec shaken_plate(bool end) {
  SceneSpec scene = scenes::block_on_plane(0.5, 0.0);
  BodySpec plate = scenes::box_body("plate", 1.0, 0.1, 1.0);
  plate.kind = BodyKind::kinematic;
  plate.planar().pose = {5.0, -3.0, 0.2};
  plate.oscillation = shaking(end);
  scene.bodies.push_back(plate);
  return scene;
}

TEST(Oscillation, IsFollowedIn2d) {
  const Oscillation o = shaking(false);
  const double h = 0.001;
  Simulation simulation = simulate(shaken_plate(false), steps_of(h, 1.0));
  EXPECT_NEAR(simulation.pose(2).x, 5.0 + displacement_of(o, 0, 0.0), 1e-15);
  EXPECT_NEAR(simulation.velocity(2).omega, rate_of(o, 5, 0.0), 1e-13);
  int steps = 0;
  double before = simulation.pose(2).x;
  while (simulation.step()) {
    const double t = ++steps * h;
    EXPECT_NEAR(simulation.pose(2).x, 5.0 + displacement_of(o, 0, t), 2e-14) << t;
    EXPECT_NEAR(simulation.pose(2).y, -3.0 + displacement_of(o, 1, t), 2e-14) << t;
    EXPECT_NEAR(simulation.pose(2).theta, 0.2 + displacement_of(o, 5, t), 2e-14) << t;
    EXPECT_NEAR(simulation.middle_velocity(2).vx, (simulation.pose(2).x - before) / h, 1e-11);
    before = simulation.pose(2).x;
  }
  EXPECT_EQ(steps, 1000);
}

// The pose is the right one all the same.
TEST(Oscillation, MovesAtItsEndVelocityIfAsked) {
  const Oscillation o = shaking(true);
  const double h = 0.001;
  Simulation simulation = simulate(shaken_plate(true), steps_of(h, 0.2));
  int steps = 0;
  while (simulation.step()) {
    const double t = ++steps * h;
    EXPECT_NEAR(simulation.middle_velocity(2).vx, rate_of(o, 0, t), 1e-13);
    EXPECT_NEAR(simulation.middle_velocity(2).omega, rate_of(o, 5, t), 1e-12);
    EXPECT_NEAR(simulation.pose(2).x, 5.0 + displacement_of(o, 0, t), 2e-14);
    EXPECT_NEAR(simulation.pose(2).theta, 0.2 + displacement_of(o, 5, t), 2e-14);
  }
}

// Berard's thesis, 5.3: the centrifuge's plate begins turned by -0.00116298 rad about x.
TEST(Oscillation, BeginsTurnedAsTheCentrifugeIn3d) {
  SceneSpec scene = sphere_in_3d(0.3, 0.0, false);
  scene.bodies[0].kind = BodyKind::kinematic;
  Oscillation o;
  o.frequency = 33.0;
  o.acceleration = {0.0, 0.0, 0.0, 100.0, 100.0, 0.0};
  o.phase = {0.0, 0.0, 0.0, 0.5 * std::numbers::pi, std::numbers::pi, 0.0};
  scene.bodies[0].oscillation = o;
  Simulation simulation = simulate(scene, 0.0005, 0.1);
  const double half = 0.5 * 100.0 / std::pow(66.0 * std::numbers::pi, 2);
  EXPECT_NEAR(simulation.spatial_pose(0).turn.x, -half, 1e-9);
  int steps = 0;
  while (simulation.step()) {
    const double t = ++steps * 0.0005;
    const double x = displacement_of(o, 3, t), y = displacement_of(o, 4, t), angle = std::hypot(x, y);
    const Quaternion q = simulation.spatial_pose(0).turn;
    EXPECT_NEAR(q.x, std::sin(0.5 * angle) * x / angle, 1e-12) << t;
    EXPECT_NEAR(q.y, std::sin(0.5 * angle) * y / angle, 1e-12) << t;
  }
}

TEST(Repeats, KeyframesBeginAgainWhereTheyEnd) {
  SceneSpec scene = shaken_plate(false);
  BodySpec& plate = scene.bodies[2];
  plate.oscillation.reset();
  plate.planar().motion = {{0.25, {5.0, -3.0, 0.2}}, {0.375, {5.5, -3.25, 0.2}}, {0.5, {5.0, -3.0, 0.2}}};
  plate.motion_repeats = true;
  Simulation simulation = simulate(scene, steps_of(0.0078125, 2.0));
  int steps = 0;
  while (simulation.step()) {
    const double t = ++steps * 0.0078125;
    const double phase = t < 0.25 ? 0.0 : std::fmod(t - 0.25, 0.25);
    const double share = phase < 0.125 ? phase / 0.125 : 2.0 - phase / 0.125;
    EXPECT_NEAR(simulation.pose(2).x, 5.0 + 0.5 * share, 1e-13) << t;
    EXPECT_NEAR(simulation.pose(2).y, -3.0 - 0.25 * share, 1e-13) << t;
  }
  plate.planar().motion.back().pose.x += 0.01;
  EXPECT_THROW(compile_model(scene), std::invalid_argument) << "it would jump";
}

// A half-space that tips under a particle far from its axis lifts it at once, however far the particle is.
TEST(HalfSpace, TurnsAndLifts) {
  SceneSpec scene = sphere_in_3d(0.0, 0.0, false);
  scene.bodies[1].spatial().pose.position = {3.0, 0.0, 0.001};
  BodySpec& ground = scene.bodies[0];
  ground.kind = BodyKind::kinematic;
  const double half = 0.005;  // of the angle, about -y
  ground.spatial().motion = {{0.0, {}}, {0.1, {{}, {std::cos(half), 0.0, -std::sin(half), 0.0}}}};
  Simulation simulation = simulate(scene, 0.001, 0.1);
  while (simulation.step()) {
    const Vec3 x = simulation.spatial_pose(1).position;
    const double angle = 2.0 * half * simulation.time() / 0.1;
    const double above = x.z * std::cos(angle) - x.x * std::sin(angle);
    EXPECT_GE(above, 0.001 - 1e-8) << simulation.time();
  }
  EXPECT_GT(simulation.spatial_pose(1).position.z, 0.029);
}

TEST(HalfSpace, TurnsIn2dToo) {
  SceneSpec scene = scenes::disc_on_plane(0.01, 1.0, 0.0, {});
  scene.bodies[1].turns = false;
  scene.bodies[1].planar().pose = {3.0, 0.01, 0.0};
  scene.bodies[0].kind = BodyKind::kinematic;
  scene.bodies[0].planar().motion = {{0.0, {}}, {0.1, {0.0, 0.0, 0.01}}};
  Simulation simulation = simulate(scene, steps_of(0.001, 0.1));
  while (simulation.step()) {
    const double angle = 0.01 * simulation.time() / 0.1;
    const double above = simulation.pose(1).y * std::cos(angle) - simulation.pose(1).x * std::sin(angle);
    EXPECT_GE(above, 0.01 - 1e-7) << simulation.time();
  }
}

TEST(Functions, PrescribeMotionAndTargets) {
  SceneSpec scene = shaken_plate(false);
  scene.bodies[2].oscillation.reset();
  scene.bodies[2].planar().motion_function = [](double t) { return Pose{5.0 + 0.1 * std::sin(9.0 * t), -3.0, t * t}; };
  scene.bodies.push_back(scenes::box_body("driven", 0.1, 0.1, 2.0));
  scene.bodies.back().planar().pose = {-20.0, 30.0, 0.0};
  ActuatorSpec push;
  push.name = "push";
  push.body = 3;
  push.target = 1.0;
  push.target_function = [](double t) { return 6.0 * t; };
  scene.actuators = {push};
  const StepOptions options = derive_options(steps_of(0.001, 1.0), scene);
  const auto model = compile_model(scene);
  Simulation simulation(model, options, scene_parameters(scene));
  int steps = 0;
  while (simulation.step()) {
    const double t = ++steps * 0.001;
    EXPECT_NEAR(simulation.pose(2).x, 5.0 + 0.1 * std::sin(9.0 * t), 1e-13) << t;
    EXPECT_NEAR(simulation.pose(2).theta, t * t, 1e-13) << t;
  }
  // x'' = (1 + 6 t) / 2: x = t^2 / 4 + t^3 / 2
  EXPECT_NEAR(simulation.pose(3).x, -20.0 + 0.75, 1e-6);
  const auto backend = make_backend(BackendKind::cpu, Arithmetic::strict);
  std::vector<SceneOutcome> outcome(1);
  std::vector<double> poses(3 * scene.bodies.size());
  const std::vector<double> parameters = scene_parameters(scene);
  ASSERT_TRUE(backend->run(*model, options, parameters, outcome, poses, nullptr));
  EXPECT_EQ(poses[9], simulation.pose(3).x) << "the batch does what one simulation does";
  StepOptions batched = steps_of(0.001, 1.0);
  batched.strategy = Strategy::batched;
  batched.solver = SolverKind::aj;
  EXPECT_THROW(derive_options(batched, scene), std::invalid_argument);
}

}  // namespace
}  // namespace pegrasp::test
