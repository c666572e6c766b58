// SPDX-License-Identifier: Apache-2.0
// [body.oscillation], motion_repeats, turns and simulation.model in problem files, and turns in scene files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/scene_json.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {
namespace {

std::string plate_with(int dim, const std::string& plate, const std::string& grain, const std::string& simulation) {
  const std::string part = dim == 2 ? "shape = \"disc\"\nradius_mm = 2\n" : "shape = \"sphere\"\nradius_mm = 2\n";
  std::string text = "dim = " + std::to_string(dim) + "\n[simulation]\nduration_s = 0.1\n" + simulation + "\n";
  text += "[[body]]\nname = \"plate\"\nkind = \"kinematic\"\n" + plate + "\n[[body.part]]\n" + part;
  return text + "[[body]]\nname = \"grain\"\nmass_g = 1\nx_mm = 50\n" + grain + "\n[[body.part]]\n" + part;
}

std::string refusal(const std::string& text) {
  try {
    parse_problem(text, "test.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

const std::string shaken_2d =
    "[body.oscillation]\nfrequency_hz = 33\nacceleration_m_s2 = [8, \"push\"]\nangular_acceleration_rad_s2 = 180\n"
    "phase_rad = [0.5, 1]\nangular_phase_rad = { distribution = \"uniform\", low = 1, high = 2 }\n";
const std::string push = "[uncertain.push]\ndistribution = \"uniform\"\nlow = 3\nhigh = 4\nunit = \"m_s2\"\n";

TEST(ShakenKeys, AreReadAndMayBeUncertain) {
  const Problem problem = parse_problem(plate_with(2, shaken_2d, "turns = false", "") + push, "test.toml");
  const BodySpec& plate = problem.scene.bodies[0];
  ASSERT_TRUE(plate.oscillation.has_value());
  EXPECT_EQ(plate.oscillation->frequency, 33.0);
  EXPECT_EQ(plate.oscillation->acceleration[0], 8.0);
  EXPECT_EQ(plate.oscillation->acceleration[5], 180.0);
  EXPECT_EQ(plate.oscillation->phase[1], 1.0);
  EXPECT_FALSE(plate.oscillation->end_velocity);
  EXPECT_FALSE(problem.scene.bodies[1].turns);
  const ParameterLayout layout = parameter_layout(problem.scene);
  const std::vector<double> base = scene_parameters(problem.scene);
  const Sampler sampler(problem);
  std::vector<double> values(static_cast<std::size_t>(sampler.values()));
  std::vector<double> drawn = base;
  draw_sample(problem, base, 0, 3, drawn, values);
  const auto at = [&](int k) { return drawn[static_cast<std::size_t>(layout.oscillation(0) + k)]; };
  EXPECT_EQ(at(0), 33.0);
  EXPECT_EQ(at(1), 8.0);
  EXPECT_GE(at(2), 3.0);
  EXPECT_LE(at(2), 4.0);
  EXPECT_EQ(at(3), 180.0);
  EXPECT_GE(at(6), 1.0);
  EXPECT_LE(at(6), 2.0);
  const Problem again = parse_problem(problem.resolved_toml, "resolved.toml");
  EXPECT_EQ(again.resolved_toml, problem.resolved_toml);
}

TEST(ShakenKeys, InThreeDimensions) {
  const std::string shaken =
      "[body.oscillation]\nfrequency_hz = 33\nacceleration_m_s2 = [1, 2, 3]\n"
      "angular_acceleration_rad_s2 = [4, 5, 6]\nangular_phase_rad = [0, 0, 1]\nvelocity = \"end\"\n";
  const Problem problem = parse_problem(plate_with(3, shaken, "", "model = \"quasistatic\""), "test.toml");
  const Oscillation& o = *problem.scene.bodies[0].oscillation;
  EXPECT_EQ(o.acceleration, (std::array<double, 6>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(o.phase, (std::array<double, 6>{0, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(o.end_velocity);
  EXPECT_EQ(problem.scene.model, MotionModel::quasistatic);
  EXPECT_TRUE(problem.scene.bodies[1].turns);
}

TEST(ShakenKeys, AreRefusedWhereTheyHaveNoMeaning) {
  const auto says = [](const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  };
  says(refusal(plate_with(2, "", "[body.oscillation]\nfrequency_hz = 1\n", "")), "is for kinematic bodies");
  says(refusal(plate_with(2, "[body.oscillation]\nacceleration_m_s2 = [1, 2]\n", "", "")), "frequency_hz");
  says(refusal(plate_with(2, "[body.oscillation]\nfrequency_hz = 1\nacceleration_m_s2 = [1, 2, 3]\n", "", "")),
       "two values");
  says(refusal(plate_with(2, "max_force_n = 1\n[body.oscillation]\nfrequency_hz = 1\n", "", "")),
       "cannot stand beside oscillation");
  says(refusal(plate_with(2, "turns = false", "", "")), "is for dynamic bodies");
  says(refusal(plate_with(2, "motion_repeats = true", "", "")), "stands without motion");
  says(refusal(plate_with(2, "", "", "model = \"geometric\"")), "moves nothing in time");
  says(refusal(plate_with(2, "", "", "model = \"static\"")), "model");
}

TEST(ShakenKeys, TurnsInSceneFiles) {
  const std::string text =
      "{\"format\": \"peg-scene-1\", \"dim\": 3, \"name\": \"s\", \"gravity\": [0, 0, -9.81], \"bodies\": ["
      "{\"name\": \"grain\", \"mass\": 0.001, \"sphere\": {\"radius\": 0.001}, \"turns\": false}]}";
  EXPECT_FALSE(parse_scene_json(text, "scene.json").scene.bodies[0].turns);
}

}  // namespace
}  // namespace pegrasp
