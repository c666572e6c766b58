// SPDX-License-Identifier: Apache-2.0
// run --user-function: the PD laws of examples/user_function hold an arm to its path and a block at its height, and
// what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

std::string library(const char* name = "libpegrasp_pd_arm.so") {
  return (std::filesystem::path(test::program()).parent_path() / name).string();
}

const std::string arm = source_file("examples/user_function/arm.json");
const std::string block = source_file("examples/user_function/block.json");

// Both joints of the arm are to be at sin(t); the torque is 50 e + 5 de/dt with e = sin(t) - turn.
TEST(CliUserFunction, HoldsAnArmToItsPath) {
  if (!std::filesystem::exists(library())) GTEST_SKIP() << library() << " was not built";
  Folder folder;
  double errors[2] = {};
  const double steps[] = {0.002, 0.001};
  for (int k = 0; k < 2; ++k) {
    const std::string file = (folder.path() / "arm.csv").string();
    const Finished done = pegrasp_run(
        folder, {"run", arm, "--h", std::to_string(steps[k]), "--user-function", library(), "--trajectory", file});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("largest error after 2 s: 0.00"), std::string::npos) << done.err;
    if (k == 0) {
      const std::string readme = test::content(source_file("examples/user_function/README.md"));
      EXPECT_NE(readme.find("--h 0.002 "), std::string::npos);
      EXPECT_NE(readme.find(done.err.substr(0, done.err.find('\n'))), std::string::npos) << done.err;
    }
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      double t = 0.0, w = 0.0, z = 0.0, rate = 0.0;
      int step = 0, body = 0;
      ASSERT_EQ(std::sscanf(line.c_str(), "%d,%lf,%d,%*f,%*f,%*f,%lf,%*f,%*f,%lf,%*f,%*f,%*f,%*f,%*f,%lf", &step, &t,
                            &body, &w, &z, &rate),
                6);
      EXPECT_LT(std::abs(rate), 3.0) << t;  // longer steps shake the arm
      const double turn = 2.0 * std::atan2(z, w);
      const double wanted = body == 0 ? std::sin(t) : 2.0 * std::sin(t);
      if (t > 2.0) errors[k] = std::max(errors[k], std::abs(std::remainder(turn - wanted, 6.283185307179586)));
    }
  }
  EXPECT_GT(errors[0], 1e-5);
  EXPECT_LT(errors[0], 0.03);  // no feedforward of the arm's inertia
  EXPECT_NEAR(errors[0], errors[1], 0.01);
}

// A block that nothing else holds rises to a height as the solution of the PD law that pushes it does, to second order.
TEST(CliUserFunction, HoldsAFreeBlockInTheAir) {
  const std::string hover = library("libpegrasp_hover.so");
  if (!std::filesystem::exists(hover)) GTEST_SKIP() << hover << " was not built";
  Folder folder;
  double height[2] = {}, off[2] = {};
  const char* steps[] = {"0.01", "0.005"};
  for (int k = 0; k < 2; ++k) {
    const Finished done = pegrasp_run(folder, {"run", block, "--h", steps[k], "--user-function", hover});
    ASSERT_EQ(done.code, 0) << done.err;
    ASSERT_EQ(std::sscanf(done.err.c_str(), "at %lf m after 4.0 s, never farther than %lf m", &height[k], &off[k]), 2)
        << done.err;
    if (k > 0) continue;
    const std::string readme = test::content(source_file("examples/user_function/README.md"));
    EXPECT_NE(readme.find("block.json --h 0.01 "), std::string::npos);
    EXPECT_NE(readme.find(done.err.substr(0, done.err.find('\n'))), std::string::npos) << done.err;
  }
  EXPECT_NEAR(height[1], 1.0, 1e-6);
  EXPECT_LT(off[0], 5e-5);
  EXPECT_NEAR(off[0] / off[1], 4.0, 0.1);
}

TEST(CliUserFunction, RefusesWrenchesThatPushNothing) {
  const std::string wrong = library("libpegrasp_wrong_wrench.so");
  if (!std::filesystem::exists(wrong)) GTEST_SKIP() << wrong << " was not built";
  Folder folder;
  const auto refused = [&](const std::string& scene, const std::string& why) {
    const Finished done = pegrasp_run(folder, {"run", scene, "--user-function", wrong});
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  };
  refused(arm, "wrench on body upper leaves the plane at t = 0.000000 s; set [0], [1] and [5] of it");
  refused(block, "wrench on body floor is not 0 at t = 0.000000 s; the body is not dynamic");
  std::ifstream in(block);
  nlohmann::json scene = nlohmann::json::parse(in);
  scene["bodies"].erase(0);
  const std::string file = (folder.path() / "alone.json").string();
  std::ofstream(file) << scene;
  refused(file, "wrench on body block is not finite at t = 0.000000 s");
}

// Before each of three steps, and after the last.
TEST(CliUserFunction, IsCalledOnceAStep) {
  const std::string log = library("libpegrasp_step_log.so");
  if (!std::filesystem::exists(log)) GTEST_SKIP() << log << " was not built";
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", arm, "--h", "0.01", "--t-end", "0.03", "--user-function", log});
  EXPECT_EQ(done.code, 0);
  EXPECT_EQ(done.err, "0 1 2 -1 ");
}

TEST(CliUserFunction, RefusesWhatIsNone) {
  Folder folder;
  const auto refused = [&](const std::string& file, const std::string& why) {
    const Finished done = pegrasp_run(folder, {"run", arm, "--user-function", file});
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find(why), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  };
  refused("absent.so", "cannot be loaded");
  refused("libm.so.6", "has no function pegrasp_user_function");
  if (!std::filesystem::exists(library())) return;
  const Finished ball =
      pegrasp_run(folder, {"run", source_file("examples/scenes/shoulder.json"), "--user-function", library()});
  EXPECT_EQ(ball.code, 2);
  EXPECT_NE(ball.err.find("--user-function: motor \"shoulder\" turns a spherical joint"), std::string::npos)
      << ball.err;
  // Eight motors and no joint for each: the example's function says 2.
  std::ifstream in(arm);
  nlohmann::json scene = nlohmann::json::parse(in);
  nlohmann::json more = scene["actuators"][0];
  more["name"] = "second_motor";
  scene["actuators"].push_back(more);
  const std::string file = (folder.path() / "three.json").string();
  std::ofstream(file) << scene;
  const Finished done = pegrasp_run(folder, {"run", file, "--user-function", library()});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("ended the run at t = 0.000000 s with 2"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace pegrasp
