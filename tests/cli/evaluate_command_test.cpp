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
  // evaluate with the example's part and hand, where `more` gives no others.
  Finished evaluate(const std::string& grasps, const std::vector<std::string>& more) {
    std::vector<std::string> words{"evaluate", grasps, "--no-step-check"};
    const std::pair<const char*, std::string> usual[] = {
        {"--part", test::source_file("examples/evaluate/block.obj")},
        {"--gripper", test::source_file("examples/evaluate/hand.urdf")},
        {"--out", (folder.path() / "out").string()}};
    for (const auto& [option, value] : usual) {
      if (std::find(more.begin(), more.end(), option) == more.end()) words.insert(words.end(), {option, value});
    }
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

constexpr const char* one_grasp = "x_m,y_m,z_m,qw,qx,qy,qz\n0,0,0.1,0,1,0,0\n";

// A hand of two fingers, which are mirrored about z: where their joints are, and the axes of these.
std::string hand(const std::string& kind, const std::string& left, const std::string& left_axis,
                 const std::string& right, const std::string& right_axis, const std::string& shape) {
  const auto finger = [&](const std::string& name, const std::string& at, const std::string& axis) {
    return "<link name=\"" + name +
           "\"><inertial><origin xyz=\"0 0 0.05\"/><mass value=\"0.1\"/><inertia ixx=\"1e-4\" iyy=\"1e-4\" "
           "izz=\"1e-4\"/></inertial><collision><origin xyz=\"0 0 0.05\"/><geometry>" +
           shape + "</geometry></collision></link>\n<joint name=\"" + name + "_joint\" type=\"" + kind +
           "\"><parent link=\"base\"/><child link=\"" + name + "\"/><origin xyz=\"" + at + "\"/><axis xyz=\"" + axis +
           "\"/><limit lower=\"0\" upper=\"" + (kind == "revolute" ? "1" : "0.02") +
           "\" effort=\"2\" velocity=\"2\"/></joint>\n";
  };
  return "<robot name=\"t\">\n<link name=\"base\"><collision><geometry><box size=\"0.1 0.1 0.02\"/></geometry>"
         "</collision></link>\n" +
         finger("left", left, left_axis) + finger("right", right, right_axis) + "</robot>\n";
}
constexpr const char* bar = "<box size=\"0.01 0.02 0.1\"/>";

// An L of 30 mm, which is not convex.
constexpr const char* bracket =
    "v 0 0 0\nv 0.03 0 0\nv 0.03 0.01 0\nv 0.01 0.01 0\nv 0.01 0.03 0\nv 0 0.03 0\nv 0 0 0.01\nv 0.03 0 0.01\n"
    "v 0.03 0.01 0.01\nv 0.01 0.01 0.01\nv 0.01 0.03 0.01\nv 0 0.03 0.01\nf 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\n"
    "f 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n";

TEST_F(CliEvaluate, TakesMeshesThatAreNotConvex) {
  const std::string grasps = written("one.csv", one_grasp), mesh = written("bracket.obj", bracket);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--samples", "1", "--quiet"});
    return evaluate(grasps, more);
  };
  expect_refusal(run({"--part", mesh}), "(--convexify, --hull)");
  EXPECT_EQ(run({"--part", mesh, "--hull"}).code, 0);
  EXPECT_EQ(run({"--part", mesh, "--set", "body.part.part.mesh.hull=true"}).code, 0);
  const std::string robot = written("robot.urdf", hand("prismatic", "0.045 0 0.02", "-1 0 0", "-0.045 0 0.02", "1 0 0",
                                                       "<mesh filename=\"bracket.obj\"/>"));
  const Finished refused = run({"--gripper", robot});
  expect_refusal(refused, "(--set urdf.*.convexify=true, --urdf-hull)");
  EXPECT_NE(refused.err.find("robot.urdf:3: link \"left\""), std::string::npos) << refused.err;
  for (const std::string set : {"urdf.0.hull=true", "urdf.*.hull=true", "urdf[0].hull=true"}) {
    EXPECT_EQ(run({"--gripper", robot, "--set", set}).code, 0) << set;
  }
  EXPECT_EQ(run({"--gripper", robot, "--urdf-hull"}).code, 0);
}

TEST_F(CliEvaluate, TakesTheScaleOfTheObject) {
  const auto grasps = [&](const char* scale) {
    return written("g.json", std::string("{\"object\":{\"file\":\"m.obj\",\"scale\":") + scale +
                                 "},\"grasps\":{\"transforms\":[[[1,0,0,0],[0,-1,0,0],[0,0,-1,0.09],[0,0,0,1]]]}}");
  };
  const auto scale = [&] {
    const std::string text = test::content(folder.path() / "out" / "problem.toml");
    const std::size_t at = text.find("\nscale = ");
    return at == std::string::npos ? "" : text.substr(at + 9, text.find('\n', at + 9) - at - 9);
  };
  Finished done = evaluate(grasps("0.5"), {"--samples", "1", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(scale(), "0.5");
  EXPECT_EQ(done.err.find("warning"), std::string::npos) << done.err;
  done = evaluate(grasps("0.5"), {"--samples", "1", "--quiet", "--scale", "0.75"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(scale(), "0.75");
  EXPECT_NE(done.err.find("of the scale 0.5, but the mesh of \"part\" has another"), std::string::npos) << done.err;
  expect_refusal(evaluate(grasps("-1"), {}), "object.scale: must be above 0");
  GraspSet set = read_grasps(grasps("0.25"), GraspFormat::graspgen);
  set.format = GraspFormat::acronym;
  done = evaluate(written("g.h5", write_grasps(set)), {"--samples", "1", "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(scale(), "0.25");
}

// The box of a finger may hold its hinge; the middle of the finger tells which end is the closed one all the same.
TEST_F(CliEvaluate, FindsTheClosedEndOfATurningFinger) {
  for (const char* closing : {"x", "y"}) {
    const bool x = *closing == 'x';
    const std::string robot =
        written("turns.urdf", x ? hand("revolute", "0.045 0 0.02", "0 -1 0", "-0.045 0 0.02", "0 1 0", bar)
                                : hand("revolute", "0 0.045 0.02", "1 0 0", "0 -0.045 0.02", "-1 0 0", bar));
    std::vector<std::string> words{"--gripper", robot, "--samples", "1", "--json"};
    if (!x) {
      expect_refusal(evaluate(written("one.csv", one_grasp), words), "--closing 0 1 0");
      words.insert(words.end(), {"--closing", "0", "1", "0"});
    }
    const Finished done = evaluate(written("one.csv", one_grasp), words);
    ASSERT_EQ(done.code, 0) << done.err;
    // They turn inwards, and meet the part with their tips.
    EXPECT_EQ(nlohmann::json::parse(done.out)["failures"]["never_touched"], 0) << done.out;
  }
}

TEST_F(CliEvaluate, EqualBoundsOfFrictionAreAValue) {
  const Finished done =
      evaluate(written("two.csv", two_grasps), {"--samples", "1", "--quiet", "--friction", "0.5", "0.5"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(test::content(folder.path() / "out" / "problem.toml").find("mu = 0.5"), std::string::npos);
}

// No message names a line of the problem that evaluate puts together.
TEST_F(CliEvaluate, MessagesNameWhatWasGiven) {
  const std::string grasps = written("one.csv", one_grasp);
  expect_refusal(evaluate(grasps, {"--mass", "1e15"}), "pegrasp: --mass: ");
  expect_refusal(evaluate(grasps, {"--gripper", written("still.urdf", "<robot name=\"r\"><link name=\"a\"/></robot>")}),
                 "pegrasp: --gripper: grasps.fingers: is missing");
  expect_refusal(evaluate(grasps, {"--set", "grasps.closing=[0,1,0]"}), "(of evaluate --closing 1 0 0)");
  expect_refusal(evaluate(grasps, {"--gripper", (folder.path() / "absent.urdf").string()}), "pegrasp: --gripper: ");
  const std::string jaw =
      "[gripper]\nkind = \"parallel_jaw\"\nopening_mm = 70\nfinger_mm = [10, -20, 60]\nforce_n = 20\n";
  expect_refusal(evaluate(grasps, {"--gripper", written("jaw.toml", jaw)}), "jaw.toml:4: gripper.finger_mm");
  std::string lift = test::content(test::source_file("src/problem/protocols/lift.toml"));
  lift.replace(lift.find("version = 1"), 11, "version = 0");
  expect_refusal(evaluate(grasps, {"--protocol", written("mine.toml", lift)}), "mine.toml:");
  expect_refusal(evaluate(written("far.csv",
                                  "x_m,y_m,z_m,qw,qx,qy,qz,joint.left_slide\n0,0,0.09,0,1,0,0,\n"
                                  "0,0,0.09,0,1,0,0,3\n"),
                          {}),
                 "far.csv:3: grasp \"grasp_1\": places joint");
  const std::string yaml =
      "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n  a:\n    position: [0, 0, 0]\n"
      "    orientation: {w: 1, xyz: [0, 0, 0]}\n    cspace_position: {thumb: 0}\n";
  expect_refusal(evaluate(written("thumb.yaml", yaml), {}), "thumb.yaml:");
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
