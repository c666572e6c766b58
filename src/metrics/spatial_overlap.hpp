// SPDX-License-Identifier: Apache-2.0
// How much the bodies of a scene in 3D overlap: exact volumes of intersection, part by part.
#pragma once

#include <array>
#include <vector>

#include "pegrasp/scene.hpp"
#include "src/metrics/round_overlap.hpp"

namespace pegrasp {

class SpatialOverlap {
 public:
  explicit SpatialOverlap(const SceneSpec& scene);

  double dynamic_volume() const { return dynamic_volume_; }  // [m^3] of all parts of bodies that move
  // Pairs of bodies that total() leaves out, in whole or in part: volumes with capsules, and of spheres with polyhedra, have no closed form.
  int pairs_left_out() const;
  // [m^3], summed over all pairs of bodies that may touch; poses are those of the bodies' frames; bodies that are absent count for nothing. Where parts of one body
  // lie in each other, what another body has in both counts twice. What reaches through a half-space that is for support spheres alone is no overlap.
  double total(const std::vector<SpatialPose>& poses, const std::vector<bool>& present) const;

 private:
  // Along the world's axes [m]; without end where a body has parts other than polyhedra.
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
