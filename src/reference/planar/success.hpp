// SPDX-License-Identifier: Apache-2.0
// The success predicates of a planar scene.
#pragma once

#include <vector>

#include "src/reference/common/success_tracker.hpp"
#include "src/reference/planar/motion.hpp"

namespace pegrasp::reference {

class PlanarSuccess final : public SuccessTracker {
 public:
  // state: the simulation's, now the initial one; the tracker reads it whenever it is asked.
  PlanarSuccess(const PlanarScene& scene, const StepOptions& options, const PlanarState& state);

 private:
  double fastest_point(int body) const override;
  bool holds(const Predicate& predicate, std::size_t index) const override;
  bool gap_below(const Predicate& p) const;
  bool pose_within(const Predicate& p) const;
  Placement placement(int body) const;

  const PlanarScene& planar_;
  const PlanarState& state_;
  std::vector<Vector3> initial_;  // (bodies) poses
};

}  // namespace pegrasp::reference
