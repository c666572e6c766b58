// SPDX-License-Identifier: Apache-2.0
// The impulses that a contact in 3D starts from: those of the last solve, by feature, or, where features have changed,
// by place. Two faces that lie flat on each other take turns in carrying the contact, and each names the same corners
// in its own way.
#pragma once

#include "kernels/contact/make_rows.hpp"
#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The contact of a pair that takes up what `old` carried: the one with its key, else the nearest.
PEGRASP_HD inline int heir(const SceneView& s, const NearPair& pair, const WarmContact& old) {
  int best = -1;
  double nearest = 0.0;
  for (int i = pair.first_contact; i < pair.first_contact + pair.contact_count; ++i) {
    const Contact& c = s.contacts[i];
    if (c.shell != old.shell) continue;
    if (c.key == old.key) return i;
    const V3 d = c.p - load3(old.place);
    const double distance = dot(d, d);
    if (best >= 0 && !(distance < nearest)) continue;
    best = i;
    nearest = distance;
  }
  return best;
}

// The sum of what a contact inherits, scaled to this step's length. The list is searched from `first` to `last`. The
// contacts of a pair mostly come in the order of the last solve: where that says which one has the key of an old
// contact, nobody else need be asked.
PEGRASP_HD inline void warm_contact(const SceneView& s, int contact, double ratio, int first, int last) {
  const NearPair& pair = s.pairs[s.contacts[contact].pair];
  const Block& block = s.blocks[contact];
  const WarmContact* list = s.warm[s.tally->warm_parity];
  double normal = 0.0;
  double tangent[tangent_size] = {};
  bool any = false;
  int order = 0;  // place of a contact among the pair's, less that of the old one in the list
  for (int k = first; k < last; ++k) {
    const WarmContact& old = list[k];
    if (old.part_a != pair.part_a || old.part_b != pair.part_b) continue;
    if (!any) order = pair.first_contact - k;
    any = true;
    if (old.shell != s.contacts[contact].shell) continue;
    if (old.key != s.contacts[contact].key) {
      const int guess = k + order;
      const bool inside = guess >= pair.first_contact && guess < pair.first_contact + pair.contact_count;
      if (inside && s.contacts[guess].key == old.key && s.contacts[guess].shell == old.shell) continue;
    }
    const int by = heir(s, pair, old);
    order = by - k;
    if (by != contact) continue;
    normal += ratio * old.normal;
    for (int i = 0; i < tangent_size; ++i) tangent[i] += ratio * old.tangent[i];
  }
  s.p[block.first_row] = static_cast<Real>(normal);
  tangent_to(s, block, tangent, s.p + block.first_row);
}

PEGRASP_HD inline void keep_place(const Contact& c, WarmContact& kept) { store3(c.p, kept.place); }

}  // namespace pegrasp::PEGRASP_ARITHMETIC
