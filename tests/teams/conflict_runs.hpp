// SPDX-License-Identifier: Apache-2.0
// Teams whose accesses are watched. Of the dimension that the including file chooses, in a namespace of its own
// (PEGRASP_OWN_NAMESPACE): the library's own copy of the kernels calls no hooks.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>

#include "tests/determinism/cases.hpp"
#include "tests/teams/access_watch.hpp"
#include "tests/teams/fiber_team.hpp"
#include "tests/teams/scene_arena.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

using test::AccessWatch;
using test::Site;

// Found in one run of a batch.
struct Conflicts {
  std::int64_t touched = 0, count = 0;
  std::string first;
  std::set<Site> sites, needed;
};

inline Conflicts watched_run(const test::SceneBatchCase& batch, int ranks, Site left_out = nullptr) {
  SceneArena arena(batch);
  AccessWatch watch(arena.memory(), arena.bytes(), left_out);
  test::FiberCrew crew(ranks, test::RankOrder::shuffled, static_cast<std::uint64_t>(ranks));
  EXPECT_TRUE(crew.run([&](test::FiberTeam& fiber) {
    test::WatchedTeam<test::FiberTeam> team(fiber, watch);
    arena.run(team);
  }));
  Conflicts result{watch.touched(), watch.conflicts(), watch.first_conflict(), {}, {}};
  for (const auto& [site, times] : watch.sites()) result.sites.insert(site);
  for (const auto& [site, times] : watch.needed()) result.needed.insert(site);
  return result;
}

// No two ranks touch the same memory between two syncs. Of the places that sync, adds those that were come to and those
// that are needed.
inline void expect_no_conflict(const test::SceneBatchCase& batch, const std::string& what, Conflicts& all) {
  for (const int ranks : {3, 32}) {
    const Conflicts found = watched_run(batch, ranks);
    EXPECT_GT(found.touched, 10'000) << what << ": the kernels do not call the hooks";
    EXPECT_EQ(found.count, 0) << what << ", " << ranks << " ranks: " << found.first;
    all.sites.insert(found.sites.begin(), found.sites.end());
    all.needed.insert(found.needed.begin(), found.needed.end());
  }
}

// Each needed place, one at a time, without its syncs: a conflict in every case.
inline void expect_every_needed_sync_is_missed(const test::SceneBatchCase& batch, int ranks) {
  const Conflicts whole = watched_run(batch, ranks);
  EXPECT_GT(whole.needed.size(), 12u);
  std::size_t missed = 0;
  for (const Site site : whole.sites) {
    const bool conflicts = watched_run(batch, ranks, site).count > 0;
    EXPECT_TRUE(conflicts || !whole.needed.contains(site)) << "a sync at " << site << " is left out unseen";
    missed += conflicts;
  }
  std::cout << "left out one at a time, the syncs of " << missed << " of " << whole.sites.size()
            << " places are missed; of " << whole.needed.size() << " without another sync in between\n";
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
