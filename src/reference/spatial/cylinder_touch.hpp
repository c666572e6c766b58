// SPDX-License-Identifier: Apache-2.0
// The contact points of a facet of a pair with an exact cylinder. A cap nearly flat on a face touches at eight points
// of its rim, which turn with the body, at the deepest point of the rim and at those of earlier passes, and at the
// corners of the region in which both lie over each other; a side nearly flat on a face, or along a line of the other
// part, at the ends of what lies over each other; all else at a point.
#pragma once

#include "src/reference/spatial/cylinder.hpp"
#include "src/reference/spatial/touch.hpp"

namespace pegrasp::reference::spatial {

// As contacts_of(). over, if given: of a face, whether anything lies over it.
std::vector<ContactPoint> cylinder_contacts(const Facet& facet, const PlacedSolid& a, const PlacedSolid& b,
                                            double flat_sine, double slack, const EarlierRims& rims,
                                            bool* over = nullptr);

// The eight points of a cap's rim that turn with the body, counter-clockwise about the outward normal.
std::vector<Vector3> octagon_of_cap(const PlacedSolid& part, int cap);

// Adds to `rims` where rims are deepest in these contacts.
void remember_rims(const std::vector<ContactPoint>& contacts, const PlacedSolid& a, const PlacedSolid& b,
                   EarlierRims& rims);

}  // namespace pegrasp::reference::spatial
