// SPDX-License-Identifier: Apache-2.0
// validate, dump and --fallback of quasistatic problems; and that a motion that is not quasistatic is told from one.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/reference.hpp"
#include "tests/cli/child.hpp"
#include "tests/least_power.hpp"
#include "tests/runs.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A needle pushes a block on a drawn tripod.
std::string block_in(const Folder& folder) {
  const std::filesystem::path file = folder.path() / "block.toml";
  std::ofstream(file) << R"([map]
samples = 3
[simulation]
model = "quasistatic"
h_ms = 100
duration_s = 6
[[body]]
name = "block"
mass_kg = 4e-6
part = [{ shape = "box", width_mm = 1.6, height_mm = 0.8 }]
[body.support]
radius_mm = 0.626
turn_deg = { distribution = "uniform", low = 0, high = 360 }
friction = { distribution = "uniform", low = 0.2, high = 0.4 }
[[body]]
name = "needle"
kind = "kinematic"
part = [{ shape = "disc", radius_mm = 0.02 }]
motion = [{ time_s = 0, x_mm = 0.3, y_mm = -0.6 }, { time_s = 5, x_mm = 0.2, y_mm = -0.1 }]
[[friction]]
between = ["block", "needle"]
mu = { distribution = "uniform", low = 0.1, high = 0.3 }
[success]
pose_within = "block"
y_mm = [0.05, 1]
)";
  return file.string();
}

TEST(QuasistaticValidate, AgreesWithTheReference) {
  const Folder folder;
  const Finished done = pegrasp_run(folder, {"validate", block_in(folder), "--json"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_TRUE(json["within_tolerances"]);
  EXPECT_LE(json["every_step"]["fast"]["residual_max_m_s"].get<double>(), 1e-6);
  EXPECT_EQ(json["every_step"]["other"]["unresolved"], 0);
  EXPECT_EQ(json["trajectories"]["alike"], 3);
}

TEST(QuasistaticValidate, DumpsStepsWithoutMasses) {
  const Folder folder;
  const std::string out = (folder.path() / "steps.h5").string();
  const std::vector<std::string> words{"dump",    block_in(folder), "--cell", "0", "--sample", "0",
                                       "--steps", "30:34",          "--out",  out, "--form"};
  const auto dump = [&](const char* form) {
    std::vector<std::string> all = words;
    all.emplace_back(form);
    return pegrasp_run(folder, all);
  };
  ASSERT_EQ(dump("quadratic").code, 0);
  const Finished solved =
      pegrasp_run(folder, {"solve", out, "--out", (folder.path() / "s").string(), "--no-plot", "--json"});
  EXPECT_EQ(solved.code, 0) << solved.out << solved.err;
  for (const char* form : {"lcp", "fclib"}) {
    const Finished refused = dump(form);
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("choose mixed"), std::string::npos) << refused.err;
  }
}

// In 3D: a finger pushes a ball that does not turn over a plane.
std::string ball_in(const Folder& folder) {
  const std::filesystem::path file = folder.path() / "ball.toml";
  std::ofstream(file) << R"(dim = 3
[map]
samples = 3
[simulation]
model = "quasistatic"
h_ms = 20
duration_s = 1
[gravity]
z_m_s2 = -9.81
[[body]]
name = "plane"
kind = "fixed"
part = [{ shape = "half_space", normal = [0, 0, 1], offset_mm = 0 }]
[[body]]
name = "ball"
mass_kg = 0.01
turns = false
y_mm = { distribution = "uniform", low = -3, high = 3 }
z_mm = 10
part = [{ shape = "sphere", radius_mm = 10 }]
[[body]]
name = "finger"
kind = "kinematic"
part = [{ shape = "sphere", radius_mm = 5 }]
motion = [{ time_s = 0, x_mm = -16, z_mm = 10 }, { time_s = 1, x_mm = 4, z_mm = 10 }]
[[friction]]
between = ["ball", "plane"]
mu = 0.3
[[friction]]
between = ["ball", "finger"]
mu = { distribution = "uniform", low = 0.1, high = 0.3 }
[success]
displacement_below_mm = 30
of = "ball"
)";
  return file.string();
}

TEST(QuasistaticValidate, AgreesWithTheReferenceInSpace) {
  const Folder folder;
  const std::string file = ball_in(folder);
  const Finished done = pegrasp_run(folder, {"validate", file, "--json"});
  ASSERT_EQ(done.code, 0) << done.out << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_TRUE(json["within_tolerances"]);
  EXPECT_EQ(json["every_step"]["other"]["unresolved"], 0);
  EXPECT_EQ(json["trajectories"]["alike"], 3);
  const Finished map = pegrasp_run(folder, {"map", file, "--fallback", "reference", "--no-step-check", "--no-plot",
                                            "--out", (folder.path() / "m").string()});
  EXPECT_EQ(map.code, 0) << map.err;
}

TEST(QuasistaticValidate, FallbackTakesIt) {
  const Folder folder;
  const Finished done = pegrasp_run(folder, {"map", block_in(folder), "--fallback", "reference", "--no-step-check",
                                             "--no-plot", "--out", (folder.path() / "m").string()});
  EXPECT_EQ(done.code, 0) << done.err;
}

// Both simulators by themselves; against the same push where inertia counts the reference differs.
TEST(QuasistaticValidate, TellsItFromDynamics) {
  SceneSpec scene = test::pushed_square(test::lopsided, 0.03, 0.2);
  scene.model = MotionModel::quasistatic;
  const StepOptions options = derive_options(test::steps_of(0.01, 0.5), scene);
  Simulation product = test::simulate(scene, test::steps_of(0.01, 0.5));
  reference::PlanarSimulation other(scene, options, scene_parameters(scene));
  product.run();
  while (other.step()) {
  }
  EXPECT_EQ(other.outcome().status, status_ok);
  const Pose a = product.pose(0), b = other.pose(0);
  EXPECT_LT(std::hypot(a.x - b.x, a.y - b.y) + 0.05 * std::fabs(a.theta - b.theta), 1e-6);
  scene.model = MotionModel::dynamic;
  Simulation full = test::simulate(scene, test::steps_of(0.01, 0.5));
  full.run();
  const Pose c = full.pose(0);
  EXPECT_GT(std::hypot(c.x - b.x, c.y - b.y) + 0.05 * std::fabs(c.theta - b.theta), 1e-5);
}

// What the reference simulator finds with bodies that are nearly without mass is what the equations without masses
// have as their solution (Berard 3.37 to 3.40).
TEST(QuasistaticValidate, IsTheBalanceWithoutMasses) {
  SceneSpec scene = test::pushed_square(test::lopsided, 0.03, 0.002);
  scene.model = MotionModel::quasistatic;
  const StepOptions options = derive_options(test::steps_of(0.1, 3.0), scene);
  int compared = 0;
  reference::Formulation exact;
  exact.form = reference::Form::quadratic;
  exact.scheme = reference::Scheme::quasistatic;
  const reference::StepSolver solver = [&](const reference::StepProblem& step, const reference::StepSolution* start) {
    const reference::SolvedStep solved = reference::solve_exactly(step, start);
    // In units in which its numbers are near one: newtons, millimetres a second.
    reference::StepProblem balance = step;
    const auto bound = balance.supports[0].bound;
    const double unit = 1e3 / bound;
    balance.external *= unit;
    for (reference::SupportPoint& point : balance.supports) point.bound *= unit;
    const reference::SolvedStep free = reference::solve_step(balance, exact);
    if (free.result.status == mcp::Status::solved) {
      ++compared;
      EXPECT_LT((free.solution.velocity - solved.solution.velocity).head<2>().norm(), 2e-6);
    }
    return solved;
  };
  reference::PlanarSimulation simulation(std::make_shared<const reference::PlanarScene>(scene), options,
                                         scene_parameters(scene), solver);
  while (simulation.step()) {
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace pegrasp
