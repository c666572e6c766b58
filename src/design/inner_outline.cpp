// SPDX-License-Identifier: Apache-2.0
#include "src/design/inner_outline.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/geometry/chain.hpp"

namespace pegrasp::design {
namespace {

constexpr int chords_of_circle = 32;

}  // namespace

std::vector<Vec2> inner_outline(const ConvexPart& part) {
  std::vector<Vec2> points;
  for (const ChainArc& arc : chain_arcs(part.corners, chain_edges(part.corners))) {
    if (arc.radius == 0.0) {
      points.push_back(arc.centre);
      continue;
    }
    const double share = arc.angle / (2.0 * std::numbers::pi);
    const int chords = std::max(1, static_cast<int>(std::ceil(chords_of_circle * share)));
    for (int k = 0; k <= chords; ++k) {
      const double angle = arc.angle * k / chords, cosine = std::cos(angle), sine = std::sin(angle);
      points.push_back({arc.centre.x + arc.radius * (cosine * arc.from.x - sine * arc.from.y),
                        arc.centre.y + arc.radius * (sine * arc.from.x + cosine * arc.from.y)});
    }
  }
  return points;
}

}  // namespace pegrasp::design
