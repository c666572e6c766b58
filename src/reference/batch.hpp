// SPDX-License-Identifier: Apache-2.0
// Many scenes by the reference simulator, over all cores. The result of a scene depends on its parameters alone, not on
// the number of threads or the order.
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

// A scene prepared for the reference simulator, planar or spatial. One of the two pointers is set.
struct AnyScene {
  std::shared_ptr<const PlanarScene> planar_scene;
  std::shared_ptr<const spatial::SpatialScene> spatial_scene;

  // Throws std::invalid_argument, one line, for a scene that the reference simulator does not take.
  explicit AnyScene(const SceneSpec& scene);
  AnyScene(std::shared_ptr<const PlanarScene> in_2d, std::shared_ptr<const spatial::SpatialScene> in_3d = nullptr)
      : planar_scene(std::move(in_2d)), spatial_scene(std::move(in_3d)) {}
  const ParameterLayout& layout() const { return spatial_scene ? spatial_scene->layout() : planar_scene->layout(); }
  std::size_t bodies() const {
    return static_cast<std::size_t>(spatial_scene ? spatial_scene->body_count() : planar_scene->body_count());
  }
  std::size_t pose_size() const { return static_cast<std::size_t>(layout().pose_size()); }
};

// Calls work(i) once for every i < count, from `threads` threads (0: one per core), and progress(done) after each, from
// one thread at a time. Once `stop` (may be null) is set, no further call begins, and false is returned. An exception
// of work is thrown on.
bool for_each_index(std::size_t count, int threads, const std::atomic<bool>* stop,
                    const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress = {});

// Simulates whole scenes, as Backend::run() does. parameters: (scenes, layout.size()); outcomes: (scenes); final_poses:
// (scenes, bodies, pose_size); all row-major.
bool run_reference(const AnyScene& scene, const StepOptions& options, std::span<const double> parameters,
                   std::span<SceneOutcome> outcomes, std::span<double> final_poses, int threads,
                   const std::atomic<bool>* stop, const std::function<void(std::size_t done)>& progress = {});

}  // namespace pegrasp::reference
