// SPDX-License-Identifier: Apache-2.0
// Work [J] that is done from outside through the rows of a step.
//
// Work from outside is what gravity, applied forces, servos and prescribed motion do on the dynamic bodies in a step.
// An impulse p along J changes the kinetic energy by p J (nu + nu+) / 2, exactly. What a kinematic body does to others
// through a contact counts as work of its prescribed motion, at the mean of its velocities before and in this step: a
// body that is pressed against it, and goes on to do so while it slows down, then gains and loses what this says.
// What compliant shells take in and give back counts too, as of servos.
#pragma once

#include "kernels/scene/active.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Adds the work [J] of servos and of prescribed motion through the rows of block k, on bodies that began with the
// velocities `from` (bodies, dof). at_most: a bound on it; a body with prescribed motion that sets off does up to what
// its velocity in this step makes of its impulse.
PEGRASP_HD inline void add_block_work(const SceneView& s, int k, const double* from, double& work,
                                      bool at_most = false) {
  const Block& block = s.blocks[k];
  for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
    const Row& row = s.rows[i];
    const double p = static_cast<double>(s.p[i]);
    const int body[2] = {row.body_a, row.body_b};
    for (int side = 0; side < 2; ++side) {
      if (side == 1 && row.body_b == row.body_a) continue;
      const SolverReal* j = side ? row.jb : row.ja;
      const double* after = s.nu + dof * body[side];
      double speed = 0.0;
      if (is_dynamic(s, body[side])) {
        const bool shell = block.kind == block_contact && row.compliance > 0;
        // rigid contacts, support friction and joints explain nothing
        if (block.kind != block_clamp && !shell) continue;
        const double* before = from + dof * body[side];
        for (int c = 0; c < dof; ++c) speed += static_cast<double>(j[c]) * 0.5 * (before[c] + after[c]);
      } else {
        if (block.kind == block_clamp) continue;  // all that a servo does to the other body is counted there
        const double* before = s.twist + dof * body[side];
        double end = 0.0;
        for (int c = 0; c < dof; ++c) {
          speed -= static_cast<double>(j[c]) * 0.5 * (before[c] + after[c]);
          end -= static_cast<double>(j[c]) * after[c];
        }
        if (at_most && p * end > p * speed) speed = end;
      }
      work += p * speed;
    }
  }
}

// The velocity (dof) of the free motion of a body with the impulses of servos, without those of contacts and joints.
PEGRASP_HD inline void driven_twist(const SceneView& s, int body, double* nu) {
  for (int i = 0; i < dof; ++i) nu[i] = s.free_twist[dof * body + i];
  for (int k = s.tally->contact_count; k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    if (block.kind != block_clamp) continue;
    for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
      const Row& row = s.rows[i];
      const double p = static_cast<double>(s.p[i]);
      if (row.body_a == body) {
        for (int c = 0; c < dof; ++c) nu[c] += static_cast<double>(row.wa[c]) * p;
      } else if (row.body_b == body) {
        for (int c = 0; c < dof; ++c) nu[c] += static_cast<double>(row.wb[c]) * p;
      }
    }
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
