// SPDX-License-Identifier: Apache-2.0
// conflict_test.cpp in 3D.
#define PEGRASP_SPATIAL
#define PEGRASP_OWN_NAMESPACE watched_spatial
#include "tests/joint/coupling_scenes.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/teams/conflict_runs.hpp"

namespace pegrasp::test {
namespace {

using namespace watched_spatial;

SceneBatchCase short_case(const SceneSpec& scene, double h, double duration, SolverKind solver = SolverKind::newton,
                          ContactModel contact = ContactModel::peg) {
  SceneBatchCase batch = cut_off_scene(scene, h, duration, solver, contact);
  batch.options.max_substep_level = 1;
  batch.options.load_sharing = true;
  return batch;
}

TEST(SpatialConflict, NoneIn3D) {
  Conflicts all;
  for (const SolverKind solver : all_solvers) {
    expect_no_conflict(short_case(scenes::mixed_3d(1), 0.008, 0.12, solver), "mixed, " + name(solver), all);
    expect_no_conflict(short_case(scenes::row_of_cubes(), 0.016, 0.048, solver), "cubes, " + name(solver), all);
  }
  for (const ContactModel contact : all_contacts) {
    expect_no_conflict(short_case(scenes::stack_3d(2, 0.3), 0.01, 0.05, SolverKind::newton, contact), name(contact),
                       all);
  }
  SceneBatchCase heaps = short_case(scenes::two_heaps(), 0.016, 0.048);
  heaps.options.look_ahead = true;
  expect_no_conflict(heaps, "heaps", all);
  expect_no_conflict(short_case(scenes::space_lift(0.5), 0.016, 0.16), "lift", all);
  expect_no_conflict(short_case(CentringGripper::scene(true, 0.028, 4.0), 0.005, 0.1), "coupled", all);
  SceneBatchCase motor = ball_motor_case(1);
  motor.options.duration = 0.2;
  expect_no_conflict(motor, "motor of a ball joint", all);
  std::cout << all.needed.size() << " of " << all.sites.size() << " places that sync are needed\n";
  EXPECT_GT(all.needed.size(), 50u);
}

TEST(SpatialConflict, ASyncThatIsLeftOutIsMissed) {
  expect_every_needed_sync_is_missed(short_case(scenes::row_of_cubes(), 0.016, 0.032), 8);
}

}  // namespace
}  // namespace pegrasp::test
