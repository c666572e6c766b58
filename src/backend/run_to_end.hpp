// SPDX-License-Identifier: Apache-2.0
// Runs scenes on one CPU workspace and grows its capacity where a scene asks for it.
#pragma once

#include <atomic>
#include <memory>

#include "kernels/launch/scene_worker.hpp"
#include "pegrasp/options.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

// Largest contact capacity that re-runs grow to; beyond it a scene keeps its capacity bit.
constexpr int largest_contact_capacity = 1 << 20;

// The per-scene strategy needs the list of pairs: std::invalid_argument for a model that has none.
void check_listed(const Model& model);

class ScenePool {
 public:
  ScenePool(const Model& model, const StepOptions& options, Arithmetic arithmetic);

  // One scene to its end; a capacity overflow is re-run from the start with more capacity. `stop` as for
  // SceneWorker::run().
  void run(const double* parameters, SceneOutcome* outcome, double* final_pose,
           const std::atomic<bool>* stop = nullptr);

  SceneWorker& worker() { return *worker_; }
  // More capacity, at least for `contacts_demand`; false when the limit is reached. The worker starts afresh.
  bool grow(int contacts_demand);

 private:
  const Model& model_;
  StepOptions options_;
  Arithmetic arithmetic_;
  Capacity capacity_;
  std::unique_ptr<SceneWorker> worker_;
};

}  // namespace pegrasp
