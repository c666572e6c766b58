// SPDX-License-Identifier: Apache-2.0
// A sync that is missing fails a test, whether or not it shows in the bytes: no two ranks of a team touch the same
// memory between two syncs, unless both read it.
#define PEGRASP_OWN_NAMESPACE watched_planar
#include "tests/joint/coupling_scenes.hpp"
#include "tests/teams/conflict_runs.hpp"

namespace pegrasp::test {
namespace {

using namespace watched_planar;

SceneBatchCase short_case(SceneBatchCase batch) {
  batch.options.max_iterations = 40;
  batch.options.max_substep_level = 1;
  return batch;
}

TEST(Conflict, NoneIn2D) {
  Conflicts all;
  for (const ContactModel contact : all_contacts) {
    for (const SolverKind solver : all_solvers) {
      const std::string what = name(contact) + ", " + name(solver);
      expect_no_conflict(short_case(gear_case(2, {contact, solver, 0.39})), "gear, " + what, all);
      if (solver != SolverKind::newton && solver != SolverKind::aj) continue;
      expect_no_conflict(short_case(pile_case(7, 4, {contact, solver, 0.3})), "pile, " + what, all);
    }
  }
  for (const SolverKind solver : {SolverKind::newton, SolverKind::aj}) {
    expect_no_conflict(groove_cases(solver)[0], "groove, " + name(solver), all);
    expect_no_conflict(cut_off_scene(CentringGripper::scene(false, 0.028, 4.0), 0.005, 0.2, solver),
                       "coupled, " + name(solver), all);
  }
  std::cout << all.needed.size() << " of " << all.sites.size() << " places that sync are needed\n";
  EXPECT_GT(all.needed.size(), 40u);
}

TEST(Conflict, ASyncThatIsLeftOutIsMissed) {
  expect_every_needed_sync_is_missed(short_case(gear_case(1, {.duration = 0.39})), 8);
  expect_every_needed_sync_is_missed(short_case(pile_case(7, 4, {ContactModel::peg_features, SolverKind::aj, 0.2})), 8);
}

// The watch itself.
TEST(Conflict, IsSeenBetweenRanksOfOnePhaseAlone) {
  std::vector<int> memory(8);
  AccessWatch watch(memory.data(), memory.size() * sizeof(int));
  const Site here = &memory, there = &watch;
  watch.turn(0, 0, nullptr);
  watch.touch(&memory[0], 4, true);
  watch.touch(&memory[1], 4, false);
  watch.touch(&memory[8], 4, true);  // elsewhere
  watch.turn(1, 0, nullptr);
  watch.touch(&memory[1], 4, false);
  EXPECT_EQ(watch.conflicts(), 0);
  watch.turn(1, 1, here);
  watch.touch(&memory[0], 4, false);  // what rank 0 wrote: needs the sync
  EXPECT_EQ(watch.needed().count(here), 1u);
  watch.turn(0, 2, there);
  watch.touch(&memory[0], 4, false);
  EXPECT_EQ(watch.needed().count(there), 0u);  // both have read it
  EXPECT_EQ(watch.conflicts(), 0);
  watch.turn(1, 2, there);
  watch.touch(&memory[0], 8, true);  // two of them
  EXPECT_EQ(watch.conflicts(), 1);
  EXPECT_EQ(watch.touched(), 6);
}

}  // namespace
}  // namespace pegrasp::test
