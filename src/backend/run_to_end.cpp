// SPDX-License-Identifier: Apache-2.0
#include "src/backend/run_to_end.hpp"

#include <stdexcept>

#include "src/backend/kernels.hpp"

namespace pegrasp {

void check_listed(const Model& model) {
  if (!model.arrays().lists_pairs) {
    throw std::invalid_argument(
        "a scene of so many bodies takes the batched strategy: StepOptions::strategy, from derive_options()");
  }
}

ScenePool::ScenePool(const Model& model, const StepOptions& options, Arithmetic arithmetic)
    : model_(model), options_(options), arithmetic_(arithmetic), capacity_(first_capacity(model, options)) {
  check_listed(model);
  worker_ = make_worker(model, options, arithmetic, capacity_);
}

bool ScenePool::grow(int contacts_demand) {
  if (capacity_.contacts >= largest_contact_capacity) return false;
  capacity_ = grown(capacity_, contacts_demand);
  worker_ = make_worker(model_, options_, arithmetic_, capacity_);
  return true;
}

void ScenePool::run(const double* parameters, SceneOutcome* outcome, double* final_pose,
                    const std::atomic<bool>* stop) {
  worker_->run(parameters, outcome, final_pose, stop);
  while ((outcome->status & status_capacity) && grow(outcome->contacts_demand)) {
    worker_->run(parameters, outcome, final_pose, stop);
  }
}

}  // namespace pegrasp
