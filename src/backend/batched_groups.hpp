// SPDX-License-Identifier: Apache-2.0
// Scenes of a batch through the batched strategy, so many at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "kernels/launch/batched_scenes.hpp"
#include "kernels/launch/cuda/device_memory_error.hpp"
#include "src/backend/canonical_nan.hpp"
#include "src/model/model.hpp"

namespace pegrasp {

struct SceneRange {
  std::size_t first, last;  // scenes first .. last - 1 of the batch
  std::size_t at_once;
};

// False when it was asked to stop: then the range's outcomes are incomplete. Spans are the whole batch's.
inline bool run_batched_groups(BatchedScenes& scenes, const Model& model, const SceneRange& range,
                               std::span<const double> parameters, std::span<SceneOutcome> outcomes,
                               std::span<double> final_poses, const std::atomic<bool>* stop) {
  const std::size_t stride = static_cast<std::size_t>(model.layout().size());
  const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
  scenes.heed(stop);
  for (std::size_t i = range.first; i < range.last; i += range.at_once) {
    const std::size_t count = std::min(range.last - i, range.at_once);
    scenes.begin(parameters.data() + i * stride, static_cast<int>(count));
    while (scenes.round()) {
      if (stop && stop->load(std::memory_order_relaxed)) return false;
    }
    scenes.results(outcomes.data() + i, final_poses.data() + i * poses);
    make_canonical(outcomes.subspan(i, count), final_poses.subspan(i * poses, count * poses));
  }
  return true;
}

// All scenes of a batch, on BatchedScenes that make() makes, in groups of `group` at most. Where a device's memory is
// too short for a group it begins anew in halves, on BatchedScenes that hold nothing yet; scenes do not depend on those
// beside them.
template <class Make>
bool run_batched_groups_that_fit(const Make& make, const Model& model, std::size_t group,
                                 std::span<const double> parameters, std::span<SceneOutcome> outcomes,
                                 std::span<double> final_poses, const std::atomic<bool>* stop) {
  std::unique_ptr<BatchedScenes> scenes;
  std::size_t first = 0;
  const auto halve = [&] {
    scenes.reset();
    group = std::min(group, outcomes.size() - first);
    if (group <= 1) return false;
    group = (group + 1) / 2;
    return true;
  };
  while (first < outcomes.size()) {
    try {
      if (scenes == nullptr) scenes = make();
      const std::size_t last = std::min(outcomes.size(), first + std::min(group, outcomes.size()));
      if (!run_batched_groups(*scenes, model, {first, last, group}, parameters, outcomes, final_poses, stop))
        return false;
      first = last;
    } catch (const DeviceMemoryError&) {
      if (!halve()) throw;
    } catch (const std::bad_alloc&) {  // of the libraries that sort and scan
      if (!halve()) throw;
    }
  }
  return true;
}

}  // namespace pegrasp
