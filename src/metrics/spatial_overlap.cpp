// SPDX-License-Identifier: Apache-2.0
#include "src/metrics/spatial_overlap.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pegrasp/parameters.hpp"
#include "src/geometry/placement.hpp"

namespace pegrasp {

SpatialOverlap::SpatialOverlap(const SceneSpec& scene) {
  const int count = static_cast<int>(scene.bodies.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      if (may_touch(scene, a, b)) pairs_.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b)});
    }
  }
  for (const BodySpec& spec : scene.bodies) {
    Body body{true, {}};
    for (const SolidPart& part : spec.spatial().parts) {
      body.parts.push_back(measured_part(part));
      if (spec.kind == BodyKind::dynamic) dynamic_volume_ += solid_properties(part).volume;
      body.bounded = body.bounded && part.kind == SolidKind::polyhedron;
    }
    bodies_.push_back(std::move(body));
  }
}

SpatialOverlap::Box SpatialOverlap::box_of(const Body& body, const SpatialPose& pose) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (!body.bounded) return {{-infinite, -infinite, -infinite}, {infinite, infinite, infinite}};
  Box box{{infinite, infinite, infinite}, {-infinite, -infinite, -infinite}};
  for (const MeasuredPart& part : body.parts) {
    for (const Vec3& vertex : part.part.shape.vertices) {
      const Vec3 x = transformed(pose, vertex);
      box.low = {std::min(box.low.x, x.x), std::min(box.low.y, x.y), std::min(box.low.z, x.z)};
      box.high = {std::max(box.high.x, x.x), std::max(box.high.y, x.y), std::max(box.high.z, x.z)};
    }
  }
  return box;
}

double SpatialOverlap::of_bodies(const Body& a, const SpatialPose& pose_a, const Body& b, const SpatialPose& pose_b) {
  double sum = 0.0;
  for (const MeasuredPart& part_a : a.parts) {
    for (const MeasuredPart& part_b : b.parts) {
      const SolidPart &one = part_a.part, &other = part_b.part;
      if ((one.support_spheres_only && !other.support_sphere) || (other.support_spheres_only && !one.support_sphere))
        continue;
      sum += part_overlap(part_a, pose_a, part_b, pose_b);
    }
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
  std::vector<Box> boxes;
  boxes.reserve(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) boxes.push_back(box_of(bodies_[b], poses[b]));
  const auto apart = [&boxes](std::size_t a, std::size_t b) {
    const auto [low_a, high_a] = boxes[a];
    const auto [low_b, high_b] = boxes[b];
    return low_a.x > high_b.x || low_b.x > high_a.x || low_a.y > high_b.y || low_b.y > high_a.y || low_a.z > high_b.z ||
           low_b.z > high_a.z;
  };
  double sum = 0.0;
  for (const auto& [a, b] : pairs_) {
    if (!present[a] || !present[b] || apart(a, b)) continue;
    sum += of_bodies(bodies_[a], poses[a], bodies_[b], poses[b]);
  }
  return sum;
}

}  // namespace pegrasp
