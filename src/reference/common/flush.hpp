// SPDX-License-Identifier: Apache-2.0
// Flush surfaces, where the surface of one body goes on in that of another (docs/explanation/pair-modes.md): what both
// dimensions share.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace pegrasp::reference {

// Two surfaces go on in each other if they differ by no more than `slack`; what a facet touches is looked at as far as
// `around` about it. Both in penetration tolerances.
constexpr double flush_slack = 2.0;
constexpr double flush_around = 200.0;
// Features closer to parallel than this [rad] touch along each other.
constexpr double flush_flat = 0.05;

// What a facet touches of one part, in the world: segments or points, and the outward normal there.
template <class Vector>
struct TouchedSurface {
  std::vector<std::pair<Vector, Vector>> segments;
  Vector out;
};

// A facet's touch on both of its parts. `over`: the parts lie over each other at the facet, not side by side.
template <class Vector>
struct FacetTouch {
  std::array<TouchedSurface<Vector>, 2> on;  // a, b
  bool over = true;
};

// The fractions of a segment between which a part covers it.
struct CoveredSpan {
  double low = 0.0, high = 1.0;
  bool empty() const { return low > high; }
  // Keeps what lies within a plane; `from`, `to`: signed distances of the segment's ends from it.
  void keep(double from, double to) {
    if (from <= 0.0 && to <= 0.0) return;
    const double crossing = from / (from - to);
    if (from > 0.0) low = to > 0.0 ? 2.0 : std::max(low, crossing);
    if (from <= 0.0) high = std::min(high, crossing);
  }
};

inline bool cover_all(std::vector<CoveredSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const CoveredSpan& x, const CoveredSpan& y) { return x.low < y.low; });
  double reached = 0.0;
  for (const CoveredSpan& span : spans) {
    if (!span.empty() && span.low <= reached) reached = std::max(reached, span.high);
  }
  return reached >= 1.0;
}

}  // namespace pegrasp::reference
