// SPDX-License-Identifier: Apache-2.0
// Results to the bit, against stored hashes: outcomes and final poses of gear samples, boxes of polygons, piles and
// stacks, and scenes in 3D, on both strategies. Both backends are named here, whichever is under test.
// PEGRASP_PRINT_GOLDEN=1 prints the lines that golden.hpp holds (scripts/update_golden.sh).
#include "tests/determinism/golden.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/determinism/cases.hpp"
#include "tests/determinism/hash.hpp"
#include "tests/determinism/slice.hpp"
#include "tests/engine/small_scenes.hpp"

namespace pegrasp::test {
namespace {

// Made when its test runs: the list of all cases is made whenever the program starts.
struct GoldenCase {
  std::string name;
  std::function<std::vector<SceneBatchCase>()> batches;
};

void PrintTo(const GoldenCase& golden, std::ostream* out) { *out << golden.name; }

// The thesis' models leave problems that no solver can solve: enough iterations are enough.
constexpr int most_iterations = 60;

std::vector<SceneBatchCase> planar_variants(ContactModel contact, SolverKind solver) {
  Variant variant{contact, solver, 0.4};
  std::vector<SceneBatchCase> batches{gear_case(12, variant), pile_case(3, 6, variant)};
  for (SceneBatchCase& batch : batches) batch.options.max_iterations = most_iterations;
  return batches;
}

// What `standard` leaves is halved no further than once, as pairs within each other have contacts by the hundred.
std::vector<SceneBatchCase> spatial_variants(ContactModel contact, SolverKind solver) {
  std::vector<SceneBatchCase> batches = space_variants({contact, solver});
  for (SceneBatchCase& batch : batches) {
    batch.options.max_iterations = most_iterations;
    batch.options.max_substep_level = 1;
  }
  return batches;
}

// In the order of golden.hpp.
std::vector<GoldenCase> golden_cases() {
  using Batches = std::vector<SceneBatchCase>;
  std::vector<GoldenCase> cases;
  const auto add = [&cases](std::string name, std::function<Batches()> batches) {
    cases.push_back({std::move(name), std::move(batches)});
  };
  add("gear", [] { return Batches{gear_case(441)}; });
  add("box", [] { return Batches{box_case(1), box_case(2), box_case(3)}; });
  add("pile", [] { return Batches{pile_case(3, 8), pile_case(4, 8)}; });
  add("stack", [] { return Batches{stack_case(5, 10), stack_case(6, 10)}; });
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      add(name(contact) + "/" + name(solver), [=] { return planar_variants(contact, solver); });
    }
  }
  add("spatial/mixed", [] { return Batches{space_case(1, true, 3), space_case(2, true, 3)}; });
  add("spatial/box", [] { return Batches{space_case(1, false, 3), space_case(2, false, 3)}; });
  for (ContactModel contact : all_contacts) {
    for (SolverKind solver : all_solvers) {
      add("spatial/" + name(contact) + "/" + name(solver), [=] { return spatial_variants(contact, solver); });
    }
  }
  add("spatial/lift", [] { return Batches{load_sharing_lift_case()}; });
  add("spatial/ball_motor", [] { return Batches{ball_motor_case(3)}; });
  add("groove/newton", [] { return groove_cases(SolverKind::newton); });
  add("groove/aj", [] { return groove_cases(SolverKind::aj); });
  add("batched/groove", [] {
    return Batches{is_batched(scenes::groove_in_2d(scenes::groove_holds), 0.002, 0.004),
                   is_batched(scenes::groove_in_3d(scenes::groove_holds), 0.002, 0.004)};
  });
  add("batched/plane", [] {
    return Batches{is_batched(scenes::polygon_box(3, 0.25, 10), 0.008, 2.0),
                   is_batched(scenes::polygon_pour(2, 0.25, 200, 100), 0.008, 0.28)};
  });
  add("batched/joints", [] {
    return Batches{is_batched(jointed_rods(), 0.005, 0.5), is_batched(pushed_stack(), 0.01, 0.5)};
  });
  add("batched/spatial", [] {
    return Batches{is_batched(scenes::two_heaps(), 0.016, 0.25), is_batched(scenes::mixed_3d(1), 0.008, 0.4),
                   is_batched(scenes::space_lift(0.5), 0.005, 0.6)};
  });
  add("batched/ball_motor", [] { return Batches{is_batched(test::held_by_a_ball_motor(), 0.005, 1.0)}; });
  return cases;
}

std::uint64_t hash_of_case(const GoldenCase& golden, BackendKind kind, int threads) {
  Hash hash;
  for (const SceneBatchCase& batch : golden.batches()) {
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

// A test's name has letters, digits and underscores alone: space/peg/stiff-newton is ...space_peg_stiff_newton.
std::string test_name(const ::testing::TestParamInfo<GoldenCase>& info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

class StoredBits : public ::testing::TestWithParam<GoldenCase> {};

TEST_P(StoredBits, AreTheResults) {
  const GoldenCase& golden_case = GetParam();
  const std::uint64_t hash = hash_of_case(golden_case, BackendKind::cpu, 2);
  if (std::getenv("PEGRASP_PRINT_GOLDEN") != nullptr) {
    std::printf("golden:    {\"%s\", 0x%016llxull},\n", golden_case.name.c_str(),
                static_cast<unsigned long long>(hash));
    return;
  }
  const Golden* const golden = stored(golden_case.name);
  ASSERT_NE(golden, nullptr) << golden_case.name << ": no stored hash; scripts/update_golden.sh";
  EXPECT_EQ(hash_of_case(golden_case, BackendKind::cpu, 1), hash) << golden_case.name << ": one thread and two";
  EXPECT_EQ(hash, golden->hash)
      << golden_case.name << ": results changed. If that is meant, scripts/update_golden.sh stores the new hashes.";
}

TEST_P(StoredBits, AreWhatCudaGives) {
  const BackendInfo cuda = backend_info(BackendKind::cuda);
  if (!cuda.available) GTEST_SKIP() << cuda.detail;
  const GoldenCase& golden_case = GetParam();
  if (device_steps() > 0) {  // stored bits are those of whole cases
    for (const SceneBatchCase& batch : golden_case.batches()) {
      const SceneBatchCase slice = as_asked(batch);
      EXPECT_EQ(difference(run_all(slice, 1, Arithmetic::strict, BackendKind::cuda),
                           run_all(slice, 1, Arithmetic::strict, BackendKind::cpu)),
                "");
    }
    return;
  }
  const Golden* const golden = stored(golden_case.name);
  ASSERT_NE(golden, nullptr) << golden_case.name;
  EXPECT_EQ(hash_of_case(golden_case, BackendKind::cuda, 1), golden->hash) << golden_case.name;
}

INSTANTIATE_TEST_SUITE_P(Golden, StoredBits, ::testing::ValuesIn(golden_cases()), test_name);

}  // namespace
}  // namespace pegrasp::test
