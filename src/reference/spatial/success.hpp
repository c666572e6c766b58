// SPDX-License-Identifier: Apache-2.0
// When a scene in 3D ends, and whether what it ended as counts as success.
#pragma once

#include <optional>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/spatial/motion.hpp"

namespace pegrasp::reference::spatial {

// A body as another sees it, or as the world does.
struct SeenBody {
  Vector3 position;
  Turn turn;
};

// What predicates remember from step to step.
struct SpatialClocks {
  struct Hold {
    std::optional<SeenBody> first;  // where it was when the hold began
    bool lost = false;
  };
  std::vector<double> predicate;  // (predicates) how long speed_below and pose_within have lasted [s]
  std::vector<Hold> hold;         // (predicates)
  double still = 0.0;             // how long all dynamic bodies have been still [s]
};

class SpatialSuccess {
 public:
  SpatialSuccess(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& initial);
  // After a whole step that ended at `time`. True when the scene has come to rest by the stop rule.
  bool keep_clocks(const SpatialState& state, const std::vector<char>& present, double time,
                   SpatialClocks& clocks) const;
  // Whether the success program holds.
  bool succeeded(const SpatialState& state, const SpatialClocks& clocks) const;

 private:
  SeenBody seen(const SpatialState& state, int body, int base) const;
  Placement frame(const SpatialState& state, int body) const;
  bool pose_within(const SpatialState& state, const Predicate& p) const;
  bool leaf(const SpatialState& state, const SpatialClocks& clocks, std::size_t index) const;

  const SpatialNumbers& numbers_;
  StepOptions options_;
  SpatialState initial_;
};

}  // namespace pegrasp::reference::spatial
