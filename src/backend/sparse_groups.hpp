// SPDX-License-Identifier: Apache-2.0
// Scenes of a batch through the sparse road, so many at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

#include "launch/sparse_scenes.hpp"
#include "model/model.hpp"

namespace pegrasp {

struct SceneRange {
  std::size_t first, last;  // scenes first .. last - 1 of the batch
  std::size_t at_once;
};

// False when it was told to stop: then the range's outcomes are incomplete. Spans are the whole batch's.
inline bool run_sparse_groups(SparseScenes& scenes, const Model& model, const SceneRange& range,
                              std::span<const double> parameters, std::span<SceneOutcome> outcomes,
                              std::span<double> final_poses, const std::atomic<bool>* stop) {
  const std::size_t stride = static_cast<std::size_t>(model.layout().size());
  const std::size_t poses = static_cast<std::size_t>(model.layout().pose_size() * model.layout().body_count);
  for (std::size_t i = range.first; i < range.last; i += range.at_once) {
    scenes.begin(parameters.data() + i * stride, static_cast<int>(std::min(range.last - i, range.at_once)));
    while (scenes.round()) {
      if (stop && stop->load(std::memory_order_relaxed)) return false;
    }
    scenes.results(outcomes.data() + i, final_poses.data() + i * poses);
  }
  return true;
}

}  // namespace pegrasp
