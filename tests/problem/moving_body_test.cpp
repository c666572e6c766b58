// SPDX-License-Identifier: Apache-2.0
// Kinematic bodies in 3D whose motion turns along with a body, or carries noise.
#include <gtest/gtest.h>

#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

std::string text_of(const std::string& keys) {
  return "dim = 3\n[gravity]\nz_m_s2 = 0\n[simulation]\nduration_s = 0.5\n"
         "[[body]]\nname = \"part\"\nmass_kg = 1\nx_mm = 5000\nturn_z_deg = \"yaw\"\n"
         "[[body.part]]\nshape = \"box\"\nsize_mm = [100, 100, 100]\n"
         "[[body]]\nname = \"hand\"\nkind = \"kinematic\"\n"
         "motion = [{ time_s = 0, x_mm = 10 }, { time_s = 0.4, x_mm = 310 }]\n" +
         keys +
         "\n[[body.part]]\nshape = \"box\"\nsize_mm = [100, 100, 100]\n"
         "[uncertain.yaw]\nunit = \"deg\"\ndistribution = \"choice\"\nvalues = [0, 90]\n";
}

// Where the hand is at the end of a sample.
Vec3 end_of(const Problem& problem, int sample, std::vector<double>& values) {
  const Sampler sampler(problem);
  std::vector<double> parameters(sampler.parameters());
  values.resize(sampler.values());
  sampler.draw(0, sample, parameters, values);
  Simulation simulation(compile_model(problem.scene),
                        derive_options(problem.options, problem.scene, problem.arithmetic), parameters);
  simulation.run();
  return simulation.spatial_pose(1).position;
}

TEST(MovingBody, MovesInAnotherBodysFrame) {
  std::vector<double> values;
  const Vec3 plain = end_of(parse_problem(text_of(""), "p.toml"), 0, values);
  EXPECT_NEAR(plain.x, 0.31, 1e-9);
  const Problem problem = parse_problem(text_of("motion_in = \"part\""), "p.toml");
  int quarters = 0;
  for (int sample = 0; sample < 8; ++sample) {
    const Vec3 end = end_of(problem, sample, values);
    const bool quarter = values[0] > 1.0;  // the part is turned by a quarter about z; the first keyframe stays
    EXPECT_NEAR(end.x, quarter ? 0.01 : 0.31, 1e-9);
    EXPECT_NEAR(end.y, quarter ? 0.3 : 0.0, 1e-9);
    quarters += quarter ? 1 : 0;
  }
  EXPECT_GT(quarters, 0);
}

TEST(MovingBody, CarriesNoise) {
  const Problem problem =
      parse_problem(text_of("error_y_mm = { distribution = \"normal\", mean = 0, sd = 2 }\n"
                            "error_turn_z_deg = { distribution = \"uniform\", low = -5, high = 5 }"),
                    "p.toml");
  std::vector<double> values;
  double last = 0.0;
  for (int sample = 0; sample < 4; ++sample) {
    const Vec3 end = end_of(problem, sample, values);
    std::size_t y = 0;
    while (sampled_columns(problem)[y].name != "hand.error_y") ++y;
    EXPECT_NEAR(end.x, 0.31, 1e-9);
    EXPECT_NEAR(end.y, values[y], 1e-9);
    EXPECT_NE(values[y], last);
    last = values[y];
  }
}

TEST(MovingBody, RefusesWhatMakesNoSense) {
  const auto said = [](const std::string& keys) {
    return test::refusal([&] { parse_problem(text_of(keys), "p.toml"); });
  };
  EXPECT_NE(said("error_x_mm = 3").find("put it into the keyframes"), std::string::npos);
  EXPECT_NE(said("motion_in = \"prat\"").find("did you mean \"part\""), std::string::npos);
  EXPECT_NE(said("x_mm = 3").find("cannot stand beside motion"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp
