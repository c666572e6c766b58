// SPDX-License-Identifier: Apache-2.0
// Readers of the parts of bodies in 3D (dim = 3).
#include <algorithm>
#include <cmath>
#include <utility>

#include "src/formats/mesh_file.hpp"
#include "src/geometry/placement.hpp"
#include "src/geometry/platonic.hpp"
#include "src/problem/readers.hpp"
#include "src/text/default_names.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

enum class Shape { hull, box, cylinder, sphere, capsule, ellipsoid, superellipsoid, half_space, mesh, platonic };
// The solids of `platonic` come last.
std::vector<std::string> shape_names() {
  std::vector<std::string> names{"hull",           "box",        "cylinder", "sphere", "capsule", "ellipsoid",
                                 "superellipsoid", "half_space", "mesh"};
  names.insert(names.end(), platonic_names().begin(), platonic_names().end());
  return names;
}

Vec3 read_point(Section& section, const std::string& base, const Quantity& quantity,
                const std::vector<double>& fallback) {
  const std::vector<double> v = section.numbers(base, quantity, 3, 3, any_number, fallback);
  return {v[0], v[1], v[2]};
}

// Reads the placement of a part: a turn about an axis through the origin, then a shift to the centre.
SpatialPose read_placement(Section& section) {
  SpatialPose place;
  place.position = read_point(section, "centre", quantity::length, {0.0, 0.0, 0.0});
  const double angle = section.number("turn", quantity::angle, 0.0, spatial_turns);
  if (angle != 0.0 || section.has("turn_axis")) {
    place.turn = turn_by(angle * read_axis(section, "turn_axis", {0.0, 0.0, 1.0}));
  }
  return place;
}

Polyhedron read_hull(Section& section) {
  std::vector<Vec3> points;
  for (const auto& row : section.rows("vertices", quantity::length, 3, 4)) points.push_back({row[0], row[1], row[2]});
  return make_polyhedron(points);
}

Polyhedron placed(Section& section, std::vector<Vec3> points) {
  const SpatialPose place = read_placement(section);
  for (Vec3& x : points) x = transformed(place, x);
  return make_polyhedron(points);
}

Polyhedron read_box(Section& section) {
  std::vector<Vec3> points;
  const std::vector<double> size = section.numbers("size", quantity::length, 3, 3, positive);
  for (int k = 0; k < 8; ++k) {
    points.push_back({(k & 1 ? 0.5 : -0.5) * size[0], (k & 2 ? 0.5 : -0.5) * size[1], (k & 4 ? 0.5 : -0.5) * size[2]});
  }
  return placed(section, std::move(points));
}

// An exact cylinder or, as a rule, a regular prism whose corners lie on it.
SolidPart read_cylinder(Section& section, const std::string& name) {
  std::vector<Vec3> points;
  const double radius = section.number("radius", quantity::length, {}, positive);
  const double half = 0.5 * section.number("height", quantity::length, {}, positive);
  const bool exact = section.has("exact") && section.boolean("exact", false);
  if (exact && section.has("sides")) section.fail("sides", "is for prisms; remove it, or set exact = false");
  const int sides = exact ? 0 : static_cast<int>(section.integer("sides", 16, 3, 32));
  const Vec3 axis = read_axis(section, "axis", {0.0, 0.0, 1.0});
  const Quaternion turn = turn_of_z_to(axis);
  if (exact) {
    const SpatialPose place = read_placement(section);
    return make_cylinder(name, transformed(place, -half * axis), transformed(place, half * axis), radius);
  }
  for (int k = 0; k < sides; ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * (k + 0.5) / sides;
    const Vec3 rim{radius * std::cos(angle), radius * std::sin(angle), 0.0};
    for (const double z : {-half, half}) points.push_back(turned(turn, rim + Vec3{0.0, 0.0, z}));
  }
  return {name, placed(section, std::move(points))};
}

SolidPart read_sphere(Section& section, const std::string& name) {
  const double radius = section.number("radius", quantity::length, {}, positive);
  return make_sphere(name, read_point(section, "centre", quantity::length, {0.0, 0.0, 0.0}), radius);
}

SolidPart read_capsule(Section& section, const std::string& name) {
  const double radius = section.number("radius", quantity::length, {}, positive);
  const Vec3 from = read_point(section, "from", quantity::length, {});
  return make_capsule(name, from, read_point(section, "to", quantity::length, {}), radius);
}

SolidPart read_ellipsoid(Section& section, const std::string& name, bool has_order) {
  const std::vector<double> axes = section.numbers("semi_axes", quantity::length, 3, 3, positive);
  const auto order = has_order ? static_cast<int>(section.integer("order", 4, 2, 16)) : 2;
  const SpatialPose place = read_placement(section);
  if (!(*std::min_element(axes.begin(), axes.end()) >= 1e-3 * *std::max_element(axes.begin(), axes.end()))) {
    section.fail("semi_axes_mm", "differ by more than a factor of 1000; give a less slender shape");
  }
  return make_ellipsoid(name, place.position, {axes[0], axes[1], axes[2]}, place.turn, order);
}

SolidPart read_half_space(Section& section, const std::string& name, BodyKind kind) {
  if (kind == BodyKind::dynamic) {
    section.fail("shape", "a half-space has no mass; set the body's kind to \"fixed\" or \"kinematic\"");
  }
  const Vec3 normal = read_point(section, "normal", quantity::number, {});
  return make_half_space(name, normal, section.number("offset", quantity::length, 0.0));
}

// Metres for each unit of the mesh file: one number, or one for each axis.
Vec3 read_scale(Section& section) {
  const Node* node = section.raw("scale");
  if (node != nullptr && node->type == Node::Type::array) return read_point(section, "scale", quantity::number, {});
  const double scale = section.number("scale", quantity::number, 1.0);
  return {scale, scale, scale};
}

std::vector<SolidPart> read_mesh(Section& section, const std::string& name, std::vector<Remark>& remarks) {
  const std::filesystem::path file = section.file("file");
  MeshPlacement placement;
  placement.scale = read_scale(section);
  placement.pose = read_placement(section);
  placement.tolerance = section.number("tolerance", quantity::number, placement.tolerance, {1e-11, 1e-2});
  placement.hull = section.boolean("hull", false);
  const bool divide = section.boolean("convexify", false);
  if (divide) {
    placement.convexify = ConvexifyOptions{};
    placement.convexify->threshold =
        section.number("convexify_threshold", quantity::number, placement.convexify->threshold, {least_threshold, 1.0});
  }
  std::string pieces;
  std::vector<SolidPart> parts = load_mesh(file, name, placement, &remarks, &pieces);
  if (divide && section.text("pieces", pieces) != pieces) {
    section.fail("pieces",
                 "is of other parts: CoACD has divided the mesh otherwise than when this problem was resolved; "
                 "remove the key to take the parts as they are");
  }
  section.check_contents(fingerprint(read_part_file(file)));
  return parts;
}

// Parts called `name` or, if there are several, name_1, name_2 and so on.
std::vector<SolidPart> named(const std::string& name, std::vector<Polyhedron> shapes) {
  std::vector<SolidPart> parts;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    parts.push_back({shapes.size() == 1 ? name : name + "_" + std::to_string(i + 1), std::move(shapes[i])});
  }
  return parts;
}

std::vector<SolidPart> read_shape(Section& section, const std::string& name, BodySpec& body) {
  const Node* word = section.raw("shape");
  if (word != nullptr && word->type == Node::Type::text) {
    if (const std::string hint = no_such_shape(word->text, "a \"hull\""); !hint.empty()) section.fail("shape", hint);
  }
  const int chosen = section.choice("shape", shape_names(), {});
  switch (static_cast<Shape>(std::min(chosen, static_cast<int>(Shape::platonic)))) {
    case Shape::hull:
      return named(name, divided(read_hull(section)));
    case Shape::box:
      return {{name, read_box(section)}};
    case Shape::cylinder:
      return {read_cylinder(section, name)};
    case Shape::sphere:
      return {read_sphere(section, name)};
    case Shape::capsule:
      return {read_capsule(section, name)};
    case Shape::ellipsoid:
    case Shape::superellipsoid:
      return {read_ellipsoid(section, name, chosen == static_cast<int>(Shape::superellipsoid))};
    case Shape::half_space:
      return {read_half_space(section, name, body.kind)};
    case Shape::platonic: {
      const auto solid = static_cast<PlatonicSolid>(chosen - static_cast<int>(Shape::platonic));
      const double edge = section.number("edge", quantity::length, {}, positive);
      return {{name, placed(section, platonic_corners(solid, edge))}};
    }
    case Shape::mesh:
      break;
  }
  return read_mesh(section, name, body.remarks);
}

Node read_part(ReadContext& context, const Node& node, const std::string& path, std::size_t index, BodySpec& body) {
  Section section(context, &node, path, keys::spatial_part);
  const std::string name = section.text("name", default_part_name(index));
  if (!is_name(name)) section.fail("name", name_rule);
  std::vector<SolidPart>& parts = body.spatial().parts;
  const std::optional<CompliantShell> shell = read_shell(section);
  try {
    for (SolidPart& part : read_shape(section, name, body)) {
      part.shell = shell;
      if (std::any_of(parts.begin(), parts.end(), [&](const SolidPart& other) { return other.name == part.name; })) {
        section.fail("name",
                     "\"" + printable(part.name) + "\" is the name of another part of this body; give each its own");
      }
      parts.push_back(std::move(part));
    }
    return section.finish(true);
  } catch (const ShapeError& error) {
    context.fail(&node, path, printable_line(error.what()));
  }
}

}  // namespace

Vec3 read_axis(Section& section, const std::string& key, const std::vector<double>& fallback) {
  const Vec3 v = read_point(section, key, quantity::number, fallback);
  const double size = length(v);
  if (!(size > 0.0)) section.fail(key, "has no direction; give a vector such as [0, 0, 1]");
  return (1.0 / size) * v;
}

Node read_solid_parts(ReadContext& context, const Node* node, const std::string& path, BodySpec& body) {
  std::vector<Node> parts;
  for (const Node* item : table_list(context, node, path)) {
    parts.push_back(read_part(context, *item, path + "[" + std::to_string(parts.size()) + "]", parts.size(), body));
  }
  Node list = Node::list(std::move(parts));
  list.expanded = true;
  return list;
}

}  // namespace pegrasp
