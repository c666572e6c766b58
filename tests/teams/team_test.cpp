// SPDX-License-Identifier: Apache-2.0
// A scene's result does not depend on the team that runs it: any number of ranks, in any order within a phase, on fibers or
// on threads. And the emulation can tell: a team that drops one sync is found out.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "determinism/cases.hpp"
#include "teams/fiber_team.hpp"
#include "teams/scene_arena.hpp"
#include "teams/thread_team.hpp"

namespace pegrasp::test {
namespace {

// By the library's own worker.
SceneResult by_worker(const SceneBatchCase& batch, int scene) {
  SceneResult result;
  result.poses.resize(static_cast<std::size_t>(3 * batch.body_count));
  make_strict_worker(batch.model->view(), batch.options, ample(*batch.model, batch.options))
      ->run(batch.scene(scene), &result.outcome, result.poses.data());
  return result;
}

// The scene with most contacts of a batch.
SceneBatchCase busiest(SceneBatchCase batch) {
  int best = 0;
  int most = -1;
  for (int i = 0; i < batch.scenes(); ++i) {
    const int contacts = by_worker(batch, i).outcome.contacts_max;
    if (contacts <= most) continue;
    most = contacts;
    best = i;
  }
  batch.parameters.assign(batch.scene(best), batch.scene(best) + batch.parameter_count);
  return batch;
}

SceneResult by_fibers(const SceneBatchCase& batch, int scene, int ranks, RankOrder order, unsigned char fill = 0xff) {
  SceneArena arena(*batch.model, batch.options, ample(*batch.model, batch.options), fill);
  arena.set_parameters(batch.scene(scene));
  FiberCrew crew(ranks, order, static_cast<std::uint64_t>(ranks) + 77u);
  EXPECT_TRUE(crew.run([&](FiberTeam& team) { arena.run(team); })) << "ranks take different ways";
  return arena.result();
}

std::string order_name(RankOrder order) {
  const char* const names[] = {"forward", "reverse", "shuffled"};
  return names[static_cast<int>(order)];
}

constexpr RankOrder all_orders[] = {RankOrder::forward, RankOrder::reverse, RankOrder::shuffled};

void expect_any_team_the_same(const SceneBatchCase& batch, const std::string& what) {
  for (int scene = 0; scene < batch.scenes(); ++scene) {
    const SceneResult expected = by_worker(batch, scene);
    EXPECT_GT(expected.outcome.contacts_max, 0) << what << ": nothing touched";
    EXPECT_EQ(expected.outcome.status, 0u) << what;
    for (int ranks : {1, 2, 8, 32, 128}) {
      for (RankOrder order : all_orders) {
        if (ranks == 1 && order != RankOrder::forward) continue;
        EXPECT_TRUE(by_fibers(batch, scene, ranks, order) == expected)
            << what << ", scene " << scene << ": " << ranks << " ranks, " << order_name(order);
      }
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

TEST(Team, EveryContactModelAndSolverIsTheSameForAnyTeam) {
  PEGRASP_NEEDS_FIBERS();
  // Cut off early: what matters is the order of work, not its end.
  constexpr int few_iterations = 40;
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      SceneBatchCase cases[] = {gear_case(4, {contact, solver, 0.39}), pile_case(7, 4, {contact, solver, 0.3})};
      for (SceneBatchCase& batch : cases) {
        batch.options.max_iterations = few_iterations;
        batch.options.max_substep_level = 1;
        batch = busiest(batch);
        const SceneResult expected = by_worker(batch, 0);
        const std::string what = name(contact) + ", " + name(solver);
        EXPECT_GT(expected.outcome.contacts_max, 0) << what;
        EXPECT_TRUE(by_fibers(batch, 0, 3, RankOrder::shuffled) == expected) << what << ": 3 ranks, shuffled";
        EXPECT_TRUE(by_fibers(batch, 0, 8, RankOrder::forward) == expected) << what << ": 8 ranks, forward";
        EXPECT_TRUE(by_fibers(batch, 0, 8, RankOrder::reverse) == expected) << what << ": 8 ranks, reverse";
      }
    }
  }
}

TEST(Team, NothingDependsOnWhatTheWorkspaceHeldBefore) {
  for (const SceneBatchCase& batch : {gear_case(2), pile_case(3, 5, {.duration = 0.3})}) {
    const auto with_fill = [&](unsigned char fill) {
      SceneArena arena(*batch.model, batch.options, ample(*batch.model, batch.options), fill);
      arena.set_parameters(batch.scene(0));
      SerialTeam team;
      arena.run(team);
      return arena.result();
    };
    const SceneResult clean = with_fill(0);
    EXPECT_TRUE(with_fill(0xff) == clean);  // NaN, -1
    EXPECT_TRUE(with_fill(0x41) == clean);  // 2 million, huge counts
  }
}

TEST(Team, ThreadsAreTheSame) {
  std::vector<SceneBatchCase> cases{pile_case(3, 6, {.duration = 0.3})};
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) cases.push_back(gear_case(4, {contact, solver, 0.37}));
  }
  for (SceneBatchCase batch : cases) {
    batch.options.max_iterations = 20;
    batch.options.max_substep_level = 1;
    batch = busiest(batch);
    SceneArena arena(*batch.model, batch.options, ample(*batch.model, batch.options));
    arena.set_parameters(batch.scene(0));
    run_on_threads(4, [&](ThreadTeam& team) { arena.run(team); });
    const SceneResult expected = by_worker(batch, 0);
    EXPECT_GT(expected.outcome.contacts_max, 0);
    EXPECT_TRUE(arena.result() == expected) << name(batch.options.contact) << ", " << name(batch.options.solver);
  }
}

// A team that skips its n-th sync.
class DroppingTeam {
 public:
  DroppingTeam(FiberTeam& team, long dropped) : team_(team), dropped_(dropped) {}
  int rank() const { return team_.rank(); }
  int size() const { return team_.size(); }
  void sync() {
    if (count_++ != dropped_) team_.sync();
  }
  double max(double x) { return team_.max(x); }
  long count() const { return count_; }

 private:
  FiberTeam& team_;
  long dropped_;
  long count_ = 0;
};

constexpr int mutant_ranks = 4;

// Runs the batch's first scene without its n-th sync; returns whether nothing came of it. Counts the syncs.
bool survives(const SceneBatchCase& batch, long dropped, RankOrder order, const SceneResult& expected, long* syncs) {
  SceneArena arena(*batch.model, batch.options, ample(*batch.model, batch.options));
  arena.set_parameters(batch.scene(0));
  FiberCrew crew(mutant_ranks, order);
  const bool together = crew.run([&](FiberTeam& fiber) {
    DroppingTeam team(fiber, dropped);
    arena.run(team);
    *syncs = team.count();
  });
  return together && arena.result() == expected;
}

// Whether dropping the n-th sync shows: as other bytes, as ranks that part ways, or as a crash (hence a process of its own).
bool shows(const SceneBatchCase& batch, long dropped, RankOrder order, const SceneResult& expected) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a mutant may loop for ever
    long syncs = 0;
    const bool quiet = std::freopen("/dev/null", "w", stderr) != nullptr;
    _exit(quiet && survives(batch, dropped, order, expected, &syncs) ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Not every sync matters at every moment: what is written may be what was there, or its reader the same rank. Fibers run in a
// set order, so how many do is the same at every run, and `least` is that number. It moves with the order of the syncs in the
// last steps: after a change of the kernels raise it, or lower it if those that no longer show need not.
void expect_dropped_syncs_show(const SceneBatchCase& batch, int least, const std::string& what) {
  const SceneResult expected = by_worker(batch, 0);
  EXPECT_GT(expected.outcome.contacts_max, 2) << what;
  long syncs = 0;
  ASSERT_TRUE(survives(batch, -1, RankOrder::forward, expected, &syncs));
  constexpr int mutants = 24;
  ASSERT_GT(syncs, 2 * mutants);
  int found = 0;
  for (int k = 0; k < mutants; ++k) {
    const long dropped = syncs - mutants - 5 + k;  // one after the other, in the last steps
    if (shows(batch, dropped, RankOrder::forward, expected) || shows(batch, dropped, RankOrder::reverse, expected))
      ++found;
  }
  std::cout << what << ": " << found << " of " << mutants << " dropped syncs show\n";
  EXPECT_GE(found, least) << what;
}

TEST(Team, ADroppedSyncShows) {
  PEGRASP_NEEDS_FIBERS();
  expect_dropped_syncs_show(busiest(gear_case(10, {.duration = 0.40})), 5, "gear, newton");
  expect_dropped_syncs_show(busiest(gear_case(10, {ContactModel::peg, SolverKind::aj, 0.40})), 5, "gear, aj");
}

}  // namespace
}  // namespace pegrasp::test
