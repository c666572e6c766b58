// SPDX-License-Identifier: Apache-2.0
// Batches by the library's own worker, by fibers, by threads; and without the syncs of one place. Of the dimension that
// the including file chooses.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "tests/teams/fiber_team.hpp"
#include "tests/teams/probed_team.hpp"
#include "tests/teams/scene_arena.hpp"
#include "tests/teams/thread_team.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

using test::FiberCrew;
using test::FiberTeam;
using test::Probe;
using test::ProbedTeam;
using test::RankOrder;
using test::SceneBatchCase;
using TeamResults = std::vector<test::SceneResult>;

constexpr RankOrder all_orders[] = {RankOrder::forward, RankOrder::reverse, RankOrder::shuffled};

inline std::string order_name(RankOrder order) {
  const char* const names[] = {"forward", "reverse", "shuffled"};
  return names[static_cast<int>(order)];
}

// Every scene by the library's own worker.
inline TeamResults by_worker(const SceneBatchCase& batch) {
  const Capacity capacity = test::ample(*batch.model, batch.options);
#if defined(PEGRASP_SPATIAL)
  const auto worker = make_spatial_worker(batch.model->view(), batch.options, capacity);
#else
  const auto worker = make_strict_worker(batch.model->view(), batch.options, capacity);
#endif
  TeamResults results(static_cast<std::size_t>(batch.scenes()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].poses.resize(static_cast<std::size_t>(batch.pose_size * batch.body_count));
    worker->run(batch.scene(static_cast<int>(i)), &results[i].outcome, results[i].poses.data());
  }
  return results;
}

// The scene with most contacts of a batch.
inline SceneBatchCase busiest(SceneBatchCase batch) {
  const TeamResults results = by_worker(batch);
  int best = 0;
  for (int i = 1; i < batch.scenes(); ++i) {
    const auto contacts = [&](int k) { return results[static_cast<std::size_t>(k)].outcome.contacts_max; };
    if (contacts(i) > contacts(best)) best = i;
  }
  batch.parameters.assign(batch.scene(best), batch.scene(best) + batch.parameter_count);
  return batch;
}

inline TeamResults by_fibers(const SceneBatchCase& batch, int ranks, RankOrder order, unsigned char fill = 0xff) {
  SceneArena arena(batch, fill);
  FiberCrew crew(ranks, order, static_cast<std::uint64_t>(ranks) + 77u);
  EXPECT_TRUE(crew.run([&](FiberTeam& team) { arena.run(team); })) << "ranks take different ways";
  return arena.results();
}

// Whether fibers give `expected` under a probe.
inline bool same_by_probed_fibers(const SceneBatchCase& batch, int ranks, RankOrder order, Probe& probe,
                                  const TeamResults& expected) {
  SceneArena arena(batch);
  FiberCrew crew(ranks, order, static_cast<std::uint64_t>(ranks) + 77u);
  const bool together = crew.run([&](FiberTeam& fiber) {
    ProbedTeam<FiberTeam> team(fiber, probe);
    arena.run(team);
    team.finish();
  });
  return together && !probe.differs() && arena.results() == expected;
}

inline bool same_by_probed_threads(const SceneBatchCase& batch, int ranks, Probe& probe, const TeamResults& expected) {
  SceneArena arena(batch);
  test::run_on_threads(ranks, [&](test::ThreadTeam& thread) {
    ProbedTeam<test::ThreadTeam> team(thread, probe);
    arena.run(team);
    team.finish();
  });
  return !probe.differs() && arena.results() == expected;
}

// Maxima that are no meeting of the ranks: a sync that is missing beside one shows.
inline void expect_maxima_order_nothing(const SceneBatchCase& batch, int ranks, const std::string& what) {
  const TeamResults expected = by_worker(batch);
  EXPECT_GT(expected[0].outcome.contacts_max, 0) << what;
  Probe probe(ranks);
  EXPECT_TRUE(same_by_probed_fibers(batch, ranks, RankOrder::forward, probe, expected)) << what;
  probe.play();
  for (const RankOrder order : all_orders) {
    EXPECT_TRUE(same_by_probed_fibers(batch, ranks, order, probe, expected))
        << what << ": " << ranks << " ranks, " << order_name(order);
  }
}

// Whether `same` is false in a process of its own: as other bytes, as ranks that part ways, as a race that
// ThreadSanitizer reports, or as a crash or a loop without an end.
template <class F>
bool shows(const F& same) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    const bool quiet = std::freopen("/dev/null", "w", stderr) != nullptr;
    _exit(quiet && same() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A team of 8, whatever the order of its ranks within a phase; a case that has to end solved.
inline void expect_any_order_solves_the_same(const SceneBatchCase& batch, const std::string& what) {
  const TeamResults expected = by_worker(batch);
  for (const auto& result : expected) EXPECT_EQ(result.outcome.status, 0u) << what;
  for (const RankOrder order : all_orders) {
    EXPECT_TRUE(by_fibers(batch, 8, order) == expected) << what << ", " << order_name(order);
  }
}

// Places in the code that sync: of how many the syncs, left out, show. Not every sync matters: its reader may be the
// same rank, or the next sync come before the reader does.
struct FoundSites {
  int found = 0;
  int sites = 0;
};

inline void expect_share(const FoundSites& result, double least, const std::string& what) {
  std::cout << what << ": syncs left out show at " << result.found << " of " << result.sites << " places\n";
  EXPECT_GT(result.sites, 30) << what;
  EXPECT_GE(result.found, least * result.sites) << what;
}

inline FoundSites left_out_by_fibers(const SceneBatchCase& batch, int ranks) {
  const TeamResults expected = by_worker(batch);
  Probe probe(ranks);
  EXPECT_TRUE(same_by_probed_fibers(batch, ranks, RankOrder::forward, probe, expected));
  FoundSites result{0, static_cast<int>(probe.sites().size())};
  for (const test::Site site : probe.sites()) {
    probe.play(site);
    bool found = false;
    for (const RankOrder order : all_orders) {
      found = found || shows([&] { return same_by_probed_fibers(batch, ranks, order, probe, expected); });
    }
    result.found += found ? 1 : 0;
  }
  return result;
}

inline FoundSites left_out_by_threads(const SceneBatchCase& batch, int ranks) {
  const TeamResults expected = by_worker(batch);
  Probe probe(ranks);
  EXPECT_TRUE(same_by_probed_threads(batch, ranks, probe, expected));
  FoundSites result{0, static_cast<int>(probe.sites().size())};
  for (const test::Site site : probe.sites()) {
    probe.play(site);
    result.found += shows([&] { return same_by_probed_threads(batch, ranks, probe, expected); }) ? 1 : 0;
  }
  return result;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
