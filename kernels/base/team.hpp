// SPDX-License-Identifier: Apache-2.0
// A team runs a scene. Scene code is written once against a Team:
//   rank()  0 .. size() - 1     size()  constant for the scene's life
//   sync()  all ranks have arrived, and all see what each wrote before
//   max(x)  largest x over the ranks, on every rank; NaN wins (order-free, so any team gives the same bits)
// All ranks follow the same control flow; what they share lives in the scene. Sums are never taken across ranks: they
// go through memory in a fixed order, so that results do not depend on the team's size.
#pragma once

#include "kernels/base/platform.hpp"

namespace pegrasp {

// One CPU thread.
struct SerialTeam {
  PEGRASP_HD static constexpr int rank() { return 0; }
  PEGRASP_HD static constexpr int size() { return 1; }
  PEGRASP_HD static constexpr void sync() {}
  PEGRASP_HD static constexpr double max(double x) { return x; }
};

// Whether somebody has asked for an end, on a team that can hear it (stopped()). It answers the same on all ranks. Work
// that is cut short leaves numbers that are of no use.
template <class Team>
PEGRASP_HD inline bool stopped(Team& team) {
  if constexpr (requires { team.stopped(); }) {
    return team.stopped();
  } else {
    return false;
  }
}

// The same within a loop, where it is asked now and then.
constexpr int turns_a_look = 16;
template <class Team>
PEGRASP_HD inline bool stopped_at(Team& team, int turn) {
  return turn % turns_a_look == 0 && stopped(team);
}

// Calls f(i) for i = 0 .. n - 1, each on one rank, then syncs. Calls within one for_each must be independent.
template <class Team, class F>
PEGRASP_HD inline void for_each(Team& team, int n, const F& f) {
  PEGRASP_ROLLED
  for (int i = team.rank(); i < n; i += team.size()) f(i);
  team.sync();
}

// Calls f(i) for i = begin .. end - 1 on the calling rank: rows of a block, of which there are few.
template <class F>
PEGRASP_HD inline void for_few(int begin, int end, const F& f) {
  PEGRASP_ROLLED
  for (int i = begin; i < end; ++i) {
    PEGRASP_NO_VECTORS;
    f(i);
  }
}

// Calls f() on one rank, then syncs.
template <class Team, class F>
PEGRASP_HD inline void once(Team& team, const F& f) {
  if (team.rank() == 0) f();
  team.sync();
}

}  // namespace pegrasp
