// SPDX-License-Identifier: Apache-2.0
// The batched strategy: the steps of the per-scene one, from other loops. Products of sparse matrices add in another
// order, so that states agree to a tolerance here, not bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/launch/batched_scenes.hpp"
#include "pegrasp/problem.hpp"
#include "src/model/model.hpp"
#include "tests/engine/small_scenes.hpp"
#include "tests/places.hpp"
#include "tests/runs.hpp"
#include "tests/scenes/basic.hpp"
#include "tests/scenes/polygon_box.hpp"
#include "tests/scenes/union_pile.hpp"

namespace pegrasp {
namespace {

StepOptions with_strategy(Strategy strategy, const SceneSpec& scene, double h, double duration,
                          ContactModel contact = ContactModel::peg, double tolerance = 0.0) {
  StepOptions options = test::steps_of(h, duration, contact);
  options.solver = SolverKind::aj;
  options.strategy = strategy;
  options.max_iterations = 100'000;
  options.tolerance = tolerance;
  return derive_options(options, scene);
}

// Largest difference of a coordinate or angle [m, rad] between the two strategies over the whole run.
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
      const Pose p = a.pose(body);
      const Pose q = b.pose(body);
      most = std::max({most, std::fabs(p.x - q.x), std::fabs(p.y - q.y), std::fabs(p.theta - q.theta)});
    }
    for (int joint = 0; joint < static_cast<int>(scene.joints.size()); ++joint) {
      most = std::max({most, std::fabs(a.joint_turn(joint) - b.joint_turn(joint)),
                       std::fabs(a.joint_slide(joint) - b.joint_slide(joint))});
    }
  }
  EXPECT_EQ(a.outcome().steps, b.outcome().steps);
  EXPECT_EQ(a.outcome().status, b.outcome().status);
  EXPECT_EQ(a.outcome().stopped_still, b.outcome().stopped_still);
  EXPECT_EQ(a.outcome().contacts_sum, b.outcome().contacts_sum);
  EXPECT_EQ(a.outcome().substeps_rejected, b.outcome().substeps_rejected);
  EXPECT_NEAR(a.outcome().penetration_max, b.outcome().penetration_max, 1e-9);
  // Islands that end each on their own need no more iterations, but for where a residual is the tolerance to the last
  // digits, and where bodies land: the batched strategy solves before it halves the step.
  EXPECT_LE(static_cast<double>(b.outcome().iterations), 3.0 + 1.15 * static_cast<double>(a.outcome().iterations));
  EXPECT_NEAR(a.energy().explained, b.energy().explained, 1e-6 * (1.0 + std::fabs(a.energy().explained)));
  return most;
}

TEST(Batched, StepsSmallScenesAsPerScene) {
  for (const test::TimedScene& named : test::small_planar_scenes()) {
    SCOPED_TRACE(named.name);
    const auto options = [&](Strategy strategy) {
      return with_strategy(strategy, named.scene, named.h, named.duration, ContactModel::peg, 1e-10);
    };
    EXPECT_LT(farthest_apart(named.scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-8);
  }
}

TEST(Batched, TakesTheOtherContactModels) {
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective}) {
    const SceneSpec scene = scenes::block_on_plane(0.3, 1.5);
    const auto options = [&](Strategy strategy) { return with_strategy(strategy, scene, 0.01, 0.5, contact, 1e-10); };
    EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-8);
  }
}

TEST(Batched, PoursPolygonsAsPerScene) {
  for (const double friction : {0.0, 0.3}) {
    SCOPED_TRACE(friction);
    const SceneSpec scene = scenes::polygon_box(3, friction, 8);
    const auto options = [&](Strategy strategy) {
      return with_strategy(strategy, scene, 0.004, 1.3, ContactModel::peg, 1e-9);
    };
    EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-6);
  }
}

TEST(Batched, StepsUnionsAsPerScene) {
  const SceneSpec scene = scenes::union_pile(1, 0.3, 4);
  const auto options = [&](Strategy strategy) {
    return with_strategy(strategy, scene, 0.004, 1.2, ContactModel::peg, 1e-9);
  };
  EXPECT_LT(farthest_apart(scene, options(Strategy::per_scene), options(Strategy::batched)), 1e-6);
}

// The same bytes whatever shares the batch or the loops.
TEST(Batched, BatchesAndThreadsDoNotShow) {
  const SceneSpec scene = scenes::polygon_box(5, 0.3, 6);
  const StepOptions options = with_strategy(Strategy::batched, scene, 0.008, 1.6);
  const auto model = compile_model(scene);
  const std::vector<double> base = scene_parameters(scene);
  constexpr int count = 7;
  std::vector<double> parameters;
  for (int i = 0; i < count; ++i) {
    parameters.insert(parameters.end(), base.begin(), base.end());
    parameters[base.size() * static_cast<std::size_t>(i) + static_cast<std::size_t>(model->layout().pose(4))] +=
        1e-3 * i;
  }
  const std::size_t poses = 3 * scene.bodies.size();
  std::vector<SceneOutcome> expected(count);
  std::vector<double> expected_poses(count * poses);
  for (int i = 0; i < count; ++i) {
    const auto alone = make_strict_batched(model->view(), options, 1);
    const auto k = static_cast<std::size_t>(i);
    alone->begin(parameters.data() + k * base.size(), 1);
    while (alone->round()) {
    }
    alone->results(&expected[k], expected_poses.data() + k * poses);
    EXPECT_EQ(expected[k].status, status_ok);
  }
  const auto same = [&](const std::vector<SceneOutcome>& outcomes, const std::vector<double>& final_poses) {
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(outcomes[i].iterations, expected[i].iterations);
      EXPECT_EQ(outcomes[i].residual_max, expected[i].residual_max);
      EXPECT_EQ(outcomes[i].contacts_sum, expected[i].contacts_sum);
    }
    EXPECT_TRUE(final_poses == expected_poses);
  };
  for (const int threads : {1, 2, 3}) {
    SCOPED_TRACE(threads);
    std::vector<SceneOutcome> outcomes(count);
    std::vector<double> final_poses(count * poses);
    const auto together = make_strict_batched(model->view(), options, threads);
    together->begin(parameters.data(), count);
    while (together->round()) {
    }
    together->results(outcomes.data(), final_poses.data());
    same(outcomes, final_poses);
    std::vector<SceneOutcome> again(count);
    std::vector<double> again_poses(count * poses);
    ASSERT_TRUE(make_backend(BackendKind::cpu, Arithmetic::strict, threads)
                    ->run(*model, options, parameters, again, again_poses, nullptr));
    same(again, again_poses);
  }
}

// Loops long enough to be shared: the threads do not show there either.
TEST(Batched, ThreadsDoNotShowInALargeScene) {
  const SceneSpec scene = scenes::polygon_pour(2, 0.25, 300, 100);
  const auto model = compile_model(scene);
  const StepOptions options = with_strategy(Strategy::batched, scene, 0.008, 0.28);
  const std::vector<double> parameters = scene_parameters(scene);
  std::vector<double> expected;
  for (const int threads : {1, 2, 5}) {
    const auto scenes = make_strict_batched(model->view(), options, threads);
    scenes->begin(parameters.data(), 1);
    while (scenes->round()) {
    }
    SceneOutcome outcome;
    std::vector<double> poses(3 * scene.bodies.size());
    scenes->results(&outcome, poses.data());
    EXPECT_GT(outcome.contacts_max, 20);
    EXPECT_EQ(outcome.status, status_ok);
    if (expected.empty()) expected = poses;
    EXPECT_TRUE(poses == expected) << threads;
  }
}

// Scenes of 200 polygons in a batch, each with friction of its own, are as each alone.
TEST(Batched, BatchesOfScenesOf200AreAsEachAlone) {
  const SceneSpec scene = scenes::polygon_pour(0, 0.25, 200, 20);
  const auto model = compile_model(scene);
  const StepOptions options = with_strategy(Strategy::batched, scene, 0.008, 0.4);
  const ParameterLayout layout = model->layout();
  const std::vector<double> base = scene_parameters(scene);
  constexpr int count = 4;
  std::vector<double> parameters;
  for (int i = 0; i < count; ++i) {
    parameters.insert(parameters.end(), base.begin(), base.end());
    for (int slot = 0; slot < layout.friction_count; ++slot) {
      parameters[base.size() * static_cast<std::size_t>(i) + static_cast<std::size_t>(layout.friction(slot))] = 0.1 * i;
    }
  }
  const std::size_t poses = 3 * scene.bodies.size();
  const auto run = [&](const double* values, int scenes, std::vector<SceneOutcome>& outcomes,
                       std::vector<double>& final_poses) {
    outcomes.resize(static_cast<std::size_t>(scenes));
    final_poses.resize(static_cast<std::size_t>(scenes) * poses);
    const auto batch = make_strict_batched(model->view(), options, 2);
    batch->begin(values, scenes);
    while (batch->round()) {
    }
    batch->results(outcomes.data(), final_poses.data());
  };
  std::vector<SceneOutcome> together, alone;
  std::vector<double> together_poses, alone_poses;
  run(parameters.data(), count, together, together_poses);
  for (int i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    run(parameters.data() + k * base.size(), 1, alone, alone_poses);
    EXPECT_EQ(alone[0].status, status_ok);
    EXPECT_GT(alone[0].contacts_max, 20);
    EXPECT_EQ(std::memcmp(&alone[0], &together[k], sizeof alone[0]), 0) << i;
    EXPECT_EQ(std::memcmp(alone_poses.data(), together_poses.data() + k * poses, poses * sizeof(double)), 0) << i;
    EXPECT_TRUE(i == 0 || std::memcmp(alone_poses.data(), together_poses.data(), poses * sizeof(double)) != 0);
  }
}

// What was left in the memory of a larger batch is not found again.
TEST(Batched, ABatchAfterALargerOne) {
  const SceneSpec scene = scenes::polygon_box(5, 0.3, 6);
  const auto model = compile_model(scene);
  const StepOptions options = with_strategy(Strategy::batched, scene, 0.008, 1.2);
  const std::vector<double> one = scene_parameters(scene);
  std::vector<double> three;
  for (int k = 0; k < 3; ++k) three.insert(three.end(), one.begin(), one.end());
  const auto scenes = make_strict_batched(model->view(), options, 1);
  std::vector<SceneOutcome> outcomes(3);
  std::vector<double> first(9 * scene.bodies.size()), again(3 * scene.bodies.size());
  for (const int count : {3, 1}) {
    scenes->begin((count == 3 ? three : one).data(), count);
    while (scenes->round()) {
    }
    scenes->results(outcomes.data(), (count == 3 ? first : again).data());
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_TRUE(std::equal(again.begin(), again.end(), first.begin() + static_cast<std::ptrdiff_t>(k * again.size())));
  }
}

// Boxes side by side and one upon another on the ground, `columns` by `rows`, 20 mm apart.
SceneSpec wall_of_boxes(int columns, int rows, double friction) {
  SceneSpec scene;
  scene.name = "wall";
  scene.gravity = {0.0, -scenes::standard_gravity};
  scene.bodies.push_back(scenes::ground_body(friction));
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j < rows; ++j) {
      BodySpec box = scenes::box_body("b" + std::to_string(i) + "_" + std::to_string(j), 0.2, 0.1, 1.0);
      box.friction = friction;
      box.planar().pose = {0.22 * i, 0.0501 + 0.1002 * j, 0.0};
      scene.bodies.push_back(box);
    }
  }
  return scene;
}

// More bodies than pairs are listed for: friction of the bodies, of named pairs and of pairs that never touch.
TEST(Batched, ScenesTooLargeForAListOfPairs) {
  SceneSpec scene = wall_of_boxes(750, 2, 0.5);
  scene.bodies[2].planar().velocity.vx = scene.bodies[4].planar().velocity.vx = 0.2;  // on top of columns 0 and 1
  scene.friction.push_back({4, 3, 0.0});    // no friction between column 1's two
  scene.bodies.push_back(scene.bodies[1]);  // in the place of body 1, which it never touches
  scene.bodies.back().name = "ghost";
  scene.ignored_pairs.push_back({static_cast<int>(scene.bodies.size()) - 1, 1});
  scene.ignored_pairs.push_back({2, static_cast<int>(scene.bodies.size()) - 1});
  ASSERT_FALSE(lists_pairs(scene));
  EXPECT_EQ(parameter_layout(scene).friction_count, 0);
  EXPECT_THROW(friction_slot(scene, 1, 2), std::invalid_argument);
  EXPECT_EQ(friction_slot(scene, 1, static_cast<int>(scene.bodies.size()) - 1), -1);
  // Every array has the length that the device copies.
  EXPECT_EQ(compile_model(scene)->arrays().body_pair_first_part, std::vector<int>{0});
  for (const double bad : {-0.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SceneSpec wrong = scene;
    wrong.bodies[7].friction = bad;
    EXPECT_THROW(compile_model(wrong), std::invalid_argument) << bad;
    wrong = scene;
    wrong.friction[0].mu = bad;
    EXPECT_THROW(compile_model(wrong), std::invalid_argument) << bad;
  }
  scene.bodies[5].friction = 0.0;  // of column 2's two the lower: the geometric mean with 0.5 is 0
  scene.bodies[6].planar().velocity.vx = 0.2;
  const StepOptions options = derive_options(test::steps_of(0.005, 0.02), scene);
  EXPECT_EQ(options.strategy, Strategy::batched);
  EXPECT_EQ(options.solver, SolverKind::aj);
  Simulation simulation = test::simulate(scene, test::steps_of(0.005, 0.02));
  simulation.run();
  EXPECT_EQ(simulation.outcome().status, status_ok);
  EXPECT_EQ(simulation.outcome().steps, 4);
  EXPECT_LT(simulation.velocity(2).vx, 0.2 - 0.4 * 0.02 * 0.5 * scenes::standard_gravity);  // braked
  EXPECT_NEAR(simulation.velocity(4).vx, 0.2, 1e-6);
  EXPECT_NEAR(simulation.velocity(6).vx, 0.2, 1e-6);
  for (int body = 1; body < static_cast<int>(scene.bodies.size()); ++body) {
    const double rest = scene.bodies[static_cast<std::size_t>(body)].planar().pose.y > 0.1 ? 0.15 : 0.05;
    ASSERT_NEAR(simulation.pose(body).y, rest, 4e-4) << body;
  }
}

TEST(Batched, IsChosenBySizeAndRefusesWhatItCannot) {
  const SceneSpec small = scenes::block_on_plane(0.3, 1.0);
  EXPECT_EQ(derive_options(test::steps_of(0.01, 1.0), small).strategy, Strategy::per_scene);
  EXPECT_EQ(derive_options(test::steps_of(0.01, 1.0), small).solver, SolverKind::newton);
  const SceneSpec large = wall_of_boxes(600, 2, 0.5);
  EXPECT_TRUE(lists_pairs(large));
  EXPECT_EQ(derive_options(test::steps_of(0.01, 1.0), large).strategy, Strategy::batched);
  StepOptions options = test::steps_of(0.01, 1.0);
  options.solver = SolverKind::pgs;
  EXPECT_EQ(derive_options(options, large).strategy,
            Strategy::per_scene);  // asked for a solver that only this strategy has
  options.strategy = Strategy::batched;
  EXPECT_THROW(derive_options(options, small), std::invalid_argument);
  options = test::steps_of(0.01, 1.0, ContactModel::peg_features);
  options.strategy = Strategy::batched;
  EXPECT_THROW(derive_options(options, small), std::invalid_argument);
  const SceneSpec huge = wall_of_boxes(750, 2, 0.5);
  options = test::steps_of(0.01, 1.0);
  options.strategy = Strategy::per_scene;
  EXPECT_THROW(derive_options(options, huge), std::invalid_argument);
  // Options that were never derived do not slip through to a strategy without pairs.
  EXPECT_THROW(Simulation(compile_model(huge), test::steps_of(0.01, 1.0), scene_parameters(huge)),
               std::invalid_argument);
}

TEST(Batched, WhatIsNotFiniteEndsAScene) {
  const SceneSpec scene = scenes::block_on_plane(0.3, 1.0);
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
  constexpr double fastest = 1.7e308;  // the pose overflows after a second
  EXPECT_TRUE(outcome(Strategy::batched, fastest).status & status_non_finite);
  EXPECT_EQ(outcome(Strategy::batched, fastest).status, outcome(Strategy::per_scene, fastest).status);
  EXPECT_EQ(outcome(Strategy::batched, fastest).steps, outcome(Strategy::per_scene, fastest).steps);
}

// Judging, prescribed motion and the stop rule are on this strategy too: trials of the gear map end the same way.
TEST(Batched, GearTrialsEndAsOnThePerScene) {
  const Problem problem = load_problem(test::source_file("examples/gear/gear.toml"));
  const auto model = compile_model(problem.scene);
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> values(sampled_columns(problem).size());
  std::vector<double> parameters;
  std::vector<double> row(base.size());
  constexpr int count = 40;
  for (int i = 0; i < count; ++i) {
    draw_sample(problem, base, i * problem.grid.cells() / count, 0, row, values);
    parameters.insert(parameters.end(), row.begin(), row.end());
  }
  const auto run = [&](Strategy strategy) {
    StepOptions options = problem.options;
    options.solver = SolverKind::aj;
    options.strategy = strategy;
    options = derive_options(options, problem.scene);
    std::vector<SceneOutcome> outcomes(count);
    std::vector<double> poses(3 * problem.scene.bodies.size() * count);
    EXPECT_TRUE(make_backend(BackendKind::cpu, Arithmetic::strict, 1)
                    ->run(*model, options, parameters, outcomes, poses, nullptr));
    return outcomes;
  };
  const std::vector<SceneOutcome> per_scene = run(Strategy::per_scene);
  const std::vector<SceneOutcome> batched = run(Strategy::batched);
  int successes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(per_scene[i].success, batched[i].success);
    EXPECT_EQ(per_scene[i].stopped_still, batched[i].stopped_still);
    EXPECT_EQ(per_scene[i].status, batched[i].status);
    EXPECT_NEAR(per_scene[i].steps, batched[i].steps, 1);
    successes += per_scene[i].success;
  }
  EXPECT_GT(successes, 0);
  EXPECT_LT(successes, count);
}

}  // namespace
}  // namespace pegrasp
