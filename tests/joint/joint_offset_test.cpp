// SPDX-License-Identifier: Apache-2.0
// [[joint_offset]]: joints that start beside where the scene describes their bodies. varying_poses_test.cpp runs hands
// with such joints in both simulators.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"
#include "src/geometry/placement.hpp"
#include "src/scene/coupling.hpp"
#include "tests/files.hpp"
#include "tests/joint/varying_poses.hpp"

namespace pegrasp {
namespace {

struct Drawn {
  std::vector<double> parameters, values;
};

Drawn draw(const Problem& problem, int cell, int sample) {
  const Sampler sampler(problem);
  Drawn out{std::vector<double>(sampler.parameters()), std::vector<double>(sampler.values())};
  sampler.draw(cell, sample, out.parameters, out.values);
  return out;
}

// The scene with its bodies where a trial puts them; nothing carries others.
SceneSpec started(const Problem& problem, const std::vector<double>& parameters) {
  SceneSpec scene = problem.scene;
  const ParameterLayout layout = parameter_layout(scene);
  for (int b = 0; b < layout.body_count; ++b) {
    const double* p = parameters.data() + layout.pose(b);
    BodySpec& body = scene.bodies[static_cast<std::size_t>(b)];
    if (scene.spatial) {
      body.spatial().pose = {{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
    } else {
      body.planar().pose = {p[0], p[1], p[2]};
    }
  }
  return scene;
}

Problem parse(const std::string& text) { return parse_problem(text, "problem.toml"); }

// Each joint starts at its draw, however the hand is built, and nothing else moves.
TEST(JointOffset, IsTheCoordinateAtTheStart) {
  for (const test::VaryingProblem& of : test::offset_problems()) {
    SCOPED_TRACE(of.name);
    const Problem problem = parse(of.text);
    if (problem.joint_offsets.front().as_described || problem.joint_offsets.back().as_described) continue;
    for (int sample = 0; sample < 20; ++sample) {
      const Drawn drawn = draw(problem, 0, sample);
      const SceneSpec scene = started(problem, drawn.parameters);
      ASSERT_EQ(drawn.values.size(), 2u);
      EXPECT_NEAR(start_coordinate(scene, scene.joints[2]), drawn.values[0], 1e-15);
      EXPECT_NEAR(start_coordinate(scene, scene.joints[1]), drawn.values[1], 1e-15);
      EXPECT_NEAR(start_coordinate(problem.scene, problem.scene.joints[1]), 0.0, 1e-15);
      const std::vector<double> base = scene_parameters(problem.scene);
      const ParameterLayout layout = parameter_layout(scene);
      for (int i = 0; i < layout.pose_size(); ++i) {
        const auto palm = static_cast<std::size_t>(layout.pose(0) + i);
        EXPECT_EQ(drawn.parameters[palm], base[palm]);
      }
    }
  }
}

// A box on a rail along (3, 4)/5, and its lid on a hinge at (20, 0) mm.
std::string rail(const std::string& more) {
  return test::head(false) + test::box(false, "jaw", "x_mm = 10\n") + test::box(false, "lid", "x_mm = 50\n") +
         test::joint("prismatic", "\"world\", \"jaw\"", "anchor_mm = [10, 0]\naxis = [3, 4]\nslide_mm = [-10, 15]\n") +
         test::joint("revolute", "\"jaw\", \"lid\"", "anchor_mm = [20, 0]\n") + test::stays("jaw") + more;
}

TEST(JointOffset, MovesWhatHangsOnTheJoint) {
  const Problem problem =
      parse(rail("[[joint_offset]]\njoint = \"joint_1\"\noffset_mm = 5\n"
                 "[[joint_offset]]\njoint = \"joint_2\"\noffset_deg = 90\n"));
  const SceneSpec scene = started(problem, draw(problem, 0, 0).parameters);
  const Pose jaw = scene.bodies[0].planar().pose, lid = scene.bodies[1].planar().pose;
  EXPECT_NEAR(jaw.x, 0.013, 1e-15);
  EXPECT_NEAR(jaw.y, 0.004, 1e-15);
  EXPECT_NEAR(lid.x, 0.023, 1e-15);
  EXPECT_NEAR(lid.y, 0.034, 1e-15);
  EXPECT_NEAR(lid.theta, 1.5707963267948966, 1e-15);
}

// The draw of the offset is that of its name, and leaves other draws alone.
TEST(JointOffset, IsDrawnLikeAnyOtherNumber) {
  const std::string mass =
      "[[body]]\nname = \"x\"\nmass_kg = { distribution = \"uniform\", low = 1, high = 2 }\n"
      "x_mm = 500\n[[body.part]]\nshape = \"disc\"\nradius_mm = 5\n";
  const Problem with = parse(rail(mass + test::joint_offset("joint_2", "offset_deg")));
  const Problem without = parse(rail(mass));
  EXPECT_EQ(sampled_columns(with).back().name, "joint_2.offset");
  EXPECT_EQ(sampled_columns(with).back().unit, "rad");
  for (int sample = 0; sample < 5; ++sample) {
    EXPECT_EQ(draw(with, 0, sample).values[0], draw(without, 0, sample).values[0]);
    EXPECT_EQ(draw(with, 0, sample).parameters, draw(with, 0, sample).parameters);
  }
  EXPECT_EQ(parse(with.resolved_toml).resolved_toml, with.resolved_toml);
}

// A jaw that starts `offset` further on reaches its stop sooner by offset / speed.
TEST(JointOffset, AMotorClosesSoonerByTheOffset) {
  const auto steps_to_stop = [](const std::string& offset) {
    const Problem problem =
        parse(rail("[[actuator]]\njoint = \"joint_1\"\nkind = \"velocity_servo\"\nspeed_mm_s = 50\n"
                   "max_force_n = 1000\n[[joint_offset]]\njoint = \"joint_1\"\noffset_mm = " +
                   offset + "\n"));
    StepOptions options = derive_options(problem.options, problem.scene);
    options.duration = 1.0;
    Simulation simulation(compile_model(problem.scene), options, draw(problem, 0, 0).parameters);
    int steps = 0;
    while (std::hypot(simulation.pose(0).x - 0.01, simulation.pose(0).y) < 0.015 - 1e-6 && simulation.step()) ++steps;
    return steps;
  };
  EXPECT_EQ(steps_to_stop("0"), 60);  // 15 mm at 50 mm/s, in steps of 5 ms
  EXPECT_EQ(steps_to_stop("5"), 40);
  EXPECT_EQ(steps_to_stop("{ distribution = \"constant\", value = 7.5 }"), 30);
}

constexpr const char* jaw =
    "dim = 3\n[map]\nsamples = 3\n[[body]]\nname = \"box\"\nmass_kg = 0.1\n[[body.part]]\n"
    "shape = \"box\"\nsize_mm = [30, 30, 30]\n[gripper]\nkind = \"parallel_jaw\"\n"
    "opening_mm = 80\nfinger_mm = [10, 20, 60]\nforce_n = 40\n"
    "x_mm = { distribution = \"normal\", mean = 0, sd = 1 }\n"
    "pad = { preset = \"soft_rubber\", size_mm = [5, 20, 20] }\n";

// Coupled jaws start at the same coordinate, with their pads.
TEST(JointOffset, MovesCoupledJointsAlong) {
  const Problem problem =
      parse(jaw + std::string("[[joint_offset]]\njoint = \"right_slide\"\noffset_mm = { distribution "
                              "= \"uniform\", low = 0, high = 40 }\n"));
  ASSERT_EQ(problem.joint_offsets.size(), 2u);
  EXPECT_EQ(problem.joint_offsets[0].moved.size(), 4u);
  for (int sample = 0; sample < 3; ++sample) {
    const Drawn drawn = draw(problem, 0, sample);
    const double offset = drawn.values.back();
    SceneSpec scene = started(problem, drawn.parameters);
    scene.bodies[1] = problem.scene.bodies[1];  // the palm carries its fingers from here
    for (const JointSpec& joint : scene.joints) {
      const bool slide = joint.name == "left_slide" || joint.name == "right_slide";
      EXPECT_NEAR(start_coordinate(scene, joint), slide ? offset : 0.0, 1e-15) << joint.name;
    }
  }
}

TEST(JointOffset, WhatCannotBeIsRefusedInOneLine) {
  const auto expect = [](const std::string& text, const std::string& words) {
    const std::string message = test::refusal([&] { parse(text); });
    EXPECT_EQ(message.rfind("problem.toml:", 0), 0u) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  const auto entry = [](const std::string& name, const std::string& value) {
    return "[[joint_offset]]\njoint = \"" + name + "\"\n" + value + "\n";
  };
  expect(rail(entry("joint_9", "offset_mm = 1")), "there is no joint \"joint_9\"");
  expect(rail(entry("joint_1", "offset_deg = 1")), "offset_mm");
  expect(rail(entry("joint_1", "")), "offset_mm");
  expect(rail(entry("joint_1", "offset_mm = 16")), "must be at least -10 mm and at most 15 mm, got 16");
  expect(rail(entry("joint_2", "offset_deg = 181")), "must be at least -180 deg and at most 180 deg, got 181");
  expect(rail(entry("joint_1", "offset_mm = { distribution = \"normal\", mean = 0, sd = 2 }")),
         "joint_offset[0].offset_mm: can be drawn out of range");
  expect(rail(entry("joint_1", "offset_mm = 1") + entry("joint_1", "offset_mm = 2")),
         "moves joint \"joint_1\", which another offset moves already; keep one of them");
  expect(jaw + entry("left_slide", "offset_mm = 1") + entry("right_slide", "offset_mm = 1"),
         "joint_offset[1].joint: moves joint \"right_slide\"");
  expect(rail(test::joint("fixed", "\"world\", \"lid\"", "anchor_mm = [50, 0]\n") + entry("joint_2", "offset_deg = 1")),
         "joint \"joint_2\" would move a body that joint \"joint_3\" holds as well");
  expect(rail(test::joint("fixed", "\"world\", \"lid\"", "anchor_mm = [50, 0]\n") + entry("joint_3", "offset_mm = 1")),
         "is neither revolute nor prismatic");
  const std::string moving = "x_mm = { distribution = \"normal\", mean = 0, sd = 5 }\n";
  expect(test::head(false) + test::box(false, "jaw", moving) +
             test::joint("prismatic", "\"world\", \"jaw\"", "anchor_mm = [0, 0]\naxis = [1, 0]\n") +
             test::stays("jaw") + entry("joint_1", "offset_mm = 1"),
         "would move body \"jaw\", whose own pose varies");
  expect(
      test::head(false) + test::box(false, "jaw", "") +
          "[[body]]\nname = \"wall\"\nkind = \"fixed\"\nx_mm = 50\n[[body.part]]\nshape = \"disc\"\nradius_mm = 1\n" +
          test::joint("prismatic", "\"jaw\", \"wall\"", "anchor_mm = [0, 0]\naxis = [1, 0]\n") + test::stays("jaw") +
          entry("joint_1", "offset_mm = 1"),
      "would move body \"wall\", which is not dynamic");
}

}  // namespace
}  // namespace pegrasp
