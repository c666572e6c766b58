// SPDX-License-Identifier: Apache-2.0
// The deepest point of a rim, pass by pass. Against a plane the gap of a rim, z - r |lean|, is the least of those of
// its points, and the lower the lean the faster the deepest point goes round: with that point alone passes may
// alternate between two of them for ever, and what lies between them overlaps. So a pass keeps the points that were
// deepest in the last two passes beside the present one: cuts between which the next point lies. A pair remembers them
// as directions that turn with the body, 16 bits each, in NearPair::rims; any point of a rim may have a contact, so
// that bits lost are no error. Of two caps each remembers one.
#pragma once

#include "kernels/spatial/cylinder.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr int rims_remembered = 2;
PEGRASP_HD inline unsigned rim_code(unsigned rims, int k) { return rims >> (16 * k) & 0xffffu; }

// Two axes across a cylinder's in its part's frame; u is its axis.
PEGRASP_HD inline V3 rim_axis(V3 u) { return any_across(u); }

// A direction (x, y) in steps of the square round it, from 1.
constexpr double rim_steps = 16383.0;  // a quarter
PEGRASP_HD inline unsigned code_of_rim(double x, double y) {
  const double sum = abs1(x) + abs1(y);
  if (!(sum > 0.0)) return 0;
  const double t = y / sum;
  const double place = x < 0.0 ? 2.0 - t : (t < 0.0 ? 4.0 + t : t);
  return 1u + static_cast<unsigned>(place * rim_steps);
}
// The unit direction of a code, in a frame whose z axis is u; e: rim_axis there.
PEGRASP_HD inline V3 rim_of_code(unsigned code, V3 e, V3 u) {
  const double place = static_cast<double>(code - 1) / rim_steps;
  const double x = place < 2.0 ? 1.0 - place : place - 3.0;
  const double y = place < 1.0 ? place : (place < 3.0 ? 2.0 - place : place - 4.0);
  return unit(x * e + y * cross(u, e));
}

// The code of the rim's point nearest to x (world).
PEGRASP_HD_LARGE unsigned code_of_point(const PartView& c, const Frame& pose, V3 x) {
  const V3 from = untransform(pose, x) - c.vertex(0);
  const V3 e = rim_axis(c.normal(1));
  return code_of_rim(dot(from, e), dot(from, cross(c.normal(1), e)));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
