// SPDX-License-Identifier: Apache-2.0
// Random pairs of an exact cylinder, or of a smooth part, and another part, as the kernels see them and as oracles do.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernels/spatial/manifold.hpp"
#include "pegrasp/solid_part.hpp"
#include "src/geometry/placement.hpp"
#include "tests/scenes/polyhedron_box.hpp"

namespace pegrasp::test {

using spatial::Frame;

enum class Kind { cylinder, box, sphere, capsule, half_space, hull, ellipsoid, superellipsoid };

// A part with the placement of its body, as the oracles see it.
struct Shape {
  Kind kind;
  SolidPart part;
  SpatialPose pose;
  Vec3 half;  // of a box

  Vec3 own(Vec3 x) const { return turned(conjugate(pose.turn), x - pose.position); }
  Vec3 world(Vec3 x) const { return transformed(pose, x); }
  double h(Vec3 d) const {
    const Vec3 n = turned(conjugate(pose.turn), d);
    if (part.kind == SolidKind::superellipsoid) return dot(n, farthest_point(part, n)) + dot(d, pose.position);
    double most = -1e300;
    for (const Vec3& v : part.shape.vertices) most = std::max(most, dot(n, v));
    if (kind == Kind::cylinder) {
      const Vec3 u = part.shape.faces[1].normal;
      most += part.radius * length(n - dot(n, u) * u);
    } else {
      most += part.radius * length(n);
    }
    return most + dot(d, pose.position);
  }
  // The point of the part nearest to x (world); not of hulls and smooth parts.
  Vec3 nearest(Vec3 x) const {
    Vec3 y = own(x);
    if (kind == Kind::box) {
      y = {std::clamp(y.x, -half.x, half.x), std::clamp(y.y, -half.y, half.y), std::clamp(y.z, -half.z, half.z)};
      return world(y);
    }
    const Vec3 tail = part.shape.vertices.front(), head = part.shape.vertices.back();
    const Vec3 along = head - tail;
    const double t = dot(along, along) > 0.0 ? std::clamp(dot(y - tail, along) / dot(along, along), 0.0, 1.0) : 0.0;
    const Vec3 core = tail + t * along;
    Vec3 out = y - core;
    if (kind == Kind::cylinder) {
      const Vec3 u = part.shape.faces[1].normal;
      out = out - dot(out, u) * u;
    }
    const double far = length(out);
    return world(far > part.radius ? core + (part.radius / far) * out : kind == Kind::cylinder ? core + out : y);
  }
};

struct Draw {
  scenes::Random& random;

  Vec3 point(double reach) const {
    const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
    return {x, y, random.uniform(-reach, reach)};
  }
  SpatialPose pose(bool plain) const {
    SpatialPose out{point(1.2), {}};
    if (plain) return out;
    const Vec3 axis = point(1.0);
    out.turn = turn_by((random.uniform(0.0, 3.0) / length(axis)) * axis);
    return out;
  }
  Shape shape(Kind kind, bool plain) const {
    Shape out{kind, {}, pose(plain), {}};
    const double size = random.uniform(0.1, 0.6), other = random.uniform(0.1, 0.6);
    const Vec3 axis = plain ? Vec3{0.0, 0.0, 1.0} : point(1.0);
    const Vec3 along = (size / length(axis)) * axis;
    switch (kind) {
      case Kind::cylinder:
        out.part = make_cylinder("cylinder", -1.0 * along, along, other);
        break;
      case Kind::box:
        out.half = {size, other, random.uniform(0.1, 0.6)};
        out.part = {"box", scenes::cuboid(out.half.x, out.half.y, out.half.z)};
        break;
      case Kind::sphere:
        out.part = make_sphere("sphere", {}, size);
        break;
      case Kind::capsule:
        out.part = make_capsule("capsule", -1.0 * along, along, 0.5 * other);
        break;
      case Kind::half_space:
        out.part = make_half_space("plane", plain ? Vec3{0.0, 0.0, 1.0} : point(1.0), random.uniform(-0.5, 0.5));
        break;
      case Kind::ellipsoid:
      case Kind::superellipsoid: {
        const int order = kind == Kind::ellipsoid ? 2 : 3 + static_cast<int>(random.uniform(0.0, 13.99));
        out.part = make_ellipsoid("smooth", plain ? Vec3{} : point(0.1), {size, other, random.uniform(0.1, 0.6)},
                                  plain ? Quaternion{} : turn_by(point(1.0)), order);
        break;
      }
      case Kind::hull: {
        std::vector<Vec3> points;
        for (int k = 0; k < 10; ++k) points.push_back(point(0.6));
        out.part = {"hull", make_polyhedron(points)};
        break;
      }
    }
    return out;
  }
};

inline Frame frame(const SpatialPose& pose) {
  Frame f{};
  f.origin = {pose.position.x, pose.position.y, pose.position.z};
  spatial::matrix_of({pose.turn.w, pose.turn.x, pose.turn.y, pose.turn.z}, f.row);
  return f;
}

// What a compiled model stores of a part, and the kernels' view of it.
struct Stored {
  std::vector<double> x, normal, offset, box;
  std::vector<int> use, first, corner, ridge, none;

  explicit Stored(const SolidPart& part) : none(part.shape.vertices.size() + part.shape.edges.size() + 1, 0) {
    Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    const bool smooth = part.kind == SolidKind::superellipsoid;
    const Vec3 reach = part.kind == SolidKind::cylinder || smooth ? round_reach(part) : Vec3{};
    for (const Vec3& v : part.shape.vertices) {
      x.insert(x.end(), {v.x, v.y, v.z});
      low = {std::min(low.x, v.x - reach.x), std::min(low.y, v.y - reach.y), std::min(low.z, v.z - reach.z)};
      high = {std::max(high.x, v.x + reach.x), std::max(high.y, v.y + reach.y), std::max(high.z, v.z + reach.z)};
    }
    box = {low.x, low.y, low.z, high.x, high.y, high.z};
    for (const PolyhedronFace& face : part.shape.faces) {
      normal.insert(normal.end(), {face.normal.x, face.normal.y, face.normal.z});
      offset.push_back(face.offset);
      use.push_back(smooth ? part.order : edge_feature);
      first.push_back(static_cast<int>(corner.size()));
      corner.insert(corner.end(), face.vertices.begin(), face.vertices.end());
    }
    first.push_back(static_cast<int>(corner.size()));
    for (const PolyhedronEdge& e : part.shape.edges) ridge.insert(ridge.end(), {e.tail, e.head, e.left, e.right});
  }
  spatial::PartView view(double radius) const {
    return {x.data(),
            normal.data(),
            offset.data(),
            use.data(),
            first.data(),
            corner.data(),
            ridge.data(),
            box.data(),
            none.data(),
            none.data(),
            nullptr,
            nullptr,
            static_cast<int>(x.size() / 3),
            static_cast<int>(offset.size()),
            static_cast<int>(ridge.size() / 4),
            radius};
  }
};

struct Pair {
  Shape a, b;
  Stored stored_a, stored_b;
  spatial::PartView pa, pb;

  Pair(Shape one, Shape other)
      : a(std::move(one)),
        b(std::move(other)),
        stored_a(a.part),
        stored_b(b.part),
        pa(stored_a.view(a.part.radius)),
        pb(stored_b.view(b.part.radius)) {}
};

inline spatial::Separation separation_of(const Pair& p) {
  return spatial::best_separation(p.pa, p.pb, frame(p.a.pose), frame(p.b.pose), 1e-9);
}

// The first trial of two has the cylinder first; one of four has parallel axes and faces.
inline Pair draw_pair(scenes::Random& random, Kind other_kind, int trial, Kind kind = Kind::cylinder) {
  const Draw draw{random};
  const bool plain = trial % 4 == 3;
  const Shape one = draw.shape(kind, plain), other = draw.shape(other_kind, plain);
  return trial % 2 == 0 ? Pair(one, other) : Pair(other, one);
}

// A thin disc and another part, of which the first trial of two has the disc first.
inline Pair draw_disc_pair(scenes::Random& random, Kind other_kind, int trial) {
  const Draw draw{random};
  const Shape other = draw.shape(other_kind, false);
  Shape disc = draw.shape(Kind::cylinder, false);
  const Vec3 along = random.uniform(0.005, 0.05) * disc.part.shape.faces[1].normal;
  disc.part = make_cylinder("disc", -1.0 * along, along, random.uniform(0.3, 0.8));
  return trial % 2 == 0 ? Pair(disc, other) : Pair(other, disc);
}

// Moves b towards a until the parts are so far apart [m].
inline void bring_together(Pair& p, double apart) {
  if (p.a.kind == Kind::half_space || p.b.kind == Kind::half_space || !(separation_of(p).s > apart)) return;
  double near = 0.0, far = 1.0;
  const Vec3 start = p.b.pose.position, way = p.a.pose.position - start;
  for (int turn = 0; turn < 60; ++turn) {
    const double middle = 0.5 * (near + far);
    p.b.pose.position = start + middle * way;
    (separation_of(p).s > apart ? near : far) = middle;
  }
}

}  // namespace pegrasp::test
