// SPDX-License-Identifier: Apache-2.0
// What touches beside the first contact where a flat side of a superellipsoid lies on the other part: points of the
// side over a face, and the corners of what of both lies on each other, in three depths.
#pragma once

#include <vector>

#include "src/reference/spatial/smooth.hpp"

namespace pegrasp::reference::spatial {

// Adds them behind the first contact in `out`, which of two flat sides on each other stays with its point.
void add_side_contacts(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b, double flat_sine, double slack,
                       const EarlierRims& rims, std::vector<ContactPoint>& out);

}  // namespace pegrasp::reference::spatial
