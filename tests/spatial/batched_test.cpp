// SPDX-License-Identifier: Apache-2.0
// The batched strategy in 3D: the steps of the per-scene one, from other loops. Products of sparse matrices add in
// another order, so that states agree to a tolerance, not bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/launch/batched_scenes.hpp"
#include "src/metrics/spatial_overlap.hpp"
#include "src/model/model.hpp"
#include "tests/engine/small_scenes.hpp"
#include "tests/joint/scenes.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/scenes/polyhedron_pour.hpp"

namespace pegrasp {
namespace {

StepOptions with_strategy(Strategy strategy, const SceneSpec& scene, double h, double duration, double tolerance = 0.0,
                          ContactModel contact = ContactModel::peg) {
  StepOptions options = test::steps_of(h, duration, contact);
  options.solver = SolverKind::aj;
  options.strategy = strategy;
  options.max_iterations = 100'000;
  options.tolerance = tolerance;
  return derive_options(options, scene);
}

double farthest(Vec3 a, Vec3 b) { return std::max({std::fabs(a.x - b.x), std::fabs(a.y - b.y), std::fabs(a.z - b.z)}); }
double farthest(Quaternion a, Quaternion b) {
  return std::max({std::fabs(a.w - b.w), std::fabs(a.x - b.x), std::fabs(a.y - b.y), std::fabs(a.z - b.z)});
}

// Largest difference of a coordinate or a quaternion's component between the two strategies over the whole run.
double farthest_apart(const SceneSpec& scene, const StepOptions& per_scene, const StepOptions& batched) {
  EXPECT_EQ(per_scene.strategy, Strategy::per_scene);
  EXPECT_EQ(batched.strategy, Strategy::batched);
  const auto model = compile_model(scene);
  Simulation a(model, per_scene, scene_parameters(scene));
  Simulation b(model, batched, scene_parameters(scene));
  double most = 0.0;
  while (true) {
    const bool more = a.step();
    EXPECT_EQ(b.step(), more);
    if (!more) break;
    EXPECT_EQ(a.last_status(), b.last_status()) << a.time();
    for (int body = 0; body < static_cast<int>(scene.bodies.size()); ++body) {
      EXPECT_EQ(a.present(body), b.present(body));
      const SpatialPose p = a.spatial_pose(body);
      const SpatialPose q = b.spatial_pose(body);
      most = std::max({most, farthest(p.position, q.position), farthest(p.turn, q.turn)});
    }
    for (int joint = 0; joint < static_cast<int>(scene.joints.size()); ++joint) {
      most = std::max({most, std::fabs(a.joint_turn(joint) - b.joint_turn(joint)),
                       std::fabs(a.joint_slide(joint) - b.joint_slide(joint))});
      EXPECT_NEAR(a.joint_apart(joint), b.joint_apart(joint), 1e-9);
    }
  }
  EXPECT_EQ(a.outcome().status, status_ok);
  EXPECT_EQ(a.outcome().steps, b.outcome().steps);
  EXPECT_EQ(a.outcome().status, b.outcome().status);
  EXPECT_EQ(a.outcome().contacts_sum, b.outcome().contacts_sum);
  EXPECT_EQ(a.outcome().substeps_rejected, b.outcome().substeps_rejected);
  EXPECT_NEAR(a.rejected_share(), b.rejected_share(), 5e-3);
  EXPECT_EQ(a.outcome().contacts_max, b.outcome().contacts_max);
  EXPECT_EQ(a.outcome().substeps, b.outcome().substeps);
  EXPECT_NEAR(a.outcome().penetration_max, b.outcome().penetration_max, 1e-9);
  // Islands that end each on their own need no more iterations, but for where a residual is the tolerance to the last
  // digits, or friction turns with the slip that the pass before left, which rounding changes.
  EXPECT_LE(static_cast<double>(b.outcome().iterations), 3.0 + 1.12 * static_cast<double>(a.outcome().iterations));
  EXPECT_NEAR(a.energy().explained, b.energy().explained, 1e-6 * (1.0 + std::fabs(a.energy().explained)));
  return most;
}

TEST(SpatialBatched, StepsSmallScenesAsPerScene) {
  for (const test::TimedScene& named : test::small_spatial_scenes()) {
    SCOPED_TRACE(named.name);
    const auto options = [&](Strategy strategy) {
      return with_strategy(strategy, named.scene, named.h, named.duration, 1e-10);
    };
    EXPECT_LT(farthest_apart(named.scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-8);
  }
}

// The same attempts of the same islands are rejected (farthest_apart compares the counts), and fewer than of all
// bodies.
TEST(SpatialBatchedLong, HalvesIslandsAsPerScene) {
  const SceneSpec scene = scenes::two_heaps();
  const auto options = [&](Strategy strategy) { return with_strategy(strategy, scene, 0.016, 0.25, 1e-10); };
  EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-7);
  Simulation simulation(compile_model(scene), options(Strategy::batched), scene_parameters(scene));
  simulation.run();
  const double rejected = simulation.outcome().substeps_rejected;
  EXPECT_GT(simulation.rejected_share(), 0.0);
  EXPECT_LT(simulation.rejected_share(), 0.6 * rejected / (simulation.outcome().steps + rejected));
}

TEST(SpatialBatched, TakesTheOtherContactModels) {
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective}) {
    const SceneSpec scene = test::cube_and_a_late_ball(-0.3);
    const auto options = [&](Strategy strategy) { return with_strategy(strategy, scene, 0.01, 0.5, 1e-10, contact); };
    EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-8);
  }
}

// With steps so large that passes are many: overlap and energy are judged as on the per-scene strategy. (The needle
// below has rejected steps.)
TEST(SpatialBatched, PoursPolyhedraAsPerScene) {
  for (const double h : {0.004, 0.016}) {
    for (const double friction : {0.0, 0.3}) {
      SCOPED_TRACE(testing::Message() << "h " << h << ", mu " << friction);
      const SceneSpec scene = scenes::polyhedron_box(2, friction, 4);
      const auto options = [&](Strategy strategy) { return with_strategy(strategy, scene, h, 1.5, 1e-9); };
      EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-6);
    }
  }
}

// A needle that could go through a thin plate within a step: poses on the way are looked at, and the step is halved
// further.
TEST(SpatialBatched, StopsAFastNeedleAsPerScene) {
  SceneSpec scene = scenes::scene_3d("shot");
  scene.gravity_z = 0.0;
  scene.bodies.push_back(scenes::fixed_cuboid("plate", {20.0, 20.0, 0.01}, {}, 0.3));
  BodySpec rod = scenes::solid_body("rod", scenes::cuboid(0.25, 0.01, 0.01), 1000.0);
  rod.friction = 0.3;
  rod.spatial().pose = {{0.0, 0.0, 0.5}, {std::cos(0.6), 0.3 * std::sin(0.6), std::sqrt(0.91) * std::sin(0.6), 0.0}};
  rod.spatial().velocity.velocity = {3.0, 1.0, -100.0};
  scene.bodies.push_back(rod);
  const auto options = [&](Strategy strategy) { return with_strategy(strategy, scene, 0.016, 0.08, 1e-9); };
  EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-8);
  Simulation again(compile_model(scene), options(Strategy::batched), scene_parameters(scene));
  again.run();
  EXPECT_GT(again.outcome().substeps_rejected, 0);
  EXPECT_GT(again.spatial_pose(1).position.z, 0.0);
}

// Faces of jaws and block lie flat on each other, so that states may part; what becomes of the trial may not.
TEST(SpatialBatched, LiftsAsPerScene) {
  const SceneSpec scene = scenes::space_lift(0.5);
  const auto model = compile_model(scene);
  double height[2];
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    Simulation simulation(model, with_strategy(strategy, scene, 0.005, scenes::space_lift_duration),
                          scene_parameters(scene));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    height[strategy == Strategy::batched] = simulation.spatial_pose(1).position.z;
  }
  EXPECT_GT(height[0], 0.3);
  EXPECT_NEAR(height[0], height[1], 1e-4);
}

// Islands are solved each on its own: what happens elsewhere in a scene changes nothing, to the last bit.
TEST(SpatialBatched, WhatIsFarAwayDoesNotShow) {
  SceneSpec alone = scenes::stack_3d(3, 0.3);
  SceneSpec both = alone;
  BodySpec slider = scenes::solid_body("slider", scenes::cuboid(0.2, 0.3, 0.1), 50.0);
  slider.spatial().pose.position = {-4.0, 2.0, 0.1};
  slider.spatial().velocity.velocity = {2.0, 0.5, 0.0};
  slider.friction = 0.2;
  both.bodies.push_back(slider);
  BodySpec rod = test::hanging_rod(0.7, JointKind::revolute).bodies[0];
  rod.spatial().pose.position.x += 20.0;
  rod.spatial().pose.position.z += 5.0;
  both.bodies.push_back(rod);
  both.joints.push_back(make_joint(both, "hinge", JointKind::revolute, -1, static_cast<int>(both.bodies.size()) - 1,
                                   {20.0, 0.0, 5.0}, {0.0, 1.0, 0.0}));
  const auto run = [&](const SceneSpec& scene, ContactModel contact) {
    Simulation simulation(compile_model(scene), with_strategy(Strategy::batched, scene, 0.01, 0.3, 0.0, contact),
                          scene_parameters(scene));
    std::vector<double> seen;
    while (simulation.step()) {
      for (int body = 1; body <= 3; ++body) {
        const SpatialPose at = simulation.spatial_pose(body);
        seen.insert(seen.end(),
                    {at.position.x, at.position.y, at.position.z, at.turn.w, at.turn.x, at.turn.y, at.turn.z});
      }
    }
    return seen;
  };
  for (const ContactModel contact : {ContactModel::peg, ContactModel::standard}) {
    const std::vector<double> a = run(alone, contact), b = run(both, contact);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0) << name_of(contact);
  }
}

struct Results {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
};

Results run_together(const Model& model, const StepOptions& options, const std::vector<double>& parameters,
                     int threads) {
  const std::size_t count = parameters.size() / static_cast<std::size_t>(model.layout().size());
  const auto poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
  Results results{std::vector<SceneOutcome>(count), std::vector<double>(count * poses)};
  const auto scenes = make_spatial_batched(model.view(), options, threads);
  scenes->begin(parameters.data(), static_cast<int>(count));
  while (scenes->round()) {
  }
  scenes->results(results.outcomes.data(), results.poses.data());
  return results;
}

// Scenes whose islands are halved and merge, each at its own place of its step: as alone, to the bit, and from a batch
// that was used before.
TEST(SpatialBatchedLong, IslandsOfABatchDoNotShowInEachOther) {
  for (const SceneSpec& scene : {scenes::two_heaps(), scenes::row_of_cubes()}) {
    const auto model = compile_model(scene);
    const StepOptions options = with_strategy(Strategy::batched, scene, 0.016, 0.128);
    const std::vector<double> base = scene_parameters(scene);
    constexpr int count = 4;
    const int body = static_cast<int>(scene.bodies.size()) - 1;
    std::vector<double> parameters;
    for (int i = 0; i < count; ++i) {
      parameters.insert(parameters.end(), base.begin(), base.end());
      parameters[base.size() * static_cast<std::size_t>(i) +
                 static_cast<std::size_t>(model->layout().velocity(body))] += 0.3 * i;
    }
    const auto scenes = make_spatial_batched(model->view(), options, 2);
    const auto poses = static_cast<std::size_t>(model->layout().pose_size() * model->layout().body_count);
    std::vector<double> first;
    for (int time = 0; time < 2; ++time) {
      std::vector<SceneOutcome> outcomes(count);
      std::vector<double> together(count * poses);
      scenes->begin(parameters.data(), count);
      while (scenes->round()) {
      }
      scenes->results(outcomes.data(), together.data());
      if (first.empty()) first = together;
      EXPECT_EQ(std::memcmp(first.data(), together.data(), first.size() * sizeof(double)), 0);
      EXPECT_GT(outcomes[0].contacts_max, 0);
      EXPECT_TRUE(scene.name == scenes::row_of_cubes().name || outcomes[0].substeps_rejected > 0);
    }
    for (int i = 0; i < count; ++i) {
      const auto begin = parameters.begin() + static_cast<long>(base.size()) * i;
      const Results alone =
          run_together(*model, options, std::vector<double>(begin, begin + static_cast<long>(base.size())), 1);
      EXPECT_EQ(
          std::memcmp(first.data() + poses * static_cast<std::size_t>(i), alone.poses.data(), poses * sizeof(double)),
          0)
          << scene.name << " " << i;
    }
  }
}

// The same bytes whatever shares the batch or the loops, in a scene with a little of everything.
TEST(SpatialBatched, BatchesAndThreadsDoNotShow) {
  const SceneSpec scene = scenes::mixed_3d(4);
  const StepOptions options = with_strategy(Strategy::batched, scene, 0.008, 0.2);
  const auto model = compile_model(scene);
  constexpr int count = 5;
  std::vector<double> parameters;
  Results alone;
  for (int i = 0; i < count; ++i) {
    std::vector<double> one = scene_parameters(scene);
    one[static_cast<std::size_t>(model->layout().velocity(2))] += 0.1 * i;
    parameters.insert(parameters.end(), one.begin(), one.end());
    const Results result = run_together(*model, options, one, 1);
    EXPECT_EQ(result.outcomes[0].status, status_ok);
    EXPECT_GT(result.outcomes[0].contacts_max, 0);
    alone.outcomes.push_back(result.outcomes[0]);
    alone.poses.insert(alone.poses.end(), result.poses.begin(), result.poses.end());
  }
  const auto same = [&](const Results& results) {
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(results.outcomes[i].iterations, alone.outcomes[i].iterations);
      EXPECT_EQ(results.outcomes[i].residual_max, alone.outcomes[i].residual_max);
      EXPECT_EQ(results.outcomes[i].contacts_sum, alone.outcomes[i].contacts_sum);
    }
    ASSERT_EQ(results.poses.size(), alone.poses.size());
    EXPECT_EQ(std::memcmp(results.poses.data(), alone.poses.data(), alone.poses.size() * sizeof(double)), 0);
  };
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    same(run_together(*model, options, parameters, threads));
    Results by_backend{std::vector<SceneOutcome>(count), std::vector<double>(alone.poses.size())};
    ASSERT_TRUE(make_backend(BackendKind::cpu, Arithmetic::strict, threads)
                    ->run(*model, options, parameters, by_backend.outcomes, by_backend.poses, nullptr));
    same(by_backend);
  }
}

// Loops long enough to be shared: the threads do not show there either.
TEST(SpatialBatched, ThreadsDoNotShowInALargeScene) {
  const SceneSpec scene = scenes::polyhedron_pour(2, 0.3, 300, 10);
  const auto model = compile_model(scene);
  const StepOptions options = with_strategy(Strategy::batched, scene, 0.008, 0.24);
  Results expected;
  for (const int threads : {1, 2, 5}) {
    const Results results = run_together(*model, options, scene_parameters(scene), threads);
    EXPECT_GT(results.outcomes[0].contacts_max, 50);
    EXPECT_EQ(results.outcomes[0].status, status_ok);
    if (expected.poses.empty()) expected = results;
    EXPECT_EQ(std::memcmp(results.poses.data(), expected.poses.data(), expected.poses.size() * sizeof(double)), 0);
  }
}

// The pour of the benchmark: nothing overlaps at the start, nor, to what is accepted, when the first layers have met.
TEST(SpatialBatched, APourDoesNotOverlap) {
  const SceneSpec scene = scenes::polyhedron_pour(0, 0.3, 150, 5);
  Simulation simulation(compile_model(scene), with_strategy(Strategy::batched, scene, 0.004, 0.26),
                        scene_parameters(scene));
  const SpatialOverlap overlap(scene);
  std::vector<SpatialPose> poses(scene.bodies.size());
  const std::vector<bool> present(scene.bodies.size(), true);
  const auto share = [&] {
    for (std::size_t b = 0; b < poses.size(); ++b) poses[b] = simulation.spatial_pose(static_cast<int>(b));
    return overlap.total(poses, present) / overlap.dynamic_volume();
  };
  EXPECT_EQ(share(), 0.0);
  double most = 0.0;
  while (simulation.step()) most = std::max(most, share());
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_GT(simulation.contact_count(), 30);
  EXPECT_LT(most, 1e-8);
}

// Boxes side by side and one upon another on a floor, 20 mm apart.
SceneSpec wall_of_boxes(int columns, int rows, double friction) {
  SceneSpec scene = scenes::scene_3d("wall");
  scene.bodies.push_back(scenes::fixed_cuboid("floor", {200.0, 5.0, 0.5}, {0.0, 0.0, -0.5}, friction));
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      BodySpec box = scenes::solid_body("b", scenes::cuboid(0.1, 0.1, 0.05), 100.0);
      box.friction = friction;
      box.spatial().pose.position = {0.22 * (i - columns / 2), 0.0, 0.0501 + 0.1002 * j};
      scene.bodies.push_back(box);
    }
  }
  return scene;
}

// More bodies than pairs are listed for: friction of the bodies, of named pairs and of pairs that never touch.
TEST(SpatialBatched, ScenesTooLargeForAListOfPairs) {
  SceneSpec scene = wall_of_boxes(750, 2, 0.5);
  scene.bodies[2].spatial().velocity.velocity.x = scene.bodies[4].spatial().velocity.velocity.x =
      0.2;                                          // on top of columns 0, 1
  scene.friction.push_back({4, 3, 0.0, 0.0, 0.0});  // no friction between column 1's two
  scene.bodies.push_back(scene.bodies[1]);          // in the place of body 1, which it never touches
  const int ghost = static_cast<int>(scene.bodies.size()) - 1;
  scene.ignored_pairs.push_back({ghost, 1});
  scene.ignored_pairs.push_back({2, ghost});
  ASSERT_FALSE(lists_pairs(scene));
  const StepOptions options = derive_options(test::steps_of(0.005, 0.02), scene);
  EXPECT_EQ(options.strategy, Strategy::batched);
  EXPECT_EQ(options.solver, SolverKind::aj);
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.02));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().steps, 4);
  EXPECT_LT(simulation.spatial_velocity(2).velocity.x, 0.2 - 0.4 * 0.02 * 0.5 * scenes::standard_gravity);  // braked
  EXPECT_NEAR(simulation.spatial_velocity(4).velocity.x, 0.2, 1e-6);
  for (int body = 1; body < static_cast<int>(scene.bodies.size()); ++body) {
    const double rest = scene.bodies[static_cast<std::size_t>(body)].spatial().pose.position.z > 0.1 ? 0.15 : 0.05;
    ASSERT_NEAR(simulation.spatial_pose(body).position.z, rest, 4e-4) << body;
  }
  scene.friction[0].torsion = 0.01;  // arms are of listed pairs
  EXPECT_THROW(derive_options(test::steps_of(0.005, 0.02), scene), std::invalid_argument);
}

TEST(SpatialBatched, IsChosenBySizeAndRefusesWhatItCannot) {
  const SceneSpec small = test::cube_and_a_late_ball(0.1);
  EXPECT_EQ(derive_options(test::steps_of(0.01, 1.0), small).strategy, Strategy::per_scene);
  const SceneSpec large = wall_of_boxes(600, 2, 0.5);
  ASSERT_TRUE(lists_pairs(large));
  EXPECT_EQ(derive_options(test::steps_of(0.01, 1.0), large).strategy, Strategy::batched);
  StepOptions options = test::steps_of(0.01, 1.0);
  options.solver = SolverKind::pgs;
  EXPECT_EQ(derive_options(options, large).strategy,
            Strategy::per_scene);  // asked for a solver that only this strategy has
  options.strategy = Strategy::batched;
  EXPECT_THROW(derive_options(options, small), std::invalid_argument);
  options = test::steps_of(0.01, 1.0, ContactModel::peg_features);
  options.strategy = Strategy::batched;
  EXPECT_THROW(derive_options(options, large), std::invalid_argument);
  options = test::steps_of(0.01, 1.0);
  options.strategy = Strategy::per_scene;
  EXPECT_THROW(derive_options(options, wall_of_boxes(750, 2, 0.5)), std::invalid_argument);
}

TEST(SpatialBatched, WhatIsNotFiniteEndsAScene) {
  const SceneSpec scene = test::cube_and_a_late_ball(0.1);
  const auto model = compile_model(scene);
  const auto outcome = [&](Strategy strategy, double speed) {
    std::vector<double> parameters = scene_parameters(scene);
    parameters[static_cast<std::size_t>(parameter_layout(scene).velocity(1))] = speed;
    Simulation simulation(model, with_strategy(strategy, scene, 0.01, 2.0), parameters);
    simulation.run();
    return simulation.outcome();
  };
  EXPECT_EQ(outcome(Strategy::batched, std::numeric_limits<double>::quiet_NaN()).status, status_non_finite);
  EXPECT_EQ(outcome(Strategy::batched, std::numeric_limits<double>::quiet_NaN()).steps, 0);
  constexpr double fastest = 1.7e308;  // the pose overflows
  // On the per-scene strategy AJ's momentum overflows with the first solve, here islands have their own.
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched})
    EXPECT_TRUE(outcome(strategy, fastest).status & status_non_finite);
}

// Judging and the stop rule are on this strategy too.
TEST(SpatialBatched, StopsWhenAllIsStill) {
  SceneSpec scene = test::cube_and_a_late_ball(-0.3);
  scene.bodies.pop_back();
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    StepOptions options = with_strategy(strategy, scene, 0.01, 5.0);
    options.still_time = 0.1;
    Simulation simulation(compile_model(scene), options, scene_parameters(scene));
    simulation.run();
    EXPECT_EQ(simulation.outcome().stopped_still, 1);
    EXPECT_NEAR(simulation.time(), 1.5133 / (0.3 * scenes::standard_gravity) + 0.1, 0.02);
  }
}

}  // namespace
}  // namespace pegrasp
