// SPDX-License-Identifier: Apache-2.0
// Pulls, motion that turns along with a body, and the measures of a part that is held: in closed form, by the product
// with both strategies, and by the reference simulator.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "src/geometry/angle.hpp"
#include "src/reference/spatial/simulation.hpp"
#include "tests/runs.hpp"

namespace pegrasp::reference {
namespace {

constexpr double half = 0.5 * pi;

BodySpec box_body(const std::string& name, BodyKind kind, double mass, Vec3 size, Vec3 at) {
  BodySpec body;
  body.form = SpatialBody{};
  body.name = name;
  body.kind = kind;
  body.mass = mass;
  body.friction = 0.5;
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({((k & 1) != 0 ? 0.5 : -0.5) * size.x, ((k & 2) != 0 ? 0.5 : -0.5) * size.y,
                       ((k & 4) != 0 ? 0.5 : -0.5) * size.z});
  }
  body.spatial().parts.push_back({"box", make_polyhedron(corners)});
  body.spatial().inertia = {mass * 1e-3, mass * 1e-3, mass * 1e-3, 0.0, 0.0, 0.0};
  body.spatial().pose.position = at;
  return body;
}

struct Result {
  SceneOutcome outcome;
  std::vector<double> poses;  // (bodies, 7)
};

// By the product with each strategy, and by the reference simulator.
std::array<Result, 3> run_all(const SceneSpec& scene, const StepOptions& given, const std::vector<double>& parameters) {
  std::array<Result, 3> out;
  const std::shared_ptr<const Model> model = compile_model(scene);
  const Strategy strategies[] = {Strategy::per_scene, Strategy::batched};
  for (std::size_t k = 0; k < 2; ++k) {
    StepOptions options = given;
    options.strategy = strategies[k];
    if (k == 1) {
      options.solver = SolverKind::aj;
      options.max_iterations = 1'000'000;
    }
    options = derive_options(options, scene);
    std::vector<SceneOutcome> outcomes(1);
    out[k].poses.resize(7 * scene.bodies.size());
    EXPECT_TRUE(make_backend(BackendKind::cpu, Arithmetic::strict, 1)
                    ->run(*model, options, parameters, outcomes, out[k].poses, nullptr));
    out[k].outcome = outcomes[0];
  }
  spatial::SpatialSimulation simulation(std::make_shared<const spatial::SpatialScene>(scene),
                                        derive_options(given, scene), parameters, exact_solver());
  simulation.run();
  out[2].outcome = simulation.outcome();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const SpatialPose pose = simulation.pose(static_cast<int>(b));
    const Vec3 p = pose.position;
    const Quaternion q = pose.turn;
    out[2].poses.insert(out[2].poses.end(), {p.x, p.y, p.z, q.w, q.x, q.y, q.z});
  }
  return out;
}

// A hand that parameters turn by a right angle about x, and a ball far from it: what turns along with the hand and
// points along its z goes along the world's -y.
SceneSpec hand_and_ball() {
  SceneSpec scene;
  scene.spatial = true;
  scene.bodies = {box_body("ball", BodyKind::dynamic, 2.0, {0.1, 0.1, 0.1}, {5.0, 0.0, 0.0}),
                  box_body("hand", BodyKind::kinematic, 1.0, {0.1, 0.1, 0.1}, {0.0, 0.0, 0.0})};
  return scene;
}

std::vector<double> turned_hand(const SceneSpec& scene) {
  std::vector<double> parameters = scene_parameters(scene);
  parameters[static_cast<std::size_t>(parameter_layout(scene).tilt(1))] = half;
  return parameters;
}

TEST(Pulls, GiveTheSpeedOfTheirIntegral) {
  SceneSpec scene = hand_and_ball();
  // 3 t m/s^2 along the hand's z, and 4 N on 2 kg along the world's x: after 1 s 0.5 m and 1 m.
  scene.pulls = {{0, 1, false, {{0.0, {0.0, 0.0, 0.0}}, {1.0, {0.0, 0.0, 3.0}}}},
                 {0, -1, true, {{0.0, {4.0, 0.0, 0.0}}}}};
  for (const Result& result : run_all(scene, test::steps_of(0.01, 1.0), turned_hand(scene))) {
    EXPECT_EQ(result.outcome.status, status_ok);
    // The integral by steps of h is off by h^2 / 8 times the slope.
    EXPECT_NEAR(result.poses[0], 6.0, 1e-9);
    EXPECT_NEAR(result.poses[1], -0.5, 1e-4);
    EXPECT_NEAR(result.poses[2], 0.0, 1e-12);
  }
}

TEST(Pulls, OfConstantWeightAreGravity) {
  SceneSpec pulled = hand_and_ball(), heavy = hand_and_ball();
  pulled.pulls = {{0, -1, false, {{0.0, {0.0, 0.0, -9.81}}}}};
  heavy.gravity_z = -9.81;
  const std::vector<double> parameters = scene_parameters(heavy);
  const auto a = run_all(pulled, test::steps_of(0.005, 0.5), parameters);
  const auto b = run_all(heavy, test::steps_of(0.005, 0.5), parameters);
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a[k].poses[2], b[k].poses[2], 1e-12);
    EXPECT_NEAR(a[k].poses[2], -0.5 * 9.81 * 0.25, 1e-9);
  }
}

TEST(OwnMotion, TurnsAlongWithTheBody) {
  SceneSpec scene = hand_and_ball();
  SpatialBody& hand = scene.bodies[1].spatial();
  hand.motion = {{0.0, {}, {}},
                 {0.5, {{0.1, 0.0, 0.0}, {}}, {{0.0, 0.0, 0.3}, {std::cos(0.2), 0.0, 0.0, std::sin(0.2)}}}};
  hand.motion_in = 1;
  for (const Result& result : run_all(scene, test::steps_of(0.01, 0.6), turned_hand(scene))) {
    const double* const p = result.poses.data() + 7;
    EXPECT_NEAR(p[0], 0.1, 1e-9) << "this part of the motion is the world's";
    EXPECT_NEAR(p[1], -0.3, 1e-9);
    EXPECT_NEAR(p[2], 0.0, 1e-9);
    // The turn about its own z, which is the world's -y, on top of the quarter about x.
    const Quaternion own{std::cos(0.2), 0.0, -std::sin(0.2), 0.0},
        start{std::cos(0.5 * half), std::sin(0.5 * half), 0.0, 0.0};
    EXPECT_NEAR(p[3], own.w * start.w, 1e-9);
    EXPECT_NEAR(p[4], own.w * start.x, 1e-9);
    EXPECT_NEAR(p[5], own.y * start.w, 1e-9);
    EXPECT_NEAR(p[6], -own.y * start.x, 1e-9);
  }
}

// A block between two kinematic plates that close to its width, hold it for 0.1 s and leave.
TEST(HoldWatch, MeasuresTouchForceSlipAndDrop) {
  SceneSpec scene;
  scene.spatial = true;
  scene.measure_forces = true;
  scene.bodies = {box_body("block", BodyKind::dynamic, 0.5, {0.04, 0.04, 0.04}, {0.0, 0.0, 0.0}),
                  box_body("plate", BodyKind::kinematic, 1.0, {0.02, 0.1, 0.1}, {0.0, 0.0, -0.07})};
  // The plate comes from below at 0.4 m/s, touches after 0.05 s, takes the block along and stops after 0.15 s.
  SpatialBody& plate = scene.bodies[1].spatial();
  plate.motion = {{0.0, {{0.0, 0.0, -0.09}, {}}, {}}, {0.15, {{0.0, 0.0, -0.03}, {}}, {}}};
  plate.pose = plate.motion.front().pose;
  scene.watch = {0, 1, {1}, 0.1, 1e-4};
  for (const Result& result : run_all(scene, test::steps_of(0.005, 0.3), scene_parameters(scene))) {
    const SceneOutcome& o = result.outcome;
    EXPECT_EQ(o.start_overlap, 0.0);
    EXPECT_NEAR(o.touch_first, 0.05, 0.006);
    EXPECT_LT(o.touch_last, 0.17) << "the plate stops, the block goes on";
    EXPECT_GT(o.touch_last, 0.04);
    // The impact gives 0.5 kg its 0.4 m/s within a step.
    EXPECT_NEAR(o.hold_force_max, 0.5 * 0.4 / 0.005, 1.0);
    // From 0.15 s to 0.3 s the block moves away at 0.4 m/s.
    EXPECT_NEAR(o.hold_slip_max, 0.4 * 0.15, 0.003);
    EXPECT_NEAR(o.hold_tilt_max, 0.0, 1e-4);
  }
}

TEST(HoldWatch, EndsATrialThatBeginsInCollision) {
  SceneSpec scene;
  scene.spatial = true;
  scene.measure_forces = true;
  scene.bodies = {box_body("block", BodyKind::dynamic, 0.5, {0.04, 0.04, 0.04}, {0.0, 0.0, 0.0}),
                  box_body("plate", BodyKind::kinematic, 1.0, {0.02, 0.1, 0.1}, {0.027, 0.0, 0.0})};
  scene.watch = {0, 1, {1}, 0.0, 2e-3};
  Predicate always;  // holds from the beginning
  always.kind = PredicateKind::displacement_below;
  always.body = 0;
  always.value = 1.0;
  scene.success = {always};
  for (const Result& result : run_all(scene, test::steps_of(0.005, 0.1), scene_parameters(scene))) {
    EXPECT_NEAR(result.outcome.start_overlap, 3e-3, 1e-12);
    EXPECT_EQ(result.outcome.steps, 0);
    EXPECT_EQ(result.outcome.success, 0);
    EXPECT_EQ(result.outcome.status, status_ok);
  }
  scene.watch.overlap = 4e-3;
  for (const Result& result : run_all(scene, test::steps_of(0.005, 0.1), scene_parameters(scene))) {
    EXPECT_GT(result.outcome.steps, 0);
    EXPECT_EQ(result.outcome.success, 1);
  }
}

// A point of a body that turns: the corner of a box leaves a bound that its middle keeps.
TEST(PoseWithin, LooksAtAnyPointOfABody) {
  SceneSpec scene = hand_and_ball();
  scene.bodies[0].spatial().velocity.angular = {0.0, 0.0, 1.0};
  Predicate within;
  within.kind = PredicateKind::pose_within;
  within.body = 0;
  within.low = {-1e9, -0.01, -1e9};
  within.high = {1e9, 0.01, 1e9};
  scene.success = {within};
  const StepOptions options = test::steps_of(0.005, 0.3);
  for (const Result& result : run_all(scene, options, scene_parameters(scene))) EXPECT_EQ(result.outcome.success, 1);
  scene.success[0].point = {0.05, 0.0, 0.0};  // 0.05 sin 0.3 = 0.0148
  for (const Result& result : run_all(scene, options, scene_parameters(scene))) EXPECT_EQ(result.outcome.success, 0);
}

}  // namespace
}  // namespace pegrasp::reference
