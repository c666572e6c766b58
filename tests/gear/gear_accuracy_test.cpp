// SPDX-License-Identifier: Apache-2.0
// The gear grasp, outcome by outcome, against its own reference at h = 0.25 ms. bench/gear_accuracy_main.cpp prints the whole
// table and makes the hard set (tests/data/gear_hard.csv: seed 1).
#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp/map.hpp"
#include "scenes/gear_trials.hpp"

namespace {

using pegrasp::ContactModel;
using pegrasp::SceneOutcome;
using pegrasp::SolverKind;
using pegrasp::scenes::agreement;
using pegrasp::scenes::GearStudy;
using pegrasp::scenes::GearTrial;

const std::string root = PEGRASP_SOURCE_DIR;

struct Fixture {
  GearStudy study{root + "/examples/gear/gear.toml"};
  std::vector<GearTrial> uniform = GearStudy::uniform_set(1, 400);
  std::vector<GearTrial> hard = pegrasp::scenes::read_trials(root + "/tests/data/gear_hard.csv");
  std::vector<SceneOutcome> uniform_reference = study.run(uniform, 0.25e-3);
  std::vector<SceneOutcome> hard_reference = study.run(hard, 0.25e-3);
};

const Fixture& fixture() {
  static const Fixture shared;
  return shared;
}

TEST(LongGear, OutcomesAreTheReferencesAtEveryStep) {
  const Fixture& f = fixture();
  ASSERT_EQ(f.hard.size(), 300u);
  for (double h : {1e-3, 2e-3, 4e-3}) EXPECT_GE(agreement(f.study.run(f.uniform, h), f.uniform_reference), 0.995) << h;
  EXPECT_GE(agreement(f.study.run(f.uniform, 8e-3), f.uniform_reference), 0.985);
  EXPECT_GE(agreement(f.study.run(f.hard, 1e-3), f.hard_reference), 0.97);
  EXPECT_GE(agreement(f.study.run(f.hard, 2e-3), f.hard_reference), 0.96);
  EXPECT_GE(agreement(f.study.run(f.hard, 8e-3), f.hard_reference), 0.94);
}

TEST(LongGear, NoTrialIsUnresolvedAndNoneOverlapsVisibly) {
  const Fixture& f = fixture();
  for (double h : {2e-3, 8e-3}) {
    for (const SceneOutcome& outcome : f.study.run(f.hard, h)) {
      EXPECT_EQ(outcome.status, 0u);
      EXPECT_LT(outcome.penetration_max, 3e-6);  // [m]: the depth at which a step is rejected
    }
  }
}

TEST(LongGear, EverySolverTellsTheSameOutcomes) {
  const Fixture& f = fixture();
  for (SolverKind solver : {SolverKind::aj, SolverKind::pgs, SolverKind::nncg, SolverKind::jacobi}) {
    EXPECT_GE(agreement(f.study.run(f.uniform, 4e-3, ContactModel::peg, solver), f.uniform_reference), 0.995);
    EXPECT_GE(agreement(f.study.run(f.uniform, 8e-3, ContactModel::peg, solver), f.uniform_reference), 0.985);
    EXPECT_GE(agreement(f.study.run(f.hard, 2e-3, ContactModel::peg, solver), f.hard_reference), 0.96);
    EXPECT_GE(agreement(f.study.run(f.hard, 8e-3, ContactModel::peg, solver), f.hard_reference), 0.94);
  }
}

TEST(LongGear, StandardAndCorrectiveFailVisibly) {
  const Fixture& f = fixture();
  for (ContactModel contact : {ContactModel::standard, ContactModel::corrective}) {
    EXPECT_LT(agreement(f.study.run(f.hard, 2e-3, contact), f.hard_reference), 0.75);
  }
}

// A trial and its mirror image (x, and the tripod, reflected) are different samples; only the map's probabilities agree.
TEST(LongGear, TheMapMirrorsLeftToRightWithinItsIntervals) {
  pegrasp::Problem problem = pegrasp::load_problem(root + "/examples/gear/gear.toml", {{"map.samples", "12"}});
  const auto backend = pegrasp::make_backend(pegrasp::BackendKind::automatic, pegrasp::Arithmetic::strict, 0);
  const std::filesystem::path out = std::filesystem::path(testing::TempDir()) / "pegrasp_mirror";
  pegrasp::MapOptions options;
  options.out = out;
  const pegrasp::SuccessMap map = run_map(problem, *backend, options);
  std::filesystem::remove_all(out);
  int apart = 0;
  int pairs = 0;
  for (int row = 0; row < map.rows; ++row) {
    for (int column = 0; column < map.columns / 2; ++column) {
      const auto& left = map.cells[static_cast<std::size_t>(row * map.columns + column)];
      const auto& right = map.cells[static_cast<std::size_t>(row * map.columns + map.columns - 1 - column)];
      apart += left.ci_low > right.ci_high || right.ci_low > left.ci_high ? 1 : 0;
      ++pairs;
    }
  }
  EXPECT_LE(apart, pairs / 50) << "of " << pairs << " mirrored pairs of cells";
}

}  // namespace
