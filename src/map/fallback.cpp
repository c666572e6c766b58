// SPDX-License-Identifier: Apache-2.0
#include "src/map/fallback.hpp"

#include <algorithm>
#include <future>

#include "pegrasp/names.hpp"
#include "src/machine/cores.hpp"
#include "src/map/map_options.hpp"

namespace pegrasp {

ReferenceFallback::ReferenceFallback(const ReferenceEngine* engine, const Problem& problem, const StepOptions& options,
                                     int threads)
    : engine_(engine), problem_(problem), options_(options), threads_(threads) {
  if (engine == nullptr) {
    throw InputError("--fallback reference: this program was built without the reference simulator; " +
                     std::string(how_to_get_the_reference));
  }
  if (options.contact == ContactModel::peg) {
    trials_ = engine->prepare(problem.scene);
    return;
  }
  throw InputError("--fallback reference: it has pair modes alone, not contact model " + name_of(options.contact) +
                   "; leave it out, or give --contact peg");
}

// Each trial in a scene of its own, a thread for each.
bool ReferenceFallback::run_each(std::span<const double> drawn, std::span<SceneOutcome> outcomes,
                                 std::span<double> final_poses, const std::atomic<bool>* stop) const {
  const std::size_t count = outcomes.size(), stride = drawn.size() / count, poses = final_poses.size() / count;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> finished{true};
  const auto work = [&] {
    for (std::size_t i = next++; i < count && finished; i = next++) {
      const TrialScene trial = scene_of_trial(problem_, drawn.subspan(i * stride, stride));
      const StepOptions step = map_options(problem_, trial.scene);
      const std::span<double> places = final_poses.subspan(i * poses, poses);
      if (!engine_->prepare(trial.scene)->run(step, trial.parameters, outcomes.subspan(i, 1), places, 1, stop))
        finished = false;
    }
  };
  std::vector<std::future<void>> helpers;
  const auto threads = static_cast<std::size_t>(threads_ > 0 ? threads_ : available_cores());
  for (std::size_t k = 1; k < std::min(threads, count); ++k)
    helpers.push_back(std::async(std::launch::async | std::launch::deferred, work));
  work();
  for (const std::future<void>& helper : helpers) helper.wait();
  for (std::future<void>& helper : helpers) helper.get();
  return finished;
}

bool ReferenceFallback::run(const Sampler& sampler, const NumberOf& number_of, SuccessMap& map,
                            const std::vector<std::size_t>& rows, const std::atomic<bool>* stop) const {
  if (rows.empty()) return true;
  const std::size_t stride = sampler.parameters();
  const std::size_t poses = map.poses();
  std::vector<double> parameters(rows.size() * stride);
  std::vector<double> values(sampler.values());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sampler.draw(number_of(rows[i]), {parameters.data() + i * stride, stride}, values);
  }
  std::vector<SceneOutcome> outcomes(rows.size());
  std::vector<double> final_poses(rows.size() * poses);
  const bool finished = problem_.changes.any()
                            ? run_each(parameters, outcomes, final_poses, stop)
                            : trials_->run(options_, parameters, outcomes, final_poses, threads_, stop);
  if (!finished) return false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    map.by_reference[row] = outcomes[i].status == status_ok ? resolved_by_reference : left_by_reference;
    if (outcomes[i].status != status_ok) continue;
    map.outcomes[row] = outcomes[i];
    const double* from = final_poses.data() + i * poses;
    std::copy(from, from + poses, map.final_poses.data() + row * poses);
  }
  return true;
}

}  // namespace pegrasp
