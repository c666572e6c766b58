// SPDX-License-Identifier: Apache-2.0
// Internal edges of unions (docs/explanation/pair-modes.md). Where parts of one body meet, a part has features that
// are not on the surface of the body:
//
//   an edge is covered if its outer side lies in sibling parts, one or several together;
//   a vertex v on or in siblings is a surface point along d only if no sibling reaches farther: support_j(d) <= d . v.
//
// A facet with such a feature can show that the parts of two bodies are apart, but it carries no force.
#pragma once

#include <vector>

#include "src/reference/planar/outline.hpp"

namespace pegrasp::reference {

// Marks edges and vertices of the parts of one body.
void mark_internal_edges(std::vector<Outline>& parts);

// Whether corner `corner` of parts[part] is a surface point of the body along the unit direction d, in the body frame.
bool on_surface(const std::vector<Outline>& parts, int part, int corner, const Point& d);

}  // namespace pegrasp::reference
