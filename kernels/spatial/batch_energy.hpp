// SPDX-License-Identifier: Apache-2.0
// The energy balance of the attempts of the batched strategy in 3D, as sums over blocks and bodies
// (kernels/spatial/energy.hpp).
#pragma once

#include "kernels/batch/batch_view.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Adds block k of the batch to the sums of an attempt that ended. partial.sum: [0] work from outside, without pushes;
// [1], [2], [3] work, servos and slack of EnergyBalance [J]; [4] contacts.
PEGRASP_HD inline void add_ended_block(const BatchView& b, int scene, int k, bool jointed, Partial& partial) {
  const SceneView& s = b.scene[scene];
  const int local = k - b.block_first[scene];
  const bool contact = local < s.tally->contact_count;
  partial.sum[4] += contact ? 1.0 : 0.0;
  EnergyBalance sum;
  add_block_energy(s, local, velocity_slack(s, jointed, b.options, b.course[scene].h), sum);
  partial.sum[0] += sum.servos;  // before pushes: the work that was done
  if (contact) add_push_energy(s, local, b.course[scene].h, sum);
  partial.sum[1] += sum.work;
  partial.sum[2] += sum.servos;
  partial.sum[3] += sum.slack;
}

// Adds a body to the sums of an attempt that ended. partial.sum: [0] work from outside; [1] to [5] free, solved,
// gain, lift and driven of EnergyBalance [J]. partial.most: [0] 1 if a number is not finite, [1] 1 if a free turn does
// not keep its energy.
PEGRASP_HD inline void add_ended_body(const BatchView& b, int scene, int body, Partial& partial) {
  const SceneView& s = b.scene[scene];
  add_body_work(s, body, partial.sum[0]);
  if (!finite_body(s, body)) partial.most[0] = 1.0;
  EnergyBalance sum;
  if (!add_body_energy(s, body, b.course[scene].h, sum)) partial.most[1] = 1.0;
  partial.sum[1] += sum.free;
  partial.sum[2] += sum.solved;
  partial.sum[3] += sum.gain;
  partial.sum[4] += sum.lift;
  partial.sum[5] += sum.driven;
}

// Keeps the sums over blocks.
PEGRASP_HD inline void keep_block_sums(StepIsland& island, const Partial& total) {
  island.work = total.sum[0];
  island.contacts = static_cast<int>(total.sum[4]);
  island.balance.work = total.sum[1];
  island.balance.servos = total.sum[2];
  island.balance.slack = total.sum[3];
}

// gains_energy() of an island, from the sums over its blocks (kept) and its bodies (total).
PEGRASP_HD inline bool gained_energy(const BatchView& b, StepIsland& island, const Partial& total) {
  if (total.most[1] > 0.0) return true;
  if (b.options.contact != ContactModel::peg) return false;
  island.balance.free = total.sum[1];
  island.balance.solved = total.sum[2];
  island.balance.gain = total.sum[3];
  island.balance.lift = total.sum[4];
  island.balance.driven = total.sum[5];
  return out_of_balance(island.jointed != 0, island.balance);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
