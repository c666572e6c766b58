// SPDX-License-Identifier: Apache-2.0
// The search for the facet that carries in place of a hidden one (kernels/contact/flush.hpp).
#pragma once

#include <cstdint>

#include "kernels/contact/mode_search.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// A scan of the facets that count: those that separate by at least least_s0 at the start.
struct CountingScan : LatestScan {
  bool along_motion;  // the facet that is violated latest; else the one that separates most at the end
  double least_s0;
  int only;  // this facet alone, or mode_none: all
  int end_mode = mode_none;
  double end_s1 = -1e300;

  PEGRASP_HD CountingScan(bool along_motion_, double least_s0_, int only_ = mode_none)
      : along_motion(along_motion_), least_s0(least_s0_), only(only_) {}
  PEGRASP_HD bool may_leave_out() const { return false; }
  PEGRASP_HD bool worth(double bound0, double bound1) const {
    if (bound0 < least_s0) return false;
    return along_motion ? LatestScan::worth(bound0, bound1) : bound1 > end_s1 + tie;
  }
  PEGRASP_HD void take(int candidate, double a, double b) {
    if (along_motion) {
      LatestScan::add(candidate, a, b);
      return;
    }
    s0_max = max2(a, s0_max);
    end_s1 = b;
    end_mode = candidate;
  }
  PEGRASP_HD void add(int candidate, double a, double b) {
    if ((only == mode_none || candidate == only) && worth(a, b)) take(candidate, a, b);
  }
  PEGRASP_HD void add_internal_edge(double, double) {}
  PEGRASP_HD int found() { return along_motion ? latest_of(*this).mode : end_mode; }
};

// A scan that leaves out hidden facets, too. Where no other facet counts, the hidden one stays.
//
// Whether a facet is hidden is asked between scans, lest the registers of the scan be held while others answer. A scan
// takes the facets that are known to be open and notes those that it does not know, as if they were hidden. These are
// asked for in turn; the first that is open changes what the facets after it must beat, so that the scan is repeated
// with what is known by then. Facets come in the same order in every scan: those that were asked for are known by their
// number.
struct OpenScan : CountingScan {
  static constexpr int most_noted = 16;  // by one scan
  static constexpr int most_asked = 512;

  int met = 0;    // facets of this scan that were worth asking for
  int known = 0;  // of these, those whose answer is known
  int noted_count = 0;
  int noted[most_noted];
  std::uint64_t open[most_asked / 64] = {};

  PEGRASP_HD OpenScan(bool along_motion_, double least_s0_) : CountingScan(along_motion_, least_s0_) {}
  PEGRASP_HD bool worth(double bound0, double bound1) const {
    return noted_count < most_noted && met < most_asked && CountingScan::worth(bound0, bound1);
  }
  PEGRASP_HD void add(int candidate, double a, double b) {
    if (!worth(a, b)) return;
    const int number = met++;
    if (number >= known) {
      noted[noted_count++] = candidate;
      return;
    }
    if ((open[number / 64] >> (number % 64) & 1u) != 0) take(candidate, a, b);
  }
  // Begins a scan.
  PEGRASP_HD void begin(bool guard) {
    static_cast<LatestScan&>(*this) = LatestScan{};
    guarded = guard;
    end_mode = mode_none;
    end_s1 = -1e300;
    met = noted_count = 0;
  }
  // Asks for the facets that the scan has noted. Returns whether it is to be repeated.
  template <class Hides>
  PEGRASP_HD bool ask(const Hides& hides) {
    for (int i = 0; i < noted_count; ++i) {
      const int number = known++;
      if (hides(noted[i])) continue;
      open[number / 64] |= std::uint64_t{1} << (number % 64);
      return true;
    }
    return noted_count == most_noted;
  }
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
