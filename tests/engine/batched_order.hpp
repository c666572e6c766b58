// SPDX-License-Identifier: Apache-2.0
// A batch on the batched strategy by HostDevice and by UnorderedDevice: the same bytes? Of the dimension that the
// including file chooses.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/batch/batch.hpp"
#include "pegrasp/simulation.hpp"
#include "src/model/model.hpp"
#include "tests/engine/unordered_device.hpp"
#include "tests/outcome_bytes.hpp"
#include "tests/teams/thread_sanitizer.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct BatchRun {
  std::vector<SceneOutcome> outcomes;
  std::vector<double> poses;
  bool operator==(const BatchRun& other) const {
    return outcomes.size() == other.outcomes.size() && poses.size() == other.poses.size() &&
           test::same_bytes(outcomes.data(), other.outcomes.data(), outcomes.size()) &&
           std::memcmp(poses.data(), other.poses.data(), sizeof(double) * poses.size()) == 0;
  }
};

constexpr int most_rounds = 20'000;  // several times what any batch here needs

// A batch of one and then the whole, in the same memory.
template <class Device>
BatchRun run_batch(Device& device, const Model& model, const StepOptions& options,
                   const std::vector<double>& parameters) {
  const ModelView view = model.view();
  const auto count = static_cast<int>(parameters.size()) / model.layout().size();
  Batch<Device> batch(device, view, &view, options);
  BatchRun run;
  for (const int scenes : {1, count}) {
    batch.begin(parameters.data(), scenes);
    int rounds = 0;
    while (batch.round()) {
      if (++rounds > most_rounds) throw std::runtime_error("a batch that does not end");
    }
    run.outcomes.assign(static_cast<std::size_t>(scenes), SceneOutcome{});
    run.poses.assign(static_cast<std::size_t>(scenes * view.body_count * pose_size), 0.0);
    batch.results(run.outcomes.data(), run.poses.data());
    if (scenes == count) break;
  }
  return run;
}

// Returns what HostDevice gave. Under ThreadSanitizer loops are shared by threads, and two items of one that touch the
// same memory are a race.
inline BatchRun expect_order_does_not_show(const Model& model, const StepOptions& options,
                                           const std::vector<double>& parameters, const std::string& what) {
  using Order = UnorderedDevice::Order;
  HostDevice host(1);
  const BatchRun expected = run_batch(host, model, options, parameters);
  const std::vector<Order> orders =
      PEGRASP_THREAD_SANITIZER ? std::vector{Order::side_by_side} : std::vector{Order::backwards, Order::shuffled};
  for (const Order order : orders) {
    UnorderedDevice device(order);
    EXPECT_TRUE(run_batch(device, model, options, parameters) == expected)
        << what << (order == Order::backwards ? ", backwards" : "");
    EXPECT_TRUE(device.played() > 0 || expected.outcomes[0].contacts_max == 0) << what;
  }
  return expected;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
