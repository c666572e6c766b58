// SPDX-License-Identifier: Apache-2.0
// Scenes with exact ellipsoids and superellipsoids on both strategies, any number of threads, in both arithmetics; and
// where they are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"
#include "src/geometry/placement.hpp"
#include "src/report/drawing.hpp"
#include "tests/files.hpp"
#include "tests/scenes/random.hpp"
#include "tests/scenes/smooth_solids.hpp"
#include "tests/spatial/lift_trials.hpp"
#include "tests/spatial/simulate.hpp"

namespace pegrasp {
namespace {

// Three of them fall on a box and each other.
SceneSpec heap(int order, int bodies = 3) {
  scenes::Random random(static_cast<std::uint64_t>(order));
  SceneSpec scene = scenes::sloping(0.0, 0.4);
  scene.bodies.push_back(scenes::fixed_cuboid("box", {0.02, 0.02, 0.01}, {0.0, 0.0, 0.01}, 0.4));
  for (int k = 0; k < bodies; ++k) {
    const Vec3 half{random.uniform(0.01, 0.03), random.uniform(0.01, 0.03), random.uniform(0.01, 0.03)};
    const Vec3 at{random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02), 0.06 + 0.07 * k};
    scene.bodies.push_back(scenes::ellipsoid("body" + std::to_string(k), half, at, 0.4, order));
    scene.bodies.back().spatial().pose.turn = turn_by({random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), 0.5});
  }
  return scene;
}

StepOptions options_of(Strategy strategy, double duration) {
  StepOptions options;
  options.h = 0.005;
  options.duration = duration;
  options.strategy = strategy;
  return options;
}

TEST(SmoothSolidScenes, BothStrategiesEndAlike) {
  const SceneSpec scene = heap(2);
  SpatialPose ends[2][3];
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    StepOptions options = options_of(strategy, 0.15);
    options.solver = SolverKind::aj;
    options.max_iterations = 100'000;
    options.tolerance = 1e-10;
    Simulation simulation(compile_model(scene), derive_options(options, scene), scene_parameters(scene));
    simulation.run();
    EXPECT_EQ(simulation.outcome().status, status_ok);
    for (int k = 0; k < 3; ++k) ends[strategy == Strategy::batched ? 1 : 0][k] = simulation.spatial_pose(2 + k);
  }
  for (int k = 0; k < 3; ++k) EXPECT_LT(length(ends[0][k].position - ends[1][k].position), 1e-7) << k;
}

TEST(SmoothSolidScenesLong, AHeapIsSolvedOnTheBatchedStrategy) {
  const SceneSpec scene = heap(2, 20);
  Simulation simulation(compile_model(scene), derive_options(options_of(Strategy::batched, 1.5), scene),
                        scene_parameters(scene));
  double depth = 0.0;
  while (simulation.step()) depth = std::max(depth, simulation.last_penetration());
  EXPECT_EQ(simulation.outcome().unresolved_steps, 0);
  EXPECT_LT(depth, 1e-5);
}

TEST(SmoothSolidScenes, BytesDoNotDependOnThreads) {
  for (const int order : {2, 4}) {
    const SceneSpec scene = heap(order, 2);
    std::vector<double> parameters;
    for (int k = 0; k < 4; ++k) {
      std::vector<double> row = scene_parameters(scene);
      row[static_cast<std::size_t>(parameter_layout(scene).friction(0))] = 0.1 * (k + 1);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
    for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
      for (const Arithmetic arithmetic : {Arithmetic::strict, Arithmetic::fast}) {
        const StepOptions options = options_of(strategy, 0.1);
        const auto one = test::run_batch(scene, options, arithmetic, 1, parameters);
        const auto two = test::run_batch(scene, options, arithmetic, 2, parameters);
        EXPECT_EQ(one.poses, two.poses);
        for (const SceneOutcome& outcome : one.outcomes) EXPECT_EQ(outcome.steps, 20);
      }
    }
  }
}

TEST(SmoothSolidScenes, AreRefusedInOneLine) {
  const SceneSpec scene = heap(2);
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  StepOptions options = options_of(Strategy::automatic, 0.1);
  for (const ContactModel contact : {ContactModel::standard, ContactModel::corrective, ContactModel::peg_features,
                                     ContactModel::penalty, ContactModel::ratio}) {
    options.contact = contact;
    const std::string words = refused([&] { derive_options(options, scene); });
    EXPECT_NE(words.find("contact model"), std::string::npos) << words;
    EXPECT_EQ(words.find('\n'), std::string::npos) << words;
  }
}

Problem parse(const std::string& part) {
  return parse_problem(R"(
dim = 3
[[body]]
name = "egg"
mass_kg = 1
[success]
displacement_below_mm = 10
of = "egg"
[[body.part]]
)" + part,
                       "problem.toml");
}

TEST(SmoothSolidKeys, AreReadFromProblems) {
  const Problem problem = parse(
      "shape = \"superellipsoid\"\nsemi_axes_mm = [10, 20, 30]\norder = 6\ncentre_mm = [0, 0, 5]\nturn_deg = 90\n"
      "turn_axis = [0, 0, 1]\n");
  const SolidPart& part = problem.scene.bodies[0].spatial().parts[0];
  EXPECT_EQ(part.kind, SolidKind::superellipsoid);
  EXPECT_EQ(part.order, 6);
  EXPECT_NEAR(part.shape.faces[0].normal.y, 1.0, 1e-15);
  EXPECT_EQ(part.shape.faces[2].offset, 0.03);
  EXPECT_EQ(part.shape.vertices[0].z, 0.005);
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.scene.bodies[0].spatial().parts[0].order, 6);
  EXPECT_EQ(parse("shape = \"superellipsoid\"\nsemi_axes_mm = [1, 2, 3]\n").scene.bodies[0].spatial().parts[0].order,
            4);
  EXPECT_EQ(parse("shape = \"ellipsoid\"\nsemi_axes_mm = [1, 2, 3]\n").scene.bodies[0].spatial().parts[0].order, 2);
  const auto says = [](const std::string& text, const char* words) {
    const std::string message = test::refusal([&] { parse(text); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  says("shape = \"ellipsoid\"\nsemi_axes_mm = [1, 2, 0]\n", "part[0].semi_axes_mm");
  says("shape = \"ellipsoid\"\nsemi_axes_mm = [1, 2, 3000]\n", "factor of 1000");
  says("shape = \"ellipsoid\"\nsemi_axes_mm = [1, 2, 3]\norder = 3\n", "order");
  says("shape = \"superellipsoid\"\nsemi_axes_mm = [1, 2, 3]\norder = 17\n", "must lie between 2 and 16");
}

TEST(SmoothSolidKeys, AreReadFromSceneFiles) {
  const auto scene = [](const std::string& part) {
    return parse_scene_json(
               R"({"format": "peg-scene-1", "dim": 3, "gravity": [0, 0, 0], "t_end": 1.0, "bodies": [{"mass": 1, )" +
                   part + "}]}",
               "scene.json")
        .scene;
  };
  const SolidPart egg =
      scene(R"("ellipsoid": {"semi_axes": [0.1, 0.2, 0.3], "centre": [0, 0, 0]})").bodies[0].spatial().parts[0];
  EXPECT_EQ(egg.order, 2);
  EXPECT_EQ(egg.shape.faces[1].offset, 0.2);
  EXPECT_EQ(scene(R"("superellipsoid": {"semi_axes": [0.1, 0.2, 0.3], "order": 5})").bodies[0].spatial().parts[0].order,
            5);
  const std::string message =
      test::refusal([&] { scene(R"("superellipsoid": {"semi_axes": [0.1, 0.2, 0.3], "order": 2.5})"); });
  EXPECT_NE(message.find("whole number from 2 to 16"), std::string::npos) << message;
}

// An egg that the jaw presses hard enough is held, and one that it does not falls.
TEST(SmoothSolidExamples, AnEggIsHeldByTwoJaws) {
  const auto successes = [&](const std::string& force) {
    std::string text = test::content(test::source_file("examples/ellipsoid/grip.toml"));
    const std::size_t at = text.find("force_n = 1"), axis = text.find("[[axis]]"), end = text.find("[simulation]");
    text.replace(at, 11, "force_n = " + force).erase(axis, end - axis);
    const Problem problem = parse_problem(text, "grip.toml");
    const std::vector<double> base = scene_parameters(problem.scene);
    std::vector<double> values(sampled_columns(problem).size()), row(base.size()), parameters;
    for (int sample = 0; sample < 4; ++sample) {
      draw_sample(problem, base, 0, sample, row, values);
      parameters.insert(parameters.end(), row.begin(), row.end());
    }
    int count = 0;
    for (const SceneOutcome& outcome :
         test::run_batch(problem.scene, problem.options, Arithmetic::strict, 2, parameters).outcomes) {
      EXPECT_EQ(outcome.unresolved_steps, 0);
      count += outcome.success;
    }
    return count;
  };
  EXPECT_EQ(successes("0.4"), 0);
  EXPECT_EQ(successes("2"), 4);
}

}  // namespace
}  // namespace pegrasp
