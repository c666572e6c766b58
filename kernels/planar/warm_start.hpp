// SPDX-License-Identifier: Apache-2.0
// Impulses to start a contact from: those of the last solve, by feature.
#pragma once

#include "kernels/contact/make_rows.hpp"
#include "kernels/solver/problem.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Impulses of the same feature pair in the last solve, scaled to this step's length. Features new to their pair of
// parts (a fine polygon slides over several edges a step) share what the pair carried. The list is searched from
// `first` to `last`.
PEGRASP_HD inline void warm_contact(const SceneView& s, int contact, double ratio, int first, int last) {
  const Contact& c = s.contacts[contact];
  const NearPair& pair = s.pairs[c.pair];
  const Block& block = s.blocks[contact];
  const WarmContact* list = s.warm[s.tally->warm_parity];
  double normal = 0.0;
  double tangent[tangent_size] = {};
  const double share = ratio / static_cast<double>(max2(1, pair.contact_count));
  for (int k = first; k < last; ++k) {
    if (list[k].part_a != pair.part_a || list[k].part_b != pair.part_b || list[k].shell != c.shell) continue;
    if (list[k].key == c.key) {
      normal = ratio * list[k].normal;
      for (int i = 0; i < tangent_size; ++i) tangent[i] = ratio * list[k].tangent[i];
      break;
    }
    normal += share * list[k].normal;
    for (int i = 0; i < tangent_size; ++i) tangent[i] += share * list[k].tangent[i];
  }
  s.p[block.first_row] = static_cast<Real>(normal);
  tangent_to(s, block, tangent, s.p + block.first_row);
}

PEGRASP_HD inline void keep_place(const Contact&, WarmContact&) {}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
