// SPDX-License-Identifier: Apache-2.0
// The intersection of two spheres consists of two caps, and that of a half-space and a sphere is one cap. A cap of
// height t of a sphere of radius r has the volume pi t^2 (r - t / 3). The intersection of a half-space and a polyhedron
// is the polyhedron cut by the boundary plane.
#include "src/metrics/round_overlap.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

constexpr double pi = 3.14159265358979323846;

// The vector v turned by the unit quaternion q.
Vec3 rotated(const Quaternion& q, Vec3 v) {
  const Vec3 axis{q.x, q.y, q.z};
  const Vec3 once = 2.0 * cross(axis, v);
  return v + (q.w * once + cross(axis, once));
}

Vec3 rotated_back(const Quaternion& q, Vec3 v) { return rotated({q.w, -q.x, -q.y, -q.z}, v); }

Vec3 centre_of(const MeasuredPart& sphere, const SpatialPose& pose) {
  return pose.position + rotated(pose.turn, sphere.part.shape.vertices[0]);
}

double cap(double radius, double height) {
  const double t = std::clamp(height, 0.0, 2.0 * radius);
  return pi * t * t * (radius - t / 3.0);
}

double sphere_in_sphere(const MeasuredPart& a, const SpatialPose& pose_a, const MeasuredPart& b,
                        const SpatialPose& pose_b) {
  const double ra = a.part.radius, rb = b.part.radius;
  const double d = length(centre_of(b, pose_b) - centre_of(a, pose_a));
  const double depth = ra + rb - d;
  if (!(depth > 0.0)) return 0.0;
  if (d <= std::fabs(ra - rb)) return cap(std::min(ra, rb), 2.0 * std::min(ra, rb));
  // The heights of the caps on either side of the circle in which the surfaces meet. These factors lose no digits.
  const double height_a = depth * (d + rb - ra) / (2.0 * d);
  const double height_b = depth * (d + ra - rb) / (2.0 * d);
  return cap(ra, height_a) + cap(rb, height_b);
}

double in_half_space(const MeasuredPart& half_space, const SpatialPose& pose, const MeasuredPart& other,
                     const SpatialPose& other_pose) {
  const PolyhedronFace& face = half_space.part.shape.faces[0];
  const Vec3 n = rotated(pose.turn, face.normal);
  // the offset of the plane from the origin of the other body
  const double offset = face.offset + dot(n, pose.position - other_pose.position);
  const Vec3 own = rotated_back(other_pose.turn, n);
  if (other.part.kind == SolidKind::sphere) {
    return cap(other.part.radius, other.part.radius + offset - dot(own, other.part.shape.vertices[0]));
  }
  const ConvexSolid left = cut_solid(other.solid.solid(), own, offset, part_dent_tolerance);
  return left.faces.empty() ? 0.0 : solid_volume(left, part_dent_tolerance);
}

}  // namespace

MeasuredPart measured_part(const SolidPart& part) {
  if (part.kind != SolidKind::polyhedron) return {part, {}};
  ConvexSolid solid{part.shape.vertices, {}};
  for (const PolyhedronFace& face : part.shape.faces) solid.faces.push_back(face.vertices);
  return {part, CheckedSolid(std::move(solid), part_dent_tolerance)};
}

bool has_overlap_volume(SolidKind a, SolidKind b) {
  const auto has_none = [](SolidKind kind) {
    return kind == SolidKind::capsule || kind == SolidKind::cylinder || kind == SolidKind::superellipsoid;
  };
  if (has_none(a) || has_none(b)) return false;
  return a == SolidKind::half_space || b == SolidKind::half_space || a == b;
}

double part_overlap(const MeasuredPart& a, const SpatialPose& pose_a, const MeasuredPart& b,
                    const SpatialPose& pose_b) {
  const SolidKind ka = a.part.kind, kb = b.part.kind;
  if (!has_overlap_volume(ka, kb) || (ka == SolidKind::half_space && kb == SolidKind::half_space)) return 0.0;
  if (ka == SolidKind::half_space) return in_half_space(a, pose_a, b, pose_b);
  if (kb == SolidKind::half_space) return in_half_space(b, pose_b, a, pose_a);
  if (ka == SolidKind::sphere) return sphere_in_sphere(a, pose_a, b, pose_b);
  return intersection_volume(a.solid, pose_a, b.solid, pose_b);
}

}  // namespace pegrasp
