// SPDX-License-Identifier: Apache-2.0
// A single part in the form that the kernels read.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/planar/part.hpp"
#include "src/model/compiled_part.hpp"

namespace pegrasp::test {

// Owns the arrays that a PartView points at. Behind the last corner lies one at infinity: whoever reads it goes
// astray.
struct KernelPart {
  std::vector<double> cx, cy, cr, nx, ny, off;
  std::vector<int> use;
  std::vector<double> cone;
  int corners = 0;

  Vec2 middle;

  explicit KernelPart(const ConvexPart& part) {
    const CompiledPart compiled = compile_part(part);
    for (const Corner& corner : compiled.corners) {
      cx.push_back(corner.centre.x);
      cy.push_back(corner.centre.y);
      cr.push_back(corner.radius);
    }
    corners = static_cast<int>(cx.size());
    cx.push_back(std::numeric_limits<double>::infinity());
    cy.push_back(0.0);
    cr.push_back(0.0);
    for (const CompiledEdge& edge : compiled.edges) {
      nx.push_back(edge.normal.x);
      ny.push_back(edge.normal.y);
      off.push_back(edge.offset);
      use.push_back(edge.use);
    }
    cone.assign(4 * cx.size(), 0.0);
    middle = compiled.centre;
  }
  strict::PartView view() const {
    return {cx.data(),
            cy.data(),
            cr.data(),
            nx.data(),
            ny.data(),
            off.data(),
            use.data(),
            cone.data(),
            {middle.x, middle.y},
            corners,
            static_cast<int>(nx.size()),
            std::any_of(cr.begin(), cr.end(), [](double radius) { return radius > 0.0; }) ? 1 : 0,
            nullptr};
  }
};

}  // namespace pegrasp::test
