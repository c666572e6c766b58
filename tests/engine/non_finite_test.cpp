// SPDX-License-Identifier: Apache-2.0
// A scene that stops being finite says so, ends there, and harms no other scene of its batch.
#include <cstring>
#include <limits>

#include "tests/runs.hpp"
#include "tests/scenes/all.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Contacts with friction, a three-point support, and one actuator of each kind.
SceneSpec everything() {
  SceneSpec scene = scenes::wedge(0.02, 0.01, 0.5);
  SupportTripod support;
  support.point = scenes::regular_tripod(0.014);
  support.load = {0.1, 0.1, 0.1};
  support.friction = {0.3, 0.3, 0.3};
  scene.bodies[scenes::wedge_disc].planar().support = support;
  scene.actuators[1].kind = ActuatorKind::velocity_servo;
  scene.actuators[1].limit = std::fabs(scene.actuators[1].target);
  scene.actuators[1].target = scene.actuators[1].target > 0.0 ? 0.05 : -0.05;
  ActuatorSpec hold;
  hold.name = "hold";
  hold.body = scenes::wedge_disc;
  hold.kind = ActuatorKind::position_servo;
  hold.axis = {0.0, 1.0};
  hold.stiffness = 2.0;
  hold.damping = 0.1;
  hold.limit = 0.5;
  scene.actuators.push_back(hold);
  return scene;
}

struct Batch {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
};

Batch run_batch(const SceneSpec& scene, const std::vector<std::vector<double>>& rows) {
  const auto model = compile_model(scene);
  const StepOptions options = derive_options(steps_of(0.005, 0.2), scene);
  std::vector<double> parameters;
  for (const std::vector<double>& row : rows) parameters.insert(parameters.end(), row.begin(), row.end());
  const auto poses = static_cast<std::size_t>(parameter_layout(scene).pose_size()) * scene.bodies.size();
  Batch batch{std::vector<SceneOutcome>(rows.size()), std::vector<double>(rows.size() * poses)};
  const auto backend = make_backend_under_test(2);
  EXPECT_TRUE(backend->run(*model, options, parameters, batch.outcomes, batch.poses, nullptr));
  return batch;
}

bool same_scene(const Batch& a, const Batch& b, std::size_t i) {
  const std::size_t n = a.poses.size() / a.outcomes.size();
  return std::memcmp(&a.outcomes[i], &b.outcomes[i], sizeof(SceneOutcome)) == 0 &&
         std::memcmp(&a.poses[i * n], &b.poses[i * n], n * sizeof(double)) == 0;
}

std::vector<std::vector<double>> healthy_rows(const SceneSpec& scene, std::size_t count) {
  const ParameterLayout layout = parameter_layout(scene);
  std::vector<std::vector<double>> rows(count, scene_parameters(scene));
  for (std::size_t i = 0; i < count; ++i) {
    for (int slot = 0; slot < layout.friction_count; ++slot) {
      rows[i][static_cast<std::size_t>(layout.friction(slot))] = 0.3 + 0.05 * static_cast<double>(i);
    }
  }
  return rows;
}

// One parameter after the other is spoilt in every second scene; the scenes between must come out to the bit as they
// were.
void expect_spoilt_parameters_flagged(const SceneSpec& scene) {
  const ParameterLayout layout = parameter_layout(scene);
  const auto rows = healthy_rows(scene, 6);
  const Batch healthy = run_batch(scene, rows);
  for (const SceneOutcome& outcome : healthy.outcomes) ASSERT_EQ(outcome.status, status_ok);

  for (const double bad : {nan, infinity}) {
    for (int index = 0; index < layout.size(); ++index) {
      auto spoilt = rows;
      for (std::size_t i = 1; i < rows.size(); i += 2) spoilt[i][static_cast<std::size_t>(index)] = bad;
      const Batch batch = run_batch(scene, spoilt);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i % 2 == 0) {
          EXPECT_TRUE(same_scene(batch, healthy, i)) << "neighbour of parameter " << index << " = " << bad;
          continue;
        }
        const SceneOutcome& outcome = batch.outcomes[i];
        EXPECT_TRUE(outcome.status & status_non_finite) << "parameter " << index << " = " << bad;
        EXPECT_EQ(outcome.success, 0) << "parameter " << index << " = " << bad;
        EXPECT_EQ(outcome.steps, 0) << "parameter " << index << " = " << bad;
      }
    }
  }
}

TEST(NonFinite, AnySpoiltParameterIsFlaggedAndNeighboursAreUntouched) {
  expect_spoilt_parameters_flagged(everything());
}

TEST(NonFinite, TheSameIn3D) { expect_spoilt_parameters_flagged(scenes::space_lift(0.5)); }

// Velocities, or with velocities still finite the poses, grow beyond what a double holds.
TEST(NonFinite, AHugeForceIsFlaggedWhereTheSceneEnds) {
  SceneSpec scene = scenes::free_flight({});
  ActuatorSpec push;
  push.axis = {1.0, 0.0};
  push.target = 1e308;
  scene.actuators = {push};
  scene.success = {Predicate{}};
  scene.success[0].kind = PredicateKind::pose_within;
  scene.success[0].body = 0;
  scene.success[0].low = {-infinity, -infinity, -infinity};
  scene.success[0].high = {infinity, infinity, infinity};
  EXPECT_EQ(run_batch(scene, {scene_parameters(scene)}).outcomes[0].success, 1) << "fast, but a number still";

  scene.bodies[0].mass = 1e-3;
  const Batch batch = run_batch(scene, {scene_parameters(scene)});
  EXPECT_EQ(batch.outcomes[0].status, status_non_finite);
  EXPECT_EQ(batch.outcomes[0].steps, 0) << "the step that failed does not count";
  EXPECT_EQ(batch.outcomes[0].success, 0);
  EXPECT_TRUE(std::isfinite(batch.poses[0]))
      << "the last good state is kept, of a part of the step where shorter ones went well";

  scene = scenes::free_flight({1.7e308, 0.0, 0.0});
  scene.bodies[0].planar().pose.x = 1.7e308;
  const Batch far = run_batch(scene, {scene_parameters(scene)});
  EXPECT_EQ(far.outcomes[0].status, status_non_finite);
  EXPECT_EQ(far.outcomes[0].steps, 11);
}

}  // namespace
}  // namespace pegrasp::test
