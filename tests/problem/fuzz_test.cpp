// SPDX-License-Identifier: Apache-2.0
// Damaged problem files: each is read into a valid problem or refused by an InputError, never anything else.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "tests/damage.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

void expect_sound(const Problem& p) {
  for (const double x : scene_parameters(p.scene)) EXPECT_TRUE(std::isfinite(x));
  EXPECT_GE(p.grid.cells(), 1);
  EXPECT_GT(p.options.h, 0.0);
  const auto slots = static_cast<int>(base_parameters(p).size());
  for (const UncertainParameter& u : p.uncertain) {
    EXPECT_EQ(u.target.size(), u.scale.size());
    for (const int slot : u.target) EXPECT_TRUE(slot >= 0 && slot < slots);
  }
  EXPECT_EQ(test::words_of(p), test::words_of(parse_problem(p.resolved_toml, "resolved")));
}

void fuzz(const std::string& file, int rounds) {
  const std::uint64_t seed = test::fuzz_seed(20240608);
  std::mt19937_64 random(seed);
  std::string whole = test::content(test::source_file(file));
  // coarser teeth: the time goes into the reader
  const std::string fine = "polygon_tolerance_mm = 0.001";
  for (std::size_t at = whole.find(fine); at != std::string::npos; at = whole.find(fine, at + 1)) {
    whole.replace(at, fine.size(), "polygon_tolerance_mm = 0.05");
  }
  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string text = whole;
    const int damages = 1 + static_cast<int>(random() % 3);
    for (int i = 0; i < damages; ++i) test::damage(text, random);
    try {
      const Problem p = parse_problem(text, "fuzz.toml");
      ++accepted;
      expect_sound(p);
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.rfind("fuzz.toml", 0), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << " round " << round << ": " << error.what() << "\n" << text;
    }
    if (testing::Test::HasFailure()) {
      std::cout << "seed " << seed << " round " << round << "\n";
      return;
    }
  }
  std::cout << "[ ACCEPTED ] " << accepted << " of " << rounds << "\n";
}

TEST(ProblemFuzz, DamagedGearIsReadOrRefused) { fuzz("examples/gear/gear.toml", 2000); }
TEST(ProblemFuzz, DamagedFileOfEveryKeyIsReadOrRefused) { fuzz("tests/problem/every_key.toml", 1500); }
TEST(ProblemFuzz, DamagedFileOfEveryKeyIn3DIsReadOrRefused) { fuzz("tests/problem/every_key_3d.toml", 1500); }
TEST(ProblemFuzz, DamagedPenaltyIsReadOrRefused) { fuzz("examples/penalty/penalty.toml", 500); }
TEST(ProblemFuzz, DamagedLiftIsReadOrRefused) { fuzz("examples/lift/lift.toml", 500); }

}  // namespace
}  // namespace pegrasp
