// SPDX-License-Identifier: Apache-2.0
// How far a scene is from feasible, by Hart's measure of infeasibility I(q): the largest overlap of two bodies, as the
// ratio metric tells it (slides, "Definition of Measure of Infeasibility").
#pragma once

#include <array>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/metrics/ratio_metric.hpp"

namespace pegrasp {

class Infeasibility {
 public:
  // Throws std::invalid_argument for parts other than polygons, polyhedra, half-planes and half-spaces.
  explicit Infeasibility(const SceneSpec& scene);

  // The largest -rho of the pairs of parts of bodies that may touch and are present, at least 0: the ratio of the
  // overlap to the distance of the parts' centres, or more. poses: of the body frames.
  double planar(const std::vector<Pose>& poses, const std::vector<bool>& present) const;
  double spatial(const std::vector<SpatialPose>& poses, const std::vector<bool>& present) const;

 private:
  struct Part {
    GrowingPolytope polytope;   // body frame
    std::vector<Vec3> corners;  // none: of a half-plane or half-space, which does not grow
  };
  template <class Place, class Turn>
  double worst(const Place& place, const Turn& turn, const std::vector<bool>& present) const;

  bool spatial_ = false;
  std::vector<std::vector<Part>> parts_;           // of bodies
  std::vector<std::array<std::size_t, 2>> pairs_;  // of bodies that may touch
};

}  // namespace pegrasp
