// SPDX-License-Identifier: Apache-2.0
// The success predicates of a spatial scene.
#pragma once

#include <optional>
#include <vector>

#include "src/reference/common/success_tracker.hpp"
#include "src/reference/spatial/motion.hpp"

namespace pegrasp::reference::spatial {

class SpatialSuccess final : public SuccessTracker {
 public:
  // state: the simulation's, now the initial one; the tracker reads it whenever it is asked.
  SpatialSuccess(const SpatialNumbers& numbers, const StepOptions& options, const SpatialState& state);

 private:
  // A body in the frame of another one, or in the world.
  struct RelativePose {
    Vector3 position;
    Turn turn;
  };
  struct Hold {
    std::optional<RelativePose> first;  // where the body was when the hold began
    bool lost = false;
  };

  double fastest_point(int body) const override;
  bool holds(const Predicate& predicate, std::size_t index) const override;
  void remember(const Predicate& predicate, std::size_t index, const std::vector<char>& present, double time,
                double& clock) override;
  void remember_hold(const Predicate& p, std::size_t index, double time);
  Moved watched_part() override;
  static RelativePose relative(const SpatialState& state, int body, int base);
  Placement frame(const SpatialState& state, int body) const;
  bool pose_within(const Predicate& p) const;

  const SpatialNumbers& numbers_;
  const SpatialState& state_;
  SpatialState initial_;
  std::vector<Hold> hold_;               // (predicates)
  std::optional<RelativePose> watched_;  // where the part that is watched was seen first
};

}  // namespace pegrasp::reference::spatial
