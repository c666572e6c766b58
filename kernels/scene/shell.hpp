// SPDX-License-Identifier: Apache-2.0
// Compliant shells of parts (Berard's thesis, 3.88-3.93): a layer under a part's surface that gives like a spring with
// a damper, on a rigid core. Two shells that meet are in series; against a part without one a shell is alone.
#pragma once

#include "kernels/scene/scene.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Values of Contact::shell. Where the core may be reached there is a contact with it besides, at the same point.
constexpr int contact_rigid = 0;  // of parts without shells
constexpr int contact_soft = 1;   // with a shell
constexpr int contact_core = 2;   // with what is under it

// What a contact point is to a pair with a shell. Smooth parts and rims have more points than a part of corners would
// have there: they keep passes from following a point that runs along what is nearly flat, and none is a spring.
constexpr int point_bears = 0;    // a spring of the shell, and the core under it
constexpr int point_guards = 1;   // the core alone
constexpr int point_springs = 2;  // a spring alone, only of pairs with a shell

// What the shells of a pair of parts make together.
struct PairShell {
  double thickness;             // [m] 0: neither part has a shell
  double stiffness;             // [N/m] of each contact point
  double damping;               // [N s/m]
  double tangential_stiffness;  // [N/m] 0: rigid
  double tangential_damping;    // [N s/m]
};
constexpr int shell_size = 5;  // the same numbers of a part, in ModelView::part_shell

PEGRASP_HD inline PairShell shell_of_part(const ModelView& m, int part) {
  const double* x = m.part_shell + shell_size * part;
  return {x[0], x[1], x[2], x[3], x[4]};
}

PEGRASP_HD inline double in_series(double a, double b) { return a + b > 0.0 ? a * b / (a + b) : 0.0; }

// The thickness [m] of both shells together, by which parts may overlap before their cores meet.
PEGRASP_HD inline double shell_thickness(const ModelView& m, const NearPair& pair) {
  if (m.shells == shells_none) return 0.0;
  return m.part_shell[shell_size * pair.part_a] + m.part_shell[shell_size * pair.part_b];
}

PEGRASP_HD inline PairShell pair_shell(const ModelView& m, const NearPair& pair) {
  const PairShell a = shell_of_part(m, pair.part_a);
  const PairShell b = shell_of_part(m, pair.part_b);
  if (!(a.thickness > 0.0)) return b;
  if (!(b.thickness > 0.0)) return a;
  PairShell both{a.thickness + b.thickness, in_series(a.stiffness, b.stiffness), in_series(a.damping, b.damping),
                 in_series(a.tangential_stiffness, b.tangential_stiffness),
                 in_series(a.tangential_damping, b.tangential_damping)};
  // One that is rigid along the surface leaves all of that to the other.
  const bool one = !(a.tangential_stiffness > 0.0) || !(b.tangential_stiffness > 0.0);
  if (one) both.tangential_stiffness = max2(a.tangential_stiffness, b.tangential_stiffness);
  if (one) both.tangential_damping = max2(a.tangential_damping, b.tangential_damping);
  return both;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
