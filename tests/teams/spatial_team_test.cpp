// SPDX-License-Identifier: Apache-2.0
// team_test.cpp in 3D: scenes with hulls, a union, round parts, a half-space, a joint and its motor, islands and load
// sharing. The kernels are those of this dimension (PEGRASP_SPATIAL).
#define PEGRASP_SPATIAL
#include "tests/determinism/cases.hpp"
#include "tests/scenes/heaps.hpp"
#include "tests/scenes/lift_3d.hpp"
#include "tests/scenes/mixed_3d.hpp"
#include "tests/teams/team_runs.hpp"

namespace pegrasp::test {
namespace {

using namespace spatial;  // of this dimension: team_runs.hpp

// Islands that are halved, that end in flight, that become one; with load sharing.
std::vector<SceneBatchCase> island_cases() {
  std::vector<SceneBatchCase> cases;
  for (const SceneSpec& scene : {scenes::two_heaps(), scenes::row_of_cubes()}) {
    cases.push_back(cut_off_scene(scene, 0.016, 0.08));
    cases.back().options.load_sharing = true;
    cases.back().options.look_ahead = cases.size() > 1;
  }
  return cases;
}

SceneBatchCase lift_case() {
  SceneBatchCase batch = cut_off_scene(scenes::space_lift(0.5), 0.01, 0.5);
  batch.options.load_sharing = true;
  return batch;
}

TEST(SpatialTeam, AnyNumberAndOrderOfRanks) {
  PEGRASP_NEEDS_FIBERS();
  for (const SolverKind solver : all_solvers) {
    const bool all = solver == SolverKind::newton;
    const SceneBatchCase batch = cut_off_scene(scenes::mixed_3d(1), 0.008, all ? 0.4 : 0.16, solver);
    const TeamResults expected = by_worker(batch);
    EXPECT_GT(expected[0].outcome.contacts_max, 0);
    for (const int ranks : {1, 2, 8, 32}) {
      if (!all && ranks != 8) continue;
      for (const RankOrder order : all_orders) {
        EXPECT_TRUE(by_fibers(batch, ranks, order) == expected)
            << name(solver) << ", " << ranks << " ranks, " << order_name(order);
      }
    }
    expect_maxima_order_nothing(batch, 8, name(solver));
  }
}

TEST(SpatialTeamLong, AJammedBody) {
  PEGRASP_NEEDS_FIBERS();
  for (const SolverKind solver : {SolverKind::newton, SolverKind::aj}) {
    expect_any_order_solves_the_same(groove_cases(solver)[1], name(solver));
  }
}

TEST(SpatialTeam, OtherContactModels) {
  PEGRASP_NEEDS_FIBERS();
  for (const ContactModel contact : {ContactModel::peg_features, ContactModel::standard, ContactModel::corrective}) {
    SceneBatchCase batch = cut_off_scene(scenes::stack_3d(2, 0.3), 0.01, 0.1, SolverKind::newton, contact);
    batch.options.max_substep_level = 1;
    const TeamResults expected = by_worker(batch);
    EXPECT_GT(expected[0].outcome.contacts_max, 0) << name(contact);
    for (const RankOrder order : all_orders) {
      EXPECT_TRUE(by_fibers(batch, 8, order) == expected) << name(contact) << ", " << order_name(order);
    }
    expect_maxima_order_nothing(batch, 8, name(contact));
  }
}

// Fast and thin, so that steps are rejected and poses on the way are looked at.
TEST(SpatialTeam, StepsThatAreHalved) {
  PEGRASP_NEEDS_FIBERS();
  SceneSpec scene = scenes::mixed_3d(2);
  for (BodySpec& body : scene.bodies) {
    if (body.kind == BodyKind::dynamic) body.spatial().velocity.velocity.z *= 15.0;
  }
  const SceneBatchCase batch = cut_off_scene(scene, 0.016, 0.128);
  const TeamResults expected = by_worker(batch);
  EXPECT_GT(expected[0].outcome.substeps_rejected, 0);
  for (const int ranks : {3, 8}) {
    for (const RankOrder order : {RankOrder::reverse, RankOrder::shuffled}) {
      EXPECT_TRUE(by_fibers(batch, ranks, order) == expected) << ranks << " ranks";
    }
  }
  expect_maxima_order_nothing(batch, 8, "halved");
}

TEST(SpatialTeam, Islands) {
  PEGRASP_NEEDS_FIBERS();
  for (const SceneBatchCase& batch : island_cases()) {
    const TeamResults expected = by_worker(batch);
    EXPECT_GT(expected[0].outcome.contacts_max, 0);
    for (const int ranks : {1, 3, 8, 32}) {
      for (const RankOrder order : all_orders) {
        EXPECT_TRUE(by_fibers(batch, ranks, order) == expected) << ranks << " ranks, " << order_name(order);
      }
    }
    for (const int ranks : {8, 32}) expect_maxima_order_nothing(batch, ranks, "islands");
  }
}

TEST(SpatialTeam, AMotorOfABallJoint) {
  PEGRASP_NEEDS_FIBERS();
  SceneBatchCase batch = ball_motor_case(2);
  batch.options.duration = 1.6;
  const TeamResults expected = by_worker(batch);
  EXPECT_GT(expected[0].outcome.contacts_max, 4);
  for (const RankOrder order : all_orders) EXPECT_TRUE(by_fibers(batch, 8, order) == expected) << order_name(order);
  expect_maxima_order_nothing(batch, 8, "motor of a ball joint");
}

TEST(SpatialTeam, ALiftWithLoadSharing) {
  PEGRASP_NEEDS_FIBERS();
  const SceneBatchCase batch = lift_case();
  const TeamResults expected = by_worker(batch);
  EXPECT_GT(expected[0].outcome.contacts_max, 4);
  for (const RankOrder order : all_orders) EXPECT_TRUE(by_fibers(batch, 8, order) == expected) << order_name(order);
  expect_maxima_order_nothing(batch, 8, "lift");
}

// As a team takes them from the queue, one after the other, in one workspace.
TEST(SpatialTeam, AScenesMemoryIsTheNextOnes) {
  PEGRASP_NEEDS_FIBERS();
  SceneBatchCase batch = space_case(1, true, 3);
  batch.options.duration = 0.24;
  const TeamResults expected = by_worker(batch);
  for (const RankOrder order : all_orders) EXPECT_TRUE(by_fibers(batch, 8, order) == expected) << order_name(order);
  expect_maxima_order_nothing(batch, 8, "mixed");
}

// Under ThreadSanitizer every race is a failure: this finds a missing sync whether or not it shows in the bytes.
TEST(SpatialTeam, ThreadsAreTheSame) {
  std::vector<SceneBatchCase> cases = island_cases();
  cases.push_back(lift_case());
  for (const SolverKind solver : all_solvers) cases.push_back(cut_off_scene(scenes::mixed_3d(1), 0.008, 0.16, solver));
  for (const SceneBatchCase& batch : cases) {
    const TeamResults expected = by_worker(batch);
    EXPECT_GT(expected[0].outcome.contacts_max, 0);
    Probe probe(3);
    EXPECT_TRUE(same_by_probed_threads(batch, 3, probe, expected)) << name(batch.options.solver);
    probe.play();
    EXPECT_TRUE(same_by_probed_threads(batch, 3, probe, expected))
        << name(batch.options.solver) << ", maxima without a meeting";
  }
}

// team_test.cpp says what shares can be asked for.
TEST(SpatialTeamLong, SyncsLeftOutShow) {
  PEGRASP_NEEDS_FIBERS();
  const auto short_case = [](const SceneSpec& scene, double duration, SolverKind solver) {
    SceneBatchCase batch = cut_off_scene(scene, 0.016, duration, solver);
    batch.options.load_sharing = true;
    return batch;
  };
  const SceneBatchCase cubes = short_case(scenes::row_of_cubes(), 0.032, SolverKind::newton);
  expect_share(left_out_by_fibers(cubes, 8), 0.34, "cubes, 8 ranks");
  expect_share(left_out_by_fibers(cubes, 32), 0.34, "cubes, 32 ranks");
  expect_share(left_out_by_fibers(short_case(scenes::two_heaps(), 0.032, SolverKind::newton), 8), 0.28,
               "heaps, newton");
  expect_share(left_out_by_fibers(short_case(scenes::two_heaps(), 0.032, SolverKind::aj), 8), 0.2, "heaps, aj");
  expect_share(left_out_by_fibers(short_case(scenes::space_lift(0.5), 0.064, SolverKind::newton), 8), 0.3,
               "lift, newton");
}

TEST(SpatialTeamLong, SyncsLeftOutAreRaces) {
  PEGRASP_NEEDS_THREAD_SANITIZER();
  expect_share(left_out_by_threads(cut_off_scene(scenes::row_of_cubes(), 0.016, 0.032), 3), 0.34, "cubes");
}

}  // namespace
}  // namespace pegrasp::test
