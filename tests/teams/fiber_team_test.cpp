// SPDX-License-Identifier: Apache-2.0
// The emulated team itself: a race shows, ranks that part ways are reported, the maximum is right.
#include "tests/teams/fiber_team.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/base/scalars.hpp"
#include "kernels/base/team.hpp"

namespace pegrasp::test {
namespace {

// Every rank copies what its right-hand neighbour wrote; without the sync in between, some copy too early.
std::vector<int> neighbours(int ranks, RankOrder order, bool with_sync) {
  std::vector<int> mine(static_cast<std::size_t>(ranks), -1);
  std::vector<int> copied(static_cast<std::size_t>(ranks), -1);
  FiberCrew crew(ranks, order);
  EXPECT_TRUE(crew.run([&](FiberTeam& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    mine[rank] = team.rank();
    if (with_sync) team.sync();
    copied[rank] = mine[(rank + 1) % mine.size()];
  }));
  return copied;
}

TEST(FiberTeam, AMissingSyncShowsInEveryOrder) {
  PEGRASP_NEEDS_FIBERS();
  const std::vector<int> right{1, 2, 3, 0};
  for (RankOrder order : {RankOrder::forward, RankOrder::reverse, RankOrder::shuffled}) {
    EXPECT_EQ(neighbours(4, order, true), right);
    EXPECT_NE(neighbours(4, order, false), right);
  }
}

TEST(FiberTeam, ForEachVisitsEachIndexOnce) {
  PEGRASP_NEEDS_FIBERS();
  std::vector<int> visits(100, 0);
  int onces = 0;
  FiberCrew crew(8, RankOrder::shuffled);
  ASSERT_TRUE(crew.run([&](FiberTeam& team) {
    for_each(team, 100, [&](int i) { ++visits[static_cast<std::size_t>(i)]; });
    once(team, [&] { ++onces; });
  }));
  EXPECT_EQ(visits, std::vector<int>(100, 1));
  EXPECT_EQ(onces, 1);
}

TEST(FiberTeam, MaximaOneRightAfterTheOther) {
  PEGRASP_NEEDS_FIBERS();
  for (RankOrder order : {RankOrder::forward, RankOrder::reverse, RankOrder::shuffled}) {
    FiberCrew crew(5, order);
    EXPECT_TRUE(crew.run([&](FiberTeam& team) {
      for (int k = 0; k < 7; ++k) EXPECT_EQ(team.max(10.0 * k - team.rank()), 10.0 * k);
      const double odd = team.rank() == 3 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
      EXPECT_TRUE(std::isnan(team.max(odd)));
    }));
  }
}

TEST(FiberTeam, ARunningMaximumKeepsANan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(strict::max_or_nan(strict::max_or_nan(0.0, nan), 1.0)));
  EXPECT_TRUE(std::isnan(strict::max_or_nan(1.0, nan)));
  EXPECT_FALSE(std::signbit(strict::max_or_nan(0.0, -0.0)));
  EXPECT_EQ(strict::max_or_nan(1.0, 2.0), 2.0);
  EXPECT_EQ(strict::max_or_nan(2.0, 1.0), 2.0);
}

TEST(FiberTeam, RanksThatPartWaysAreReported) {
  PEGRASP_NEEDS_FIBERS();
  FiberCrew one_ends(4, RankOrder::forward);
  EXPECT_FALSE(one_ends.run([](FiberTeam& team) {
    if (team.rank() != 2) team.sync();
  }));
  FiberCrew other_wait(4, RankOrder::reverse);
  EXPECT_FALSE(other_wait.run([](FiberTeam& team) {
    if (team.rank() == 0) {
      team.max(1.0);
    } else {
      team.sync();
    }
  }));
}

}  // namespace
}  // namespace pegrasp::test
