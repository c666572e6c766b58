// SPDX-License-Identifier: Apache-2.0
#include "reference/batch.hpp"
#include "backend/cores.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "reference/simulate/reference_simulation.hpp"

namespace pegrasp::reference {

bool for_each_index(std::size_t count, int threads, const std::atomic<bool>* stop,
                    const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress) {
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::exception_ptr fault;
  std::mutex mutex;
  const auto stopped = [&] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  const auto labour = [&] {
    try {
      while (!stopped()) {
        const std::size_t i = next.fetch_add(1);
        if (i >= count) return;
        work(i);
        const std::lock_guard<std::mutex> lock(mutex);
        if (progress) progress(++done);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      fault = std::current_exception();
      next.store(count);  // nobody begins another
    }
  };
  const std::size_t asked =
      threads > 0 ? static_cast<std::size_t>(threads) : static_cast<std::size_t>(available_cores());
  std::vector<std::thread> others;
  try {
    for (std::size_t k = 1; k < std::min(asked, count); ++k) others.emplace_back(labour);
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that run do all the work.
  }
  labour();
  for (std::thread& thread : others) thread.join();
  if (fault) std::rethrow_exception(fault);
  return !stopped();
}

bool run_reference(const std::shared_ptr<const ReferenceScene>& scene, const StepOptions& options,
                   std::span<const double> parameters, std::span<SceneOutcome> outcomes, std::span<double> final_poses,
                   int threads, const std::atomic<bool>* stop, const std::function<void(std::size_t done)>& progress) {
  const auto stride = static_cast<std::size_t>(scene->layout().size());
  const auto bodies = static_cast<std::size_t>(scene->body_count());
  const auto one = [&](std::size_t i) {
    ReferenceSimulation simulation(scene, options, parameters.subspan(i * stride, stride));
    while (!(stop != nullptr && stop->load(std::memory_order_relaxed)) && simulation.step()) {
    }
    outcomes[i] = simulation.outcome();
    for (std::size_t b = 0; b < bodies; ++b) {
      const Pose pose = simulation.pose(static_cast<int>(b));
      double* to = final_poses.data() + 3 * (i * bodies + b);
      to[0] = pose.x;
      to[1] = pose.y;
      to[2] = pose.theta;
    }
  };
  return for_each_index(outcomes.size(), threads, stop, one, progress);
}

}  // namespace pegrasp::reference
