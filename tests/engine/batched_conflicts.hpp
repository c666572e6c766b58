// SPDX-License-Identifier: Apache-2.0
// Batches on the batched strategy whose loops are watched. Of the dimension that the including file chooses, in a
// namespace of its own.
#pragma once

#include "tests/engine/batched_order.hpp"
#include "tests/engine/loop_watch.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

inline BatchRun expect_loops_without_conflict(const SceneSpec& scene, const StepOptions& options,
                                              const std::vector<double>& parameters, const std::string& what) {
  test::LoopWatch watch;
  UnorderedDevice device(UnorderedDevice::Order::shuffled);
  device.tell(&watch);
  const BatchRun run = run_batch(device, *compile_model(scene), options, parameters);
  EXPECT_GT(watch.touched(), 10'000) << what << ": the loops do not call the hooks";
  EXPECT_EQ(watch.conflicts(), 0) << what << ": " << watch.first_conflict();
  return run;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
