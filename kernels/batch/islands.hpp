// SPDX-License-Identifier: Apache-2.0
// Islands of a solve: bodies that move and are connected by blocks. Their step problems are independent of each other,
// so that each island has its own momentum and ends on its own: what is hard in one corner of a large scene does not
// hold up the rest.
//
// An island has the number of its first body. It is found by every body taking over the least number around it, until
// none changes.
#pragma once

#include "kernels/batch/batch_view.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The least island number among the body and its neighbours; label: the numbers so far.
PEGRASP_HD inline int least_around(const BatchView& b, const int* label, int body) {
  const int bodies = b.scenes * b.bodies;
  int least = label[body];
  for (int e = b.response.first[body]; e < b.response.first[body + 1]; ++e) {
    const int block = b.entry[e] / 2;
    const auto look_at = [&](const int* side) {
      for (int k = 0; k < 2; ++k) {
        if (side[k] < bodies && label[side[k]] < least) least = label[side[k]];
      }
    };
    look_at(b.entry_body + 2 * block);
    if (b.couplings == 0) continue;
    const int scene = b.block_scene[block];
    const Block& half = b.scene[scene].blocks[block - b.block_first[scene]];
    if (half.kind == block_coupling && half.row_count > 0) look_at(b.entry_body + 2 * (block + to_mate(half)));
  }
  return label[least] < least ? label[least] : least;
}

// After assemble(): finds the island of every body and block, the blocks of every island, and the pieces into which its
// sums are cut.
template <class Device, class Buffers>
void find_islands(Device& device, BatchView& b, Buffers& buffers) {
  const int bodies = b.scenes * b.bodies;
  const int blocks = buffers.block_total;
  int* from = b.island;
  int* to = b.island_next;
  device.for_each(bodies, [=] PEGRASP_HD(int i) { from[i] = i; });
  const BatchView c = b;
  bool changes = true;
  while (changes) {
    device.for_each(bodies, [=] PEGRASP_HD(int i) { to[i] = least_around(c, from, i); });
    changes = device.any(bodies, [=] PEGRASP_HD(int i) { return to[i] != from[i]; });
    int* const last = from;
    from = to;
    to = last;
  }
  b.island = from;
  b.island_next = to;
  const BatchView found = b;
  device.for_each(blocks, [=] PEGRASP_HD(int k) {
    const int* side = found.entry_body + 2 * k;
    int body = found.jacobian.column[2 * k];  // of a block that moves nobody
    if (side[1] < bodies) body = side[1];
    if (side[0] < bodies) body = side[0];
    found.block_island[k] = found.island[body];
  });
  device.group(b.block_island, blocks, bodies, b.island_first, b.island_block);
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    const int count = found.island_first[i + 1] - found.island_first[i];
    found.piece_first[i] = (count + blocks_a_piece - 1) / blocks_a_piece;
  });
  b.pieces = device.scan(b.piece_first, bodies);
  b.piece = buffers.piece.capacity(b.pieces);
}

// Adds up f(block, partial) over the blocks of every island that goes on, in a fixed order: piece by piece, then the
// pieces; calls g(island, total). pieces, islands: those that may go on.
template <class Device, class F, class G>
void add_up_islands(Device& device, const BatchView& b, Items pieces, Items islands, const F& f, const G& g) {
  const int bodies = b.scenes * b.bodies;
  device.for_each(pieces, [=] PEGRASP_HD(int i) {
    const int island = scene_of(b.piece_first, bodies, i);
    if (b.island_course[island].solving != 1) return;
    const int begin = b.island_first[island] + (i - b.piece_first[island]) * blocks_a_piece;
    const int last = b.island_first[island + 1];
    const int end = begin + blocks_a_piece < last ? begin + blocks_a_piece : last;
    Partial partial = no_partial();
    for (int k = begin; k < end; ++k) f(b.island_block[k], partial);
    b.piece[i] = partial;
  });
  device.for_each(islands, [=] PEGRASP_HD(int island) {
    if (b.island_course[island].solving == 0) return;
    g(island, added(b.piece, b.piece_first[island], b.piece_first[island + 1]));
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
