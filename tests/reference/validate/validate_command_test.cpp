// SPDX-License-Identifier: Apache-2.0
// pegrasp validate as a child process: what it prints, its exit codes, what it refuses.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pegrasp/scene_json.hpp"
#include "pegrasp/version.hpp"
#include "tests/cli/child.hpp"
#include "tests/joint/scenes.hpp"

namespace pegrasp {
namespace {

using test::Child;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string gear = source_file("examples/gear/gear.toml");
const std::string stack = source_file("examples/scenes/stack.json");
const std::string triangle = source_file("examples/scenes/triangle_drop.json");

TEST(CliValidate, ComparesAProblemWithTheReference) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"validate", gear, "--samples", "4"});
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  for (const char* words : {"step by step, from the same states", "whole trajectories", "of 4 trials",
                            "natural-map residual", "outcomes alike", "4 of 4, 100.00 %", "within the tolerances"}) {
    EXPECT_NE(done.out.find(words), std::string::npos) << words << '\n' << done.out;
  }
}

TEST(CliValidate, JsonHasAllNumbers) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"validate", gear, "--samples", "4", "--json", "--threads", "1"});
  ASSERT_EQ(done.code, 0) << done.err;
  auto out = nlohmann::json::parse(done.out);
  EXPECT_EQ(out["trials"], 4);
  EXPECT_EQ(out["against"], "reference");
  EXPECT_TRUE(out["within_tolerances"]);
  EXPECT_TRUE(out["outside"].empty());
  EXPECT_EQ(out["trajectories"]["alike"], 4);
  EXPECT_GT(out["every_step"]["steps"], 100);
  EXPECT_LE(out["every_step"]["other"]["residual_max_m_s"], 1e-7);
  EXPECT_EQ(out["every_step"]["other"]["unresolved"], 0);
  // which code gave it
  EXPECT_EQ(out["version"], version::number);
  EXPECT_EQ(out["git"], version::git);
  EXPECT_EQ(out["compiler"], version::compiler);
  EXPECT_EQ(out["build_type"], version::build_type);
  EXPECT_EQ(out["arithmetic"], "strict");
  // Threads do not show, but in times.
  auto again =
      nlohmann::json::parse(pegrasp_run(folder, {"validate", gear, "--samples", "4", "--json", "--threads", "2"}).out);
  for (auto* json : {&out, &again}) {
    (*json)["device"] = nullptr;
    for (const char* part : {"every_step", "trajectories"}) {
      for (const char* side : {"fast", "other"}) (*json)[part][side]["seconds"] = nullptr;
    }
  }
  EXPECT_EQ(out, again);
}

TEST(CliValidate, OnePartOrOneTrial) {
  Folder folder;
  const auto json = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "validate");
    words.push_back("--json");
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.out << done.err;
    return nlohmann::json::parse(done.out);
  };
  const auto steps = json({gear, "--samples", "1", "--every-step"});
  EXPECT_TRUE(steps.contains("every_step"));
  EXPECT_FALSE(steps.contains("trajectories"));
  const auto whole =
      json({gear, "--cell", "220", "--sample", "3", "--trajectory", "--h", "0.004", "--set", "map.seed=2"});
  EXPECT_FALSE(whole.contains("every_step"));
  EXPECT_EQ(whole["trials"], 1);
  EXPECT_EQ(whole["h_s"], 0.004);
  const auto scene = json({triangle});
  EXPECT_EQ(scene["trials"], 1);
  EXPECT_EQ(scene["every_step"]["steps"], scene["every_step"]["frictionless_steps"]);
  EXPECT_EQ(json({stack, "--t-end", "0.5", "--h", "0.01", "--friction", "0"})["every_step"]["steps"], 50);
}

// Against a backend: the same bits where arithmetic is strict, reported where it is not.
TEST(CliValidate, ComparesBackends) {
  Folder folder;
  const Finished same =
      pegrasp_run(folder, {"validate", gear, "--samples", "6", "--backend", "cpu", "--against", "cpu", "--json"});
  ASSERT_EQ(same.code, 0) << same.err;
  const auto out = nlohmann::json::parse(same.out);
  EXPECT_EQ(out["trajectories"]["identical"], 6);
  EXPECT_FALSE(out.contains("every_step"));
  const Finished fast = pegrasp_run(
      folder, {"validate", gear, "--samples", "6", "--fast", "--backend", "cpu", "--against", "cpu", "--json"});
  EXPECT_LT(nlohmann::json::parse(fast.out)["trajectories"]["identical"], 6);
}

// Joints in 2D, beside another backend and beside the reference simulator.
TEST(CliValidate, JointsIn2D) {
  Folder folder;
  const std::string file = (folder.path() / "joint.json").string();
  SceneSpec rod = test::planar_rod(0.3);
  rod.joints.clear();
  auto scene = nlohmann::json::parse(write_scene_json(rod, 1.0));
  scene["joints"] = {{{"kind", "revolute"}, {"bodies", {"world", "rod"}}, {"anchor", {0, 0, 0}}}};
  std::ofstream(file) << scene;
  const Finished same =
      pegrasp_run(folder, {"validate", file, "--t-end", "0.1", "--backend", "cpu", "--against", "cpu", "--json"});
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_EQ(nlohmann::json::parse(same.out)["trajectories"]["identical"], 1);
  const Finished exact = pegrasp_run(folder, {"validate", file, "--t-end", "0.1", "--json"});
  ASSERT_EQ(exact.code, 0) << exact.err;
  EXPECT_GT(nlohmann::json::parse(exact.out)["every_step"]["assessed"], 0);
}

// The reference simulator takes spheres.
TEST(CliValidate, SpheresOnSpheres) {
  Folder folder;
  const Finished done =
      pegrasp_run(folder, {"validate", source_file("examples/scenes/sphere_on_spheres.json"), "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto out = nlohmann::json::parse(done.out);
  EXPECT_GT(out["every_step"]["assessed"], 600);
  EXPECT_EQ(out["every_step"]["no_solutions"], 0);
  EXPECT_LT(out["trajectories"]["pose_largest_m"], 1e-5);
}

// Exit code 1, and why: a solver cut short leaves the product's steps unresolved, which is no failure; a residual is.
TEST(CliValidate, TellsWhatIsOutsideTheTolerances) {
  Folder folder;
  // A tolerance that no code reaches: the reference simulator resolves nothing.
  const Finished done = pegrasp_run(folder, {"validate", gear, "--samples", "3", "--trajectory", "--duration", "0.5",
                                             "--set", "simulation.tolerance_mm_s=1e-17"});
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_NE(done.out.find("NOT within the tolerances: the reference simulator leaves "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("pegrasp validate " + gear + " --cell "), std::string::npos) << "a command to replay it";
  EXPECT_NE(done.out.find(" --set 'simulation.tolerance_mm_s=1e-17'"), std::string::npos) << done.out;
  const Finished quiet = pegrasp_run(folder, {"validate", gear, "--samples", "3", "--trajectory", "--duration", "0.5",
                                              "--quiet", "--set", "simulation.tolerance_mm_s=1e-17"});
  EXPECT_EQ(quiet.code, 1);
  EXPECT_EQ(quiet.out, "");
}

TEST(CliValidate, RefusesInOneLine) {
  Folder folder;
  struct Case {
    std::vector<std::string> words;
    std::string says;
  };
  const std::vector<Case> cases{
      {{"nofile.toml"}, "nofile.toml"},
      {{gear, "--samples", "0"}, "--samples: 0 must be a whole number from 1"},
      {{gear, "--samples", "13231"}, "--samples 13231: the problem has 13230 trials"},
      {{gear, "--against", "path"}, "--against: path not in {reference,cpu,cuda}"},
      {{gear, "--against", "cpu", "--every-step"}, "--every-step: only the reference simulator takes single steps"},
      {{gear, "--every-step", "--trajectory"}, "--every-step"},
      {{gear, "--contact", "standard"}, "the reference simulator has the contact model peg only"},
      {{gear, "--cell", "3"}, "give both"},
      {{gear, "--cell", "441", "--sample", "0"}, "--cell: must be 0 .. 440"},
      {{gear, "--cell", "0", "--sample", "30"}, "--sample: must be 0 .. 29"},
      {{stack, "--samples", "3"}, "are for problem files"},
      {{stack, "--cell", "0"}, "are for problem files"},
      {{stack, "--set", "map.samples=3"}, "simulation"},
      {{gear, "--friction", "-1"}, "--friction: -1 must be a number, 0 or more"},
      {{gear, "--sampels", "3"}, "did you mean \"--samples\"?"},
      {{gear, "--h", "100"}, "at most 1000 ms"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> words{"validate"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 2) << c.says;
    EXPECT_NE(done.err.find(c.says), std::string::npos) << c.says << " is not in: " << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(done.out, "");
  }
}

TEST(CliValidate, StopsOnCtrlC) {
  Folder folder;
  const Child child(folder, {"validate", gear, "--samples", "2000", "--json"});
  child.wait_until_it_catches(SIGINT);
  child.send(SIGINT);
  const Finished done = child.wait();
  EXPECT_EQ(done.code, 130) << done.err;
  EXPECT_NE(done.err.find("stopped while"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace pegrasp
