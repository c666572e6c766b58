// SPDX-License-Identifier: Apache-2.0
// The proof of kernels/solver/infeasible.hpp on the batched strategy, by the iterations of AJ.
//
// An island that AJ does not solve and that touches a body with prescribed motion is solved again from rest and without
// friction. Where no motion obeys its rows the impulses grow without end, and what is added to them tends to a proof.
// It is tested whenever the number of iterations has doubled. Then the solve goes on from where it was, for a few
// iterations if there was a proof.
#pragma once

#include "kernels/batch/islands.hpp"
#include "kernels/solver/infeasible.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr int first_judgement = 32;
constexpr int probe_iterations = 4096;

PEGRASP_HD inline void begin_probe(IslandCourse& c) {
  c.probe = probe_runs;
  c.probe_begun = c.iteration;
  c.action = action_begin_probe;
  c.theta = 1;
}

// Goes back to the solve. most: iterations that it gets at least. A probe that found nothing counts for nothing.
PEGRASP_HD inline void end_probe(IslandCourse& c, int result, int most) {
  if (result == probe_failed) c.iteration = c.probe_begun;
  c.probe = result;
  c.action = action_end_probe;
  c.limit = c.iteration + most;
  c.theta = 1;
  c.beta = 0;
}

// Decides in which iterations the proof is tested. Returns true where the probe ends without one: the island has a
// motion, or the iterations are used up.
PEGRASP_HD inline bool steer_probe(IslandCourse& c, bool solved, bool finite) {
  const int done = c.iteration - c.probe_begun;
  if (solved || !finite || done >= probe_iterations) return true;
  if (done >= first_judgement && (done & (done - 1)) == 0) c.action = action_judge;
  return false;
}

// Judges the proofs of a scene's islands that ask for it, one after the other.
PEGRASP_HD inline void judge_probes(const BatchView& b, int scene) {
  const SceneView& s = b.scene[scene];
  const int first = b.block_height * b.block_first[scene];
  for (int island = scene * b.bodies; island < (scene + 1) * b.bodies; ++island) {
    IslandCourse& c = b.island_course[island];
    if (c.solving != 1 || c.action != action_judge) continue;
    // The impulses of other islands count for nothing.
    const auto added = [&](int i) {
      return b.block_island[(first + i) / b.block_height] == island ? b.q[first + i] - b.p_mark[first + i] : Real(0);
    };
    const bool proven = proves(s, attempt_options(b, scene), added, b.pull + dof * scene * b.bodies);
    if (proven) end_probe(c, probe_proved, infeasible_iterations);
  }
}

// Whether the island touches a body with prescribed motion.
PEGRASP_HD inline bool may_be_squeezed(const BatchView& b, int island) {
  if (b.squeezes == 0) return false;
  for (int e = b.island_first[island]; e < b.island_first[island + 1]; ++e) {
    const int k = b.island_block[e];
    const SceneView& s = b.scene[b.block_scene[k]];
    const int local = k - b.block_first[b.block_scene[k]];
    if (s.blocks[local].kind != block_contact) continue;
    if (prescribed(s, s.contacts[local].body_a) || prescribed(s, s.contacts[local].body_b)) return true;
  }
  return false;
}

// What block k does after an iteration with an action of its island.
PEGRASP_HD inline void act_on_block(const BatchView& b, int k, int action) {
  for (int i = b.block_height * k; i < b.block_height * (k + 1); ++i) {
    if (action == action_begin_probe) {
      b.p_before[i] = b.q[i];
      b.w_before[i] = b.wq[i];
      b.p_mark[i] = b.p[i] = b.q[i] = b.y[i] = 0;
      b.w[i] = b.wq[i] = b.wy[i] = b.w_free[i];
    } else if (action == action_end_probe) {
      b.p[i] = b.q[i] = b.y[i] = b.p_before[i];
      b.w[i] = b.wq[i] = b.wy[i] = b.w_before[i];
    } else if (action == action_judge) {
      b.p_mark[i] = b.q[i];
    }
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
