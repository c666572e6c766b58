// SPDX-License-Identifier: Apache-2.0
// When a scene in space ends, and whether what it ended as counts as success.
#pragma once

#include <optional>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/spatial/motion.hpp"

namespace pegrasp::reference::space {

// A body as another sees it, or as the world does.
struct SeenBody {
  Vector3 position;
  Turn turn;
};

// What predicates remember from step to step.
struct SpaceClocks {
  struct Hold {
    std::optional<SeenBody> first;  // where it was when the hold began
    bool lost = false;
  };
  std::vector<double> predicate;  // (predicates) how long speed_below and pose_within have lasted [s]
  std::vector<Hold> hold;         // (predicates)
  double still = 0.0;             // how long all dynamic bodies have been still [s]
};

class SpaceJudge {
 public:
  SpaceJudge(const SpaceNumbers& numbers, const StepOptions& options, const SpaceState& initial);
  // After a whole step that ended at `time`. True when the scene has come to rest by the stop rule.
  bool keep_clocks(const SpaceState& state, const std::vector<char>& present, double time, SpaceClocks& clocks) const;
  // Whether the success program holds.
  bool succeeded(const SpaceState& state, const SpaceClocks& clocks) const;

 private:
  SeenBody seen(const SpaceState& state, int body, int base) const;
  Placement frame(const SpaceState& state, int body) const;
  bool pose_within(const SpaceState& state, const Predicate& p) const;
  bool leaf(const SpaceState& state, const SpaceClocks& clocks, std::size_t index) const;

  const SpaceNumbers& numbers_;
  StepOptions options_;
  SpaceState initial_;
};

}  // namespace pegrasp::reference::space
