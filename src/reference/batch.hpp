// SPDX-License-Identifier: Apache-2.0
// Many scenes by the reference, over all cores. A scene's result depends on its parameters alone: neither the threads
// nor the order show in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "pegrasp/options.hpp"
#include "reference/simulate/reference_scene.hpp"

namespace pegrasp::reference {

// Calls work(i) once for every i < count, from `threads` threads (0: all cores); progress(done) from one at a time,
// after each. Ends early, between two calls, once `stop` (may be null) is set: returns false. Rethrows what work
// throws.
bool for_each_index(std::size_t count, int threads, const std::atomic<bool>* stop,
                    const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress = {});

// Whole scenes, as Backend::run() does: parameters (scenes, layout.size()), final poses (scenes, bodies, 3), row-major.
bool run_reference(const std::shared_ptr<const ReferenceScene>& scene, const StepOptions& options,
                   std::span<const double> parameters, std::span<SceneOutcome> outcomes, std::span<double> final_poses,
                   int threads, const std::atomic<bool>* stop,
                   const std::function<void(std::size_t done)>& progress = {});

}  // namespace pegrasp::reference
