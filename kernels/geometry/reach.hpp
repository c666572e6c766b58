// SPDX-License-Identifier: Apache-2.0
// Edges that siblings cover from one end: whether what comes to a facet comes to the part of it that is open.
//
// Of two slabs, flush on top, the thicker one's side is covered from the top and open below. What slides on top reaches
// neither the open rest nor the corner at its lower end; yet the side's line goes on upwards, and so does the line of the
// slider's front down to that corner. So an edge has a limit within its cover (ModelView::edge_reach), and its facet with
// what touches it beyond that is out of reach; so is the corner at its open end for an edge that ends well short of it.
#pragma once

#include "geometry/part.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Edges of the other part closer to parallel than this [rad] touch all along.
constexpr double flat_reach = 0.05;
// What ends short of the corner at the open end of an edge by this fraction of the way to the limit does not touch it.
constexpr double short_of_corner = 0.5;

PEGRASP_HD inline bool has_limits(const PartView& a, const PartView& b) { return a.reach || b.reach; }

// How far beyond the limits of p's edge e q touches its line, with corner i or with an edge that is nearly flat on it: > 0, it
// is out of reach. q_in_p: frame of q seen from p.
PEGRASP_HD inline double beyond_limit(const PartView& p, int e, const PartView& q, int i, const Frame& q_in_p) {
  const double from = p.reach[2 * e];
  const double to = p.reach[2 * e + 1];
  if (from == -unlimited_reach && to == unlimited_reach) return -unlimited_reach;
  const V2 t = unrotate(q_in_p, perp(p.normal(e)));
  const V2 d = unrotate(q_in_p, -p.normal(e));
  double low = dot(t, q.centre(i));
  double high = low;
  for (int side = 0; side < 2; ++side) {
    const int j = side == 0 ? q.previous(i) : q.next(i);
    const double at = dot(t, q.centre(j));
    const double behind = dot(d, q.centre(i) - q.centre(j)) + q.cr[i] - q.cr[j];
    if (!(behind <= flat_reach * abs1(at - dot(t, q.centre(i))))) continue;
    low = min2(low, at);
    high = max2(high, at);
  }
  const double origin = dot(perp(p.normal(e)), q_in_p.origin);
  return max2(from - (origin + high), origin + low - to);
}

// How far p's edge e ends short of q's corner i, where that is the open end of an edge with a limit: > 0, it is out of reach.
PEGRASP_HD inline double short_of_open_end(const PartView& p, int e, const PartView& q, int i, const Frame& q_in_p) {
  const int before = q.previous(i);
  const double to = q.reach[2 * i + 1];
  const double from = q.reach[2 * before];
  if ((to == unlimited_reach && from == -unlimited_reach) || p.corners == 0) return -unlimited_reach;
  double open = unlimited_reach;  // length from the corner to the limit
  if (to < unlimited_reach) open = to - dot(perp(q.normal(i)), q.centre(i));
  if (from > -unlimited_reach) open = min2(open, dot(perp(q.normal(before)), q.centre(i)) - from);
  const V2 t = perp(p.normal(e));
  const double at = dot(t, transform(q_in_p, q.centre(i)));
  const double miss = max2(dot(t, p.centre(e)) - at, at - dot(t, p.centre(p.next(e))));
  return miss - short_of_corner * open;
}

// How far the facet of p's edge e, to which q comes with corner i, is out of reach; not at all if this is <= 0.
PEGRASP_HD inline double out_of_reach(const PartView& p, int e, const PartView& q, int i, const Frame& q_in_p) {
  double out = -unlimited_reach;
  if (p.reach) out = beyond_limit(p, e, q, i, q_in_p);
  if (q.reach) out = max2(out, short_of_open_end(p, e, q, i, q_in_p));
  return out;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
