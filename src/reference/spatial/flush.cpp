// SPDX-License-Identifier: Apache-2.0
#include "src/reference/spatial/flush.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/reference/spatial/cylinder_touch.hpp"
#include "src/reference/spatial/round_axis.hpp"
#include "src/reference/spatial/touch.hpp"

namespace pegrasp::reference::spatial {
namespace {

// A face (its loop), an edge or a vertex; without points the boundary of a half-space.
using Feature = std::vector<Vector3>;

Vector3 nearest_on_segment(const Vector3& x, const Vector3& from, const Vector3& to) {
  const Vector3 along = to - from;
  const double length2 = along.squaredNorm();
  return from + (length2 > 0.0 ? std::clamp((x - from).dot(along) / length2, 0.0, 1.0) : 0.0) * along;
}

// The point of a feature nearest to x, which lies in its plane. n: the outward normal of a face.
Vector3 nearest_on(const Feature& feature, const Vector3& n, const Vector3& x) {
  if (feature.empty()) return x;
  bool inside = feature.size() > 2;
  Vector3 best = feature[0];
  double least = 1e300;
  for (std::size_t i = 0; i < feature.size(); ++i) {
    const Vector3& from = feature[i];
    const Vector3& to = feature[(i + 1) % feature.size()];
    inside = inside && (to - from).cross(n).dot(x - from) <= 0.0;
    const Vector3 y = nearest_on_segment(x, from, to);
    if ((x - y).squaredNorm() >= least) continue;
    least = (x - y).squaredNorm();
    best = y;
  }
  return inside ? x : best;
}

// A unit vector across n, by the axis to which n leans least.
Vector3 across(const Vector3& n) {
  int axis = 0;
  n.cwiseAbs().minCoeff(&axis);
  return n.cross(Vector3(Vector3::Unit(axis))).normalized();
}

// Adds segments from a point of a feature to its surroundings on the feature.
void add_surroundings(const Feature& feature, const Vector3& x, double around, TouchedSurface<Vector3>& surface) {
  const Vector3 n = surface.out;
  if (feature.size() == 1) {
    surface.segments.emplace_back(x, x);
  } else if (feature.size() == 2) {
    const Vector3 step = around * (feature[1] - feature[0]).normalized();
    surface.segments.emplace_back(x, nearest_on(feature, n, x + step));
    surface.segments.emplace_back(x, nearest_on(feature, n, x - step));
  } else {
    const Vector3 u = across(n);
    const Vector3 v = n.cross(u);
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.25 * std::numbers::pi * k;
      const Vector3 step = around * (std::cos(angle) * u + std::sin(angle) * v);
      surface.segments.emplace_back(x, nearest_on(feature, n, x + step));
    }
  }
}

FacetTouch<Vector3> touch_of_face(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double around) {
  const bool of_a = facet.kind == FacetKind::face_of_a;
  const PlacedSolid& p = of_a ? a : b;
  const PlacedSolid& q = of_a ? b : a;
  const Vector3 n = p.normals.col(facet.i);
  const FaceRegion region = region_on_face(facet, a, b, flush_flat);
  Feature face, resting, on_face;
  for (const int v : p.face(facet.i).loop) face.push_back(p.vertices.col(v));
  for (const Vector3& x : region.resting) resting.push_back(x - q.solid->radius * n);
  FacetTouch<Vector3> touch;
  TouchedSurface<Vector3>& on_p = touch.on[of_a ? 0 : 1];
  TouchedSurface<Vector3>& on_q = touch.on[of_a ? 1 : 0];
  on_p.out = n;
  on_q.out = -n;
  if (resting.size() > 2) {
    Vector3 area = Vector3::Zero();
    for (std::size_t i = 1; i + 1 < resting.size(); ++i) {
      area += (resting[i] - resting[0]).cross(resting[i + 1] - resting[0]);
    }
    on_q.out = area.normalized();
  }
  for (std::size_t i = 0; i < region.points.size(); ++i) {
    const Vector3& x = region.points[i].position;
    on_face.push_back(nearest_on(face, n, x - region.points[i].gap * n));
    if (i > 0) {
      on_p.segments.emplace_back(on_face[i - 1], on_face[i]);
      on_q.segments.emplace_back(region.points[i - 1].position, x);
    }
    add_surroundings(face, on_face[i], around, on_p);
    add_surroundings(resting, x, around, on_q);
  }
  touch.over = region.over;
  if (resting.size() == 1) {
    const Vector3 foot = resting[0] - (n.dot(resting[0]) - p.offsets[facet.i]) * n;
    touch.over = nearest_on(face, n, foot) == foot;
  }
  return touch;
}

// Of a pair with a cylinder: its surface at points, and of a polyhedron the face or the edge of the facet.
FacetTouch<Vector3> touch_of_cylinder(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double around) {
  FacetTouch<Vector3> touch;
  Vector3 before[2];
  bool first = true;
  for (const ContactPoint& c : cylinder_contacts(facet, a, b, flush_flat, 0.0, {}, &touch.over)) {
    const bool on_a = c.key[0] == static_cast<int>(FacetKind::face_of_b);
    for (const int side : {0, 1}) {
      const PlacedSolid& p = side == 0 ? a : b;
      TouchedSurface<Vector3>& surface = touch.on[static_cast<std::size_t>(side)];
      surface.out = side == 0 ? c.normal : Vector3(-c.normal);
      Vector3 x = (side == 0) == on_a ? c.position : Vector3(c.position + (side == 0 ? -c.gap : c.gap) * c.normal);
      Feature feature{x};
      if (!p.solid->round() && !p.solid->cylinder && !p.solid->smooth) {
        if (facet.kind == (side == 0 ? FacetKind::face_of_a : FacetKind::face_of_b)) {
          feature.clear();
          for (const int v : p.face(facet.i).loop) feature.push_back(p.vertices.col(v));
        } else if (facet.kind == FacetKind::curved_edge) {
          feature = {p.tail(facet.i), p.tail(facet.i) + p.along(facet.i)};
        }
      }
      if (feature.size() != 1) x = nearest_on(feature, surface.out, x);
      if (!first) surface.segments.emplace_back(before[side], x);
      if (feature.empty()) {
        surface.segments.emplace_back(x, x);
      } else {
        add_surroundings(feature, x, around, surface);
      }
      before[side] = x;
    }
    first = false;
  }
  return touch;
}

}  // namespace

FacetTouch<Vector3> touch_of(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double around) {
  if (with_curved(a, b)) return touch_of_cylinder(facet, a, b, around);
  if (facet.kind == FacetKind::face_of_a || facet.kind == FacetKind::face_of_b) {
    return touch_of_face(facet, a, b, around);
  }
  FacetTouch<Vector3> touch;
  const Vector3 n = facet_normal(facet, a, b);
  if (n.isZero(0.0)) {  // a facet that touches nothing is not covered
    const Vector3 nowhere = Vector3::Constant(1e300);
    for (TouchedSurface<Vector3>& surface : touch.on) surface = {{{nowhere, nowhere}}, n};
    return touch;
  }
  const EdgePoints closest = closest_points(a, facet.i, b, facet.j);
  const auto add = [around](const PlacedSolid& p, int e, double at, const Vector3& out,
                            TouchedSurface<Vector3>& surface) {
    Vector3 x = p.tail(e) + at * p.along(e);
    surface.out = out;
    if (p.solid->round()) {
      x += p.solid->radius * out;
      add_surroundings({x}, x, around, surface);
    } else {
      add_surroundings({p.tail(e), p.tail(e) + p.along(e)}, x, around, surface);
    }
  };
  add(a, facet.i, closest.on_a, n, touch.on[0]);
  add(b, facet.j, closest.on_b, -n, touch.on[1]);
  return touch;
}

bool reaches_beyond(const PlacedSolid& part, const Vector3& x, const Vector3& out, double slack) {
  if (!part.solid->half_space()) return part.support(out).value - out.dot(x) > slack;
  constexpr double level = 1e-6;
  const Vector3 n = part.normals.col(0);
  if (n.dot(out) <= 0.0 || n.cross(out).norm() > level) return true;
  return part.offsets[0] - n.dot(x) > slack;
}

CoveredSpan covered_span(const PlacedSolid& part, const Vector3& from, const Vector3& to, double slack) {
  CoveredSpan span;
  if (!part.solid->hides()) return {1.0, -1.0};
  for (Eigen::Index f = 0; f < part.normals.cols(); ++f) {
    const double offset = part.offsets[f] + slack;
    span.keep(part.normals.col(f).dot(from) - offset, part.normals.col(f).dot(to) - offset);
  }
  return span;
}

}  // namespace pegrasp::reference::spatial
