// SPDX-License-Identifier: Apache-2.0
// The search over the facets of a pair: for the facet that separates most at a pose, and for the one that is violated
// latest along a motion.
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/mode_type.hpp"
#else
#include "kernels/planar/mode_type.hpp"
#endif
#include "kernels/base/scalars.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Edges closer to parallel than this [rad] touch along their overlap. Much larger values bring back a trap of the
// standard model on fine polygons: a wedge of 37 degrees that must jam at mu = 0.30 jammed at 0.08.
constexpr double flat_angle = 0.05;

// A mode is packed in an int so that it can be stored, compared and used as a key: its ModeType and the numbers of two
// features.
constexpr int mode_none = -1;
PEGRASP_HD inline int pack_mode(int type, int i, int j) { return (type << 28) | (i << 14) | j; }
PEGRASP_HD inline int mode_type(int mode) { return mode >> 28; }
PEGRASP_HD inline int mode_i(int mode) { return (mode >> 14) & 0x3fff; }
PEGRASP_HD inline int mode_j(int mode) { return mode & 0x3fff; }

// A pair at one pose. The mode is the arg max of s over the facets that may carry force (mode_none and s = -1e300:
// there is none); internal_edge is the largest s of the facets that may not (internal edges of unions). The pair does
// not overlap if and only if the larger of the two is >= 0.
struct Separation {
  double s;
  int mode;
  double internal_edge;
  double mode_s = -1e300;  // of the mode: at most a tie below s
};
PEGRASP_HD inline double separation(const Separation& at) { return max2(at.s, at.internal_edge); }

// The axis that is violated latest along the motion from pose 0 to pose 1 (docs/explanation/pair-modes.md). Its
// score is 2 + s1 for s1 >= 0, and s0 / (s0 - s1) for s0 > 0. When nothing separates at the start it is the arg max of
// s0.
// A motion that is long enough to lead through a part is guarded: an axis with s0 < 0 counts only if it begins to
// separate before the last of those with s0 >= 0 ceases to.
struct LatestMode {
  double s0_max;                          // largest at the start, over the facets that may carry force
  int mode;                               // chosen among them; mode_none: there are none
  double s0, s1;                          // of the chosen mode
  double internal_edge0, internal_edge1;  // largest at the start and at the end over the facets at internal edges
};

struct LatestScan {
  bool guarded = false;  // the way may lead right through a part
  bool all = false;      // no facet is left out
  double tie = 0.0;      // what comes is chosen only where it separates by more than this more than the chosen
  double s0_max = -1e300;
  int s0_mode = mode_none;
  double s0_mode_s0 = -1e300, s0_mode_s1 = -1e300;
  double score = -1.0;       // the largest
  double mode_score = -1.0;  // of the chosen
  int mode = mode_none;
  double s0 = 0.0, s1 = 0.0;
  double internal_edge0 = -1e300, internal_edge1 = -1e300;
  double left_out0 = -1e300, left_out1 = -1e300;  // largest bounds of what was left out

  // If guarded: of the facets that are violated at the start and hold at the end, the best one and the first to hold.
  struct FarSide {
    int mode = mode_none;
    double s0 = 0.0, s1 = -1.0;
    PEGRASP_HD double begins() const { return s0 / (s0 - s1); }  // fraction of the step
  };
  FarSide far_best, far_first;

  PEGRASP_HD static double rate(double s0, double s1) {
    if (s1 >= 0.0) return 2.0 + s1;
    return s0 > 0.0 ? s0 / (s0 - s1) : -1.0;
  }
  // Facets that others surpass are not chosen and may be left out. What they could still change is which of the facets
  // at internal edges separate (matters_what_was_left_out).
  PEGRASP_HD bool may_leave_out() const { return !all && tie == 0.0; }
  // Whether the facets so far surpass one with these bounds, so far that it would not matter at an internal edge
  // either, and it is no far side. margin: far above rounding [m].
  PEGRASP_HD bool surpasses(double bound0, double bound1, double margin) const {
    return 3.0 * bound1 < min2(s1, 0.0) - margin && bound0 < s0_max - margin &&
           !(rate(bound0 + margin, bound1 + margin) > mode_score);
  }
  PEGRASP_HD void leave_out(double bound0, double bound1) {
    left_out0 = max2(left_out0, bound0);
    left_out1 = max2(left_out1, bound1);
  }
  PEGRASP_HD bool worth(double bound0, double bound1) const {
    return guarded || bound0 > s0_max || rate(bound0, bound1) > mode_score;
  }
  PEGRASP_HD void add(int candidate, double a, double b) {
    s0_max = max2(a, s0_max);
    if (a > s0_mode_s0 + tie) {
      s0_mode = candidate;
      s0_mode_s0 = a;
      s0_mode_s1 = b;
    }
    if (guarded && a < 0.0 && b >= 0.0) {
      const FarSide side{candidate, a, b};
      if (far_best.mode == mode_none || b > far_best.s1) far_best = side;
      if (far_first.mode == mode_none || side.begins() < far_first.begins()) far_first = side;
      return;
    }
    const double r = rate(a, b);
    score = max2(r, score);
    if (r > mode_score && (tie == 0.0 || r > mode_score + (b >= 0.0 ? tie : tie / (a - b)))) {
      mode_score = r;
      mode = candidate;
      s0 = a;
      s1 = b;
    }
  }
  // Adds a facet at an internal edge.
  PEGRASP_HD void add_internal_edge(double a, double b) {
    internal_edge0 = max2(internal_edge0, a);
    if (!guarded || a >= 0.0) internal_edge1 = max2(internal_edge1, b);
  }
  // A side that separates only at the end counts if it begins to do so before the last of the others fails: the motion
  // then leads round a corner. Else it leads through the part.
  PEGRASP_HD void reach(const FarSide& side) {
    if (side.mode == mode_none || !(2.0 + side.s1 > score) || !(side.begins() <= score)) return;
    score = 2.0 + side.s1;
    mode = side.mode;
    s0 = side.s0;
    s1 = side.s1;
  }
};

PEGRASP_HD inline LatestMode latest_of(LatestScan& best) {
  best.reach(best.far_first);
  best.reach(best.far_best);
  if (best.s0_max <= best.tie)
    return {best.s0_max, best.s0_mode, best.s0_max, best.s0_mode_s1, best.internal_edge0, best.internal_edge1};
  return {best.s0_max, best.mode, best.s0, best.s1, best.internal_edge0, best.internal_edge1};
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
