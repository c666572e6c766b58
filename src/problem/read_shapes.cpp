// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/base/sincos.hpp"
#include "src/problem/readers.hpp"
#include "src/text/default_names.hpp"
#include "src/text/name_rule.hpp"
#include "src/text/suggest.hpp"

namespace pegrasp {
namespace {

constexpr double pi = 3.14159265358979323846;

enum class Shape { polygon, box, disc, half_plane, circular_segment, rounded_polygon, superellipse, ellipse };
const std::vector<std::string> shape_names{
    "polygon", "box", "disc", "half_plane", "circular_segment", "rounded_polygon", "superellipse", "ellipse"};

// The pose of a shape in its body. It is given by centre and turn, or by a position on a circle about the body's
// origin; then the shape points outwards, as the tooth of a gear does.
Pose read_shape_pose(Section& section) {
  Pose pose;
  if (section.has("at_radius", quantity::length) || section.has("at_angle", quantity::angle)) {
    if (section.has("centre", quantity::length)) {
      section.fail("", "has both a centre and at_radius, at_angle; keep one way of placing the part");
    }
    const double radius = section.number("at_radius", quantity::length, {}, not_negative);
    const double angle = section.number("at_angle", quantity::angle, {}, Range{-100.0, 100.0});
    const strict::SinCos direction = strict::sin_cos(angle);
    pose = {radius * direction.cos, radius * direction.sin, angle};
  } else {
    const Vec2 centre = section.point("centre", quantity::length, Vec2{});
    pose = {centre.x, centre.y, 0.0};
  }
  pose.theta += section.number("turn", quantity::angle, 0.0, Range{-100.0, 100.0});
  return pose;
}

ConvexPart read_box(Section& section, const std::string& name) {
  const double half_width = 0.5 * section.number("width", quantity::length, {}, positive);
  const double half_height = 0.5 * section.number("height", quantity::length, {}, positive);
  const Pose at = read_shape_pose(section);
  std::vector<Vec2> vertices;
  // sin_cos(0) is exactly (0, 1): an upright box keeps the decimals it was given
  const strict::SinCos turn = strict::sin_cos(at.theta);
  for (const Vec2 corner : {Vec2{-half_width, -half_height}, Vec2{half_width, -half_height},
                            Vec2{half_width, half_height}, Vec2{-half_width, half_height}}) {
    vertices.push_back(
        {at.x + (turn.cos * corner.x - turn.sin * corner.y), at.y + (turn.sin * corner.x + turn.cos * corner.y)});
  }
  return make_polygon(name, vertices);
}

ConvexPart read_polygon(Section& section, const std::string& name) {
  std::vector<Vec2> vertices;
  for (const auto& row : section.rows("vertices", quantity::length, 2, 3)) vertices.push_back({row[0], row[1]});
  return make_polygon(name, vertices);
}

ConvexPart read_rounded_polygon(Section& section, const std::string& name) {
  std::vector<Corner> corners;
  for (const auto& row : section.rows("corners", quantity::length, 3, 1)) corners.push_back({{row[0], row[1]}, row[2]});
  return make_rounded_polygon(name, corners);
}

// An ellipse or a superellipse: the curve itself, or a polygon where a tolerance is given or `exact` is false.
ConvexPart read_superellipse(Section& section, const std::string& name, Shape shape) {
  const std::vector<double> axes = section.numbers("semi_axes", quantity::length, 2, 2, positive);
  // The order is a whole number, so that its roots need no library function.
  const auto order = shape == Shape::ellipse ? 2 : static_cast<int>(section.integer("order", 4, 2, 16));
  const Pose at = read_shape_pose(section);
  const double largest = std::max(axes[0], axes[1]);
  const bool polygon = section.has("polygon_tolerance", quantity::length);
  const bool exact = section.boolean("exact", !polygon);
  if (exact && polygon) {
    section.fail("polygon_tolerance_mm", "is for polygons; remove it, or set exact = false");
  }
  if (!(std::min(axes[0], axes[1]) >= 1e-3 * largest)) {
    section.fail("semi_axes_mm", "differ by more than a factor of 1000; give a less slender shape");
  }
  if (exact) return make_exact_superellipse(name, {{at.x, at.y}, axes[0], axes[1], order, at.theta});
  // A finer polygon would have hundreds of vertices, which take seconds to place. The default is within the bounds for
  // shapes of every size.
  constexpr double finest = 1e-5, coarsest = 0.2;
  const double largest_mm = quantity::length.units.front().from_si(largest);
  const double fitting_mm = std::clamp(0.001, 1.01 * finest * largest_mm, 0.99 * coarsest * largest_mm);
  const double tolerance = section.number("polygon_tolerance", quantity::length, fitting_mm);
  constexpr double rounding = 1e-9;
  if (!(tolerance >= (1.0 - rounding) * finest * largest && tolerance <= (1.0 + rounding) * coarsest * largest)) {
    section.fail("polygon_tolerance_mm", "must lie between 1e-5 and 0.2 of the larger semi-axis; give such a length");
  }
  return make_superellipse(name, {at.x, at.y}, axes[0], axes[1], order, at.theta, tolerance);
}

ConvexPart read_shape(Section& section, const std::string& name, Shape shape) {
  switch (shape) {
    case Shape::polygon:
      return read_polygon(section, name);
    case Shape::box:
      return read_box(section, name);
    case Shape::disc: {
      const double radius = section.number("radius", quantity::length, {}, positive);
      return make_disc(name, section.point("centre", quantity::length, Vec2{}), radius);
    }
    case Shape::half_plane: {
      const Vec2 normal = section.direction("normal", {});
      return make_half_plane(name, normal, section.number("offset", quantity::length, 0.0));
    }
    case Shape::circular_segment: {
      const Vec2 centre = section.point("centre", quantity::length, Vec2{});
      const double radius = section.number("radius", quantity::length, {}, positive);
      const double from = section.number("from", quantity::angle, {}, Range{-100.0, 100.0});
      const double to = section.number("to", quantity::angle, {}, Range{-100.0, 100.0});
      if (!(to > from && to - from < 2.0 * pi)) {
        section.fail("to_deg", "must be greater than from and less than a full turn beyond it; correct the angles");
      }
      return make_circular_segment(name, centre, radius, from, to);
    }
    case Shape::rounded_polygon:
      return read_rounded_polygon(section, name);
    case Shape::superellipse:
    case Shape::ellipse:
      break;
  }
  return read_superellipse(section, name, shape);
}

// The mirror image x -> -x. Corners run the other way round, so their order is reversed.
ConvexPart mirrored(const ConvexPart& part, const std::string& name) {
  ConvexPart image = part;
  image.name = name;
  std::reverse(image.corners.begin(), image.corners.end());
  for (Corner& corner : image.corners) corner.centre.x = -corner.centre.x;
  image.normal.x = -image.normal.x;
  if (image.curve) {  // symmetric about its own axes
    image.curve->centre.x = -image.curve->centre.x;
    image.curve->turn = -image.curve->turn;
  }
  return image;
}

}  // namespace

ConvexPart read_part(ReadContext& context, const Node& node, const std::string& path,
                     const std::vector<ConvexPart>& earlier, Node& resolved) {
  Section section(context, &node, path, keys::part);
  const std::string name = section.text("name", default_part_name(earlier.size()));
  if (!is_name(name)) section.fail("name", name_rule);
  if (std::any_of(earlier.begin(), earlier.end(), [&](const ConvexPart& part) { return part.name == name; })) {
    section.fail("name", "\"" + printable(name) + "\" is the name of another part of this body; give each its own");
  }
  ConvexPart part;
  if (section.has("mirror_of")) {
    const std::string source = section.text("mirror_of", {});
    std::vector<std::string> names;
    for (const ConvexPart& other : earlier) names.push_back(other.name);
    const auto found = std::find(names.begin(), names.end(), source);
    if (found == names.end()) {
      section.fail("mirror_of",
                   "there is no part \"" + printable(source) + "\" before this one" + suggestion(source, names));
    }
    part = mirrored(earlier[static_cast<std::size_t>(found - names.begin())], name);
  } else {
    const auto shape = static_cast<Shape>(section.choice("shape", shape_names, {}));
    try {
      part = read_shape(section, name, shape);
    } catch (const ShapeError& error) {
      context.fail(&node, path, printable(error.what()));
    }
  }
  if (section.has("shell") || !section.has("mirror_of")) part.shell = read_shell(section);
  resolved = section.finish(true);
  return part;
}

}  // namespace pegrasp
