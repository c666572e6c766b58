// SPDX-License-Identifier: Apache-2.0
// Scenes over all cores: each thread owns a workspace and takes the next scene from one atomic counter. A scene's result
// depends on its parameters alone, so neither the threads nor the order show in it.
#include "backend/cpu_backend.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "backend/cores.hpp"
#include "backend/run_to_end.hpp"
#include "model/model.hpp"

namespace pegrasp {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(':');
    if (colon != std::string::npos && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown processor";
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(Arithmetic arithmetic, int threads)
      : arithmetic_(arithmetic), threads_(threads > 0 ? threads : available_cores()) {}

  std::string name() const override { return "cpu"; }
  std::string device() const override {
    return std::to_string(threads_) + (threads_ == 1 ? " thread of " : " threads of ") + processor_name();
  }

  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    const std::size_t stride = static_cast<std::size_t>(model.layout().size());
    const std::size_t poses = static_cast<std::size_t>(3 * model.layout().body_count);
    std::atomic<std::size_t> next{0};
    std::exception_ptr fault;
    std::mutex fault_mutex;
    const auto work = [&] {
      try {
        ScenePool pool(model, options, arithmetic_);
        while (!(stop && stop->load(std::memory_order_relaxed))) {
          const std::size_t i = next.fetch_add(1);
          if (i >= outcomes.size()) return;
          pool.run(parameters.data() + i * stride, &outcomes[i], final_poses.data() + i * poses);
        }
      } catch (...) {
        const std::lock_guard<std::mutex> lock(fault_mutex);
        fault = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    const std::size_t team =
        std::min<std::size_t>(static_cast<std::size_t>(threads_), std::max<std::size_t>(1, outcomes.size()));
    try {
      for (std::size_t k = 1; k < team; ++k) others.emplace_back(work);
    } catch (const std::system_error&) {
      // The machine gives no more threads: those that run do all the work.
    }
    work();
    for (std::thread& thread : others) thread.join();
    if (fault) std::rethrow_exception(fault);
    return !(stop && stop->load());
  }

 private:
  Arithmetic arithmetic_;
  int threads_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(Arithmetic arithmetic, int threads) {
  return std::make_unique<CpuBackend>(arithmetic, threads);
}

}  // namespace pegrasp
