// SPDX-License-Identifier: Apache-2.0
#include "src/reference/batch.hpp"
#include "src/machine/cores.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "src/reference/planar/simulation.hpp"
#include "src/reference/spatial/simulation.hpp"

namespace pegrasp::reference {
namespace {

// Leaves a step in which somebody has asked for an end.
struct StopHeard {};

// The same solver, which looks at `stop` before every solve.
StepSolver heedful(StepSolver solver, const std::atomic<bool>* stop) {
  return [solver = std::move(solver), stop](const StepProblem& step, const StepSolution* start) {
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) throw StopHeard();
    return solver(step, start);
  };
}

}  // namespace

bool for_each_index(std::size_t count, int threads, const std::atomic<bool>* stop,
                    const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress) {
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::exception_ptr fault;
  std::mutex mutex;
  const auto stopped = [&] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  const auto take_work = [&] {
    try {
      while (!stopped()) {
        const std::size_t i = next.fetch_add(1);
        if (i >= count) return;
        work(i);
        const std::lock_guard<std::mutex> lock(mutex);
        if (progress) progress(++done);
      }
    } catch (const StopHeard&) {
      // as if it had not been begun
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
    for (std::size_t k = 1; k < std::min(asked, count); ++k) others.emplace_back(take_work);
  } catch (const std::system_error&) {
    // The machine gives no more threads: those that run do all the work.
  }
  take_work();
  for (std::thread& thread : others) thread.join();
  if (fault) std::rethrow_exception(fault);
  return !stopped();
}

namespace {

void write_pose(const Pose& pose, double* to) {
  to[0] = pose.x;
  to[1] = pose.y;
  to[2] = pose.theta;
}

void write_pose(const SpatialPose& pose, double* to) {
  const Quaternion& q = pose.turn;
  const double numbers[] = {pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z};
  std::copy(std::begin(numbers), std::end(numbers), to);
}

}  // namespace

AnyScene::AnyScene(const SceneSpec& scene) {
  if (scene.spatial) {
    spatial_scene = std::make_shared<const spatial::SpatialScene>(scene);
  } else {
    planar_scene = std::make_shared<const PlanarScene>(scene);
  }
}

bool run_reference(const AnyScene& scene, const StepOptions& options, std::span<const double> parameters,
                   std::span<SceneOutcome> outcomes, std::span<double> final_poses, int threads,
                   const std::atomic<bool>* stop, const std::function<void(std::size_t done)>& progress) {
  const auto stride = static_cast<std::size_t>(scene.layout().size());
  const std::size_t bodies = scene.bodies();
  const auto run = [&](auto& simulation, std::size_t i) {
    while (!(stop != nullptr && stop->load(std::memory_order_relaxed)) && simulation.step()) {
    }
    outcomes[i] = simulation.outcome();
    for (std::size_t b = 0; b < bodies; ++b) {
      write_pose(simulation.pose(static_cast<int>(b)), final_poses.data() + scene.pose_size() * (i * bodies + b));
    }
  };
  const auto one = [&](std::size_t i) {
    const std::span<const double> own = parameters.subspan(i * stride, stride);
    if (scene.spatial_scene) {
      spatial::SpatialSimulation simulation(scene.spatial_scene, options, own,
                                            heedful(spatial::spatial_solver(), stop));
      run(simulation, i);
    } else {
      PlanarSimulation simulation(scene.planar_scene, options, own, heedful(exact_solver(), stop));
      run(simulation, i);
    }
  };
  return for_each_index(outcomes.size(), threads, stop, one, progress);
}

}  // namespace pegrasp::reference
