// SPDX-License-Identifier: Apache-2.0
// Many scenes by the reference, over all cores. A scene's result depends on its parameters alone: neither the threads
// nor the order show in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "pegrasp/options.hpp"
#include "src/reference/planar/scene.hpp"
#include "src/reference/spatial/scene.hpp"

namespace pegrasp::reference {

// A scene compiled for the reference, of whichever dimension.
struct AnyScene {
  std::shared_ptr<const ReferenceScene> plane;  // one of the two
  std::shared_ptr<const spatial::SpatialScene> space;

  // Throws std::invalid_argument, one line, for what the reference does not take.
  explicit AnyScene(const SceneSpec& scene);
  AnyScene(std::shared_ptr<const ReferenceScene> planar, std::shared_ptr<const spatial::SpatialScene> spatial = nullptr)
      : plane(std::move(planar)), space(std::move(spatial)) {}
  const ParameterLayout& layout() const { return space ? space->layout() : plane->layout(); }
  std::size_t bodies() const { return static_cast<std::size_t>(space ? space->body_count() : plane->body_count()); }
  std::size_t pose_size() const { return static_cast<std::size_t>(layout().pose_size()); }
};

// Calls work(i) once for every i < count, from `threads` threads (0: all cores); progress(done) from one at a time,
// after each. Ends early, between two calls, once `stop` (may be null) is set: returns false. Rethrows what work
// throws.
bool for_each_index(std::size_t count, int threads, const std::atomic<bool>* stop,
                    const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress = {});

// Whole scenes, as Backend::run() does: parameters (scenes, layout.size()), final poses (scenes, bodies, pose_size), row-major.
bool run_reference(const AnyScene& scene, const StepOptions& options, std::span<const double> parameters,
                   std::span<SceneOutcome> outcomes, std::span<double> final_poses, int threads,
                   const std::atomic<bool>* stop, const std::function<void(std::size_t done)>& progress = {});

}  // namespace pegrasp::reference
