// SPDX-License-Identifier: Apache-2.0
// The gear grasp with teeth that are superellipses beside the one with teeth that are polygons within 0.001 mm.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "tests/places.hpp"
#include "tests/scenes/gear_trials.hpp"

namespace pegrasp::test {
namespace {

TEST(ExactTeethLong, EndAsFinePolygonsDo) {
  constexpr int count = 2000;
  const std::vector<scenes::GearTrial> trials = scenes::GearStudy::uniform_set(1, count);
  std::vector<SceneOutcome> outcomes[2];
  for (const bool exact : {false, true}) {
    const scenes::GearStudy study(source_file(exact ? "examples/ellipse/gear.toml" : "examples/gear/gear.toml"));
    const auto begin = std::chrono::steady_clock::now();
    outcomes[exact] = study.run(trials, 0.005);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    int steps = 0;
    for (const SceneOutcome& outcome : outcomes[exact]) steps += outcome.steps;
    std::printf("%s teeth: %.0f steps a second\n", exact ? "exact" : "polygonal", steps / time.count());
  }
  int other = 0, unresolved = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    other += outcomes[0][i].success != outcomes[1][i].success ? 1 : 0;
    unresolved += outcomes[1][i].unresolved_steps > 0 ? 1 : 0;
  }
  std::printf("%d of %d trials end otherwise, %d are unresolved\n", other, count, unresolved);
  EXPECT_LE(other, count / 1000);
  EXPECT_EQ(unresolved, 0);
}

}  // namespace
}  // namespace pegrasp::test
