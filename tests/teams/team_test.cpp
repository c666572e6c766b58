// SPDX-License-Identifier: Apache-2.0
// A scene's result does not depend on the team that runs it: any number of ranks, in any order within a phase, on
// fibers or on threads. And the emulation can tell: a team that lacks the syncs of one place in the code is found out.
#include "tests/determinism/cases.hpp"
#include "tests/teams/team_runs.hpp"

namespace pegrasp::test {
namespace {

using namespace strict;  // of this dimension: team_runs.hpp

void expect_any_team_the_same(const SceneBatchCase& batch, const std::string& what) {
  const TeamResults expected = by_worker(batch);
  for (const SceneResult& result : expected) {
    EXPECT_GT(result.outcome.contacts_max, 0) << what << ": nothing touched";
    EXPECT_EQ(result.outcome.status, 0u) << what;
  }
  for (int ranks : {1, 2, 8, 32, 128}) {
    for (RankOrder order : all_orders) {
      if (ranks == 1 && order != RankOrder::forward) continue;
      EXPECT_TRUE(by_fibers(batch, ranks, order) == expected)
          << what << ": " << ranks << " ranks, " << order_name(order);
    }
  }
}

TEST(Team, GearIsTheSameForAnyNumberAndOrderOfRanks) {
  PEGRASP_NEEDS_FIBERS();
  expect_any_team_the_same(busiest(gear_case(10)), "gear");
}

TEST(Team, PileIsTheSameForAnyNumberAndOrderOfRanks) {
  PEGRASP_NEEDS_FIBERS();
  expect_any_team_the_same(pile_case(3, 6, {.duration = 0.4}), "pile");
}

TEST(Team, StackIsTheSameForAnyNumberAndOrderOfRanks) {
  PEGRASP_NEEDS_FIBERS();
  expect_any_team_the_same(stack_case(5, 4, {.duration = 0.5}), "stack");
}

TEST(Team, AJammedBodyIsTheSameForAnyOrderOfRanks) {
  PEGRASP_NEEDS_FIBERS();
  for (const SolverKind solver : {SolverKind::newton, SolverKind::aj}) {
    expect_any_order_solves_the_same(groove_cases(solver)[0], name(solver));
  }
}

// As a team takes them from the queue, one after the other, in one workspace.
TEST(Team, AScenesMemoryIsTheNextOnes) {
  PEGRASP_NEEDS_FIBERS();
  SceneBatchCase batch = gear_case(4, {.duration = 0.4});
  const TeamResults expected = by_worker(batch);
  for (RankOrder order : all_orders) EXPECT_TRUE(by_fibers(batch, 8, order) == expected) << order_name(order);
  expect_maxima_order_nothing(batch, 8, "gear");
}

// Cut off early: what matters is the order of work, not its end.
SceneBatchCase cut_off(SceneBatchCase batch, int iterations) {
  batch.options.max_iterations = iterations;
  batch.options.max_substep_level = 1;
  return busiest(batch);
}

TEST(Team, EveryContactModelAndSolverIsTheSameForAnyTeam) {
  PEGRASP_NEEDS_FIBERS();
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      for (const SceneBatchCase& batch :
           {cut_off(gear_case(4, {contact, solver, 0.39}), 40), cut_off(pile_case(7, 4, {contact, solver, 0.3}), 40)}) {
        const TeamResults expected = by_worker(batch);
        const std::string what = name(contact) + ", " + name(solver);
        EXPECT_GT(expected[0].outcome.contacts_max, 0) << what;
        EXPECT_TRUE(by_fibers(batch, 3, RankOrder::shuffled) == expected) << what << ": 3 ranks, shuffled";
        EXPECT_TRUE(by_fibers(batch, 8, RankOrder::forward) == expected) << what << ": 8 ranks, forward";
        EXPECT_TRUE(by_fibers(batch, 8, RankOrder::reverse) == expected) << what << ": 8 ranks, reverse";
        expect_maxima_order_nothing(batch, 8, what);
      }
    }
  }
}

TEST(Team, NothingDependsOnWhatTheWorkspaceHeldBefore) {
  for (const SceneBatchCase& batch : {gear_case(2), pile_case(3, 5, {.duration = 0.3})}) {
    const auto with_fill = [&](unsigned char fill) {
      SceneArena arena(batch, fill);
      SerialTeam team;
      arena.run(team);
      return arena.results();
    };
    const TeamResults clean = with_fill(0);
    EXPECT_TRUE(with_fill(0xff) == clean);  // NaN, -1
    EXPECT_TRUE(with_fill(0x41) == clean);  // 2 million, huge counts
  }
}

// Under ThreadSanitizer every race is a failure: this finds a missing sync whether or not it shows in the bytes.
TEST(Team, ThreadsAreTheSame) {
  std::vector<SceneBatchCase> cases{pile_case(3, 6, {.duration = 0.3}), stack_case(5, 4, {.duration = 0.3})};
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) cases.push_back(gear_case(4, {contact, solver, 0.37}));
  }
  for (const SceneBatchCase& whole : cases) {
    const SceneBatchCase batch = cut_off(whole, 20);
    const TeamResults expected = by_worker(batch);
    const std::string what = name(batch.options.contact) + ", " + name(batch.options.solver);
    EXPECT_GT(expected[0].outcome.contacts_max, 0) << what;
    Probe probe(4);
    EXPECT_TRUE(same_by_probed_threads(batch, 4, probe, expected)) << what;
    probe.play();
    EXPECT_TRUE(same_by_probed_threads(batch, 4, probe, expected)) << what << ", maxima without a meeting";
  }
}

// By the bytes (conflict_test.cpp goes by who touches what). Of all places that sync a third and more matter in these
// scenes; ThreadSanitizer sees a race at as many, or a few more. After a change of the kernels raise the shares, or
// lower them if places that no longer show need not.
TEST(TeamLong, SyncsLeftOutShow) {
  PEGRASP_NEEDS_FIBERS();
  const auto gear = [](SolverKind solver) { return busiest(gear_case(10, {ContactModel::peg, solver, 0.38})); };
  expect_share(left_out_by_fibers(gear(SolverKind::newton), 8), 0.3, "gear, newton");
  expect_share(left_out_by_fibers(gear(SolverKind::aj), 8), 0.28, "gear, aj");
  expect_share(left_out_by_fibers(pile_case(3, 6, {.duration = 0.3}), 8), 0.34, "pile, newton");
}

TEST(TeamLong, SyncsLeftOutAreRaces) {
  PEGRASP_NEEDS_THREAD_SANITIZER();
  expect_share(left_out_by_threads(busiest(gear_case(10, {.duration = 0.38})), 3), 0.4, "gear, newton");
}

}  // namespace
}  // namespace pegrasp::test
