// SPDX-License-Identifier: Apache-2.0
// The bodies of the islands that the batched strategy steps, and sums over them.
#pragma once

#include "kernels/batch/batch_view.hpp"
#include "kernels/batch/near_pairs.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Islands are numbered by their first body over the batch; no_island is the number for bodies in none.
PEGRASP_HD inline int no_island(const BatchView& b) { return b.scenes * b.bodies; }
PEGRASP_HD inline bool is_head(const BatchView& b, int i) { return b.step_island[i] == i; }
PEGRASP_HD inline bool in_active_island(const BatchView& b, int i) {
  const int island = b.step_island[i];
  return island < no_island(b) && b.step[island].active != 0;
}
// The number of bodies in an island: all bodies of a scene that is stepped as one.
PEGRASP_HD inline int members(const BatchView& b, int island) {
  return b.step_first[island + 1] - b.step_first[island];
}

constexpr int bodies_a_piece = 64;  // of which an island's sums are made

// Adds up f(scene, body, partial) over the bodies of every island that takes part, in a fixed order; calls g(island,
// total). The body is numbered within its scene.
template <class Device, class F, class G>
void add_up_islands_of_step(Device& device, const BatchView& b, const F& f, const G& g) {
  const int bodies = b.scenes * b.bodies;
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    if (!in_active_island(b, i)) return;
    Partial partial = no_partial();
    f(i / b.bodies, i % b.bodies, partial);
    b.body_partial[i] = partial;
  });
  device.for_each(b.step_pieces, [=] PEGRASP_HD(int i) {
    const int island = scene_of(b.step_piece_first, bodies, i);
    if (b.step[island].active == 0) return;
    const int begin = b.step_first[island] + (i - b.step_piece_first[island]) * bodies_a_piece;
    const int end = min2(begin + bodies_a_piece, b.step_first[island + 1]);
    Partial partial = no_partial();
    for (int k = begin; k < end; ++k) add_partial(partial, b.body_partial[b.step_body[k]]);
    b.step_piece[i] = partial;
  });
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    if (!is_head(b, i) || b.step[i].active == 0) return;
    g(i, added(b.step_piece, b.step_piece_first[i], b.step_piece_first[i + 1]));
  });
}

// Calls f(block) for the blocks that are added up with body i: those whose first moving body it is.
template <class F>
PEGRASP_HD inline void for_each_own_block(const BatchView& b, int i, const F& f) {
  for (int e = b.response.first[i]; e < b.response.first[i + 1]; ++e) {
    const int k = b.entry[e] / 2;
    if (b.entry[e] % 2 == 0 || b.entry_body[2 * k] == no_island(b)) f(k);
  }
}

// Lists the bodies of every island anew, after b.step_island has changed.
template <class Device, class Buffers>
void list_members(Device& device, BatchView& b, Buffers& buffers) {
  const int bodies = b.scenes * b.bodies;
  device.group(b.step_island, bodies, bodies + 1, b.step_first, b.step_body);
  const BatchView c = b;
  device.for_each(
      bodies, [=] PEGRASP_HD(int i) { c.step_piece_first[i] = (members(c, i) + bodies_a_piece - 1) / bodies_a_piece; });
  b.step_pieces = device.scan(b.step_piece_first, bodies);
  b.step_piece = buffers.step_piece.capacity(b.step_pieces);
}

// An island at the beginning of a step.
PEGRASP_HD inline StepIsland island_at_the_start(const BatchView& b) {
  StepIsland island{};
  island.substeps = first_substep(b.options);
  return island;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
