// SPDX-License-Identifier: Apache-2.0
// Slices of cases end soon and have contacts, and a comparison of them finds a single bit.
#include "tests/determinism/slice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "tests/engine/small_scenes.hpp"

namespace pegrasp::test {
namespace {

TEST(Slice, IsAskedForByANumberOfSteps) {
  EXPECT_EQ(device_steps_named(nullptr), 0);
  EXPECT_EQ(device_steps_named("3"), 3);
  for (const char* wrong : {"", "0", "-1", "x", "3x", "3.5"}) {
    EXPECT_THROW(device_steps_named(wrong), std::runtime_error) << wrong;
  }
}

TEST(Slice, EndsSoonAfterAllScenesHaveAContact) {
  for (const SceneBatchCase& batch : {gear_case(12), stack_case(2, 6), space_case(1, true, 2)}) {
    const SceneBatchCase slice = slice_of(batch, 3);
    const int first = steps_to_contact(slice);
    EXPECT_GT(first, 1);
    const Results results = run_all(slice, 1, Arithmetic::strict, BackendKind::cpu);
    ASSERT_EQ(results.outcomes.size(), static_cast<std::size_t>(std::min(batch.scenes(), 5)));
    int most = 0;
    for (const SceneOutcome& outcome : results.outcomes) {
      EXPECT_GT(outcome.contacts_sum, 0);
      most = std::max(most, outcome.steps);  // some come to rest before
    }
    EXPECT_EQ(most, first + 3);
  }
}

TEST(Slice, EndsWithoutAContact) {
  const SceneBatchCase slice = slice_of(cut_off_scene(jointed_rods(), 0.005, 0.5), 4);
  EXPECT_EQ(run_all(slice, 1, Arithmetic::strict, BackendKind::cpu).outcomes[0].steps, 4);
}

TEST(Slice, ADifferenceIsFoundInAnyBit) {
  const Results right = run_all(slice_of(gear_case(2), 2), 1, Arithmetic::strict, BackendKind::cpu);
  EXPECT_EQ(difference(right, right), "");
  Results wrong = right;
  for (const std::span<std::byte> bytes :
       {std::as_writable_bytes(std::span(wrong.outcomes)), std::as_writable_bytes(std::span(wrong.poses))}) {
    for (std::byte& byte : bytes) {
      for (int bit = 0; bit < 8; ++bit) {
        byte ^= std::byte{1} << bit;
        EXPECT_NE(difference(right, wrong), "");
        byte ^= std::byte{1} << bit;
      }
    }
  }
}

}  // namespace
}  // namespace pegrasp::test
