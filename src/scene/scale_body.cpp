// SPDX-License-Identifier: Apache-2.0
#include "src/scene/scale_body.hpp"

#include <algorithm>

#include "src/geometry/placement.hpp"
#include "src/geometry/polyhedron_build.hpp"
#include "src/scene/body_properties.hpp"

namespace pegrasp {
namespace {

Vec3 along(Vec3 factor, Vec3 v) { return {factor.x * v.x, factor.y * v.y, factor.z * v.z}; }

bool is_round(const ConvexPart& part) {
  return part.curve ||
         std::any_of(part.corners.begin(), part.corners.end(), [](const Corner& c) { return c.radius > 0.0; });
}

std::string endless(const std::string& part) {
  return "has no meaning for part \"" + part + "\", which has no end; put it on a body of its own";
}

std::string round_part(const std::string& part) {
  return "must be one factor for all axes, since part \"" + part + "\" is round; give scale alone";
}

// Where the frame of a joint is in the frame of its second body, or its first.
Vec3 place_of(const JointSpec& joint, bool second) {
  if (joint.is_spatial()) return (second ? joint.spatial().b : joint.spatial().a).position;
  const Pose& own = second ? joint.planar().b : joint.planar().a;
  return {own.x, own.y, 0.0};
}

void put_place(JointSpec& joint, bool second, Vec3 place) {
  if (joint.is_spatial()) {
    (second ? joint.spatial().b : joint.spatial().a).position = place;
    return;
  }
  Pose& own = second ? joint.planar().b : joint.planar().a;
  own.x = place.x;
  own.y = place.y;
}

// How the scene describes a body, or the world, to be turned at the start.
Quaternion described_turn(const SceneSpec& scene, int body) {
  if (body < 0) return {};
  const BodySpec& spec = scene.bodies[static_cast<std::size_t>(body)];
  return spec.is_spatial() ? start_pose(spec.spatial()).turn : turn_by({0.0, 0.0, spec.planar().pose.theta});
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
    if (!uniform && (part.radius > 0.0 || part.kind == SolidKind::superellipsoid)) return round_part(part.name);
  }
  return {};
}

void scale_parts(BodySpec& body, Vec3 factor) {
  if (!body.is_spatial()) {
    for (ConvexPart& part : body.planar().parts) {
      for (Corner& c : part.corners) c = {{factor.x * c.centre.x, factor.y * c.centre.y}, factor.x * c.radius};
      if (!part.curve) continue;
      part.curve->centre = {factor.x * part.curve->centre.x, factor.x * part.curve->centre.y};
      part.curve->semi_axis_x *= factor.x;
      part.curve->semi_axis_y *= factor.x;
    }
    return;
  }
  for (SolidPart& part : body.spatial().parts) {
    for (Vec3& vertex : part.shape.vertices) vertex = along(factor, vertex);
    part.radius *= factor.x;
    if (part.kind == SolidKind::polyhedron) solid::fit_planes(part.shape);
    if (part.kind == SolidKind::superellipsoid) {
      for (PolyhedronFace& axis : part.shape.faces) axis.offset *= factor.x;
    }
    if (part.kind == SolidKind::cylinder)
      part = make_cylinder(part.name, part.shape.vertices[0], part.shape.vertices[1], part.radius);
  }
}

void scale_joints(SceneSpec& scene, int body, Vec3 factor) {
  for (JointSpec& joint : scene.joints) {
    const bool second = joint.body_b == body;
    if (!second && joint.body_a != body) continue;
    if (joint.kind == JointKind::distance) {  // of a spring, which holds nothing, one end moves
      put_place(joint, second, along(factor, place_of(joint, second)));
      continue;
    }
    if (joint.anchor == JointAnchor::as_given) joint.anchor = second ? JointAnchor::by_second : JointAnchor::by_first;
    const Vec3 from = place_of(joint, second), to = along(factor, from);
    const Quaternion turn = described_turn(scene, body);
    const Quaternion back = conjugate(described_turn(scene, second ? joint.body_a : joint.body_b));
    put_place(joint, second, to);
    put_place(joint, !second, place_of(joint, !second) + turned(back, turned(turn, to - from)));
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
