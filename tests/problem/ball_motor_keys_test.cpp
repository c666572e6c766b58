// SPDX-License-Identifier: Apache-2.0
// Motors of spherical joints in problem files: vectors by components, each of which may be uncertain.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

const char* const begin = R"(dim = 3
[[body]]
name = "rod"
mass_kg = 1
[[body.part]]
shape = "box"
size_mm = [10, 10, 100]
[[joint]]
name = "ball"
kind = "spherical"
between = ["world", "rod"]
anchor_mm = [0, 0, 50]
[success]
displacement_below_mm = 10
of = "rod"
[[actuator]]
name = "aim"
joint = "ball"
)";

Problem parse(const std::string& rest) { return parse_problem(begin + rest, "problem.toml"); }

TEST(BallMotorKeys, ComponentsAreReadInRadians) {
  const Problem problem = parse(R"(kind = "position_servo"
position_x_deg = 90
position_z_rad = { distribution = "uniform", low = -1, high = 1 }
program = [{ time_s = 0, position_y_deg = 0 }, { time_s = 2, position_y_deg = 180, position_z_deg = -90 }]
stiffness_n_m_per_rad = 3
max_torque_n_m = 2
)");
  const ActuatorSpec& motor = problem.scene.actuators.at(0);
  EXPECT_TRUE(motor.rotary);
  EXPECT_NEAR(motor.ball.x, 1.5707963267948966, 1e-15);
  EXPECT_EQ(motor.ball.y, 0.0);
  EXPECT_NEAR(motor.program.at(1).ball.y, 3.141592653589793, 1e-15);
  EXPECT_NEAR(motor.program.at(1).ball.z, -1.5707963267948966, 1e-15);
  ASSERT_EQ(problem.uncertain.size(), 1u);
  EXPECT_EQ(problem.uncertain[0].name, "aim.position_z");
  EXPECT_EQ(problem.uncertain[0].target, std::vector<int>{parameter_layout(problem.scene).actuator(0) + 5});
  // the file as it was understood is the same problem
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.scene.actuators.at(0).ball.x, motor.ball.x);
  EXPECT_EQ(again.scene.actuators.at(0).program.at(1).ball.z, motor.program.at(1).ball.z);
}

TEST(BallMotorKeys, WhatBelongsToOtherJointsIsRefused) {
  const auto refusal = [](const std::string& rest) { return test::refusal([&] { parse(rest); }); };
  const auto names = [](const std::string& message, const char* words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  const std::string servo = "kind = \"position_servo\"\nstiffness_n_m_per_rad = 3\nmax_torque_n_m = 2\n";
  names(refusal(servo + "position_deg = 3\n"),
        "actuator[0].position_deg: is one number, but a spherical joint turns about three axes; give position_x_deg, ");
  names(refusal(servo + "speed_x_rad_s = 3\n"), "actuator[0].speed_x_rad_s: does not apply");
  names(refusal(servo + "program = [{ time_s = 0, position_deg = 3 }]\n"), "program[0].position_deg: is one number");
  names(refusal("kind = \"force\"\nforce_n = 1\n"), "force_n");
  names(refusal("kind = \"force\"\nrotary = false\nforce_n = 1\n"), "only turns");
  names(refusal(servo + "position_x_deg = 1e9\n"), "position_x_deg");
}

}  // namespace
}  // namespace pegrasp
