// SPDX-License-Identifier: Apache-2.0
// [gripper] and pads in problem files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "pegrasp/gripper.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

const char* const head = R"(dim = 3
[[body]]
name = "box"
mass_kg = 0.1
[[body.part]]
shape = "box"
size_mm = [30, 30, 30]
[success]
displacement_below_mm = 10
of = "box"
)";

// Six lines are a gripper.
const char* const six_lines = R"([gripper]
kind = "parallel_jaw"
opening_mm = 85
finger_mm = [10, 20, 60]
pad = { preset = "soft_rubber", size_mm = [5, 20, 25] }
force_n = 40
approach_mm = 100
)";

Problem parse(const std::string& rest) { return parse_problem(head + rest, "problem.toml"); }

TEST(GripperKeys, SixLinesAreAGripper) {
  const Problem problem = parse(six_lines);
  const SceneSpec& scene = problem.scene;
  ASSERT_EQ(scene.bodies.size(), 1u + 3u + 6u);
  EXPECT_EQ(scene.bodies[1].name, "gripper");
  EXPECT_EQ(scene.bodies[1].spatial().pose.position.z, 0.1);
  ASSERT_EQ(scene.couplings.size(), 1u);
  ASSERT_EQ(scene.actuators.size(), 7u);
  EXPECT_EQ(scene.actuators[0].name, "closing");
  EXPECT_EQ(scene.actuators[0].limit, 80.0);
  const PadSpec pad = rubber_pad({0.005, 0.02, 0.025}, {}, soft_rubber);
  EXPECT_EQ(scene.actuators[1].name, "left_pad_press");
  EXPECT_NEAR(scene.actuators[1].stiffness, pad.stiffness, 1e-9 * pad.stiffness);
  EXPECT_NEAR(scene.actuators[2].stiffness, pad.tilt_stiffness[0], 1e-12);
  compile_model(scene);
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
  EXPECT_EQ(again.scene.actuators[3].stiffness, scene.actuators[3].stiffness);
}

// What is uncertain about a gripper is a parameter of its palm and of its motor.
TEST(GripperKeys, ItsPoseAndForceMayBeUncertain) {
  const Problem problem = parse(R"([[joint]]
name = "rail"
kind = "prismatic"
between = ["world", "box"]
anchor_mm = [0, 0, 0]
axis = [1, 0, 0]
[[actuator]]
joint = "rail"
kind = "force"
force_n = 1
[gripper]
kind = "parallel_jaw"
opening_mm = 85
finger_mm = [10, 20, 60]
force_n = { distribution = "uniform", low = 10, high = 20 }
friction = { distribution = "uniform", low = 0.2, high = 0.4 }
approach_mm = 100
x_mm = { distribution = "normal", mean = 2, sd = 1 }
z_mm = { nominal = 15, plus = "height" }
turn_z_deg = { distribution = "normal", mean = 0, sd = 5 }
[uncertain.height]
unit = "m"
distribution = "uniform"
low = -0.005
high = 0.005
)");
  const ParameterLayout layout = parameter_layout(problem.scene);
  const auto of = [&](const std::string& name) {
    for (const UncertainParameter& parameter : problem.uncertain) {
      if (parameter.name == name) return parameter;
    }
    ADD_FAILURE() << name;
    return UncertainParameter{};
  };
  ASSERT_EQ(problem.scene.actuators[1].name, "closing");
  EXPECT_EQ(of("gripper.force").target, std::vector<int>{layout.actuator(1) + ParameterLayout::actuator_limit});
  EXPECT_EQ(of("gripper.force").scale, std::vector<double>{2.0});
  EXPECT_EQ(of("gripper.friction").target.size(), 3u) << "palm and fingers on the box";
  EXPECT_EQ(of("gripper.friction").target[1], layout.friction(friction_slot(problem.scene, 0, 2)));
  EXPECT_EQ(of("gripper.x").target, std::vector<int>{layout.pose(1)});
  EXPECT_EQ(of("height").target, std::vector<int>{layout.pose(1) + 2});
  EXPECT_EQ(of("gripper.turn_z").target, std::vector<int>{layout.tilt(1) + 2});
  std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> values(sampled_columns(problem).size());
  std::vector<double> drawn = base;
  draw_sample(problem, base, 0, 0, drawn, values);
  const double z = drawn[static_cast<std::size_t>(layout.pose(1) + 2)];
  EXPECT_GT(z, 0.11);  // where it closes, and its way
  EXPECT_LT(z, 0.12);
  for (const BodySpec& body : problem.scene.bodies) {
    if (body.name != "left_finger") continue;
    EXPECT_EQ(body.carried_by, 1);
  }
}

TEST(GripperKeys, APadStandsOnABody) {
  const Problem problem = parse(R"([[body]]
name = "finger"
kind = "fixed"
x_mm = 200
pad = { preset = "hard_rubber", size_mm = [4, 12, 10], at_mm = [0, 6, 3], normal = [0, 1, 0], stiffness_n_per_m = 1234 }
[[body.part]]
shape = "box"
size_mm = [20, 12, 20]
)");
  const SceneSpec& scene = problem.scene;
  ASSERT_EQ(scene.bodies.size(), 5u);
  EXPECT_EQ(scene.bodies[4].name, "finger_pad");
  const SpatialPose at = scene.bodies[4].spatial().pose;
  EXPECT_NEAR(at.position.x, 0.2, 1e-12);
  EXPECT_NEAR(at.position.y, 0.006, 1e-12);
  EXPECT_NEAR(at.position.z, 0.003, 1e-12);
  double high = -1.0;  // of the pad along the normal
  for (const Vec3& v : scene.bodies[4].spatial().parts[0].shape.vertices) high = std::max(high, v.x);
  EXPECT_NEAR(high, 0.004, 1e-12);
  EXPECT_NEAR(2.0 * (at.turn.x * at.turn.y + at.turn.w * at.turn.z), 1.0, 1e-12) << "its x is the body's y";
  EXPECT_EQ(scene.actuators[0].stiffness, 1234.0);
  compile_model(scene);
}

TEST(GripperKeys, APadStandsOnAnyBody) {
  const std::string pad = R"([[pad]]
body = "box"
preset = "PRESET"
size_mm = [4, 12, 10]
at_mm = [0, 0, -15]
normal = [0, 0, -1]
)";
  const auto with = [&pad](const std::string& preset) {
    std::string text = pad;
    return parse(text.replace(text.find("PRESET"), 6, preset));
  };
  const Problem soft = with("soft_rubber");
  ASSERT_EQ(soft.scene.bodies.size(), 4u);
  EXPECT_EQ(soft.scene.bodies[3].name, "box_pad");
  EXPECT_EQ(soft.scene.actuators.size(), 3u);
  const Problem rigid = with("rigid");
  ASSERT_EQ(rigid.scene.bodies.size(), 1u);
  ASSERT_EQ(rigid.scene.bodies[0].spatial().parts.size(), 2u);
  double low = 0.0;
  for (const Vec3& v : rigid.scene.bodies[0].spatial().parts[1].shape.vertices) low = std::min(low, v.z);
  EXPECT_NEAR(low, -0.019, 1e-12);
  const std::string twice = test::refusal([&] { parse(pad + pad); });
  EXPECT_NE(twice.find("preset"), std::string::npos) << twice;
  const std::string nowhere = test::refusal([&] { parse("[[pad]]\nbody = \"bok\"\npreset = \"rigid\"\n"); });
  EXPECT_NE(nowhere.find("pad[0].body: there is no body \"bok\"; did you mean \"box\"?"), std::string::npos) << nowhere;
}

TEST(GripperKeys, WhatMakesNoneIsRefused) {
  const auto expect = [](const std::string& rest, const std::string& words) {
    const std::string message = test::refusal([&] { parse(rest); });
    EXPECT_EQ(message.rfind("problem.toml:", 0), 0u) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  const std::string start = "[gripper]\nkind = \"parallel_jaw\"\nopening_mm = 85\nfinger_mm = [10, 20, 60]\n";
  expect("[gripper]\nkind = \"suction\"\n", "gripper.kind");
  expect(start, "gripper");
  expect(start + "force_n = 4\napproach_mm = 10\nz_mm = { distribution = \"uniform\", low = 0, high = 1 }\n",
         "gripper.z: is drawn as a whole, but approach_mm moves the gripper along this axis");
  expect(start + "force_n = 4\npad = { preset = \"felt\", size_mm = [5, 20, 20] }\n", "gripper.pad.preset");
  expect(start + "force_n = 4\npad = { preset = \"rigid\", size_mm = [5, 20, 70] }\n",
         "its pads are longer than its fingers; shorten them");
  expect(start + "force_n = 4\npad = { preset = \"rigid\", size_mm = [5, 20, 20], stiffness_n_per_m = 3 }\n",
         "stiffness");
  expect(start + "force_n = 4\npad = { preset = \"rigid\", size_mm = [5, 20, 20], at_mm = [0, 0, 0] }\n", "at_mm");
  for (const char* preset : {"rigid", "soft_rubber"}) {
    expect(start + "force_n = 4\npad = { preset = \"" + preset +
               "\", size_mm = [5, 20, 20], shell = { thickness_mm = 6.5, stiffness_n_per_m = 1e4 } }\n",
           "gripper.pad.shell: is 6.5 mm thick, and its pad 5 mm; give a smaller thickness_mm, or a larger first "
           "number of size_mm");
  }
  expect(start +
             "force_n = 4\n[[body]]\nname = \"left_finger\"\nmass_kg = 1\n[[body.part]]\nshape = \"sphere\"\nradius_mm "
             "= 5\n",
         "the scene has a body \"left_finger\" already");
  // By its letters "cone" is near "cube".
  expect("[[body]]\nname = \"hat\"\nmass_kg = 1\npart = [{ shape = \"cone\" }]\n",
         "shape: \"cone\" is no shape here; give its corners, of a round rim 16 or so, to a \"hull\", or take a "
         "\"cylinder\"");
  const std::string flat = test::refusal([] {
    parse_problem(
        "[[body]]\nname = \"a\"\nmass_kg = 1\n[[body.part]]\nshape = \"disc\"\nradius_mm = 3\n[gripper]\nkind = "
        "\"parallel_jaw\"\n[success]\ndisplacement_below_mm = 1\nof = \"a\"\n",
        "problem.toml");
  });
  EXPECT_NE(flat.find("is for problems in 3D; set dim = 3"), std::string::npos) << flat;
}

}  // namespace
}  // namespace pegrasp
