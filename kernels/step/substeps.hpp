// SPDX-License-Identifier: Apache-2.0
// A step in substeps: how far it has come, how long the next substep is, and what is counted.
#pragma once

#include "kernels/outcome/forces.hpp"
#include "kernels/step/step.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// When the present step begins [s].
PEGRASP_HD inline double step_begin(const SceneView& s, const StepOptions& options) {
  return s.tally->step * options.h;
}

// Where a step of options.h is, on the dyadic grid of 2^max_substep_level parts. These parts are divided further
// where pairs could pass through each other. `whole` is the number of grid parts of a step, `at` those that are done,
// `size` those of the next substep.
struct Substeps {
  int whole, at, size;
  int least;  // size of the smallest substep that is tried as a rule

  PEGRASP_HD bool over() const { return at >= whole; }
  PEGRASP_HD bool can_halve() const { return size > least; }
  PEGRASP_HD HalvingAllowance allowance(const StepOptions& options) const {
    return {size > least, size > 1, size > max2(least, whole >> options.landing_halvings)};
  }
  // The fraction of the step that so many grid parts are, and the length [s] of the next substep of a step of h.
  PEGRASP_HD double share(int parts) const { return static_cast<double>(parts) / static_cast<double>(whole); }
  PEGRASP_HD double length(double h) const { return size == whole ? h : h * share(size); }
  // After an attempt. A rejected one is tried again at half the length; lengths grow back as soon as the grid allows
  // it.
  PEGRASP_HD void after(StepResult result) {
    if (result == StepResult::rejected) size /= 2;
    if (result != StepResult::done) return;
    at += size;
    while (size < whole && at % (2 * size) == 0 && at + 2 * size <= whole) size *= 2;
  }
};

// The state before the first attempt at a step: one substep as long as the step.
PEGRASP_HD inline Substeps first_substep(const StepOptions& options) {
  // A rod that is hit at 100 m/s turns by half a radian in a millisecond: 16 ms / 2^8 keep its end within a few
  // millimetres.
  constexpr int further = 4;
  const int least = options.max_substep_level > 0 ? 1 << further : 1;
  const int whole = least << options.max_substep_level;
  return {whole, 0, whole, least};
}

// Counts an attempt and the bodies in it.
PEGRASP_HD inline void count_attempt(SceneTally& t, StepResult result) {
  const bool rejected = result == StepResult::rejected;
  if (rejected) ++t.outcome.substeps_rejected;
  if (!rejected && result != StepResult::done) return;
  t.islands.bodies_tried += t.islands.own_count;
  t.islands.bodies_rejected += rejected ? t.islands.own_count : 0;
}

// After an attempt that was taken: adds its contact forces to the sums of the bodies that it moved. begins: the first
// of the step.
template <class Team>
PEGRASP_HD_APART void note_forces(Team& team, SceneView& s, bool begins) {
  for_each_active(team, s, [&](int body) {
    if (!is_dynamic(s, body)) return;
    add_forces(s, body, begins, [&](const auto& f) {
      for (int k = s.body_first_row[body]; k < s.body_first_row[body + 1]; ++k) {
        const int row = s.body_row[k] >> 1;
        const Block& block = s.blocks[s.row_block[row]];
        if (block.kind == block_contact && block.first_row == row) f(block);
      }
    });
  });
}

// Takes the scene, or the island at hand, to the end of the step in as many substeps as it needs. Returns the result of
// the last attempt. watch(s, h, begins): is called by every rank after an attempt of h [s] that was taken; begins: the
// first of the step.
template <class Team, class Watch>
PEGRASP_HD StepResult advance_by_parts(Team& team, SceneView& s, const StepOptions& options, const Watch& watch) {
  Substeps substeps = first_substep(options);
  StepResult result = StepResult::done;
  while (!substeps.over() && (result == StepResult::done || result == StepResult::rejected) && !stopped(team)) {
    StepOptions sub = options;
    sub.h = substeps.length(options.h);
    once(team, [&] { s.tally->time0 = step_begin(s, options) + options.h * substeps.share(substeps.at); });
    result = step_scene(team, s, sub, substeps.allowance(options));
    once(team, [&] { count_attempt(*s.tally, result); });
    if (result == StepResult::done) {
      if (asks_for_forces(*s.model)) note_forces(team, s, substeps.at == 0);
      watch(s, sub.h, substeps.at == 0);
    }
    substeps.after(result);
  }
  return result;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
