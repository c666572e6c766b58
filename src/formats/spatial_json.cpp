// SPDX-License-Identifier: Apache-2.0
#include "src/formats/spatial_json.hpp"

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "src/formats/joint_json.hpp"
#include "src/formats/mesh_file.hpp"
#include "src/formats/shell_json.hpp"
#include "src/geometry/placement.hpp"
#include "src/geometry/platonic.hpp"
#include "src/geometry/vectors.hpp"
#include "src/scene/body_properties.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

std::string in_words(Vec3 v) {
  char text[120];
  std::snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", v.x, v.y, v.z);
  return text;
}

std::vector<std::vector<int>> read_faces(const JsonCursor& list) {
  std::vector<std::vector<int>> faces;
  for (const JsonCursor& face : list.items()) {
    faces.emplace_back();
    for (const JsonCursor& corner : face.items()) {
      const double index = corner.number();
      if (index != std::floor(index) || std::fabs(index) > 1e9)
        corner.fail("must be the index of a vertex: give a whole number, from 0");
      faces.back().push_back(static_cast<int>(index));
    }
  }
  return faces;
}

// Builds a shape. An error of the shape becomes an error that names the place in the file.
template <class Make>
auto shaped(const JsonCursor& place, const Make& make) {
  try {
    return make();
  } catch (const ShapeError& error) {
    place.fail(error.what());
  }
}

// A closed mesh. Most files hold exact corners; what is not convex to rounding is taken as a mesh from a file is.
Polyhedron read_closed(const std::vector<Vec3>& vertices, const std::vector<std::vector<int>>& faces) {
  try {
    return make_polyhedron(vertices, faces);
  } catch (const ShapeError& exact) {
    try {
      return polyhedron_of_mesh(vertices, faces);
    } catch (const ShapeError&) {
      throw exact;
    }
  }
}

// Vertices without faces give their convex hull; vertices with faces are a closed mesh.
std::vector<SolidPart> read_polyhedron(const JsonCursor& place, const std::string& name) {
  std::vector<Vec3> vertices;
  for (const JsonCursor& vertex : place.at("vertices").items()) vertices.push_back(read_vector(vertex));
  const std::vector<std::vector<int>> faces =
      place.has("faces") ? read_faces(place.at("faces")) : std::vector<std::vector<int>>{};
  return shaped(place, [&] {
    std::vector<Polyhedron> shapes =
        divided(place.has("faces") ? read_closed(vertices, faces) : make_polyhedron(vertices));
    std::vector<SolidPart> parts;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      parts.push_back({shapes.size() == 1 ? name : name + "_" + std::to_string(i + 1), std::move(shapes[i])});
    }
    return parts;
  });
}

SolidPart read_sphere(const JsonCursor& place, const std::string& name) {
  place.expect_object({"radius", "centre", "center"});
  if (place.has("centre") && place.has("center")) place.at("center").fail("is \"centre\" once more: drop one of them");
  Vec3 centre;
  for (const char* key : {"centre", "center"}) {
    if (place.has(key)) centre = read_vector(place.at(key));
  }
  const double radius = place.at("radius").positive();
  return shaped(place, [&] { return make_sphere(name, centre, radius); });
}

SolidPart read_capsule(const JsonCursor& place, const std::string& name) {
  place.expect_object({"radius", "from", "to"});
  const double radius = place.at("radius").positive();
  const Vec3 from = read_vector(place.at("from"));
  const Vec3 to = read_vector(place.at("to"));
  return shaped(place, [&] { return make_capsule(name, from, to, radius); });
}

SolidPart read_cylinder(const JsonCursor& place, const std::string& name) {
  place.expect_object({"radius", "from", "to"});
  const double radius = place.at("radius").positive();
  const Vec3 from = read_vector(place.at("from"));
  const Vec3 to = read_vector(place.at("to"));
  return shaped(place, [&] { return make_cylinder(name, from, to, radius); });
}

// With `order` a superellipsoid.
SolidPart read_ellipsoid(const JsonCursor& place, const std::string& name, bool has_order) {
  std::vector<std::string> known{"centre", "semi_axes", "quaternion_wxyz"};
  if (has_order) known.push_back("order");
  place.expect_object(known);
  const Vec3 centre = place.has("centre") ? read_vector(place.at("centre")) : Vec3{};
  const Quaternion turn = place.has("quaternion_wxyz") ? read_quaternion(place.at("quaternion_wxyz")) : Quaternion{};
  const int order = has_order ? place.at("order").order() : 2;
  const std::vector<double> axes = place.at("semi_axes").semi_axes(3);
  return shaped(place, [&] { return make_ellipsoid(name, centre, {axes[0], axes[1], axes[2]}, turn, order); });
}

SolidPart read_half_space(const JsonCursor& place, const std::string& name, const BodySpec& spec) {
  place.expect_object({"normal", "offset"});
  if (spec.kind == BodyKind::dynamic) {
    place.fail("has no mass: set \"static\" or \"kinematic\" to true, or give the body another shape");
  }
  const Vec3 normal = read_vector(place.at("normal"));
  const double offset = place.at("offset").number();
  return shaped(place, [&] { return make_half_space(name, normal, offset); });
}

// Metres for each unit of the mesh file: one number, or one for each axis.
Vec3 read_scale(const JsonCursor& place) {
  if (place.raw().is_array()) return read_vector(place);
  const double scale = place.number();
  return {scale, scale, scale};
}

std::vector<SolidPart> read_mesh(const JsonCursor& place, const std::string& name, std::vector<Remark>& remarks) {
  place.expect_object(
      {"file", "scale", "position", "quaternion_wxyz", "tolerance", "hull", "convexify", "convexify_threshold"});
  MeshPlacement placement;
  if (place.has("scale")) placement.scale = read_scale(place.at("scale"));
  if (place.has("position")) placement.pose.position = read_vector(place.at("position"));
  if (place.has("quaternion_wxyz")) placement.pose.turn = read_quaternion(place.at("quaternion_wxyz"));
  if (place.has("tolerance")) placement.tolerance = place.at("tolerance").positive();
  if (place.has("convexify") && place.at("convexify").boolean()) placement.convexify = ConvexifyOptions{};
  if (place.has("convexify_threshold")) {
    const double threshold = place.at("convexify_threshold").number();
    if (!placement.convexify) place.at("convexify_threshold").fail("needs \"convexify\": true: set it");
    if (!(threshold >= least_threshold && threshold <= 1.0))
      place.at("convexify_threshold").fail("must be 0.01 to 1: give a number in that range");
    placement.convexify->threshold = threshold;
  }
  placement.hull = place.has("hull") && place.at("hull").boolean();
  const JsonCursor file = place.at("file");
  return shaped(place, [&] { return load_mesh(file.beside(file.text()), name, placement, &remarks); });
}

constexpr const char* one_shape =
    "needs exactly one of \"vertices\", \"sphere\", \"capsule\", \"cylinder\", \"ellipsoid\", \"superellipsoid\", "
    "\"half_space\", \"mesh\", a Platonic solid such as \"tetrahedron\"";
constexpr const char* one_alone = ": give one, and drop others";

int shapes_given(const JsonCursor& place) {
  int given = place.has("vertices") ? 1 : 0;
  for (const std::string& shape : spatial_shape_keys()) given += place.has(shape) ? 1 : 0;
  return given;
}

SolidPart read_platonic(const JsonCursor& place, const std::string& name, PlatonicSolid solid) {
  place.expect_object({"edge", "position", "quaternion_wxyz"});
  std::vector<Vec3> corners = platonic_corners(solid, place.at("edge").positive());
  SpatialPose pose;
  if (place.has("position")) pose.position = read_vector(place.at("position"));
  if (place.has("quaternion_wxyz")) pose.turn = read_quaternion(place.at("quaternion_wxyz"));
  for (Vec3& corner : corners) corner = transformed(pose, corner);
  return shaped(place, [&] { return SolidPart{name, make_polyhedron(corners)}; });
}

std::vector<SolidPart> read_solid(const JsonCursor& place, const std::string& name, BodySpec& spec) {
  if (place.has("faces") && !place.has("vertices")) place.at("faces").fail("belongs to \"vertices\": add them");
  if (place.has("sphere")) return {read_sphere(place.at("sphere"), name)};
  if (place.has("capsule")) return {read_capsule(place.at("capsule"), name)};
  if (place.has("cylinder")) return {read_cylinder(place.at("cylinder"), name)};
  if (place.has("ellipsoid")) return {read_ellipsoid(place.at("ellipsoid"), name, false)};
  if (place.has("superellipsoid")) return {read_ellipsoid(place.at("superellipsoid"), name, true)};
  if (place.has("half_space")) return {read_half_space(place.at("half_space"), name, spec)};
  if (place.has("mesh")) return read_mesh(place.at("mesh"), name, spec.remarks);
  for (std::size_t i = 0; i < platonic_names().size(); ++i) {
    const std::string& solid = platonic_names()[i];
    if (place.has(solid)) return {read_platonic(place.at(solid), name, static_cast<PlatonicSolid>(i))};
  }
  return read_polyhedron(place, name);
}

void read_parts(const JsonCursor& body, BodySpec& spec) {
  if (shapes_given(body) + (body.has("parts") ? 1 : 0) != 1)
    body.fail(std::string(one_shape) + ", \"parts\"" + one_alone);
  if (!body.has("parts")) {
    spec.spatial().parts = read_solid(body, spec.name, spec);
    return;
  }
  if (body.has("faces")) body.at("faces").fail("belongs to \"vertices\": give each part its own");
  std::size_t count = 0;
  std::vector<std::string> known{"name", "vertices", "faces", "shell"};
  known.insert(known.end(), spatial_shape_keys().begin(), spatial_shape_keys().end());
  for (const JsonCursor& part : body.at("parts").items()) {
    refuse_other_shapes(part);
    part.expect_object(known);
    ++count;
    if (shapes_given(part) != 1) part.fail(std::string(one_shape) + one_alone);
    const std::string name = part.has("name") ? part.at("name").name() : "part_" + std::to_string(count);
    const std::optional<CompliantShell> shell = read_shell(part);
    for (SolidPart& solid : read_solid(part, name, spec)) {
      solid.shell = shell;
      spec.spatial().parts.push_back(std::move(solid));
    }
  }
  if (spec.spatial().parts.empty()) body.at("parts").fail("must hold at least one part: add one");
}

void read_inertia(const JsonCursor& body, BodySpec& spec) {
  InertiaTensor& inertia = spec.spatial().inertia;
  if (body.has("inertia_diag")) {
    const JsonCursor place = body.at("inertia_diag");
    const std::vector<double> moments = place.numbers(3, 3);
    inertia = {moments[0], moments[1], moments[2], 0.0, 0.0, 0.0};
    for (const double moment : moments) {
      if (!(moment > 0.0)) place.fail("must be positive [kg m^2]: give moments of inertia, or drop the key");
    }
    return;
  }
  // Without "inertia_diag" the inertia is that of a solid of uniform density.
  const SolidProperties p = body_properties(spec.spatial());
  constexpr double off_centre = 1e-6;  // of the body's size
  if (length(p.centroid) > off_centre * std::cbrt(p.volume)) {
    body.fail("gives no \"inertia_diag\", and the middle of its solid is at " + in_words(p.centroid) +
              " m instead of the origin: shift the vertices (a mesh: \"position\"), or give \"inertia_diag\"");
  }
  const double density = spec.mass / p.volume;
  inertia = {density * p.inertia.xx, density * p.inertia.yy, density * p.inertia.zz,
             density * p.inertia.xy, density * p.inertia.xz, density * p.inertia.yz};
}

}  // namespace

const std::vector<std::string>& spatial_shape_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all{"sphere", "capsule", "cylinder", "ellipsoid", "superellipsoid", "half_space", "mesh"};
    all.insert(all.end(), platonic_names().begin(), platonic_names().end());
    return all;
  }();
  return keys;
}

void refuse_other_shapes(const JsonCursor& place) {
  for (const char* const word : {"cone", "pyramid"}) {
    if (place.has(word)) place.fail(no_such_shape(word, "\"vertices\""));
  }
}

Vec3 read_vector(const JsonCursor& place) {
  const std::vector<double> v = place.numbers(3, 3);
  return {v[0], v[1], v[2]};
}

Quaternion read_quaternion(const JsonCursor& place) {
  const std::vector<double> q = place.numbers(4, 4);
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::fabs(norm - 1.0) < 1e-6)) place.fail("must be of unit length (w, x, y, z): divide it by its length");
  return {q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm};
}

void read_spatial_body(const JsonCursor& body, BodySpec& spec) {
  SpatialBody& space = spec.form.emplace<SpatialBody>();
  if (body.has("turn")) body.at("turn").fail("is for planar scenes: use \"quaternion_wxyz\"");
  read_parts(body, spec);
  read_spatial_motion(body, spec);
  if (body.has("position")) space.pose.position = read_vector(body.at("position"));
  if (body.has("quaternion_wxyz")) {
    space.pose.turn = read_quaternion(body.at("quaternion_wxyz"));
  }
  if (body.has("velocity")) space.velocity.velocity = read_vector(body.at("velocity"));
  if (body.has("angular_velocity")) space.velocity.angular = read_vector(body.at("angular_velocity"));
  const Vec3 v = space.velocity.velocity, w = space.velocity.angular;
  if (spec.kind == BodyKind::fixed && (length(v) > 0.0 || length(w) > 0.0)) {
    body.fail("a static body does not move: set its velocities to 0, or \"kinematic\": true instead of \"static\"");
  }
  if (body.has("density")) {
    const double density = body.at("density").positive();
    if (spec.kind == BodyKind::dynamic || body.has("max_force")) spec.mass = density * body_properties(space).volume;
  }
  if (spec.kind == BodyKind::dynamic || body.has("inertia_diag")) read_inertia(body, spec);
}

}  // namespace pegrasp
