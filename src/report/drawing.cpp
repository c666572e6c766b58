// SPDX-License-Identifier: Apache-2.0
#include "src/report/drawing.hpp"

#include <cmath>

#include "pegrasp/names.hpp"
#include "src/geometry/angle.hpp"
#include "src/geometry/placement.hpp"

namespace pegrasp::report {
namespace {

constexpr double length_grain = 1e-7;  // [m] far below what a picture shows; shortens the file

double rounded(double length) {
  const double value = std::round(length / length_grain) * length_grain;
  return std::isfinite(value) ? std::round(value * 1e7) / 1e7 : 0.0;
}
Json point_json(Vec3 p) { return {rounded(p.x), rounded(p.y), rounded(p.z)}; }

Json planar_part(const ConvexPart& part) {
  Json out{{"name", part.name}};
  if (part.kind == PartKind::half_plane) {
    out["normal"] = {part.normal.x, part.normal.y};
    out["offset"] = part.offset;
    return out;
  }
  Json& corners = out["corners"] = Json::array();
  for (const Corner& corner : part.corners) {
    corners.push_back({rounded(corner.centre.x), rounded(corner.centre.y), rounded(corner.radius)});
  }
  return out;
}

// A cylinder is drawn as a prism with many sides.
Json prism_drawing(const SolidPart& part) {
  constexpr int sides = 32;
  Json out{{"name", part.name}};
  const Vec3 u = part.shape.faces[1].normal;
  const Quaternion turn = turn_of_z_to(u);
  Json vertices = Json::array(), faces = Json::array();
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * pi * k / sides;
    const Vec3 rim = turned(turn, {part.radius * std::cos(angle), part.radius * std::sin(angle), 0.0});
    for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
      const Vec3 x = part.shape.vertices[end] + rim;
      for (const double value : {x.x, x.y, x.z}) vertices.push_back(rounded(value));
    }
  }
  Json bottom = Json::array(), top = Json::array();
  for (int k = 0; k < sides; ++k) {
    const int next = (k + 1) % sides;
    faces.push_back({2 * k, 2 * next, 2 * next + 1, 2 * k + 1});
    top.push_back(2 * k + 1);
    bottom.push_back(2 * (sides - 1 - k));
  }
  faces.push_back(std::move(bottom));
  faces.push_back(std::move(top));
  out["vertices"] = std::move(vertices);
  out["faces"] = std::move(faces);
  return out;
}

// An ellipsoid or a superellipsoid is drawn as a mesh with corners on it, dense where it is curved.
Json smooth_drawing(const SolidPart& part) {
  constexpr int around = 32, along = 16;
  const std::vector<PolyhedronFace>& axes = part.shape.faces;
  const double power = 2.0 / part.order;
  const auto share = [power](double value) { return std::copysign(std::pow(std::fabs(value), power), value); };
  Json vertices = Json::array(), faces = Json::array();
  const auto add = [&](double x, double y, double z) {
    const Vec3 at = part.shape.vertices[0] + (axes[0].offset * x) * axes[0].normal +
                    (axes[1].offset * y) * axes[1].normal + (axes[2].offset * z) * axes[2].normal;
    for (const double value : {at.x, at.y, at.z}) vertices.push_back(rounded(value));
  };
  add(0.0, 0.0, -1.0);
  for (int i = 1; i < along; ++i) {
    const double height = pi * (static_cast<double>(i) / along - 0.5);
    const double ring = share(std::cos(height));
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * pi * k / around;
      add(ring * share(std::cos(angle)), ring * share(std::sin(angle)), share(std::sin(height)));
    }
  }
  add(0.0, 0.0, 1.0);
  const int top = 1 + around * (along - 1);
  for (int k = 0; k < around; ++k) {
    const int next = (k + 1) % around;
    faces.push_back({0, 1 + next, 1 + k});
    for (int i = 0; i + 2 < along; ++i) {
      const int low = 1 + around * i, high = low + around;
      faces.push_back({low + k, low + next, high + next, high + k});
    }
    faces.push_back({top - around + k, top - around + next, top});
  }
  return {{"name", part.name}, {"vertices", std::move(vertices)}, {"faces", std::move(faces)}};
}

Json spatial_part(const SolidPart& part) {
  Json out{{"name", part.name}};
  switch (part.kind) {
    case SolidKind::half_space: {
      const PolyhedronFace& face = part.shape.faces.front();
      out["normal"] = {face.normal.x, face.normal.y, face.normal.z};
      out["offset"] = face.offset;
      return out;
    }
    case SolidKind::sphere:
    case SolidKind::capsule: {
      Json& ends = out["ends"] = Json::array();
      for (const Vec3& end : part.shape.vertices) ends.push_back(point_json(end));
      out["radius"] = rounded(part.radius);
      return out;
    }
    case SolidKind::cylinder:
      return prism_drawing(part);
    case SolidKind::superellipsoid:
      return smooth_drawing(part);
    case SolidKind::polyhedron:
      break;
  }
  Json& vertices = out["vertices"] = Json::array();
  for (const Vec3& vertex : part.shape.vertices) {
    for (const double value : {vertex.x, vertex.y, vertex.z}) vertices.push_back(rounded(value));
  }
  Json& faces = out["faces"] = Json::array();
  for (const PolyhedronFace& face : part.shape.faces) faces.push_back(face.vertices);
  return out;
}

const char* kind_name(BodyKind kind) {
  switch (kind) {
    case BodyKind::dynamic:
      return "dynamic";
    case BodyKind::fixed:
      return "fixed";
    case BodyKind::kinematic:
      break;
  }
  return "kinematic";
}

Json body_drawing(const BodySpec& body) {
  Json out{{"name", body.name}, {"kind", kind_name(body.kind)}};
  Json& parts = out["parts"] = Json::array();
  if (body.is_spatial()) {
    for (const SolidPart& part : body.spatial().parts) {
      if (!part.support_sphere) parts.push_back(spatial_part(part));
    }
  } else {
    for (const ConvexPart& part : body.planar().parts) parts.push_back(planar_part(part));
  }
  return out;
}

// Where body_b carries the joint, and the direction of its axis there; in 2D that of sliding.
Json joint_drawing(const JointSpec& joint) {
  Json out{{"name", joint.name}, {"kind", name_of(joint.kind)}, {"body", joint.body_b}};
  if (joint.kind == JointKind::distance) {  // a spring is drawn from the one end to the other
    const Pose flat = joint.is_spatial() ? Pose{} : joint.planar().a;
    out["from_body"] = joint.body_a;
    out["from"] = point_json(joint.is_spatial() ? joint.spatial().a.position : Vec3{flat.x, flat.y, 0.0});
  }
  if (joint.is_spatial()) {
    const SpatialPose& frame = joint.spatial().b;
    out["point"] = point_json(frame.position);
    out["axis"] = point_json(turned(frame.turn, {0.0, 0.0, 1.0}));
  } else {
    const Pose& frame = joint.planar().b;
    out["point"] = point_json({frame.x, frame.y, 0.0});
    out["axis"] = point_json({std::cos(frame.theta), std::sin(frame.theta), 0.0});
  }
  return out;
}

}  // namespace

Json drawing_of(const SceneSpec& scene) {
  Json out{{"spatial", scene.spatial}};
  Json& bodies = out["bodies"] = Json::array();
  for (const BodySpec& body : scene.bodies) bodies.push_back(body_drawing(body));
  Json& joints = out["joints"] = Json::array();
  for (const JointSpec& joint : scene.joints) joints.push_back(joint_drawing(joint));
  return out;
}

}  // namespace pegrasp::report
