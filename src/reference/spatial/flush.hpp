// SPDX-License-Identifier: Apache-2.0
// The spatial part of src/reference/common/flush.hpp.
#pragma once

#include "src/reference/common/flush.hpp"
#include "src/reference/spatial/facets.hpp"

namespace pegrasp::reference::spatial {

FacetTouch<Vector3> touch_of(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double around);

// Whether the part reaches beyond x along `out` by more than `slack` [m].
bool reaches_beyond(const PlacedSolid& part, const Vector3& x, const Vector3& out, double slack);
// Round parts cover nothing.
CoveredSpan covered_span(const PlacedSolid& part, const Vector3& from, const Vector3& to, double slack);

}  // namespace pegrasp::reference::spatial
