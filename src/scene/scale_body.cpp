// SPDX-License-Identifier: Apache-2.0
#include "src/scene/scale_body.hpp"

#include <algorithm>

#include "src/geometry/polyhedron_build.hpp"
#include "src/scene/body_properties.hpp"

namespace pegrasp {
namespace {

Vec3 along(Vec3 factor, Vec3 v) { return {factor.x * v.x, factor.y * v.y, factor.z * v.z}; }

bool is_round(const ConvexPart& part) {
  return std::any_of(part.corners.begin(), part.corners.end(), [](const Corner& c) { return c.radius > 0.0; });
}

std::string endless(const std::string& part) {
  return "has no meaning for part \"" + part + "\", which has no end; put it on a body of its own";
}

std::string round_part(const std::string& part) {
  return "must be one factor for all axes, since part \"" + part + "\" is round; give scale alone";
}

}  // namespace

std::string hindrance_to_scale(const BodySpec& body, bool uniform) {
  if (!body.is_spatial()) {
    for (const ConvexPart& part : body.planar().parts) {
      if (part.kind == PartKind::half_plane) return endless(part.name);
      if (!uniform && is_round(part)) return round_part(part.name);
    }
    return {};
  }
  for (const SolidPart& part : body.spatial().parts) {
    if (part.kind == SolidKind::half_space) return endless(part.name);
    if (!uniform && part.radius > 0.0) return round_part(part.name);
  }
  return {};
}

void scale_parts(BodySpec& body, Vec3 factor) {
  if (!body.is_spatial()) {
    for (ConvexPart& part : body.planar().parts) {
      for (Corner& c : part.corners) c = {{factor.x * c.centre.x, factor.y * c.centre.y}, factor.x * c.radius};
    }
    return;
  }
  for (SolidPart& part : body.spatial().parts) {
    for (Vec3& vertex : part.shape.vertices) vertex = along(factor, vertex);
    part.radius *= factor.x;
    if (part.kind == SolidKind::polyhedron) solid::fit_planes(part.shape);
  }
}

void scale_joints(SceneSpec& scene, int body, Vec3 factor) {
  for (JointSpec& joint : scene.joints) {
    if (joint.body_a != body && joint.body_b != body) continue;
    if (joint.anchor == JointAnchor::as_given)
      joint.anchor = joint.body_b == body ? JointAnchor::by_second : JointAnchor::by_first;
    if (joint.is_spatial()) {
      SpatialPose& own = joint.body_a == body ? joint.spatial().a : joint.spatial().b;
      own.position = along(factor, own.position);
    } else {
      Pose& own = joint.body_a == body ? joint.planar().a : joint.planar().b;
      own.x *= factor.x;
      own.y *= factor.y;
    }
  }
}

double inertia_ratio(const PlanarBody& body, Vec3 factor) {
  BodySpec scaled;
  scaled.form = body;
  scale_parts(scaled, factor);
  Vec2 centroid;
  return inertia_per_mass(scaled.planar().parts, centroid) / inertia_per_mass(body.parts, centroid);
}

InertiaTensor scaled_inertia(const InertiaTensor& i, Vec3 f) {
  const double trace = 0.5 * (i.xx + i.yy + i.zz);
  const double x = f.x * f.x * (trace - i.xx), y = f.y * f.y * (trace - i.yy), z = f.z * f.z * (trace - i.zz);
  return {y + z, x + z, x + y, f.x * f.y * i.xy, f.x * f.z * i.xz, f.y * f.z * i.yz};
}

}  // namespace pegrasp
