// SPDX-License-Identifier: Apache-2.0
// The search for the facet that carries in place of a hidden one (kernels/contact/flush.hpp).
#pragma once

#include "kernels/contact/mode_search.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A scan that leaves out hidden facets: those for which hides(mode) holds. Facets that separate by less than least_s0
// at the start do not count: where no other does, the hidden one stays.
template <class Hides>
struct OpenScan : LatestScan {
  const Hides& hides;
  bool along_motion;  // the facet that is violated latest; else the one that separates most at the end
  double least_s0;
  int end_mode = mode_none;
  double end_s1 = -1e300;

  PEGRASP_HD OpenScan(const Hides& hides_, bool along_motion_, double least_s0_)
      : hides(hides_), along_motion(along_motion_), least_s0(least_s0_) {}
  PEGRASP_HD bool worth(double bound0, double bound1) const {
    if (bound0 < least_s0) return false;
    return along_motion ? LatestScan::worth(bound0, bound1) : bound1 > end_s1 + tie;
  }
  PEGRASP_HD void add(int candidate, double a, double b) {
    if (!worth(a, b) || hides(candidate)) return;
    if (along_motion) {
      LatestScan::add(candidate, a, b);
      return;
    }
    s0_max = max2(a, s0_max);
    end_s1 = b;
    end_mode = candidate;
  }
  PEGRASP_HD void add_internal_edge(double, double) {}
  PEGRASP_HD int found() { return along_motion ? latest_of(*this).mode : end_mode; }
};

// The fractions of a segment between which half-planes or half-spaces leave it.
struct Span {
  double low = 0.0, high = 1.0;
  PEGRASP_HD void cut(double from, double to) {  // signed distances of the ends
    if (from > 0.0 && to > 0.0) {
      high = -1.0;
    } else if (from > 0.0) {
      low = max2(low, from / (from - to));
    } else if (to > 0.0) {
      high = min2(high, from / (from - to));
    }
  }
};

}  // namespace pegrasp::PEGRASP_ARITHMETIC
