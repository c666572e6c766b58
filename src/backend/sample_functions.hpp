// SPDX-License-Identifier: Apache-2.0
// Prescribed motion and targets that are functions of time (SceneSpec), as numbers in a scene's parameters: where the
// bodies begin, and in every step the velocity that takes them to where they are to be at its end.
#pragma once

#include <span>
#include <vector>

#include "kernels/launch/scene_worker.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

// Before a scene begins.
void sample_start(const Model& model, std::span<double> parameters);
// Before the step of h [s] that begins at `time` [s]. targets: of the actuators, as the parameters had them at first.
void sample_step(const Model& model, const SceneWorker& worker, double time, double h, std::span<const double> targets,
                 std::span<double> parameters);
std::vector<double> targets_of(const Model& model, std::span<const double> parameters);

}  // namespace pegrasp
