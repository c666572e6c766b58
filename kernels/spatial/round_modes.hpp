// SPDX-License-Identifier: Apache-2.0
// Pair modes of round parts (spheres, capsules) and half-spaces; others have their own in cylinder_modes.hpp (exact
// cylinders) and smooth_modes.hpp (ellipsoids). Of a core and a radius, A = K_a + B(r_a), the obstacle
// of a pair is that of the cores grown by R = r_a + r_b. Its facets are
//   - the flat ones of the cores' obstacle: faces, and pairs of edges whose arcs of normals cross, s less R;
//   - round ones, over its edges and vertices: the normal n lies along the closest points of an edge (or a vertex) of
//     each core, and the facet counts where n is a normal of both cores there;
//     s = |x_b - x_a| - R.
// A vertex belongs to an edge of its core, the point of a sphere is an edge of no length: a round facet is a pair of
// segments (i, j). At a pose at which the cores are apart, only the closest two segments can be such a facet (or tie
// with it), and then s = distance - R, exactly. Elsewhere round facets separate less than flat ones.
//
// A segment's arc of normals is a great circle: it crosses the arc of a polyhedron's edge wherever the faces beside
// that edge lie on different sides of the plane across the segment.
#pragma once

#include "kernels/spatial/cylinder_modes.hpp"
#include "kernels/spatial/smooth_modes.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The pairs of segments with the least distance. Edges that meet at the closest vertex, or nearly so, are equally far
// to the square of an angle, but the separations along their axes differ by the angle itself. All of them are kept, up
// to `capacity`.
struct NearestSegments {
  static constexpr int capacity = 6;
  static constexpr double tie = 1e-12;
  int i[capacity] = {}, j[capacity] = {};  // the first is valid even if nothing was added: poses not finite
  int count = 0;
  double distance2 = 1e300;

  PEGRASP_HD void add(int at_i, int at_j, double d2) {
    if (d2 > (1.0 + tie) * distance2) return;
    if (d2 < (1.0 - tie) * distance2) count = 0;
    distance2 = min2(distance2, d2);
    if (count == capacity) return;
    i[count] = at_i;
    j[count++] = at_j;
  }
};

PEGRASP_HD inline NearestSegments nearest_segments(const PartView& a, const PartView& b, const Frame& b_in_a) {
  NearestSegments nearest;
  for (int j = 0; j < segment_count(b); ++j) {
    const Segment sb = seen_segment(b, j, b_in_a);
    for (int i = 0; i < segment_count(a); ++i) {
      const V3 d = closest_points(own_segment(a, i), sb).d;
      nearest.add(i, j, dot(d, d));
    }
  }
  return nearest;
}

// The axis of the round facet (i, j) at a pose, in a's frame. Where the line of the closest points is no facet's axis,
// the cores overlap or another pair of segments is closer. Then the common normal of the two segments may separate
// more.
struct RoundAxis {
  V3 n;              // from a to b
  double s;          // of the whole parts along it
  bool facet;        // n is a normal of both cores where the segments are closest
  bool from_points;  // n lies along the closest points
  bool touching;     // rounding may turn the line of their closest points, as the segments touch or nearly so
  ClosestPoints closest;
};

// Error of a separation by rounding. It grows in proportion to what is measured. The normal of cores that nearly touch
// comes from rounding: there the error grows as the square of the size over the distance, up to a bound.
PEGRASP_HD inline double round_sliver(double distance, double reach) { return 1e-9 * (distance + reach); }
PEGRASP_HD inline double touching_sliver(double distance, double reach, double size2) {
  return distance > 0.0 ? min2(1e-14 * (size2 + reach * reach) / distance, 1e-6 * square_root(size2)) : 0.0;
}

// Axes are written to memory. As return values they would take two dozen registers of every caller on the device
// (scripts/lint_ptx.py).
PEGRASP_HD_LARGE void best_axis(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a,
                                RoundAxis& axis) {
  const Segment sa = own_segment(a, i);
  const Segment sb = seen_segment(b, j, b_in_a);
  const double reach = a.radius + b.radius;
  axis = {{1.0, 0.0, 0.0}, -1e300, false, true, false, closest_points(sa, sb)};
  const double distance = norm(axis.closest.d);
  const double aa = dot(sa.along, sa.along);
  const double bb = dot(sb.along, sb.along);
  const double sure = round_sliver(distance, reach);
  const double unsure = touching_sliver(distance, reach, aa + bb);
  if (distance > 0.0) {
    axis.n = (1.0 / distance) * axis.closest.d;
    axis.s = axis_separation(a, b, b_in_a, axis.n) - reach;
    axis.facet = axis.s >= distance - reach - sure - unsure;
    // if the segments touch within rounding, the common normal may be the facet's axis instead
    if (axis.s >= distance - reach - sure) return;
  }
  axis.touching = unsure > sure;
  V3 across = cross(sa.along, sb.along);
  if (!(dot(across, across) > parallel_sine * parallel_sine * aa * bb)) {
    if (distance > 0.0) return;
    // A point on the other core, or segments along one line: any direction across the longer one is as good.
    const V3 along = aa >= bb ? sa.along : sb.along;
    const double longer = max2(aa, bb);
    across = longer > 0.0 ? longer * any_across((1.0 / square_root(longer)) * along) : V3{1.0, 0.0, 0.0};
  }
  const double length = norm(across);
  const V3 n = (1.0 / length) * across;
  // error by the rounding of the common normal, which turns it
  const double lean = 1e-14 * (aa + bb) * square_root(max2(aa, bb)) / length;
  for (int side = 0; side < 2; ++side) {
    const V3 out = side == 0 ? n : -n;
    const double s = axis_separation(a, b, b_in_a, out) - reach;
    if (!(s > axis.s)) continue;
    axis.n = out;
    axis.s = s;
    axis.from_points = false;
    // A facet if neither core reaches beyond its segment. Of two parallel edges of a box, the far one has the normal of
    // the near one and separates as much, up to one or two last digits.
    axis.facet = s >= dot(out, sb.tail - sa.tail) - reach - sure - lean;
  }
}

// Two round parts have only the facet of their closest points, so it counts whatever the rounding of its axis.
PEGRASP_HD inline RoundAxis round_axis(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a) {
  RoundAxis axis;
  best_axis(a, i, b, j, b_in_a, axis);
  if (a.faces > 0 || b.faces > 0) return axis;
  axis.facet = true;
  axis.s = norm(axis.closest.d) - a.radius - b.radius;
  return axis;
}

// Cosine squared of the angle between two segments; 0 of points.
PEGRASP_HD inline double parallelness(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a) {
  const V3 u = own_segment(a, i).along;
  const V3 v = seen_segment(b, j, b_in_a).along;
  const double lengths2 = dot(u, u) * dot(v, v);
  const double along = dot(u, v);
  return lengths2 > 0.0 ? along * along / lengths2 : 0.0;
}

// Removes the most parallel of the remaining nearest segments, the first of equals, and returns its index.
PEGRASP_HD inline int take_most_parallel(const NearestSegments& nearest, double* parallel) {
  int most = 0;
  for (int k = 1; k < nearest.count; ++k) most = parallel[k] > parallel[most] ? k : most;
  parallel[most] = -1.0;
  return most;
}

// The closest two segments. Where a capsule ends at or beside a vertex, all edges that meet there are equally close
// along the same axis, but the edge along which the capsule lies makes the contacts. So the more parallel are tried
// first. The first that separates by the full distance is taken, else the one that separates most.
struct NearestFacet {
  int i, j;
  RoundAxis axis;
};

PEGRASP_HD_LARGE void nearest_facet(const PartView& a, const PartView& b, const Frame& b_in_a, NearestFacet& best) {
  const NearestSegments nearest = nearest_segments(a, b, b_in_a);
  double parallel[NearestSegments::capacity] = {};
  for (int k = 0; k < nearest.count && nearest.count > 1; ++k) {
    parallel[k] = parallelness(a, nearest.i[k], b, nearest.j[k], b_in_a);
  }
  const double distance = square_root(nearest.distance2);
  const double reach = a.radius + b.radius;
  const double tie = 1e-10 * (distance + reach);
  int k = take_most_parallel(nearest, parallel);
  best = {nearest.i[k], nearest.j[k], round_axis(a, nearest.i[k], b, nearest.j[k], b_in_a)};
  for (int turn = 1; turn < nearest.count && best.axis.s < distance - reach - tie; ++turn) {
    k = take_most_parallel(nearest, parallel);
    const RoundAxis axis = round_axis(a, nearest.i[k], b, nearest.j[k], b_in_a);
    if (axis.s > best.axis.s + tie) best = {nearest.i[k], nearest.j[k], axis};
  }
}

// Whether the arcs of normals of edge i of a and edge j of b cross; one of the two edges is a capsule's. As polyhedra
// are convex, the crossing is on the side of the edge's faces.
PEGRASP_HD inline bool circle_crosses(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a) {
  if (a.faces == 0 && b.faces == 0) return true;
  if (a.faces == 0) {
    const V3 along = unrotate(b_in_a, own_segment(a, i).along);
    return dot(b.normal(b.left(j)), along) * dot(b.normal(b.right(j)), along) < 0.0;
  }
  const V3 along = seen_segment(b, j, b_in_a).along;
  return dot(a.normal(a.left(i)), along) * dot(a.normal(a.right(i)), along) < 0.0;
}

// Whether a body has surface along n at this fraction of an edge of one of its parts. Where sibling parts go on it may
// have none.
PEGRASP_HD inline bool edge_on_surface(const PartView& p, int e, double at, V3 n) {
  if (p.faces == 0) return true;
  if (at > 0.0 && at < 1.0) return ridge_on_surface(p, e, n);
  return vertex_on_surface(p, p.ridge[4 * e + (at > 0.0 ? 1 : 0)], n);
}
PEGRASP_HD inline bool round_on_surface(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a,
                                        const RoundAxis& axis) {
  return edge_on_surface(a, i, axis.closest.on_a, axis.n) &&
         edge_on_surface(b, j, axis.closest.on_b, unrotate(b_in_a, -axis.n));
}

// Of round facets equally far within this, the first tried counts, so that rounding does not replace the most parallel
// one. Not beside a face: a capsule's contacts over the face need not hold its deepest point.
PEGRASP_HD inline double round_tie(const PartView& a, const PartView& b) { return 1e-9 * (a.radius + b.radius); }

PEGRASP_HD inline void add_round(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a,
                                 const RoundAxis& axis, Separation& best) {
  if (!axis.facet) return;
  if (!round_on_surface(a, i, b, j, b_in_a, axis)) {
    best.internal_edge = max2(best.internal_edge, axis.s);
  } else if (axis.s > best.s) {
    choose(best, axis.s, pack_mode(mode_round, i, j), mode_type(best.mode) == mode_round ? round_tie(a, b) : 0.0);
  }
}

// arg max over the facets of s at one pose.
PEGRASP_HD_LARGE Separation best_round_separation(const PartView& a, const PartView& b, const Frame& b_in_a,
                                                  const Frame& a_in_b) {
  if constexpr (smooth_parts) {
    if (is_smooth(a) || is_smooth(b)) return best_smooth_separation(a, b, b_in_a, a_in_b);
  }
  if (is_cylinder(a) || is_cylinder(b)) return best_cylinder_separation(a, b, b_in_a, a_in_b);
  const double reach = a.radius + b.radius;
  Separation best{-1e300, mode_none, -1e300};
  if (b.vertices > 0) scan_faces(a, b, b_in_a, mode_face_a, 0.0, best, reach);
  if (a.vertices > 0) scan_faces(b, a, a_in_b, mode_face_b, 0.0, best, reach);
  if (a.vertices == 0 || b.vertices == 0) return best;
  NearestFacet nearest;
  nearest_facet(a, b, b_in_a, nearest);
  add_round(a, nearest.i, b, nearest.j, b_in_a, nearest.axis, best);
  if (a.ridges == 0 || b.ridges == 0 || (a.faces == 0 && b.faces == 0)) return best;
  // Where the cores overlap, or rounding hides which of the edges that meet there are closest, all pairs are tried.
  if (!(separation(best) < -reach) && !nearest.axis.touching) return best;
  for (int j = 0; j < b.ridges; ++j) {
    for (int i = 0; i < a.ridges; ++i) {
      if (circle_crosses(a, i, b, j, b_in_a)) add_round(a, i, b, j, b_in_a, round_axis(a, i, b, j, b_in_a), best);
    }
  }
  return best;
}

// Separation along n, given at another pose and carried with the polyhedron's body. An axis that followed the segments
// would flip once a part has passed through.
PEGRASP_HD_LARGE double carried_separation(const PartView& a, const PartView& b, const Frame& b_in_a_there, V3 n,
                                           const Frame& b_in_a) {
  const V3 here = a.faces > 0 ? n : rotate(b_in_a, unrotate(b_in_a_there, n));
  return axis_separation(a, b, b_in_a, here) - (a.radius + b.radius);
}

template <class Scan>
PEGRASP_HD_LARGE void add_round_latest(const PartView& a, int i, const PartView& b, int j, const Frame& b_in_a0,
                                       const Frame& b_in_a1, Scan& best) {
  RoundAxis axis0 = round_axis(a, i, b, j, b_in_a0);
  RoundAxis axis1 = round_axis(a, i, b, j, b_in_a1);
  if (!axis0.facet && !axis1.facet) return;
  if (a.faces > 0 || b.faces > 0) {
    if (!axis0.facet) axis0.s = carried_separation(a, b, b_in_a1, axis1.n, b_in_a0);
    if (!axis1.facet) axis1.s = carried_separation(a, b, b_in_a0, axis0.n, b_in_a1);
  }
  const bool surface = (!axis0.facet || round_on_surface(a, i, b, j, b_in_a0, axis0)) &&
                       (!axis1.facet || round_on_surface(a, i, b, j, b_in_a1, axis1));
  if (surface) {
    best.add(pack_mode(mode_round, i, j), axis0.s, axis1.s);
  } else {
    best.add_internal_edge(axis0.s, axis1.s);
  }
}

// Least separation on the way of a sphere or capsule past another one; the vector between the closest points of the
// cores is taken to change linearly. Round facets have all directions among their normals, so no facet shows that the
// two have passed through each other. If the vector turns by less than a right angle, or a part has faces, which show a
// passage, the result is 1e300.
PEGRASP_HD inline double path_separation(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                         const Frame& a1, const Frame& b1) {
  if (a.faces > 0 || b.faces > 0) return 1e300;
  const V3 start = closest_points(own_segment(a, 0), seen_segment(b, 0, relative(a0, b0))).d;
  const V3 end = closest_points(own_segment(a, 0), seen_segment(b, 0, relative(a1, b1))).d;
  if (dot(start, end) >= 0.0) return 1e300;
  const V3 step = end - start;
  const double length2 = dot(step, step);
  const double t = length2 > 0.0 ? clamp(-dot(start, step) / length2, 0.0, 1.0) : 0.0;
  return norm(start + t * step) - (a.radius + b.radius);
}

template <class Scan>
PEGRASP_HD_LARGE void scan_round_latest(const PartView& a, const PartView& b, const Frame& a0, const Frame& b0,
                                        const Frame& a1, const Frame& b1, Scan& best) {
  if constexpr (smooth_parts) {
    if (is_smooth(a) || is_smooth(b)) {
      scan_smooth_latest(a, b, a0, b0, a1, b1, best);
      return;
    }
  }
  if (is_cylinder(a) || is_cylinder(b)) {
    scan_cylinder_latest(a, b, a0, b0, a1, b1, best);
    return;
  }
  const Frame b_in_a0 = relative(a0, b0);
  const Frame b_in_a1 = relative(a1, b1);
  const double reach = a.radius + b.radius;
  if (b.vertices > 0) scan_faces_latest(a, b, b_in_a0, b_in_a1, mode_face_a, best, reach);
  if (a.vertices > 0) scan_faces_latest(b, a, relative(b0, a0), relative(b1, a1), mode_face_b, best, reach);
  if (a.vertices == 0 || b.vertices == 0) return;
  NearestFacet nearest0, nearest1;
  nearest_facet(a, b, b_in_a0, nearest0);
  nearest_facet(a, b, b_in_a1, nearest1);
  add_round_latest(a, nearest0.i, b, nearest0.j, b_in_a0, b_in_a1, best);
  // if the pair overlaps at the start, the best facet there counts
  const int chosen = best.mode == mode_none ? best.s0_mode : best.mode;
  best.tie = mode_type(chosen) == mode_round ? round_tie(a, b) : 0.0;
  if (nearest1.i != nearest0.i || nearest1.j != nearest0.j) {
    add_round_latest(a, nearest1.i, b, nearest1.j, b_in_a0, b_in_a1, best);
  }
  const bool others = a.faces > 0 || b.faces > 0;
  for (int j = 0; others && j < b.ridges; ++j) {
    for (int i = 0; i < a.ridges; ++i) {
      if ((i == nearest0.i && j == nearest0.j) || (i == nearest1.i && j == nearest1.j)) continue;
      if (!circle_crosses(a, i, b, j, b_in_a0) && !circle_crosses(a, i, b, j, b_in_a1)) continue;
      add_round_latest(a, i, b, j, b_in_a0, b_in_a1, best);
    }
  }
  best.tie = 0.0;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
