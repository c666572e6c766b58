// SPDX-License-Identifier: Apache-2.0
// Samples that a backend leaves unresolved, simulated again by the reference: another solver, exact and slow.
#pragma once

#include <atomic>
#include <memory>

#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "src/reference/batch.hpp"

namespace pegrasp {

class ReferenceFallback {
 public:
  // Throws InputError for a contact model that the reference has not.
  ReferenceFallback(const SceneSpec& scene, const StepOptions& options, int threads);

  // Of rows [first, first + count) of the map those with a status bit, drawn once more. What the
  // reference resolves takes the place of outcome and poses. False when stopped: the map's samples must not be used
  // then.
  bool run(const Sampler& sampler, SuccessMap& map, std::size_t first, std::size_t count,
           const std::atomic<bool>* stop) const;

 private:
  reference::AnyScene scene_;
  StepOptions options_;
  int threads_;
};

}  // namespace pegrasp
