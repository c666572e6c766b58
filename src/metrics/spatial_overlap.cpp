// SPDX-License-Identifier: Apache-2.0
#include "metrics/spatial_overlap.hpp"

#include <limits>

#include "pegrasp/parameters.hpp"

namespace pegrasp {

SpatialOverlap::SpatialOverlap(const SceneSpec& scene) {
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (may_touch(scene, a, b)) pairs_.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
    }
  }
  for (const BodySpec& spec : scene.bodies) {
    Body body{bounding_radius(spec), {}};
    for (const SolidPart& part : spec.space.parts) {
      body.parts.push_back(measured_part(part));
      if (spec.kind == BodyKind::dynamic) dynamic_volume_ += solid_properties(part).volume;
      if (part.kind == SolidKind::half_space) body.radius = std::numeric_limits<double>::infinity();
    }
    bodies_.push_back(std::move(body));
  }
}

double SpatialOverlap::of_bodies(std::size_t a, const SpatialPose& pose_a, std::size_t b,
                                 const SpatialPose& pose_b) const {
  const Vec3 d{pose_b.position.x - pose_a.position.x, pose_b.position.y - pose_a.position.y,
               pose_b.position.z - pose_a.position.z};
  const double reach = bodies_[a].radius + bodies_[b].radius;
  if (d.x * d.x + d.y * d.y + d.z * d.z > reach * reach) return 0.0;
  double sum = 0.0;
  for (const MeasuredPart& part_a : bodies_[a].parts) {
    for (const MeasuredPart& part_b : bodies_[b].parts) sum += part_overlap(part_a, pose_a, part_b, pose_b);
  }
  return sum;
}

int SpatialOverlap::pairs_left_out() const {
  const auto left_out = [](const Body& a, const Body& b) {
    for (const MeasuredPart& part_a : a.parts) {
      for (const MeasuredPart& part_b : b.parts) {
        if (!has_overlap_volume(part_a.part.kind, part_b.part.kind)) return true;
      }
    }
    return false;
  };
  int count = 0;
  for (const auto& [a, b] : pairs_) count += left_out(bodies_[a], bodies_[b]) ? 1 : 0;
  return count;
}

double SpatialOverlap::total(const std::vector<SpatialPose>& poses, const std::vector<bool>& present) const {
  double sum = 0.0;
  for (const auto& [a, b] : pairs_) {
    if (present[a] && present[b]) sum += of_bodies(a, poses[a], b, poses[b]);
  }
  return sum;
}

}  // namespace pegrasp
