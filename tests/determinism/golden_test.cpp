// SPDX-License-Identifier: Apache-2.0
// Results to the bit, against stored hashes: outcomes and final poses of gear samples, boxes of polygons, piles and stacks, and
// scenes in 3D, on both strategies.
// Both backends are named here, whichever is under test. PEGRASP_PRINT_GOLDEN=1 prints the lines that golden.hpp holds
// (scripts/update_golden.sh).
#include "tests/determinism/golden.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/determinism/cases.hpp"
#include "tests/determinism/hash.hpp"
#include "tests/engine/small_scenes.hpp"

namespace pegrasp::test {
namespace {

struct NamedCase {
  std::string name;
  std::vector<SceneBatchCase> batches;
};

std::vector<NamedCase> golden_cases() {
  std::vector<NamedCase> cases{{"gear", {gear_case(441)}},
                               {"box", {box_case(1), box_case(2), box_case(3)}},
                               {"pile", {pile_case(3, 8), pile_case(4, 8)}},
                               {"stack", {stack_case(5, 10), stack_case(6, 10)}}};
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      NamedCase one{name(contact) + "/" + name(solver), {}};
      Variant variant{contact, solver, 0.4};
      one.batches = {gear_case(12, variant), pile_case(3, 6, variant)};
      // The thesis' models leave problems that no solver can solve: enough of them is enough.
      for (SceneBatchCase& batch : one.batches) batch.options.max_iterations = 60;
      cases.push_back(one);
    }
  }
  cases.push_back({"space/mixed", {space_case(1, true, 3), space_case(2, true, 3)}});
  cases.push_back({"space/box", {space_case(1, false, 3), space_case(2, false, 3)}});
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      NamedCase one{"space/" + name(contact) + "/" + name(solver), space_variants({contact, solver})};
      // As above; and what `standard` leaves is halved no further, as pairs within each other have contacts by the hundred.
      for (SceneBatchCase& batch : one.batches) {
        batch.options.max_iterations = 60;
        batch.options.max_substep_level = 1;
      }
      cases.push_back(one);
    }
  }
  cases.push_back({"space/lift", {even_lift_case()}});
  cases.push_back({"space/ball_motor", {ball_motor_case(3)}});
  cases.push_back({"groove/newton", groove_cases(SolverKind::newton)});
  cases.push_back({"groove/aj", groove_cases(SolverKind::aj)});
  cases.push_back({"batched/groove",
                   {is_batched(scenes::groove_in_the_plane(scenes::groove_holds), 0.002, 0.004),
                    is_batched(scenes::groove_in_space(scenes::groove_holds), 0.002, 0.004)}});
  cases.push_back({"batched/plane",
                   {is_batched(scenes::polygon_box(3, 0.25, 10), 0.008, 2.0),
                    is_batched(scenes::polygon_pour(2, 0.25, 200, 100), 0.008, 0.28)}});
  cases.push_back({"batched/joints", {is_batched(jointed_rods(), 0.005, 0.5), is_batched(pushed_stack(), 0.01, 0.5)}});
  cases.push_back({"batched/spatial",
                   {is_batched(scenes::two_heaps(), 0.016, 0.25), is_batched(scenes::mixed_space(1), 0.008, 0.4),
                    is_batched(scenes::space_lift(0.5), 0.005, 0.6)}});
  cases.push_back({"batched/ball_motor", {is_batched(test::held_by_a_ball_motor(), 0.005, 1.0)}});
  return cases;
}

std::uint64_t hash_of_case(const NamedCase& named, BackendKind kind, int threads) {
  Hash hash;
  for (const SceneBatchCase& batch : named.batches) {
    const Results results = run_all(batch, threads, Arithmetic::strict, kind);
    hash.add(hash_of(results.outcomes, results.poses));
  }
  return hash.value();
}

const Golden* stored(const std::string& name) {
  for (const Golden& golden : golden_hashes) {
    if (name == golden.name) return &golden;
  }
  return nullptr;
}

TEST(Golden, ResultsAreTheStoredBits) {
  const bool print = std::getenv("PEGRASP_PRINT_GOLDEN") != nullptr;
  for (const NamedCase& named : golden_cases()) {
    const std::uint64_t hash = hash_of_case(named, BackendKind::cpu, 2);
    if (print) {
      std::printf("golden:    {\"%s\", 0x%016llxull},\n", named.name.c_str(), static_cast<unsigned long long>(hash));
      continue;
    }
    const Golden* const golden = stored(named.name);
    ASSERT_NE(golden, nullptr) << named.name << ": no stored hash; scripts/update_golden.sh";
    EXPECT_EQ(hash_of_case(named, BackendKind::cpu, 1), hash) << named.name << ": one thread and two";
    EXPECT_EQ(hash, golden->hash)
        << named.name << ": results changed. If that is meant, scripts/update_golden.sh stores the new hashes.";
  }
}

TEST(Golden, CudaGivesTheStoredBits) {
  const BackendInfo cuda = backend_info(BackendKind::cuda);
  if (!cuda.available) GTEST_SKIP() << cuda.detail;
  for (const NamedCase& named : golden_cases()) {
    const Golden* const golden = stored(named.name);
    ASSERT_NE(golden, nullptr) << named.name;
    EXPECT_EQ(hash_of_case(named, BackendKind::cuda, 1), golden->hash) << named.name;
  }
}

}  // namespace
}  // namespace pegrasp::test
