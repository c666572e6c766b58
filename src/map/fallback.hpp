// SPDX-License-Identifier: Apache-2.0
// Samples that a backend leaves unresolved, simulated again by the reference simulator, whose solver is
// exact and slow.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/map.hpp"
#include "pegrasp/reference_engine.hpp"
#include "pegrasp/sampler.hpp"

namespace pegrasp {

class ReferenceFallback {
 public:
  // Throws InputError for a contact model that the reference simulator does not have, and where there is no engine.
  // The problem outlives it.
  ReferenceFallback(const ReferenceEngine* engine, const Problem& problem, const StepOptions& options, int threads);

  // Which sample of the problem a row of the map is.
  using NumberOf = std::function<std::size_t(std::size_t row)>;

  // Rows of the map with a status bit, drawn once more. What the reference resolves takes the place of outcome and
  // poses. False when stopped: the map's samples must not be used then.
  bool run(const Sampler& sampler, const NumberOf& number_of, SuccessMap& map, const std::vector<std::size_t>& rows,
           const std::atomic<bool>* stop) const;

 private:
  bool run_each(std::span<const double> drawn, std::span<SceneOutcome> outcomes, std::span<double> final_poses,
                const std::atomic<bool>* stop) const;

  const ReferenceEngine* engine_;
  const Problem& problem_;
  std::unique_ptr<ReferenceTrials> trials_;
  StepOptions options_;
  int threads_;
};

}  // namespace pegrasp
