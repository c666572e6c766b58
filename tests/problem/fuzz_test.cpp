// SPDX-License-Identifier: Apache-2.0
// Damaged problem files: each is read into a valid problem or refused by an InputError, never anything else.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>
#include <sstream>

#include "fuzz_seed.hpp"
#include "same_problem.hpp"

namespace pegrasp {
namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// One small damage: bytes changed, lines dropped, doubled or swapped, numbers replaced by awkward ones.
void damage(std::string& text, std::mt19937_64& random) {
  if (text.empty()) return;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  switch (random() % 6) {
    case 0:
      text[below(text.size())] = static_cast<char>(random() & 0xff);
      return;
    case 1:
      text.erase(below(text.size()), 1 + below(8));
      return;
    case 2: {
      static const char awkward[] = "0123456789-+.eE_\"'[]{}=,#\n \t";
      text.insert(below(text.size()), 1, awkward[below(sizeof awkward - 1)]);
      return;
    }
    case 3: {
      static const char* numbers[] = {"0",   "-1",   "nan",   "inf", "1e308", "1e-308", "9223372036854775807",
                                      "0.1", "true", "\"x\"", "[]",  "{}"};
      const std::size_t at = text.find_first_of("0123456789", below(text.size()));
      if (at == std::string::npos) return;
      const std::size_t end = text.find_first_not_of("0123456789.e-", at);
      text.replace(at, (end == std::string::npos ? text.size() : end) - at, numbers[below(std::size(numbers))]);
      return;
    }
    default:
      break;
  }
  std::vector<std::string> lines = split_lines(text);
  if (lines.size() < 2) return;
  const std::size_t a = below(lines.size());
  const std::size_t b = below(lines.size());
  if (random() % 2 == 0) {
    std::swap(lines[a], lines[b]);
  } else if (random() % 2 == 0) {
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
  } else {
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(b), lines[a]);
  }
  text.clear();
  for (const std::string& line : lines) text += line + "\n";
}

void expect_sound(const Problem& p) {
  for (const double x : scene_parameters(p.scene)) EXPECT_TRUE(std::isfinite(x));
  EXPECT_GE(p.grid.cells(), 1);
  EXPECT_GT(p.options.h, 0.0);
  const ParameterLayout layout = parameter_layout(p.scene);
  for (const UncertainParameter& u : p.uncertain) {
    EXPECT_EQ(u.target.size(), u.scale.size());
    for (const int slot : u.target) EXPECT_TRUE(slot >= 0 && slot < layout.size());
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
    for (int i = 0; i < damages; ++i) damage(text, random);
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

}  // namespace
}  // namespace pegrasp
