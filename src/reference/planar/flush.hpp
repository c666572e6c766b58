// SPDX-License-Identifier: Apache-2.0
// The planar part of src/reference/common/flush.hpp.
#pragma once

#include <functional>

#include "src/reference/common/flush.hpp"
#include "src/reference/planar/separation.hpp"

namespace pegrasp::reference {

FacetTouch<Point> touch_of(const Facet& facet, const PlacedOutline& a, const PlacedOutline& b, double around);

// Whether the part reaches beyond x along `out` by more than `slack` [m].
bool reaches_beyond(const PlacedOutline& part, const Point& x, const Point& out, double slack);
// Of a rounded corner only what lies within its chord covers.
CoveredSpan covered_span(const PlacedOutline& part, const Point& from, const Point& to, double slack);

}  // namespace pegrasp::reference
