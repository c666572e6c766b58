// SPDX-License-Identifier: Apache-2.0
// Two maps, trial by trial.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "src/decide/compare.hpp"
#include "src/decide/special.hpp"
#include "tests/decide/stored.hpp"
#include "tests/files.hpp"

namespace pegrasp::decide {
namespace {

using test::refusal;
using test::stored_map;
using test::succeed;

// Two cells of twenty. In the first B gains nine trials and loses one; one trial is unresolved in A and one in B.
struct Made {
  StoredMap a = stored_map(2, 1, 20), b = stored_map(2, 1, 20);
  Made() {
    b.folder = "out/it's b";
    for (std::size_t k = 0; k < 9; ++k) succeed(b, k);
    succeed(a, 9);
    succeed(a, 10);
    succeed(b, 10);
    a.status[11] = 1;
    b.status[12] = 8;
    for (std::size_t k = 20; k < 40; ++k) {
      succeed(a, k);
      succeed(b, k);
    }
  }
};

TEST(Compare, CountsPairsByCellAndOverall) {
  const Made made;
  const Comparison found = compare(made.a, made.b);
  const Pairs& first = found.cells[0];
  EXPECT_EQ(first.gained, 9);
  EXPECT_EQ(first.lost, 1);
  EXPECT_EQ(first.both, 1);
  EXPECT_EQ(first.neither, 7);
  EXPECT_EQ(first.unresolved, 2);
  EXPECT_EQ(first.compared(), 18);
  EXPECT_DOUBLE_EQ(first.p_a(), 2.0 / 18.0);
  EXPECT_DOUBLE_EQ(first.p_b(), 10.0 / 18.0);
  EXPECT_DOUBLE_EQ(first.difference(), 8.0 / 18.0);
  EXPECT_DOUBLE_EQ(first.p_value(), 2.0 * 11.0 / 1024.0);
  EXPECT_EQ(first.interval().low, change_interval(9, 1, 18).low);
  EXPECT_EQ(found.cells[1].gained + found.cells[1].lost, 0);
  EXPECT_EQ(found.all.compared(), 38);
  EXPECT_EQ(found.differs, (std::vector<bool>{true, false})) << "0.0215 is below 0.05 / 2";
  ASSERT_EQ(found.flipped.size(), 10u);
  EXPECT_TRUE(found.flipped[0].success_in_b);
  EXPECT_EQ(found.flipped[9].sample, 9u);
  EXPECT_FALSE(found.flipped[9].success_in_b);
}

// Six cells whose p-values are 2 / 2^n: Holm's rule asks 0.05 / 6 of the least, 0.05 / 5 of the next, and so on.
TEST(Compare, HolmsCorrection) {
  StoredMap a = stored_map(6, 1, 20), b = stored_map(6, 1, 20);
  const int gained[] = {9, 8, 7, 6, 5, 0};  // p: 0.0039, 0.0078, 0.0156, 0.031, 0.0625, 1
  for (std::size_t c = 0; c < 6; ++c)
    for (int k = 0; k < gained[c]; ++k) succeed(b, 20 * c + static_cast<std::size_t>(k));
  EXPECT_EQ(compare(a, b).differs, (std::vector<bool>{true, true, false, false, false, false}));
}

TEST(Compare, OutputsAreRead) {
  const Made made;
  const Comparison found = compare(made.a, made.b);
  const std::string csv = compare_csv(made.a, found);
  EXPECT_EQ(csv.rfind("cell,x_mm,y_mm,pairs,unresolved,p_a,p_b,difference,", 0), 0u);
  EXPECT_NE(csv.find("\n1,1,0,20,0,1,1,0,"), std::string::npos) << csv;
  const std::string flips = flips_csv(made.a, made.b, found);
  EXPECT_NE(flips.find("\n0,0,0,3,0,1,pegrasp run out/made/problem.toml --cell 0 --sample 3,"
                       "pegrasp run 'out/it'\\''s b/problem.toml' --cell 0 --sample 3\n"),
            std::string::npos)
      << flips;
  const auto json = nlohmann::json::parse(compare_json(made.a, made.b, found));
  EXPECT_EQ(json["all"]["failed_then_succeeded"], 9);
  EXPECT_EQ(json["cells_that_differ"], 1);
  EXPECT_EQ(json["flipped"], 10);
  const std::string text = compare_text(made.a, made.b, found);
  EXPECT_NE(text.find("9 trials fail in A and succeed in B, 1 the other way round: p-value 0.0215 (exact)"),
            std::string::npos)
      << text;
}

TEST(Compare, WhatDoesNotPairIsRefusedByName) {
  const auto why = [](const std::function<void(StoredMap&)>& change) {
    StoredMap a = stored_map(2, 2, 5), b = stored_map(2, 2, 5);
    change(b);
    const std::string message = refusal([&] { compare(a, b); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  };
  EXPECT_EQ(why([](StoredMap&) {}), "");
  EXPECT_NE(why([](StoredMap& b) { b.seed = 9; }).find("the seeds are 1 and 9"), std::string::npos);
  EXPECT_NE(why([](StoredMap& b) { b.axes[1].numbers[1] = 11.0; }).find("cells of their grids are not the same"),
            std::string::npos);
  EXPECT_NE(why([](StoredMap& b) { b.samples_per_cell = 6; }).find("5 and 6 samples per cell"), std::string::npos);
  EXPECT_NE(why([](StoredMap& b) { b.until = true; }).find("map.until"), std::string::npos);
  EXPECT_NE(why([](StoredMap& b) { b.sample[3] = 7; }).find("do not hold the same trials"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp::decide
