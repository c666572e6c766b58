// SPDX-License-Identifier: Apache-2.0
// pegrasp evaluate: the example, its files, interruption by parts, protocols of one's own, and refusals in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pegrasp/grasps.hpp"
#include "src/formats/urdf_file.hpp"
#include "tests/cli/child.hpp"
#include "tests/files.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;

struct CliEvaluate : testing::Test {
  Folder folder;
  void SetUp() override {
    if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  }
  // evaluate with the example's part and hand.
  Finished evaluate(const std::string& grasps, const std::vector<std::string>& more) {
    std::vector<std::string> words{"evaluate",       grasps,
                                   "--part",         test::source_file("examples/evaluate/block.obj"),
                                   "--gripper",      test::source_file("examples/evaluate/hand.urdf"),
                                   "--no-step-check"};
    if (std::find(more.begin(), more.end(), "--out") == more.end()) {
      words.insert(words.end(), {"--out", (folder.path() / "out").string()});
    }
    if (std::find(more.begin(), more.end(), "--gripper") != more.end())
      words.erase(words.begin() + 4, words.begin() + 6);
    words.insert(words.end(), more.begin(), more.end());
    return pegrasp_run(folder, words);
  }
  std::string written(const std::string& name, const std::string& text) {
    return test::written(folder.path() / name, text).string();
  }
  void expect_refusal(const Finished& done, const std::string& words) {
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_NE(done.err.find(words), std::string::npos) << done.err;
  }
};

constexpr const char* two_grasps =
    "id,x_m,y_m,z_m,qw,qx,qy,qz,opening_m\ngood,0,0,0.09,0,1,0,0,0.08\ninside,0,0,0.02,0,1,0,0,0.08\n";

TEST_F(CliEvaluate, GivesGraspsTheirProbabilities) {
  const Finished done = evaluate(written("two.csv", two_grasps), {"--samples", "2", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const nlohmann::json summary = nlohmann::json::parse(done.out);
  EXPECT_EQ(summary["trials"], 4);
  EXPECT_EQ(summary["grasps"], 2);
  EXPECT_EQ(summary["failures"]["begins_in_collision"], 2);
  EXPECT_EQ(summary["unresolved"], 0);
  const GraspSet scored = read_grasps(folder.path() / "out" / "scored_grasps.csv", GraspFormat::csv);
  EXPECT_EQ(scored.grasps[0].confidence, 1.0);
  EXPECT_EQ(scored.grasps[1].confidence, 0.0);
  // The resolved problem gives the same again.
  const Finished again =
      pegrasp_run(folder, {"map", (folder.path() / "out" / "problem.toml").string(), "--no-step-check", "--out",
                           (folder.path() / "again").string(), "--quiet"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(test::content(folder.path() / "again" / "grasps.csv"), test::content(folder.path() / "out" / "grasps.csv"));
}

TEST_F(CliEvaluate, PartsJoinToTheSame) {
  const std::string grasps = written("two.csv", two_grasps);
  ASSERT_EQ(evaluate(grasps, {"--samples", "2", "--quiet"}).code, 0);
  const std::string whole = test::content(folder.path() / "out" / "grasps.csv");
  const std::string parts = (folder.path() / "parts").string();
  for (const char* shard : {"1/2", "2/2"}) {
    const Finished part = evaluate(grasps, {"--samples", "2", "--quiet", "--out", parts, "--shard", shard});
    ASSERT_EQ(part.code, 0) << part.err;
  }
  const Finished merged = pegrasp_run(folder, {"merge", parts, "--quiet"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(test::content(folder.path() / "parts" / "grasps.csv"), whole);
}

TEST_F(CliEvaluate, TakesAProtocolOfOnesOwn) {
  std::string lift = test::content(test::source_file("src/problem/protocols/lift.toml"));
  const std::size_t at = lift.find("pull_weights = [0, 0, -1]");
  lift.replace(at, 25, "pull_weights = [0, 0, -90]");  // the part is torn out
  const std::string grasps = written("two.csv", two_grasps);
  const Finished done = evaluate(grasps, {"--samples", "1", "--json", "--protocol", written("mine.toml", lift)});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["successes"], 0);
  expect_refusal(evaluate(grasps, {"--protocol", "lfit"}), "did you mean \"lift\"");
  expect_refusal(evaluate(grasps, {"--protocol", written("odd.toml", "x = 1\n")}), "must hold the table [protocol]");
}

TEST_F(CliEvaluate, TakesAGripperOfSixLines) {
  const std::string jaw = written("jaw.toml",
                                  "[gripper]\nkind = \"parallel_jaw\"\nopening_mm = 70\nfinger_mm = [10, 20, 60]\n"
                                  "force_n = 20\n");
  const std::string grasps = written("one.csv", "x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0,1,0,0,0\n");
  const Finished done = evaluate(grasps, {"--gripper", jaw, "--samples", "1", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["successes"], 1);
  expect_refusal(evaluate(grasps, {"--gripper", written("odd.toml", "x = 1\n")}), "must hold the table [gripper]");
}

TEST_F(CliEvaluate, WhatIsWrongIsOneLine) {
  expect_refusal(evaluate((folder.path() / "absent.csv").string(), {}), "absent.csv: no such file");
  expect_refusal(evaluate(written("g.txt", two_grasps), {}), "does not say its format");
  expect_refusal(evaluate(written("g.csv", "id\n"), {}), "g.csv:1: the column \"x_m\" is missing");
  const std::string joint = "x_m,y_m,z_m,qw,qx,qy,qz,joint.thumb\n0,0,0.09,0,1,0,0,0.01\n";
  expect_refusal(evaluate(written("j.csv", joint), {}), "has no joint \"thumb\"");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

}  // namespace
}  // namespace pegrasp
