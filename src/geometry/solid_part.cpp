// SPDX-License-Identifier: Apache-2.0
// Makers of spheres, capsules, cylinders, superellipsoids and half-spaces, and the mass properties of parts.
#include "pegrasp/solid_part.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "src/geometry/placement.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {
namespace {

constexpr double pi = 3.14159265358979323846;

bool is_finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

std::string in_words(Vec3 v) {
  std::ostringstream text;
  text << '(' << v.x << ", " << v.y << ", " << v.z << ')';
  return text.str();
}

void check_radius(const std::string& what, double radius) {
  if (radius > 0.0 && std::isfinite(radius)) return;
  std::ostringstream text;
  text << what << "the radius is " << radius << " m: it must be a positive number";
  throw ShapeError(text.str());
}

SolidProperties sphere_properties(Vec3 centre, double radius) {
  SolidProperties p;
  p.volume = 4.0 / 3.0 * pi * radius * radius * radius;
  p.centroid = centre;
  const double moment = 0.4 * p.volume * radius * radius;
  p.inertia = {moment, moment, moment, 0.0, 0.0, 0.0};
  return p;
}

// A capsule is a cylinder and two halves of a ball, whose centroids lie 3/8 r beyond the ends of the cylinder.
SolidProperties capsule_properties(Vec3 from, Vec3 to, double radius) {
  const Vec3 along = to - from;
  const double length = pegrasp::length(along);
  const double r2 = radius * radius;
  const double cylinder = pi * r2 * length;
  const double ball = 4.0 / 3.0 * pi * r2 * radius;
  SolidProperties p;
  p.volume = cylinder + ball;
  p.centroid = 0.5 * (from + to);
  const double about_axis = cylinder * 0.5 * r2 + ball * 0.4 * r2;
  const double across = cylinder * (length * length / 12.0 + 0.25 * r2) +
                        ball * (0.4 * r2 + 0.25 * length * length + 0.375 * length * radius);
  const Vec3 u = (1.0 / length) * along;
  const double lean = about_axis - across;
  p.inertia = {across + lean * u.x * u.x, across + lean * u.y * u.y, across + lean * u.z * u.z,
               lean * u.x * u.y,          lean * u.x * u.z,          lean * u.y * u.z};
  return p;
}

SolidProperties cylinder_properties(Vec3 from, Vec3 to, double radius) {
  const Vec3 along = to - from;
  const double length = pegrasp::length(along);
  SolidProperties p;
  p.volume = pi * radius * radius * length;
  p.centroid = 0.5 * (from + to);
  const double across = p.volume * (length * length / 12.0 + 0.25 * radius * radius);
  const double lean = 0.5 * p.volume * radius * radius - across;
  const Vec3 u = (1.0 / length) * along;
  p.inertia = {across + lean * u.x * u.x, across + lean * u.y * u.y, across + lean * u.z * u.z,
               lean * u.x * u.y,          lean * u.x * u.z,          lean * u.y * u.z};
  return p;
}

// The frame of a superellipsoid: its axes, half-axes and the moments of its volume by them.
SolidProperties superellipsoid_properties(const SolidPart& part) {
  const std::vector<PolyhedronFace>& axes = part.shape.faces;
  const double a = axes[0].offset, b = axes[1].offset, c = axes[2].offset;
  SolidProperties p;
  p.centroid = part.shape.vertices[0];
  // Dirichlet's integrals: of 1, and of x^2 / a^2 relative to it
  const double n = part.order;
  const auto gamma = [n](double k) { return std::tgamma(k / n); };
  const double eighth = std::pow(gamma(1.0) / n, 3) / std::tgamma(1.0 + 3.0 / n);
  const double square = gamma(3.0) / gamma(1.0) * std::tgamma(1.0 + 3.0 / n) / std::tgamma(1.0 + 5.0 / n);
  p.volume = (part.order == 2 ? 4.0 / 3.0 * pi : 8.0 * eighth) * a * b * c;
  const double share = part.order == 2 ? 0.2 : square;
  for (const PolyhedronFace& axis : axes) {
    const Vec3 u = axis.normal;
    const double second = share * p.volume * axis.offset * axis.offset;  // of the distance along u
    p.inertia.xx += second * (1.0 - u.x * u.x);
    p.inertia.yy += second * (1.0 - u.y * u.y);
    p.inertia.zz += second * (1.0 - u.z * u.z);
    p.inertia.xy -= second * u.x * u.y;
    p.inertia.xz -= second * u.x * u.z;
    p.inertia.yz -= second * u.y * u.z;
  }
  return p;
}

// The direction of something shorter would be mostly rounding. `instead`: what to use where the two points coincide.
void check_ends(const std::string& what, Vec3 from, Vec3 to, double radius, const std::string& instead) {
  if (!is_finite(from) || !is_finite(to)) {
    throw ShapeError(what + "its ends " + in_words(from) + " and " + in_words(to) + " must be finite");
  }
  check_radius(what, radius);
  constexpr double shortest = 1e-9;
  const double size = std::max({radius, length(from), length(to)});
  if (!(length(to - from) > shortest * size)) {
    throw ShapeError(what + "its ends coincide at " + in_words(from) + ": " + instead);
  }
}

}  // namespace

SolidPart make_sphere(std::string name, Vec3 centre, double radius) {
  const std::string what = "sphere '" + name + "': ";
  if (!is_finite(centre)) throw ShapeError(what + "the centre " + in_words(centre) + " must be finite");
  check_radius(what, radius);
  SolidPart part{std::move(name), {}, SolidKind::sphere, radius};
  part.shape.vertices = {centre};
  return part;
}

SolidPart make_capsule(std::string name, Vec3 from, Vec3 to, double radius) {
  check_ends("capsule '" + name + "': ", from, to, radius, "use a sphere");
  SolidPart part{std::move(name), {}, SolidKind::capsule, radius};
  part.shape.vertices = {from, to};
  part.shape.edges = {{0, 1, -1, -1}};
  return part;
}

SolidPart make_cylinder(std::string name, Vec3 from, Vec3 to, double radius) {
  check_ends("cylinder '" + name + "': ", from, to, radius, "put them apart by its height");
  SolidPart part{std::move(name), {}, SolidKind::cylinder, radius};
  part.shape.vertices = {from, to};
  part.shape.edges = {{0, 1, -1, -1}};
  const Vec3 u = (1.0 / length(to - from)) * (to - from);
  part.shape.faces.resize(2);
  part.shape.faces[0].normal = -1.0 * u;
  part.shape.faces[0].offset = -dot(u, from);
  part.shape.faces[1].normal = u;
  part.shape.faces[1].offset = dot(u, to);
  return part;
}

SolidPart make_ellipsoid(std::string name, Vec3 centre, Vec3 half_axes, Quaternion turn, int order) {
  const std::string what = (order == 2 ? "ellipsoid '" : "superellipsoid '") + name + "': ";
  if (!is_finite(centre)) throw ShapeError(what + "the centre " + in_words(centre) + " must be finite");
  const double least = std::min({half_axes.x, half_axes.y, half_axes.z});
  const double most = std::max({half_axes.x, half_axes.y, half_axes.z});
  if (!is_finite(half_axes) || !(least > 0.0)) {
    throw ShapeError(what + "the half-axes " + in_words(half_axes) + " m must be positive numbers");
  }
  if (!(least >= 1e-3 * most)) {
    throw ShapeError(what + "the half-axes " + in_words(half_axes) +
                     " m must not differ by more than a factor of 1000: give a less slender shape");
  }
  if (order < 2 || order > 16) throw ShapeError(what + "the order " + std::to_string(order) + " must be 2 to 16");
  SolidPart part{std::move(name), {}, SolidKind::superellipsoid, 0.0, order};
  part.shape.vertices = {centre};
  part.shape.faces.resize(3);
  const Quaternion unit = normalised(turn);
  const Vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const double half[3] = {half_axes.x, half_axes.y, half_axes.z};
  for (std::size_t k = 0; k < 3; ++k) {
    part.shape.faces[k].normal = turned(unit, axes[k]);
    part.shape.faces[k].offset = half[k];
  }
  return part;
}

Vec3 farthest_point(const SolidPart& part, Vec3 direction) {
  const double n = part.order;
  double share[3] = {}, most = 0.0, sum = 0.0;  // a |u|
  for (std::size_t k = 0; k < 3; ++k) {
    const PolyhedronFace& axis = part.shape.faces[k];
    share[k] = axis.offset * std::fabs(dot(axis.normal, direction));
    most = std::max(most, share[k]);
  }
  for (double& along : share) {
    along = std::pow(along / most, 1.0 / (n - 1.0));
    sum += std::pow(along, n);
  }
  Vec3 x = part.shape.vertices[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const PolyhedronFace& axis = part.shape.faces[k];
    const double out = axis.offset * share[k] / std::pow(sum, 1.0 / n);
    x = x + std::copysign(out, dot(axis.normal, direction)) * axis.normal;
  }
  return x;
}

SolidPart make_half_space(std::string name, Vec3 normal, double offset) {
  const double length = pegrasp::length(normal);
  if (!std::isfinite(length) || !(length > 0.0) || !std::isfinite(offset / length)) {
    std::ostringstream text;
    text << "half-space '" << name << "': normal " << in_words(normal) << " and offset " << offset
         << " must be finite and the normal not zero";
    throw ShapeError(text.str());
  }
  SolidPart part{std::move(name), {}, SolidKind::half_space, 0.0};
  // A normal that is already a unit vector keeps its bits.
  const double divisor = std::fabs(length - 1.0) > 1e-15 ? length : 1.0;
  PolyhedronFace face;
  face.normal = {normal.x / divisor, normal.y / divisor, normal.z / divisor};
  face.offset = offset / divisor;
  part.shape.faces = {face};
  return part;
}

Vec3 round_reach(const SolidPart& part) {
  const double r = part.radius;
  if (part.kind == SolidKind::superellipsoid) {
    const Vec3 c = part.shape.vertices[0];
    return {farthest_point(part, {1.0, 0.0, 0.0}).x - c.x, farthest_point(part, {0.0, 1.0, 0.0}).y - c.y,
            farthest_point(part, {0.0, 0.0, 1.0}).z - c.z};
  }
  if (part.kind != SolidKind::cylinder) return {r, r, r};
  const Vec3 u = part.shape.faces[1].normal;
  const auto across = [r](double along) { return r * std::sqrt(std::max(0.0, 1.0 - along * along)); };
  return {across(u.x), across(u.y), across(u.z)};
}

double bounding_radius(const SolidPart& part) {
  double farthest = 0.0;
  if (part.kind == SolidKind::cylinder) {
    const Vec3 u = part.shape.faces[1].normal;
    for (const Vec3& v : part.shape.vertices) {
      farthest = std::max(farthest, std::hypot(dot(u, v), length(v - dot(u, v) * u) + part.radius));
    }
    return farthest;
  }
  if (part.kind == SolidKind::superellipsoid) {
    const std::vector<PolyhedronFace>& axes = part.shape.faces;
    const double a = axes[0].offset, b = axes[1].offset, c = axes[2].offset;
    return length(part.shape.vertices[0]) + (part.order == 2 ? std::max({a, b, c}) : std::hypot(a, b, c));
  }
  for (const Vec3& v : part.shape.vertices) farthest = std::max(farthest, std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
  return farthest + part.radius;
}

SolidProperties solid_properties(const SolidPart& part) {
  switch (part.kind) {
    case SolidKind::sphere:
      return sphere_properties(part.shape.vertices[0], part.radius);
    case SolidKind::capsule:
      return capsule_properties(part.shape.vertices[0], part.shape.vertices[1], part.radius);
    case SolidKind::cylinder:
      return cylinder_properties(part.shape.vertices[0], part.shape.vertices[1], part.radius);
    case SolidKind::superellipsoid:
      return superellipsoid_properties(part);
    case SolidKind::half_space:
      return {};
    case SolidKind::polyhedron:
      break;
  }
  return solid_properties(part.shape);
}

}  // namespace pegrasp
