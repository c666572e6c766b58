// SPDX-License-Identifier: Apache-2.0
// What contacts are linearised about, pass by pass.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether later passes of a step linearise contacts at the end of the last solve. Other models do it once, where the
// step starts.
PEGRASP_HD inline bool linearises_anew(const StepOptions& options) { return options.contact == ContactModel::peg; }

// Whether the first pass linearises pairs that touch at the start where the last velocities lead
// (docs/explanation/pair-modes.md, 8): bodies that roll, slide or rest go on as they did, so that the first pass is the
// last more often than from the start of the step.
PEGRASP_HD inline bool looks_ahead(const StepOptions& options) {
  return has_islands && options.look_ahead && linearises_anew(options);
}

// Whether contacts of the pair are linearised about a motion, at the end pose at hand: that of the last solve, or in
// the first pass that of the last velocities.
PEGRASP_HD inline bool about_motion(const SceneView& s, const NearPair& pair) {
  return s.tally->contacts_later != 0 || (s.tally->pass == 0 && pair.ahead != 0);
}

// Whether solves start from load sharing (kernels/solver/load_sharing.hpp).
PEGRASP_HD inline bool loads_are_shared(const StepOptions& options) {
  return dof == 6 && options.load_sharing && options.solver == SolverKind::newton;
}

// The gap (less the pair's target) at which a row is linearised, as far as the row closes it: all of it. With load
// sharing not all of a small overlap: where friction wedges bodies (jaws that are not parallel around a part) no motion
// closes it, and a step that asks for it leaves more than there was, until its answer is far off and the part slips. Of
// overlaps up to `settled` little is closed, from about twice that on all.
PEGRASP_HD inline double gap_to_close(const StepOptions& options, double gap) {
  constexpr double share = 0.05;
  if (gap >= 0.0 || !loads_are_shared(options) || !linearises_anew(options)) return gap;
  const double settled = 0.2 * options.penetration_tolerance;
  return -max2(-share * gap, min2(-gap, 2.0 * (-gap - settled)));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
