// SPDX-License-Identifier: Apache-2.0
// The work of the attempts of the batched strategy in 2D, as sums over blocks and bodies.
#pragma once

#include "kernels/batch/batch_view.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Adds block k of the batch to the sums of an attempt that ended. partial.sum: [0] work from outside [J], [4] contacts.
PEGRASP_HD inline void add_ended_block(const BatchView& b, int scene, int k, bool, Partial& partial) {
  const SceneView& s = b.scene[scene];
  const int local = k - b.block_first[scene];
  const bool contact = local < s.tally->contact_count;
  partial.sum[4] += contact ? 1.0 : 0.0;
  add_block_work(s, local, s.twist, partial.sum[0]);
}

// Adds a body to the sums of an attempt that ended. partial.sum[0]: work from outside [J]; partial.most[0]: 1 if a
// number is not finite.
PEGRASP_HD inline void add_ended_body(const BatchView& b, int scene, int body, Partial& partial) {
  const SceneView& s = b.scene[scene];
  add_body_work(s, body, partial.sum[0]);
  if (!finite_body(s, body)) partial.most[0] = 1.0;
}

// Keeps the sums over blocks.
PEGRASP_HD inline void keep_block_sums(StepIsland& island, const Partial& total) {
  island.work = total.sum[0];
  island.contacts = static_cast<int>(total.sum[4]);
}

// A scene in 2D is one island.
PEGRASP_HD inline bool gained_energy(const BatchView& b, StepIsland& island, const Partial&) {
  const int scene = static_cast<int>(&island - b.step) / b.bodies;
  return gains_energy(b.scene[scene], attempt_options(b, scene));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
