// SPDX-License-Identifier: Apache-2.0
// A step in parts: how far it has come, how long the next part is, what is counted.
#pragma once

#include "kernels/step/step.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// When the step that is being done begins [s].
PEGRASP_HD inline double step_begin(const SceneView& s, const StepOptions& options) {
  return s.tally->step * options.h;
}

// Where in a step of options.h its substeps are, on the dyadic grid of 2^max_substep_level parts; in 3D these are
// divided further, where pairs could go through each other.
struct Substeps {
  int whole, at, size;
  int least;  // size of the smallest that is tried as a rule

  PEGRASP_HD bool over() const { return at >= whole; }
  PEGRASP_HD bool can_halve() const { return size > least; }
  PEGRASP_HD HalvingAllowance capacity() const { return {size > least, size > 1}; }
  PEGRASP_HD double share(int parts) const { return static_cast<double>(parts) / static_cast<double>(whole); }
  PEGRASP_HD double length(double h) const { return size == whole ? h : h * share(size); }
  // A rejected attempt is tried again at half the length; lengths grow back as soon as they are aligned.
  PEGRASP_HD void after(StepResult result) {
    if (result == StepResult::rejected) size /= 2;
    if (result != StepResult::done) return;
    at += size;
    while (size < whole && at % (2 * size) == 0 && at + 2 * size <= whole) size *= 2;
  }
};

PEGRASP_HD inline Substeps first_substep(const StepOptions& options) {
  // In 3D a rod that is hit at 100 m/s turns by half a radian in a millisecond: 16 ms / 2^8 keep its end within a few
  // millimetres.
  constexpr int further = is_spatial ? 4 : 0;
  const int least = options.max_substep_level > 0 ? 1 << further : 1;
  const int whole = least << options.max_substep_level;
  return {whole, 0, whole, least};
}

PEGRASP_HD inline void count_attempt(SceneTally& t, StepResult result) {
  const bool rejected = result == StepResult::rejected;
  if (rejected) ++t.outcome.substeps_rejected;
  if (!rejected && result != StepResult::done) return;
  t.islands.bodies_tried += t.islands.own_count;
  t.islands.bodies_rejected += rejected ? t.islands.own_count : 0;
}

// Takes s to the end of the step by the parts that it needs.
template <class Team>
PEGRASP_HD StepResult advance_by_parts(Team& team, SceneView& s, const StepOptions& options) {
  Substeps substeps = first_substep(options);
  StepResult result = StepResult::done;
  while (!substeps.over() && (result == StepResult::done || result == StepResult::rejected)) {
    StepOptions sub = options;
    sub.h = substeps.length(options.h);
    once(team, [&] { s.tally->time0 = step_begin(s, options) + options.h * substeps.share(substeps.at); });
    result = step_scene(team, s, sub, substeps.capacity());
    once(team, [&] { count_attempt(*s.tally, result); });
    substeps.after(result);
  }
  return result;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
