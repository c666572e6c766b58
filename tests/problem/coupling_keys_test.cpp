// SPDX-License-Identifier: Apache-2.0
// Couplings of joints in problem files, scene files and C++: what is read, and what is refused in one line.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "pegrasp/problem.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/files.hpp"
#include "tests/joint/coupling_scenes.hpp"

namespace pegrasp {
namespace {

const char* const mechanism = R"(dim = 3
[[body]]
name = "rack"
mass_kg = 1
[[body.part]]
shape = "box"
size_mm = [10, 10, 10]
[[body]]
name = "wheel"
mass_kg = 1
x_mm = 100
[[body.part]]
shape = "box"
size_mm = [10, 10, 10]
[[body]]
name = "lid"
mass_kg = 1
x_mm = 200
[[body.part]]
shape = "box"
size_mm = [10, 10, 10]
[[joint]]
name = "slide"
kind = "prismatic"
between = ["world", "rack"]
anchor_mm = [0, 0, 0]
axis = [1, 0, 0]
[[joint]]
name = "axle"
kind = "revolute"
between = ["world", "wheel"]
anchor_mm = [100, 0, 0]
axis = [0, 1, 0]
[[joint]]
name = "hinge"
kind = "revolute"
between = ["world", "lid"]
anchor_mm = [200, 0, 0]
axis = [0, 1, 0]
[success]
displacement_below_mm = 10
of = "rack"
)";

Problem parse(const std::string& rest) { return parse_problem(mechanism + rest, "problem.toml"); }

TEST(CouplingKeys, AreRead) {
  const Problem problem = parse(R"([[coupling]]
joint = "slide"
of_joint = "axle"
factor = 0.02
offset_mm = 3
[[coupling]]
name = "pair"
joint = "hinge"
of_joint = "axle"
offset_deg = -90
)");
  ASSERT_EQ(problem.scene.couplings.size(), 2u);
  const CouplingSpec& rack = problem.scene.couplings[0];
  EXPECT_EQ(rack.name, "coupling_1");
  EXPECT_EQ(rack.joint, 0);
  EXPECT_EQ(rack.of_joint, 1);
  EXPECT_EQ(rack.factor, 0.02);
  EXPECT_EQ(rack.offset, 0.003);
  const CouplingSpec& pair = problem.scene.couplings[1];
  EXPECT_EQ(pair.name, "pair");
  EXPECT_EQ(pair.factor, 1.0);
  EXPECT_NEAR(pair.offset, -1.5707963267948966, 1e-15);
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  ASSERT_EQ(again.scene.couplings.size(), 2u);
  EXPECT_EQ(again.scene.couplings[1].offset, pair.offset);
}

TEST(CouplingKeys, WhatMakesNoneIsRefused) {
  const auto expect = [](const std::string& rest, const std::string& words) {
    const std::string message = test::refusal([&] { parse(rest); });
    EXPECT_EQ(message.rfind("problem.toml:", 0), 0u) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  const std::string start = "[[coupling]]\njoint = \"slide\"\n";
  expect(start, "coupling[0].of_joint");
  expect(start + "of_joint = \"axel\"\n", "there is no joint \"axel\"; did you mean \"axle\"?");
  expect(start + "of_joint = \"slide\"\n", "joint \"slide\" cannot depend on itself");
  expect(start + "of_joint = \"axle\"\noffset_deg = 3\n", "offset_deg");
  expect(start + "of_joint = \"axle\"\nratio = 3\n", "ratio");
  expect(start + "of_joint = \"axle\"\n[[coupling]]\njoint = \"axle\"\nof_joint = \"slide\"\n",
         "closes a cycle: couplings before it connect joint \"axle\" with joint \"slide\" already; remove one of them");
  expect(start +
             "of_joint = \"axle\"\n[[coupling]]\njoint = \"axle\"\nof_joint = \"hinge\"\n[[coupling]]\njoint = "
             "\"hinge\"\nof_joint = \"slide\"\n",
         "coupling[2]: closes a cycle");
  expect(
      start + "of_joint = \"axle\"\nname = \"c\"\n[[coupling]]\njoint = \"axle\"\nof_joint = \"hinge\"\nname = \"c\"\n",
      "is the name of another coupling");
  const std::string ball = R"([[joint]]
name = "ball"
kind = "spherical"
between = ["rack", "wheel"]
anchor_mm = [50, 0, 0]
[[joint]]
name = "weld"
kind = "fixed"
between = ["rack", "lid"]
anchor_mm = [50, 0, 0]
)";
  expect(ball + start + "of_joint = \"ball\"\n",
         "joint \"ball\" has several coordinates; couple revolute and prismatic");
  expect(ball + start + "of_joint = \"weld\"\n", "joint \"weld\" is fixed; couple revolute and prismatic");
}

TEST(CouplingJson, IsReadAndChecked) {
  const std::string begin = R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, 0], "t_end": 1, "bodies": [
 {"name": "a", "mass": 1, "inertia_diag": [1, 1, 1], "vertices": [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]},
 {"name": "b", "mass": 1, "position": [9, 0, 0], "inertia_diag": [1, 1, 1],
  "vertices": [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]}],
 "joints": [{"name": "s", "kind": "prismatic", "bodies": ["world", "a"], "anchor": [0, 0, 0], "axis": [1, 0, 0]},
            {"name": "t", "kind": "revolute", "bodies": ["world", "b"], "anchor": [9, 0, 0]}],
 "couplings": [)";
  const SceneSpec scene =
      parse_scene_json(begin + R"({"name": "c", "joint": "s", "of_joint": "t", "factor": -2}]})", "s.json").scene;
  ASSERT_EQ(scene.couplings.size(), 1u);
  EXPECT_EQ(scene.couplings[0].name, "c");
  EXPECT_EQ(scene.couplings[0].factor, -2.0);
  EXPECT_EQ(scene.couplings[0].offset, 0.0);
  const auto expect = [&](const std::string& rest, const std::string& words) {
    const std::string message = test::refusal([&] { parse_scene_json(begin + rest + "]}", "s.json"); });
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expect(R"({"joint": "s", "of_joint": "u"})", "couplings[0].of_joint: no joint has this name");
  expect(R"({"joint": "s", "of_joint": "s"})", "couplings[0]: joint \"s\" cannot depend on itself");
  expect(R"({"joint": "s", "of_joint": "t", "ratio": 1})", "ratio");
  expect(R"({"joint": "s", "of_joint": "t"}, {"joint": "t", "of_joint": "s"})", "couplings[1]: closes a cycle");
}

// A scene must begin as its couplings say.
TEST(CouplingSpecs, MustHoldAtTheStart) {
  for (const bool spatial : {false, true}) {
    test::Mechanism m(spatial);
    const int rack = m.sled("rack", 1.0, 0.0);
    const int wheel = m.wheel("wheel", 0.01, 1.0);
    m.shift(0, 0.03);
    m.couple(rack, wheel, 0.05);
    const auto refusal = [&m] {
      try {
        compile_model(m.scene);
      } catch (const std::invalid_argument& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    EXPECT_EQ(refusal(),
              "coupling \"coupling_0\": joint \"rack\" begins at 0.03 m, where factor and offset ask for 0 m; move a "
              "body, or add 0.03 m to the offset");
    m.scene.couplings[0].offset = 0.03;
    EXPECT_EQ(refusal(), "");
    m.scene.couplings[0].of_joint = 7;
    EXPECT_EQ(refusal(), "coupling \"coupling_0\": names no joint of the scene; name two of its joints");
  }
}

}  // namespace
}  // namespace pegrasp
