// SPDX-License-Identifier: Apache-2.0
// The worker of scenes with penalty contacts, in 3D and strict arithmetic.
#pragma once

#include <memory>

#include "kernels/launch/penalty_contacts.hpp"
#include "kernels/launch/scene_worker.hpp"

namespace pegrasp {

// The model's arrays must outlive the worker.
std::unique_ptr<SceneWorker> make_spatial_penalty_worker(const ModelView& model, const StepOptions& options,
                                                         Capacity capacity, std::unique_ptr<PenaltyContacts> contacts);

}  // namespace pegrasp
