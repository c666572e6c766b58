// SPDX-License-Identifier: Apache-2.0
// Nothing is allocated while scenes are stepped: workspaces are laid out once, up front.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/launch/scene_worker.hpp"
#include "src/model/model.hpp"
#include "tests/allocation_counter.hpp"
#include "tests/determinism/cases.hpp"

namespace pegrasp::test {
namespace {

Capacity capacity_for(const SceneBatchCase& batch) {
  const Capacity first = first_capacity(*batch.model, batch.options);
  return grown(first, 8 * first.contacts);
}

std::vector<SceneBatchCase> cases_of(const Variant& variant) {
  std::vector<SceneBatchCase> cases{gear_case(5, variant), pile_case(3, 6, variant), stack_case(5, 4, variant)};
  for (SceneBatchCase& batch : cases) batch.options.max_iterations = 60;
  return cases;
}

TEST(NoAllocation, WorkersRunScenes) {
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      for (const SceneBatchCase& batch : cases_of({contact, solver, 0.4})) {
        for (const auto& make : {make_strict_worker, make_fast_worker}) {
          const std::unique_ptr<SceneWorker> worker = make(batch.model->view(), batch.options, capacity_for(batch));
          SceneOutcome outcome;
          std::vector<double> poses(static_cast<std::size_t>(3 * batch.body_count));
          const std::size_t before = allocation_count();
          for (int i = 0; i < batch.scenes(); ++i) worker->run(batch.scene(i), &outcome, poses.data());
          EXPECT_EQ(allocation_count() - before, 0u) << name(contact) << ", " << name(solver);
        }
      }
    }
  }
}

TEST(NoAllocation, WorkersRunScenesIn3D) {
  std::int64_t iterations[2] = {0, 0};
  for (const bool load_sharing : {false, true}) {
    SceneBatchCase batch = space_case(2, true, 1);
    batch.options.duration = 0.4;
    batch.options.load_sharing = load_sharing;
    batch.options.tolerance = 1e-4;  // that single precision reaches
    for (const auto& make : {make_spatial_worker, make_spatial_fast_worker}) {
      const std::unique_ptr<SceneWorker> worker = make(batch.model->view(), batch.options, capacity_for(batch));
      SceneOutcome outcome;
      std::vector<double> poses(static_cast<std::size_t>(batch.pose_size * batch.body_count));
      const std::size_t before = allocation_count();
      for (int i = 0; i < batch.scenes(); ++i) worker->run(batch.scene(i), &outcome, poses.data());
      EXPECT_EQ(allocation_count() - before, 0u) << load_sharing;
      EXPECT_GT(outcome.contacts_max, 0);
      iterations[load_sharing ? 1 : 0] += outcome.iterations;
    }
  }
  EXPECT_NE(iterations[0], iterations[1]) << "no springs were taken";
}

TEST(NoAllocation, SimulationSteps) {
  std::vector<SceneBatchCase> cases = cases_of({});
  cases.push_back(space_case(2, true, 1));
  for (const SceneBatchCase& batch : cases) {
    Simulation simulation(batch.model, batch.options,
                          std::span(batch.scene(0), static_cast<std::size_t>(batch.parameter_count)));
    const std::size_t before = allocation_count();
    int steps = 0;
    while (simulation.step()) ++steps;
    EXPECT_EQ(allocation_count() - before, 0u);
    EXPECT_GT(steps, 50);
    EXPECT_GT(simulation.outcome().contacts_max, 0);
  }
}

// What a backend allocates is for its threads, not for scenes. Host memory is counted, so this is for the CPU.
TEST(NoAllocation, BatchesOfAnySizeCostTheSame) {
  const SceneBatchCase few = gear_case(5);
  const SceneBatchCase many = gear_case(300);
  const auto backend = make_backend(BackendKind::cpu, Arithmetic::strict, 2);
  const auto allocations = [&](const SceneBatchCase& batch) {
    std::vector<SceneOutcome> outcomes(static_cast<std::size_t>(batch.scenes()));
    std::vector<double> poses(static_cast<std::size_t>(3 * batch.body_count * batch.scenes()));
    const std::size_t before = allocation_count();
    backend->run(*batch.model, batch.options, batch.parameters, outcomes, poses, nullptr);
    return allocation_count() - before;
  };
  EXPECT_EQ(allocations(few), allocations(many));
}

}  // namespace
}  // namespace pegrasp::test
