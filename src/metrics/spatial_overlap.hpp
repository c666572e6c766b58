// SPDX-License-Identifier: Apache-2.0
// Overlap volume of the bodies of a scene in 3D: exact volumes of intersection, part by part.
#pragma once

#include <array>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/metrics/round_overlap.hpp"

namespace pegrasp {

class SpatialOverlap {
 public:
  explicit SpatialOverlap(const SceneSpec& scene);

  double dynamic_volume() const { return dynamic_volume_; }  // of all parts of dynamic bodies [m^3]
  // Number of pairs of bodies that total() leaves out, in whole or in part: overlaps with capsules, and of spheres with
  // polyhedra, have no closed form.
  int pairs_left_out() const;
  // Overlap volume [m^3], summed over all pairs of bodies that may touch and are present. `poses` are those of the body
  // frames. Where parts of one body overlap each other, a volume that another body shares with both counts twice. What
  // lies beyond a half-space for support spheres only (SolidPart::support_spheres_only) is no overlap.
  double total(const std::vector<SpatialPose>& poses, const std::vector<bool>& present) const;

 private:
  // A box along the world's axes [m]; infinite where a body has parts other than polyhedra.
  struct Box {
    Vec3 low, high;
  };
  struct Body {
    bool bounded;
    std::vector<MeasuredPart> parts;
  };
  static Box box_of(const Body& body, const SpatialPose& pose);
  static double of_bodies(const Body& a, const SpatialPose& pose_a, const Body& b, const SpatialPose& pose_b);

  std::vector<Body> bodies_;
  std::vector<std::array<std::size_t, 2>> pairs_;  // that may touch
  double dynamic_volume_ = 0.0;
};

}  // namespace pegrasp
