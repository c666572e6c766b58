// SPDX-License-Identifier: Apache-2.0
// Islands of a step on the batched strategy: those of kernels/spatial/claims.hpp, for all scenes of a batch. Each
// island is linearised, accepted or halved on its own. Islands of a scene that are at the same substep attempt it
// together, so that everything that moves in a round is at one time; the others wait. Islands that come into each
// other's reach go back to the step's beginning as one.
//
//   find_step_islands   finds the claims and islands of steps that begin
//   keep_to_claims      widens the claims of bodies that left them; islands that this joins start again with the next
//                       round
#pragma once

#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/batch_claims.hpp"
#else
#include "kernels/planar/batch_claims.hpp"
#endif
#include "kernels/batch/island_members.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Finds the islands of the steps that begin in this round. Without islands all bodies of a scene are in one, which is
// found once.
template <class Device, class Buffers>
void find_step_islands(Device& device, BatchView& b, Buffers& buffers) {
  const int bodies = b.scenes * b.bodies;
  if (b.by_islands != 0) {
    claim_boxes(device, b, buffers);
  } else if (!buffers.islands_known) {
    const BatchView c = b;
    device.for_each(bodies, [=] PEGRASP_HD(int i) { c.step_island[i] = i / c.bodies * c.bodies; });
    list_members(device, b, buffers);
    buffers.islands_known = true;
  }
  const BatchView c = b;
  device.for_each(bodies, [=] PEGRASP_HD(int i) {
    if (c.course[i / c.bodies].step_begun != 0 && is_head(c, i)) c.step[i] = island_at_the_start(c);
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
