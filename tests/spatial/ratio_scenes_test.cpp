// SPDX-License-Identifier: Apache-2.0
// Hart's four scenes: infeasibility falls with the square of the step, and is gone at rest.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/files.hpp"
#include "tests/scenes/ratio_scenes.hpp"

namespace pegrasp {
namespace {

Problem ratio_problem(const std::string& name) {
  return load_problem(test::source_file("examples/ratio/" + name + ".toml"));
}

class RatioScenesLong : public testing::TestWithParam<const char*> {};

TEST_P(RatioScenesLong, InfeasibilityFallsWithTheSquareOfTheStep) {
  constexpr int samples = 10;
  const Problem problem = ratio_problem(GetParam());
  std::vector<double> means;
  for (const double h : scenes::ratio_steps) {
    const scenes::RatioCourse stabilised = scenes::ratio_course(problem, h, 1.0, samples);
    const scenes::RatioCourse plain = scenes::ratio_course(problem, h, 0.0, samples);
    EXPECT_GT(plain.mean, stabilised.mean) << h;
    EXPECT_LT(stabilised.at_rest, 1e-9) << h;
    EXPECT_GT(stabilised.rests, 0) << h;
    means.push_back(stabilised.mean);
  }
  EXPECT_GE(scenes::ratio_slope(means), 1.8);
}
INSTANTIATE_TEST_SUITE_P(Hart, RatioScenesLong, testing::ValuesIn(scenes::ratio_scenes));

TEST(RatioScenes, AreMapsOverTheStep) {
  for (const char* name : scenes::ratio_scenes) {
    const Problem problem = ratio_problem(name);
    EXPECT_EQ(problem.cells(), 4) << name;
    EXPECT_EQ(problem.options.contact, ContactModel::ratio) << name;
    EXPECT_EQ(problem.options.gamma, 1.0) << name;
    EXPECT_NE(problem.resolved_toml.find("gamma"), std::string::npos) << name;
  }
  const Problem other = load_problem(test::source_file("examples/puck/puck.toml"));
  EXPECT_EQ(other.resolved_toml.find("gamma"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp
