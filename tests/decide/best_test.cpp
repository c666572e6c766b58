// SPDX-License-Identifier: Apache-2.0
// The best cell of a map.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/sampling/philox.hpp"
#include "src/decide/best.hpp"
#include "src/decide/special.hpp"
#include "tests/decide/stored.hpp"

namespace pegrasp::decide {
namespace {

using test::stored_map;

// Counts drawn with p of each cell.
template <class P>
StoredMap drawn_map(std::size_t columns, std::size_t rows, int samples, std::uint64_t seed, const P& p_of) {
  StoredMap map = stored_map(columns, rows, samples);
  DrawKey key;
  key.seed = seed;
  for (std::size_t t = 0; t < map.success.size(); ++t) {
    const auto c = static_cast<std::size_t>(map.cell[t]);
    key.cell = static_cast<std::uint32_t>(t);
    const double p = p_of(static_cast<double>(c % columns), static_cast<double>(c / columns));
    if (unit_open(random_words(key).first) < p) test::succeed(map, t);
  }
  return map;
}

// A smooth hill with its top in the middle: few trials a cell name a cell near the top, and neighbours count.
TEST(Best, AHillFromFewTrials) {
  const auto hill = [](double x, double y) {
    return std::exp(-0.03 * ((x - 6.0) * (x - 6.0) + (y - 6.0) * (y - 6.0)));
  };
  double regret = 0.0, bound = 0.0, of_counts = 0.0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const StoredMap map = drawn_map(13, 13, 10, seed, hill);
    const BestCell found = best_cell(map);
    EXPECT_GE(found.radius, 2.0);
    regret += 1.0 - hill(static_cast<double>(found.best % 13), static_cast<double>(found.best / 13));
    bound += found.regret_bound;
    std::size_t most = 0;  // what counts alone would name
    for (std::size_t c = 0; c < map.cells.size(); ++c)
      if (map.cells[c].successes > map.cells[most].successes) most = c;
    of_counts += 1.0 - hill(static_cast<double>(most % 13), static_cast<double>(most / 13));
  }
  EXPECT_LT(regret, 0.5 * of_counts);
  EXPECT_LT(regret, bound) << "what it says of its regret holds";
}

// Cells that have nothing to do with each other: neighbours say nothing, and the best is found by its own trials.
TEST(Best, WhereNeighboursSayNothingTheyDoNotCount) {
  const StoredMap map = drawn_map(8, 8, 60, 3, [](double x, double y) {
    if (x == 5.0 && y == 2.0) return 0.95;
    return static_cast<int>(x + y) % 2 == 0 ? 0.1 : 0.6;
  });
  const BestCell found = best_cell(map);
  EXPECT_LE(found.radius, 1.0);
  EXPECT_EQ(found.best, 2u * 8 + 5);
  const SmoothCell& cell = found.cells[found.best];
  const double s = map.cells[found.best].successes;
  EXPECT_EQ(cell.successes, s + 0.5);
  EXPECT_EQ(cell.low, beta_quantile(s + 0.5, 60.0 - s + 0.5, 0.025));
  EXPECT_GT(cell.chance_best, 0.5);
}

// Two cells, by the integral of one beta distribution against the other: 9 of 10 and 6 of 10, Jeffreys' prior. Where
// both have as many trials, what they tell each other changes nothing of which is better.
TEST(Best, TheChanceOfTwoCells) {
  StoredMap map = stored_map(2, 1, 10);
  for (std::size_t k = 0; k < 9; ++k) test::succeed(map, k);
  for (std::size_t k = 10; k < 16; ++k) test::succeed(map, k);
  const BestCell found = best_cell(map);
  double chance = 0.0;  // that the first is better
  constexpr int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double q = (i + 0.5) / n;  // quantiles of the first
    chance += beta_cdf(6.5, 4.5, beta_quantile(9.5, 1.5, q)) / n;
  }
  EXPECT_EQ(found.best, 0u);
  EXPECT_NEAR(found.cells[0].chance_best, chance, 4.0 * std::sqrt(0.25 / static_cast<double>(found.draws)));
}

// A plateau of certain success: its middle is chosen, away from its border and from the grid's edge.
TEST(Best, ThePlateausMiddle) {
  const StoredMap map = drawn_map(15, 15, 40, 1, [](double x, double y) {
    return std::abs(x - 5.0) <= 3.0 && std::abs(y - 6.0) <= 3.0 ? 1.0 : 0.0;
  });
  const BestCell found = best_cell(map);
  EXPECT_EQ(found.best, 6u * 15 + 5);
  EXPECT_GE(found.equal, 1u);
}

TEST(Best, UnresolvedTrialsAreNoSuccesses) {
  StoredMap map = stored_map(2, 1, 50);
  for (std::size_t k = 0; k < 40; ++k) test::succeed(map, k);
  map.cells[0].unresolved = 10;  // 40 of the 40 resolved ones
  for (std::size_t k = 50; k < 95; ++k) test::succeed(map, k);
  const BestCell found = best_cell(map);
  EXPECT_EQ(found.best, 1u);
  const auto json = nlohmann::json::parse(best_json(map, found));
  EXPECT_EQ(json["cell"], 1);
  EXPECT_EQ(json["x_mm"], 1.0);
  EXPECT_EQ(best_csv(map, found).rfind("cell,x_mm,y_mm,samples,successes,unresolved,smoothed_p,low,high,", 0), 0u);
  EXPECT_NE(best_text(map, found).find("cell 1 (x = 1 mm, y = 0 mm): 45 of 50 trials succeed"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp::decide
