// SPDX-License-Identifier: Apache-2.0
// Jointed bodies whose poses at the start are uncertain or follow the grid: joints are where the bodies are.
#include "tests/joint/varying_poses.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "src/geometry/placement.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

struct Trials {
  std::vector<double> parameters, poses;
  std::vector<SceneOutcome> outcomes;
};

Trials run(const Problem& problem, Strategy strategy) {
  const ParameterLayout layout = parameter_layout(problem.scene);
  const auto stride = static_cast<std::size_t>(layout.size());
  const auto count = static_cast<std::size_t>(problem.grid.cells() * problem.samples);
  Trials out{std::vector<double>(count * stride),
             std::vector<double>(count * static_cast<std::size_t>(layout.body_count * layout.pose_size())),
             std::vector<SceneOutcome>(count)};
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> values(sampled_columns(problem).size());
  for (std::size_t i = 0; i < count; ++i) {
    draw_sample(problem, base, static_cast<int>(i) / problem.samples, static_cast<int>(i) % problem.samples,
                std::span(out.parameters).subspan(i * stride, stride), values);
  }
  StepOptions options = problem.options;
  options.strategy = strategy;
  options = derive_options(options, problem.scene);
  const auto backend = test::make_backend_under_test(1);
  EXPECT_TRUE(backend->run(*compile_model(problem.scene), options, out.parameters, out.outcomes, out.poses, nullptr));
  return out;
}

class VaryingPoses : public testing::TestWithParam<test::VaryingProblem> {};

TEST_P(VaryingPoses, EveryTrialIsResolvedAndStaysWhereItStarts) {
  const Problem problem = parse_problem(GetParam().text, "problem.toml");
  for (const Strategy strategy : {Strategy::per_scene, Strategy::batched}) {
    const Trials trials = run(problem, strategy);
    for (const SceneOutcome& outcome : trials.outcomes) {
      EXPECT_EQ(outcome.status, status_ok);
      EXPECT_EQ(outcome.success, 1);
      EXPECT_EQ(outcome.steps, 10);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, VaryingPoses, testing::ValuesIn(test::varying_problems()),
                         [](const auto& info) { return info.param.name; });

Problem problem_named(const std::string& name) {
  for (const test::VaryingProblem& problem : test::varying_problems()) {
    if (problem.name == name) return parse_problem(problem.text, "problem.toml");
  }
  throw std::logic_error("no problem " + name);
}

// The hand is one rigid body: a point at (80, 0) mm of the palm's frame is where the tip is.
TEST(VaryingPosesOf, AHandInThePlaneMovesAsOneBody) {
  const Problem problem = problem_named("PlaneHand");
  const Trials trials = run(problem, Strategy::per_scene);
  double most = 0.0;
  for (std::size_t i = 0; i < trials.outcomes.size(); ++i) {
    const double* palm = trials.poses.data() + 9 * i;
    const double* tip = palm + 6;
    const double turn = palm[2] - problem.scene.bodies[0].planar().pose.theta;
    EXPECT_NEAR(tip[0], palm[0] + 0.08 * std::cos(turn), 1e-7);
    EXPECT_NEAR(tip[1], palm[1] + 0.08 * std::sin(turn), 1e-7);
    EXPECT_NEAR(tip[2], turn, 1e-6);
    most = std::max(most, std::fabs(turn));
  }
  EXPECT_GT(most, 0.05);
}

TEST(VaryingPosesOf, AHandInSpaceMovesAsOneBody) {
  const Problem problem = problem_named("SpaceHand");
  const Trials trials = run(problem, Strategy::per_scene);
  const Quaternion described = start_pose(problem.scene.bodies[0].spatial()).turn;
  double most = 0.0;
  for (std::size_t i = 0; i < trials.outcomes.size(); ++i) {
    const double* p = trials.poses.data() + 21 * i;
    const double* q = p + 14;
    const Quaternion palm{p[3], p[4], p[5], p[6]}, right{q[3], q[4], q[5], q[6]};
    const Quaternion moved = normalised(palm * conjugate(described));
    const Vec3 x = turned(moved, {0.04, 0.0, 0.0});
    EXPECT_NEAR(q[0], p[0] + x.x, 1e-7);
    EXPECT_NEAR(q[1], p[1] + x.y, 1e-7);
    EXPECT_NEAR(q[2], p[2] + x.z, 1e-7);
    EXPECT_LT(length(turn_vector(right * conjugate(moved))), 1e-6);
    most = std::max(most, length(turn_vector(moved)));
  }
  EXPECT_GT(most, 0.05);
}

// Both follow: no body is moved twice, and the joint's frames stay as they are.
TEST(VaryingPosesOf, BodiesThatAllFollowKeepTheirFrames) {
  const std::string follows = "follows_grid = true\n";
  const std::string text = test::head(false, "[grid]\nx_mm = [-5, 5]\ny_mm = [0, 7]\n") +
                           test::box(false, "palm", follows) + test::box(false, "finger", "x_mm = 40\n" + follows) +
                           test::joint("revolute", "\"palm\", \"finger\"", "anchor_mm = [20, 0]\n") +
                           test::stays("finger");
  const Problem problem = parse_problem(text, "problem.toml");
  EXPECT_EQ(problem.scene.bodies[1].carried_by, -1);
  const Trials trials = run(problem, Strategy::per_scene);
  for (std::size_t i = 0; i < trials.outcomes.size(); ++i) {
    EXPECT_EQ(trials.outcomes[i].status, status_ok);
    EXPECT_NEAR(trials.poses[6 * i + 3] - trials.poses[6 * i], 0.04, 1e-12);
  }
}

// Nothing varies: nothing is carried, and joints are as described.
TEST(VaryingPosesOf, PosesThatAreGivenChangeNothing) {
  const std::string text =
      test::head(true) + test::box(true, "palm", "x_mm = 3\n") +
      test::joint("prismatic", "\"world\", \"palm\"", "anchor_mm = [0, 0, 0]\naxis = [0, 0, 1]\n") +
      test::stays("palm");
  const Problem problem = parse_problem(text, "problem.toml");
  EXPECT_EQ(problem.scene.bodies[0].carried_by, -1);
  EXPECT_EQ(problem.scene.joints[0].anchor, JointAnchor::as_given);
}

// Two joints that would carry a body to different places contradict each other.
TEST(VaryingPosesOf, AContradictionIsRefusedInOneLine) {
  const std::string x = "x_mm = { distribution = \"normal\", mean = 0, sd = 5 }\n";
  const auto text = [&](const std::string& other) {
    return test::head(false) + test::box(false, "a", x) + test::box(false, "b", "x_mm = 80\n" + other) +
           test::box(false, "c", "x_mm = 40\n") + test::joint("revolute", "\"a\", \"c\"", "anchor_mm = [20, 0]\n") +
           test::joint("revolute", "\"b\", \"c\"", "anchor_mm = [60, 0]\n") + test::stays("c");
  };
  for (const std::string& other :
       {std::string(), std::string("y_mm = { distribution = \"normal\", mean = 0, sd = 1 }\n")}) {
    try {
      parse_problem(text(other), "problem.toml");
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_EQ(line.find("problem.toml:"), 0u) << line;
      EXPECT_NE(line.find("joint.joint_"), std::string::npos) << line;
      EXPECT_NE(line.find("body \"c\""), std::string::npos) << line;
      EXPECT_NE(line.find("; let the poses"), std::string::npos) << line;
      EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    }
  }
}

}  // namespace
}  // namespace pegrasp
