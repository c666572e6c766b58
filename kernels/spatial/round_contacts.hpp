// SPDX-License-Identifier: Apache-2.0
// Contacts of round facets. Where the two segments of the cores are closest, with d from a's point to b's and n = d /
// |d|,
//   psi = |d| - r_a - r_b,   G nu = n . (velocity of b - velocity of a), both at the point of b's surface, x_b - r_b n.
// Segments that cross at a small angle are nearly as close for a long way: with R = r_a + r_b, at t from the closest
// point, their distance is R + (angle t)^2 / (2 R), and a tiny turn takes the closest point to the other end. So the
// contacts are the ends of a patch, in which the distance changes by less than patch_depth R, both along n; and the
// ends of the overlap, each with its own d and n. The latter keep the parts apart whatever the angle.
//
// Included by kernels/spatial/manifold.hpp.
#pragma once

#include "kernels/spatial/polyhedron_manifold.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr double patch_depth = 1e-3;
// At larger angles (sine) the closest point hardly moves, and two contacts so close only burden the solver.
constexpr double patch_sine = 0.15;

// Keys of round contacts. Numbers of edges are below 2^13, so that the second half of each field and the bit above the
// type are free for them.
constexpr int end_bit = 0x2000;
PEGRASP_HD inline int patch_key(int i, int j, int end) {
  return end == 0 ? pack_mode(mode_round, i, j | end_bit) : pack_mode(mode_round, i | end_bit, j);
}
PEGRASP_HD inline int overlap_key(int i, int j, int end) { return patch_key(i, j, end) | (1 << 30); }

// A round facet with the data that its contacts share, in the world frame.
struct RoundContact {
  Segment a, b;
  double radius_a, radius_b;
  RoundAxis axis;  // n in the world

  // Between the points at these fractions of the segments, along the facet's normal.
  PEGRASP_HD ContactPoint along_normal(double on_a, double on_b, int key) const {
    const V3 x = b.tail + on_b * b.along;
    const V3 d = x - (a.tail + on_a * a.along);
    return {x - radius_b * axis.n, axis.n, dot(axis.n, d) - radius_a - radius_b, key};
  }
  // The same, along the line between the two points.
  PEGRASP_HD ContactPoint between(double on_a, double on_b, int key) const {
    const V3 x = b.tail + on_b * b.along;
    const V3 d = x - (a.tail + on_a * a.along);
    const double distance = norm(d);
    // Where the cores overlap or have passed each other, distances mean nothing; the facet's own normal does.
    constexpr double least_cosine = 0.5;
    if (!axis.from_points || !(dot(d, axis.n) > least_cosine * distance)) return along_normal(on_a, on_b, key);
    const V3 n = (1.0 / distance) * d;
    return {x - radius_b * n, n, distance - radius_a - radius_b, key};
  }
};

// Contacts of segments at an angle of this sine: the ends of the patch, and of the overlap beyond it, as far as both
// segments go on from the closest points. False where they do not overlap.
template <class Add>
PEGRASP_HD inline bool patch_contacts(const RoundContact& c, double sine, int i, int j, const Add& add) {
  const double aa = dot(c.a.along, c.a.along);
  const double bb = dot(c.b.along, c.b.along);
  const double rate = aa / dot(c.a.along, c.b.along);  // fractions of b beside one of a
  const double a0 = c.axis.closest.on_a;
  const double b0 = c.axis.closest.on_b;
  const double low = max2(-a0, (rate > 0.0 ? -b0 : 1.0 - b0) / rate);
  const double high = min2(1.0 - a0, (rate > 0.0 ? 1.0 - b0 : -b0) / rate);
  if (!(low < high)) return false;
  const double reach = square_root(2.0 * patch_depth) * (c.radius_a + c.radius_b) / square_root(aa);
  for (int end = 0; end < 2; ++end) {
    const double outer = end == 0 ? low : high;
    const bool covers = abs1(outer) * sine <= reach;  // in this order, as the sine may be 0
    const double step = covers ? outer : (end == 0 ? -reach : reach) / sine;
    add(c.along_normal(a0 + step, b0 + step * rate, patch_key(i, j, end)));
    if (covers) continue;
    // the end of the segment that ends here, and the closest point of the other
    const bool a_ends = outer == (end == 0 ? -a0 : 1.0 - a0);
    const double a_end = end == 0 ? 0.0 : 1.0;
    const double b_end = (rate > 0.0) == (end == 0) ? 0.0 : 1.0;
    const V3 offset = c.b.tail - c.a.tail;
    const double on_a = a_ends ? a_end : clamp(dot(offset + b_end * c.b.along, c.a.along) / aa, 0.0, 1.0);
    const double on_b = a_ends ? clamp(dot(a_end * c.a.along - offset, c.b.along) / bb, 0.0, 1.0) : b_end;
    ContactPoint beyond = c.between(on_a, on_b, overlap_key(i, j, end));
    beyond.role = point_guards;
    add(beyond);
  }
  return true;
}

// Adds the contacts of the capsule q over face f of p, if it lies nearly flat on the face.
template <class Add>
PEGRASP_HD inline void capsule_over_face(const PairGeometry& g, int type, int f, double flat_sine, double slack,
                                         const Add& add) {
  if (f < 0) return;
  const PartView& p = type == mode_face_a ? g.a : g.b;
  const PartView& q = type == mode_face_a ? g.b : g.a;
  const Frame& p_pose = type == mode_face_a ? g.a_pose : g.b_pose;
  const Frame& q_pose = type == mode_face_a ? g.b_pose : g.a_pose;
  const V3 along = rotate(q_pose, own_segment(q, 0).along);
  // less steep than this, the part over the face is a segment of q, not only its end
  if (abs1(dot(along, rotate(p_pose, p.normal(f)))) < round_lean * norm(along))
    face_contacts(g, type, f, flat_sine, slack, add);
}

// Adds the contacts of the round facet of segments i of a and j of b.
template <class Add>
PEGRASP_HD_LARGE void round_contacts(const PairGeometry& g, int i, int j, double flat_sine, double slack,
                                     const Add& add) {
  RoundContact c{seen_segment(g.a, i, g.a_pose), seen_segment(g.b, j, g.b_pose), g.a.radius, g.b.radius,
                 round_axis(g.a, i, g.b, j, relative(g.a_pose, g.b_pose))};
  c.axis.n = rotate(g.a_pose, c.axis.n);
  const double aa = dot(c.a.along, c.a.along);
  const double bb = dot(c.b.along, c.b.along);
  const V3 across = cross(c.a.along, c.b.along);
  const double sine2 = dot(across, across);
  const bool lean = aa > 0.0 && bb > 0.0 && sine2 < patch_sine * patch_sine * aa * bb;
  if (!lean || !patch_contacts(c, square_root(sine2 / (aa * bb)), i, j, add)) {
    add(c.between(c.axis.closest.on_a, c.axis.closest.on_b, pack_mode(mode_round, i, j)));
  }
  // A capsule nearly flat on a face beside the edge: contacts over the face keep it from rocking onto the face.
  if (g.a.faces > 0 && g.b.ridges > 0) {
    capsule_over_face(g, mode_face_a, flat_face(g.a, g.a_pose, i, c.axis.n, round_lean), flat_sine, slack, add);
  } else if (g.b.faces > 0 && g.a.ridges > 0) {
    capsule_over_face(g, mode_face_b, flat_face(g.b, g.b_pose, j, -c.axis.n, round_lean), flat_sine, slack, add);
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
