// SPDX-License-Identifier: Apache-2.0
// Margins of conditions that combine others: those of random programs, against the rule written down once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/outcome/margin.hpp"

namespace pegrasp {
namespace {

// A program and what its margin is to be. Leaves ask whether a body is within 0 to 8 mm of its start.
struct MarginProgram {
  std::vector<Predicate> predicates;
  std::vector<double> margins;  // the stack

  void add_leaf(double away_mm, int within_mm) {
    Predicate p;
    p.kind = PredicateKind::displacement_below;
    p.body = 0;
    p.value = within_mm * 1e-3;
    predicates.push_back(p);
    const double margin = 1e3 * (p.value - away_mm * 1e-3);
    margins.push_back(away_mm * 1e-3 <= p.value ? std::max(margin, 0.0) : margin);
  }
  void add_not() {
    Predicate p;
    p.kind = PredicateKind::negate;
    predicates.push_back(p);
    margins.back() = margins.back() == 0.0 ? -1e-9 : -margins.back();
  }
  void add_combination(PredicateKind kind, int count) {
    Predicate p;
    p.kind = kind;
    p.count = count;
    predicates.push_back(p);
    const auto first = margins.end() - count;
    const double margin =
        kind == PredicateKind::all ? *std::min_element(first, margins.end()) : *std::max_element(first, margins.end());
    margins.erase(first, margins.end());
    margins.push_back(margin);
  }
};

TEST(MarginProgram, IsTheLeastTheLargestOrTheOppositeAndHasTheSignOfTheOutcome) {
  std::mt19937 random(1);
  const auto below = [&random](std::size_t count) { return static_cast<int>(random() % count); };
  int held = 0;
  constexpr int programs = 20000;
  for (int k = 0; k < programs; ++k) {
    MarginProgram program;
    const int away = below(9), length = 1 + below(8);
    for (int i = 0; i < length; ++i) {
      const int kind = below(4);
      if (program.margins.empty() || kind < 2) {
        program.add_leaf(away, below(9));
      } else if (kind == 2) {
        program.add_not();
      } else {
        program.add_combination(below(2) != 0 ? PredicateKind::all : PredicateKind::any,
                                1 + below(program.margins.size()));
      }
    }
    ModelView model{};
    model.predicate_count = length;
    model.predicates = program.predicates.data();
    model.measures_margin = 1;
    model.watched = -1;
    SceneTally tally{};
    double pose[3] = {away * 1e-3, 0.0, 0.0}, start[3] = {0.0, 0.0, 0.0};
    strict::SceneView scene{};
    scene.model = &model;
    scene.tally = &tally;
    scene.pose = pose;
    scene.initial_pose = start;
    const double margin = strict::margin_of_success(scene);
    const bool holds = strict::succeeded(scene);
    ASSERT_EQ(margin, program.margins.back()) << k;
    ASSERT_EQ(margin >= 0.0, holds) << k;
    held += holds ? 1 : 0;
  }
  EXPECT_GT(held, programs / 4);
  EXPECT_LT(held, 3 * programs / 4);
}

}  // namespace
}  // namespace pegrasp
