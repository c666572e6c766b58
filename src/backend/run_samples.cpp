// SPDX-License-Identifier: Apache-2.0
// Samples drawn by the host, on several threads. A sample depends on its number alone, so neither threads nor order
// show.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <vector>

#include "pegrasp/sampler.hpp"
#include "pegrasp/simulation.hpp"
#include "src/machine/cores.hpp"
#include "src/machine/memory.hpp"

namespace pegrasp {
namespace {

// A thread takes as long to start as some hundred samples to draw: fewer are not worth one.
constexpr std::size_t samples_worth_a_thread = 256;

void draw_rows(const SampleJob& job, std::span<double> parameters, std::size_t from, std::size_t to) {
  const std::size_t stride = job.sampler.parameters(), columns = job.sampler.values();
  for (std::size_t row = from; row < to; ++row) {
    job.redrawn[row] = job.sampler.draw(job.first + row, parameters.subspan(row * stride, stride),
                                        job.values.subspan(row * columns, columns));
  }
}

// Throws what the first of the samples has thrown, as one thread would.
void draw_all(const SampleJob& job, std::span<double> parameters) {
  const std::size_t count = job.outcomes.size();
  const auto threads = static_cast<std::size_t>(job.threads > 0 ? job.threads : available_cores());
  const std::size_t team = std::min(threads, (count + samples_worth_a_thread - 1) / samples_worth_a_thread);
  std::vector<std::future<void>> drawing;
  for (std::size_t k = 0; k < team; ++k) {
    const auto draw = [&job, parameters, from = count * k / team, to = count * (k + 1) / team] {
      draw_rows(job, parameters, from, to);
    };
    // The first share is this thread's; so are others where the machine gives no more threads.
    drawing.push_back(std::async(k > 0 ? std::launch::async | std::launch::deferred : std::launch::deferred, draw));
  }
  for (const std::future<void>& one : drawing) one.wait();
  for (std::future<void>& one : drawing) one.get();
}

}  // namespace

bool Backend::run_samples(const Model& model, const StepOptions& options, SampleJob& job,
                          const std::atomic<bool>* stop) {
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t size = job.outcomes.size() * job.sampler.parameters();
  // Memory that is not filled with zeros first, which would take as long as a part of the drawing.
  const auto parameters = std::make_unique_for_overwrite<double[]>(size);
  want_huge_pages(parameters.get(), size * sizeof(double));
  draw_all(job, {parameters.get(), size});
  job.drawing = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run(model, options, {parameters.get(), size}, job.outcomes, job.final_poses, stop);
}

bool Backend::run_each(const std::function<OwnScene(std::size_t)>& make, std::span<SceneOutcome> outcomes,
                       std::span<double> final_poses, const std::atomic<bool>* stop) {
  if (outcomes.empty()) return !(stop && stop->load());
  const std::size_t poses = final_poses.size() / outcomes.size();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const OwnScene own = make(i);
    if (!run(*own.model, own.options, own.parameters, outcomes.subspan(i, 1), final_poses.subspan(i * poses, poses),
             stop))
      return false;
  }
  return true;
}

}  // namespace pegrasp
