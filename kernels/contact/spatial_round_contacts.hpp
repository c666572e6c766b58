// SPDX-License-Identifier: Apache-2.0
// Contacts of round facets: where the two segments of the cores are closest, and, where these are nearly parallel, at the ends of their
// overlap. With d from a's point to b's, n = d / |d|,
//   psi = |d| - r_a - r_b,   G nu = n . (velocity of b - velocity of a), both at the point of b's surface, x_b - r_b n.
// A contact at an end of the overlap has its own d and n: it says that the ends of a capsule keep off the other part, which is so
// whatever the angle, and is not made up by taking the two for parallel.
//
// Included by contact/spatial_manifold.hpp.
#pragma once

#include "contact/spatial_manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Keys of round contacts: edges have numbers below 2^13, so that the second half of each field is free.
constexpr int end_bit = 0x2000;
PEGRASP_HD inline int end_key(int i, int j, int end) {
  return end == 0 ? pack_mode(mode_round, i, j | end_bit) : pack_mode(mode_round, i | end_bit, j);
}

// A round facet with all that its contacts share; world frame.
struct RoundContact {
  Segment a, b;
  double radius_a, radius_b;
  RoundAxis axis;  // n in the world

  // Between the points at these fractions of the segments.
  PEGRASP_HD ContactPoint between(double on_a, double on_b, int key) const {
    const V3 x = b.tail + on_b * b.along;
    const V3 d = x - (a.tail + on_a * a.along);
    const double distance = norm(d);
    // Where the cores are in each other, or past each other, distances mean nothing; the facet's own normal does.
    constexpr double least_cosine = 0.5;
    if (!axis.from_points || !(dot(d, axis.n) > least_cosine * distance)) {
      return {x - radius_b * axis.n, axis.n, dot(axis.n, d) - radius_a - radius_b, key};
    }
    const V3 n = (1.0 / distance) * d;
    return {x - radius_b * n, n, distance - radius_a - radius_b, key};
  }
};

// At the ends of the overlap of two nearly parallel segments. False where there is none.
template <class Add>
PEGRASP_HD inline bool overlap_contacts(const RoundContact& c, int i, int j, const Add& add) {
  const double aa = dot(c.a.along, c.a.along);
  const double bb = dot(c.b.along, c.b.along);
  const V3 between = c.b.tail - c.a.tail;
  const double from = dot(between, c.a.along) / aa;  // b's ends, as fractions of a
  const double to = dot(between + c.b.along, c.a.along) / aa;
  const double low = max2(0.0, min2(from, to));
  const double high = min2(1.0, max2(from, to));
  if (!(low < high)) return false;
  for (int end = 0; end < 2; ++end) {
    const double on_a = end == 0 ? low : high;
    const double own_end = end == 0 ? 0.0 : 1.0;
    double on_b = (from < to) == (end == 0) ? 0.0 : 1.0;
    if (on_a == own_end) on_b = clamp(dot(on_a * c.a.along - between, c.b.along) / bb, 0.0, 1.0);
    add(c.between(on_a, on_b, end_key(i, j, end)));
  }
  return true;
}

// What of the capsule q lies over face f of p, if it lies nearly flat on it.
template <class Add>
PEGRASP_HD inline void capsule_over_face(const PairGeometry& g, int type, int f, double flat_sine, double slack,
                                         const Add& add) {
  if (f < 0) return;
  const PartView& p = type == mode_face_a ? g.a : g.b;
  const PartView& q = type == mode_face_a ? g.b : g.a;
  const Frame& p_pose = type == mode_face_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = type == mode_face_a ? g.b_pose : g.a_pose;
  const V3 along = rotate(q_pose, own_segment(q, 0).along);
  // less steep than this, and what lies over the face is a segment of q and not its end alone
  if (abs1(dot(along, rotate(p_pose, p.normal(f)))) < flat_sine * norm(along))
    face_contacts(g, type, f, flat_sine, slack, add);
}

// Segments i of a and j of b carry.
template <class Add>
PEGRASP_HD inline void round_contacts(const PairGeometry& g, int i, int j, double flat_sine, double slack,
                                      const Add& add) {
  RoundContact c{seen_segment(g.a, i, g.a_pose), seen_segment(g.b, j, g.b_pose), g.a.radius, g.b.radius,
                 round_axis(g.a, i, g.b, j, relative(g.a_pose, g.b_pose))};
  c.axis.n = rotate(g.a_pose, c.axis.n);
  const double aa = dot(c.a.along, c.a.along);
  const double bb = dot(c.b.along, c.b.along);
  const V3 across = cross(c.a.along, c.b.along);
  const double sine2 = dot(across, across);
  bool at_ends = false;
  if (aa > 0.0 && bb > 0.0 && sine2 < flat_sine * flat_sine * aa * bb) at_ends = overlap_contacts(c, i, j, add);
  const ClosestPoints& closest = c.axis.closest;
  const bool inside = closest.on_a > 0.0 && closest.on_a < 1.0 && closest.on_b > 0.0 && closest.on_b < 1.0;
  // Of the ends one is closest, unless the two cross; parallel ones are closest everywhere.
  if (!at_ends || (inside && sine2 > parallel_sine * parallel_sine * aa * bb)) {
    add(c.between(closest.on_a, closest.on_b, pack_mode(mode_round, i, j)));
  }
  // Nearly flat on a face beside a polyhedron's edge: what lies over it keeps the capsule from rocking onto the face.
  if (g.a.faces > 0 && g.b.ridges > 0) {
    capsule_over_face(g, mode_face_a, flat_face(g.a, g.a_pose, i, c.axis.n, flat_sine), flat_sine, slack, add);
  } else if (g.b.faces > 0 && g.a.ridges > 0) {
    capsule_over_face(g, mode_face_b, flat_face(g.b, g.b_pose, j, -c.axis.n, flat_sine), flat_sine, slack, add);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
