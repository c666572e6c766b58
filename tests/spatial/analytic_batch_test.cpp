// SPDX-License-Identifier: Apache-2.0
// Batches of scenes in 3D on the backend under test, whose ends closed formulas tell: so a device is tested by itself,
// not only against the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pegrasp/solid_part.hpp"
#include "src/geometry/placement.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/scenes/thin_wall.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

constexpr double gravity = scenes::standard_gravity;

// Scenes of one description that differ in some parameters.
struct AnalyticBatch {
  SceneSpec scene;
  double h, duration;
  std::vector<std::vector<double>> rows;
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;

  AnalyticBatch(SceneSpec description, double step, double end, std::size_t count)
      : scene(std::move(description)), h(step), duration(end), rows(count, scene_parameters(scene)) {}

  double& parameter(std::size_t row, int index) { return rows[row][static_cast<std::size_t>(index)]; }
  void set_friction(std::size_t row, double mu) {
    const ParameterLayout layout = parameter_layout(scene);
    for (int slot = 0; slot < layout.friction_count; ++slot) parameter(row, layout.friction(slot)) = mu;
  }
  void run() {
    StepOptions options;
    options.h = h;
    options.duration = duration;
    options = derive_options(options, scene);
    std::vector<double> parameters;
    for (const std::vector<double>& row : rows) parameters.insert(parameters.end(), row.begin(), row.end());
    outcomes.resize(rows.size());
    poses.resize(rows.size() * scene.bodies.size() * 7);
    ASSERT_TRUE(test::make_backend_under_test(2)->run(*compile_model(scene), options, parameters, outcomes, poses, {}));
  }
  SpatialPose pose(std::size_t row, int body) const {
    const double* p = poses.data() + 7 * (row * scene.bodies.size() + static_cast<std::size_t>(body));
    return {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
  }
  double travel(double acceleration) const { return 0.5 * acceleration * duration * duration; }
};

TEST(SpatialAnalyticBatch, BodiesFlyAndSpinAsTheyMust) {
  SceneSpec scene = scenes::scene_3d("flight");
  scene.bodies.push_back(scenes::solid_body("body", scenes::cuboid(0.3, 0.2, 0.1), 100.0));
  AnalyticBatch batch(scene, 0.004, 0.8, 64);
  const int velocity = parameter_layout(scene).velocity(0);
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    const double fraction = static_cast<double>(k) / 64.0;
    batch.parameter(k, velocity) = fraction;
    batch.parameter(k, velocity + 2) = 1.0 - fraction;
    batch.parameter(k, velocity + 5) = 4.0 * fraction;  // about a principal axis
  }
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "scene " << k);
    const double fraction = static_cast<double>(k) / 64.0;
    EXPECT_EQ(batch.outcomes[k].status, status_ok);
    EXPECT_EQ(batch.outcomes[k].steps, 200);
    const SpatialPose end = batch.pose(k, 0);
    EXPECT_NEAR(end.position.x, 0.8 * fraction, 1e-9);
    EXPECT_NEAR(end.position.z, 0.8 * (1.0 - fraction) - batch.travel(gravity), 1e-9);
    const Vec3 turn = turn_vector(conjugate(turn_by({0.0, 0.0, 4.0 * fraction * 0.8})) * end.turn);
    EXPECT_LT(length(turn), 1e-9);
  }
}

TEST(SpatialAnalyticBatch, ABoxSticksOrSlidesByItsFriction) {
  constexpr double slope = 0.3, g = 10.0;
  SceneSpec scene = scenes::scene_3d("incline");
  scene.gravity = {g * std::sin(slope), 0.0};
  scene.gravity_z = -g * std::cos(slope);
  scene.bodies.push_back(scenes::fixed_cuboid("plane", {50.0, 50.0, 0.5}, {0.0, 0.0, -0.5}, 0.3));
  scene.bodies.push_back(scenes::solid_body("box", scenes::cuboid(0.2, 0.2, 0.05), 100.0));
  scene.bodies[1].spatial().pose.position.z = 0.05;
  AnalyticBatch batch(scene, 0.008, 0.8, 40);
  const auto mu = [&](std::size_t k) { return 0.0151 * static_cast<double>(k); };  // none at the brink, which is 0.3093
  for (std::size_t k = 0; k < batch.rows.size(); ++k) batch.set_friction(k, mu(k));
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "mu " << mu(k));
    EXPECT_EQ(batch.outcomes[k].status, status_ok);
    const double expected = batch.travel(std::max(0.0, g * (std::sin(slope) - mu(k) * std::cos(slope))));
    EXPECT_NEAR(batch.pose(k, 1).position.x, expected, 1e-4 * (1.0 + expected));
    EXPECT_NEAR(batch.pose(k, 1).position.z, 0.05, 1e-5);
  }
}

// Thrown without spin it slides until 2 v0 / (7 mu g), then rolls at 5/7 v0.
TEST(SpatialAnalyticBatch, SpheresThrownSlidingComeToRoll) {
  constexpr double mu = 0.2, radius = 0.1;
  SceneSpec scene = scenes::scene_3d("ground");
  BodySpec ground;
  ground.form = SpatialBody{};
  ground.name = "ground";
  ground.kind = BodyKind::fixed;
  ground.friction = mu;
  ground.spatial().parts = {make_half_space("ground", {0.0, 0.0, 1.0}, 0.0)};
  scene.bodies.push_back(ground);
  scene.bodies.push_back(scenes::round_solid(make_sphere("ball", {}, radius), 500.0));
  scene.bodies[1].friction = mu;
  scene.bodies[1].spatial().pose.position.z = radius;
  AnalyticBatch batch(scene, 0.01, 1.0, 30);
  const auto speed = [](std::size_t k) { return 0.1 * static_cast<double>(k); };
  const int velocity = parameter_layout(scene).velocity(1);
  for (std::size_t k = 0; k < batch.rows.size(); ++k) batch.parameter(k, velocity + 1) = speed(k);
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    const double v0 = speed(k), rolls_at = 2.0 * v0 / (7.0 * mu * gravity);
    SCOPED_TRACE(testing::Message() << v0 << " m/s");
    ASSERT_LT(rolls_at, 1.0);
    const double exact = v0 * rolls_at - 0.5 * mu * gravity * rolls_at * rolls_at + 5.0 / 7.0 * v0 * (1.0 - rolls_at);
    EXPECT_EQ(batch.outcomes[k].status, status_ok);
    EXPECT_NEAR(batch.pose(k, 1).position.y, exact, 0.3 * mu * gravity * batch.h * batch.h + 1e-6);
    EXPECT_NEAR(batch.pose(k, 1).position.z, radius, 1e-6);
  }
}

// Small swings about a hinge: after a quarter of a period the rod hangs straight, whatever it weighs.
TEST(SpatialAnalyticBatch, PendulumsSwingThroughAtAQuarterOfTheirPeriod) {
  constexpr double amplitude = 0.1;
  const double quarter = 0.25 * test::rod_period(amplitude);
  constexpr int steps = 400;
  SceneSpec scene = test::hanging_rod(amplitude, JointKind::revolute);
  AnalyticBatch batch(scene, quarter / steps, quarter, 8);
  // the period does not depend on the mass
  const ParameterLayout layout = parameter_layout(scene);
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    const double heavier = 1.0 + static_cast<double>(k);
    batch.parameter(k, layout.mass(0)) *= heavier;
    for (int i = 0; i < layout.inertia_size(); ++i) batch.parameter(k, layout.inertia(0) + i) *= heavier;
  }
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    EXPECT_EQ(batch.outcomes[k].status, status_ok);
    const SpatialPose end = batch.pose(k, 0);
    const double angle = std::atan2(-end.position.x, -end.position.z);
    EXPECT_NEAR(angle, 0.0, 2.0 * amplitude / steps);
    EXPECT_NEAR(length(end.position), 0.5 * test::rod_length, 1e-7);
  }
}

// The jaws press with 40 N each on a block of a kilogram: it is lifted by 0.3 m where friction bears its weight, and
// left where not. The palm rises at once at v, so that friction of k times what is needed lets the block slip by v^2 /
// (2 (k - 1) g) until it follows, and by v^2 / (2 (k + 1) g) back when the palm stops.
TEST(SpatialAnalyticBatch, ABlockIsLiftedIfFrictionBearsIt) {
  const SceneSpec scene = scenes::space_lift(0.5);
  AnalyticBatch batch(scene, 0.005, scenes::space_lift_duration, 12);
  const double needed = gravity / (2.0 * 40.0);
  constexpr double palm_speed = 0.3 / 0.8;
  for (std::size_t k = 0; k < 6; ++k) {
    batch.set_friction(k, needed * 0.15 * static_cast<double>(k));
    batch.set_friction(k + 6, needed * (2.0 + static_cast<double>(k)));
  }
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "scene " << k);
    EXPECT_EQ(batch.outcomes[k].status, status_ok);
    const double times = static_cast<double>(k) - 4.0;
    const double height = k < 6 ? 0.05 : 0.35 - palm_speed * palm_speed / (gravity * (times * times - 1.0));
    EXPECT_NEAR(batch.pose(k, 1).position.z, height, 3e-4);
  }
}

TEST(SpatialAnalyticBatch, AStackStands) {
  AnalyticBatch batch(scenes::stack_3d(6, 0.3), 0.01, 0.5, 8);
  const ParameterLayout layout = parameter_layout(batch.scene);
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    batch.parameter(k, layout.pose(6)) += 0.01 * static_cast<double>(k);  // the uppermost, well within its support
  }
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    EXPECT_EQ(batch.outcomes[k].status, status_ok);
    for (int box = 0; box < 6; ++box) EXPECT_NEAR(batch.pose(k, 1 + box).position.z, 0.5 + box, 1e-5);
  }
}

TEST(SpatialAnalyticBatch, NoRodGoesThroughAThinPlate) {
  constexpr scenes::Shot shot{100.0, 100.0, 0.016, false};
  constexpr std::uint64_t first_seed = 7000;
  AnalyticBatch batch(scenes::shot_scene(shot, first_seed), shot.h, 8.0 * shot.h, 40);
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    batch.rows[k] = scene_parameters(scenes::shot_scene(shot, first_seed + k));
  }
  batch.run();
  for (std::size_t k = 0; k < batch.rows.size(); ++k) {
    EXPECT_GT(batch.pose(k, 1).position.z, 0.0) << "seed " << first_seed + k;
  }
}

}  // namespace
}  // namespace pegrasp
