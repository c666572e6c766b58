// SPDX-License-Identifier: Apache-2.0
// The impulses that solves start from, on the batched strategy. A scene's list holds those of every contact's last
// solve, scaled to a whole step (by the power of two that makes a substep a step: exact), in the order of near pairs. A
// round may solve only some islands: their impulses replace the old ones, those of the others stay.
#pragma once

#include "kernels/batch/step_islands.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

PEGRASP_HD inline bool owner_diverged(const BatchView& b, int owner) {
  const int island = b.step_island[owner];
  return island < no_island(b) && b.step[island].diverged != 0;
}

// At the beginning of a round: merges the impulses that the last round has left into the lists. Nothing of a solve that
// diverged is kept.
template <class Device, class Buffers>
void merge_warm(Device& device, BatchView& b, Buffers& buffers) {
  const BatchView c = b;
  const int old = buffers.kept_total;
  const int blocks = buffers.block_total;
  int* const stays = buffers.stays.capacity(old + 1);
  int* const comes = buffers.comes.capacity(blocks + 1);
  device.for_each(old, [=] PEGRASP_HD(int i) {
    const int scene = scene_of(c.kept_first, c.scenes, i);
    stays[i] = c.live[owner_of_parts(c, scene, c.kept[i])] == 0 ? 1 : 0;
  });
  device.for_each(blocks, [=] PEGRASP_HD(int k) {
    const int scene = c.block_scene[k];
    const SceneView& s = c.scene[scene];
    const int local = k - c.block_first[scene];
    comes[k] = 0;
    if (local < s.tally->contact_count) {
      comes[k] = owner_diverged(c, owner_of_parts(c, scene, c.fresh[k])) ? 0 : 1;
      return;
    }
    const Block& block = s.blocks[local];
    if (block.row_count == 0) return;
    const Row& row = s.rows[block.first_row];
    if (!owner_diverged(c, scene * c.bodies + owner_of(s, row.body_a, row.body_b))) return;
    double* const impulse = kept_impulses(s, block);
    for (int i = 0; i < block.row_count; ++i) impulse[i] = 0.0;
  });
  const int staying = device.scan(stays, old);
  const int coming = device.scan(comes, blocks);
  WarmContact* const merged = buffers.kept[buffers.kept_turn = 1 - buffers.kept_turn].capacity(staying + coming);
  int* const first = buffers.kept_first[buffers.kept_turn].capacity(c.scenes + 1);
  device.for_each(old, [=] PEGRASP_HD(int i) {
    if (stays[i + 1] == stays[i]) return;
    const int scene = scene_of(c.kept_first, c.scenes, i);
    const int begin = c.block_first[scene];
    const int end = begin + c.scene[scene].tally->contact_count;
    merged[stays[i] + comes[place_of_pair(*c.model, c.fresh, begin, end, c.kept[i])]] = c.kept[i];
  });
  device.for_each(blocks, [=] PEGRASP_HD(int k) {
    if (comes[k + 1] == comes[k]) return;
    const int scene = c.block_scene[k];
    const int place = place_of_pair(*c.model, c.kept, c.kept_first[scene], c.kept_first[scene + 1], c.fresh[k]);
    WarmContact& kept = merged[comes[k] + stays[place]];
    kept = c.fresh[k];
    if (c.model->shells != shells_deflect) return;
    const int island = c.step_island[owner_of_parts(c, scene, kept)];
    if (island < no_island(c) && takes_step(c.step[island])) take_deflected(kept);
  });
  device.for_each(c.scenes + 1, [=] PEGRASP_HD(int scene) {
    first[scene] = stays[c.kept_first[scene]] + comes[c.block_first[scene]];
  });
  device.for_each(c.scenes, [=] PEGRASP_HD(int scene) {
    SceneView& s = c.scene[scene];
    s.warm[0] = merged + first[scene];
    s.tally->warm_parity = 0;
    s.tally->warm_count[0] = first[scene + 1] - first[scene];
  });
  b.kept = merged;
  b.kept_first = first;
  buffers.kept_total = staying + coming;
}

// Keeps the impulses of block k from the round's solve, scaled to a whole step. fresh: one entry per block.
PEGRASP_HD inline void keep_whole(const BatchView& b, int k, WarmContact* fresh) {
  const int scene = b.block_scene[k];
  const SceneView& s = b.scene[scene];
  const int local = k - b.block_first[scene];
  const Block& block = s.blocks[local];
  const double ratio = b.options.h / b.course[scene].h;
  if (block.kind == block_contact) {
    WarmContact* const list = fresh + b.block_first[scene];
    keep_impulse(s, local, list, attempt_options(b, scene));
    list[local].normal *= ratio;
    for (int i = 0; i < tangent_size; ++i) list[local].tangent[i] *= ratio;
    return;
  }
  if (block.row_count == 0) return;
  keep_impulse(s, local, nullptr, b.options);
  double* const impulse = kept_impulses(s, block);
  for (int i = 0; i < block.row_count; ++i) impulse[i] *= ratio;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
