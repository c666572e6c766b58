// SPDX-License-Identifier: Apache-2.0
// Segments of cores, and where two of them are closest.
#pragma once

#include "kernels/spatial/part.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct Segment {
  V3 tail, along;
};

// Segments of a core that has vertices. A sphere has one, its centre.
PEGRASP_HD inline int segment_count(const PartView& p) { return p.ridges > 0 ? p.ridges : 1; }
PEGRASP_HD inline Segment own_segment(const PartView& p, int e) {
  if (p.ridges == 0) return {p.vertex(0), {0.0, 0.0, 0.0}};
  return {p.tail(e), p.head(e) - p.tail(e)};
}
PEGRASP_HD inline Segment seen_segment(const PartView& p, int e, const Frame& frame) {
  const Segment own = own_segment(p, e);
  return {transform(frame, own.tail), rotate(frame, own.along)};
}

// Closest points of two segments, as fractions of them.
struct ClosestPoints {
  double on_a, on_b;
  V3 d;  // from a's to b's
};

// Below this sine two segments are parallel, and their whole overlap is
// closest. Otherwise the closest points come from cross products: squared
// lengths would lose twice the digits, which the direction d of long parts
// cannot spare.
constexpr double lost_sine = 1e-12;

PEGRASP_HD inline ClosestPoints closest_points(const Segment& a, const Segment& b) {
  const V3 between = b.tail - a.tail;
  const double aa = dot(a.along, a.along);
  const double bb = dot(b.along, b.along);
  const double ab = dot(a.along, b.along);
  const double da = dot(between, a.along);
  const double db = dot(between, b.along);
  double on_a = 0.0;
  double on_b = 0.0;
  if (aa > 0.0) {
    const V3 across = cross(a.along, b.along);
    const double square = dot(across, across);
    if (square > lost_sine * lost_sine * aa * bb) {
      on_a = clamp(dot(cross(between, b.along), across) / square, 0.0, 1.0);
    } else {  // or b is a point: the middle of the overlap
      const double low = max2(0.0, min2(da, da + ab) / aa);
      const double high = min2(1.0, max2(da, da + ab) / aa);
      on_a = clamp(0.5 * (low + high), 0.0, 1.0);
    }
  }
  if (bb > 0.0) {
    on_b = (on_a * ab - db) / bb;
    if (on_b < 0.0 || on_b > 1.0) {
      on_b = clamp(on_b, 0.0, 1.0);
      if (aa > 0.0) on_a = clamp((da + on_b * ab) / aa, 0.0, 1.0);
    }
  }
  return {on_a, on_b, between + on_b * b.along - on_a * a.along};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
