// SPDX-License-Identifier: Apache-2.0
// Whole trials of the lift: the product against the reference in space, and a product that is wrong.
#include <gtest/gtest.h>

#include "pegrasp/simulation.hpp"
#include "places.hpp"
#include "reference/validate/validate.hpp"

namespace pegrasp::reference {
namespace {

// Trials that hold the part (60), and that miss or drop it. `weight`: gravity of the product, not of the reference.
ValidateCase lift_case(const std::vector<int>& cells, double weight) {
  const Problem problem = load_problem(test::source_file("examples/lift/lift.toml"), {});
  ValidateCase out;
  out.scene = problem.scene;
  SceneSpec compiled = problem.scene;
  compiled.gravity_z *= weight;
  out.model = compile_model(compiled);
  out.space = std::make_shared<const space::SpaceScene>(problem.scene);
  out.options = derive_options(problem.options, problem.scene);
  for (const int cell : cells) out.trials.push_back(one_trial(problem, cell, 0));
  return out;
}

TrajectoryComparison compared(const ValidateCase& job) {
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, Arithmetic::strict, 1);
  return compare_with_reference(job, *backend, Watch{1, nullptr, {}});
}

TEST(ValidateSpace, TrialsOfTheLiftEndAlike) {
  const TrajectoryComparison all = compared(lift_case({45, 60, 62, 76}, 1.0));
  EXPECT_EQ(all.both_resolved, 4u);
  EXPECT_EQ(all.alike, 4u);
  EXPECT_EQ(all.successes_other, 2u);
  EXPECT_LT(all.pose_quantile_50, 1e-3);
  EXPECT_TRUE(failures(all, ValidateTolerances{}, true).empty());
}

TEST(ValidateSpace, AWrongOutcomeIsFoundAndLookedInto) {
  const TrajectoryComparison all = compared(lift_case({60, 62}, 5.0));
  ASSERT_EQ(all.disagreements.size(), 2u);
  for (const Disagreement& d : all.disagreements) {
    EXPECT_EQ(d.fast.success, 0);
    EXPECT_EQ(d.other.success, 1);
    EXPECT_FALSE(d.every_step_allowed);
    EXPECT_GE(d.parted, 0);
  }
  EXPECT_EQ(all.allowed, 0u);
  EXPECT_FALSE(failures(all, ValidateTolerances{}, true).empty());
}

}  // namespace
}  // namespace pegrasp::reference
