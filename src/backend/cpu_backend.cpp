// SPDX-License-Identifier: Apache-2.0
// Scenes over all cores: each thread owns a workspace and takes the next scene from one atomic counter. A scene's
// result depends on its parameters alone, so neither the threads nor the order show in it.
#include "src/backend/cpu_backend.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "src/backend/batched_groups.hpp"
#include "src/backend/canonical_nan.hpp"
#include "src/backend/kernels.hpp"
#include "src/backend/run_to_end.hpp"
#include "src/machine/cores.hpp"
#include "src/model/model.hpp"

namespace pegrasp {
namespace {

// Scenes that one thread takes through the batched strategy together: as many as stay in its caches.
constexpr std::size_t bodies_a_group = 1000;

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
  Arithmetic arithmetic() const override { return arithmetic_; }
  std::string device() const override {
    return std::to_string(threads_) + (threads_ == 1 ? " thread of " : " threads of ") + processor_name();
  }

  bool run(const Model& model, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>* stop) override {
    if (model.functions().any) return run_functions(model, options, parameters, outcomes, final_poses, stop);
    if (options.strategy == Strategy::batched)
      return run_batched(model, options, parameters, outcomes, final_poses, stop);
    const std::size_t stride = static_cast<std::size_t>(model.layout().size());
    const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
    std::atomic<std::size_t> next{0};
    return on_threads(outcomes.size(), stop, [&] {
      ScenePool pool(model, options, arithmetic_);
      while (!(stop && stop->load(std::memory_order_relaxed))) {
        const std::size_t i = next.fetch_add(1);
        if (i >= outcomes.size()) return;
        pool.run(parameters.data() + i * stride, &outcomes[i], final_poses.data() + i * poses, stop);
        make_canonical(outcomes.subspan(i, 1), final_poses.subspan(i * poses, poses));
      }
    });
  }

  // A thread takes a scene to its end, on either strategy.
  bool run_each(const std::function<OwnScene(std::size_t)>& make, std::span<SceneOutcome> outcomes,
                std::span<double> final_poses, const std::atomic<bool>* stop) override {
    const std::size_t count = outcomes.size();
    const std::size_t poses = count > 0 ? final_poses.size() / count : 0;
    CpuBackend alone(arithmetic_, std::max(1, threads_ / static_cast<int>(std::max<std::size_t>(1, count))));
    std::atomic<std::size_t> next{0};
    return on_threads(count, stop, [&] {
      for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        const OwnScene own = make(i);
        const std::span<double> places = final_poses.subspan(i * poses, poses);
        if (!alone.run(*own.model, own.options, own.parameters, outcomes.subspan(i, 1), places, stop)) return;
      }
    });
  }

 private:
  // Calls work() on as many threads as there are tasks for; false when it was asked to stop.
  template <class Work>
  bool on_threads(std::size_t tasks, const std::atomic<bool>* stop, const Work& work_of_thread) const {
    std::exception_ptr fault;
    std::mutex fault_mutex;
    const auto work = [&] {
      try {
        work_of_thread();
      } catch (...) {
        const std::lock_guard<std::mutex> lock(fault_mutex);
        fault = std::current_exception();
      }
    };
    std::vector<std::thread> others;
    const std::size_t team = std::min<std::size_t>(static_cast<std::size_t>(threads_), std::max<std::size_t>(1, tasks));
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

  // Scenes with functions, one step at a time. Functions are asked by one thread alone.
  bool run_functions(const Model& model, const StepOptions& options, std::span<const double> parameters,
                     std::span<SceneOutcome> outcomes, std::span<double> final_poses,
                     const std::atomic<bool>* stop) const {
    const auto stride = static_cast<std::size_t>(model.layout().size());
    const std::shared_ptr<const Model> borrowed(std::shared_ptr<const Model>{}, &model);
    const int bodies = model.layout().body_count;
    double* pose = final_poses.data();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      Simulation simulation(borrowed, options, parameters.subspan(i * stride, stride), arithmetic_);
      simulation.heed(stop);
      simulation.run();
      if (stop && stop->load()) return false;
      outcomes[i] = simulation.outcome();
      for (int body = 0; body < bodies; ++body) pose = write_pose(simulation, model, body, pose);
      const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * bodies);
      make_canonical(outcomes.subspan(i, 1), final_poses.subspan(i * poses, poses));
    }
    return true;
  }
  static double* write_pose(const Simulation& simulation, const Model& model, int body, double* out) {
    if (!model.layout().spatial) {
      const Pose p = simulation.pose(body);
      for (const double value : {p.x, p.y, p.theta}) *out++ = value;
      return out;
    }
    const SpatialPose p = simulation.spatial_pose(body);
    for (const double value : {p.position.x, p.position.y, p.position.z, p.turn.w, p.turn.x, p.turn.y, p.turn.z}) {
      *out++ = value;
    }
    return out;
  }

  // Groups of scenes, each on a thread of its own; fewer groups than threads share them.
  bool run_batched(const Model& model, const StepOptions& options, std::span<const double> parameters,
                   std::span<SceneOutcome> outcomes, std::span<double> final_poses,
                   const std::atomic<bool>* stop) const {
    const auto workers = static_cast<std::size_t>(threads_);
    const std::size_t count = outcomes.size();
    const std::size_t share =
        std::max<std::size_t>(1, bodies_a_group / static_cast<std::size_t>(model.layout().body_count));
    const std::size_t group = std::min(share, std::max<std::size_t>(1, count / workers));
    const std::size_t groups = (count + group - 1) / group;
    const int threads_each = static_cast<int>(std::max<std::size_t>(1, workers / std::max<std::size_t>(1, groups)));
    std::atomic<std::size_t> next{0};
    return on_threads(groups, stop, [&] {
      const auto scenes = make_batched(model, options, arithmetic_, threads_each);
      const std::size_t capacity = std::min(group, static_cast<std::size_t>(scenes->most_scenes()));
      for (std::size_t k = next.fetch_add(1); k < groups; k = next.fetch_add(1)) {
        const SceneRange range{k * group, std::min(count, (k + 1) * group), capacity};
        if (!run_batched_groups(*scenes, model, range, parameters, outcomes, final_poses, stop)) return;
      }
    });
  }

  Arithmetic arithmetic_;
  int threads_;
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(Arithmetic arithmetic, int threads) {
  return std::make_unique<CpuBackend>(arithmetic, threads);
}

}  // namespace pegrasp
