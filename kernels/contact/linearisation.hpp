// SPDX-License-Identifier: Apache-2.0
// The pose and motion about which contacts are linearised, pass by pass.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Whether later passes of a step linearise contacts at the end pose of the last solve. Contact models other than peg
// linearise them once, at the start pose.
PEGRASP_HD inline bool linearises_anew(const StepOptions& options) { return options.contact == ContactModel::peg; }

// Whether a step solves one problem and takes what comes of it: joints, too, are linearised once, and closed by the
// share gamma of what they are apart.
PEGRASP_HD inline bool solves_once(const StepOptions& options) {
  return !for_device && options.contact == ContactModel::ratio;
}

// Whether the first pass linearises pairs that touch at the start about the end pose to which the last velocities lead
// (docs/explanation/pair-modes.md). Bodies that roll, slide or rest go on as they did, so that the first pass is
// more often the last.
PEGRASP_HD inline bool looks_ahead(const StepOptions& options) {
  return has_islands && options.look_ahead && linearises_anew(options);
}

// Whether contacts of the pair are linearised at an end pose: that of the last solve, or in the first pass the one to
// which the last velocities lead. Otherwise at the start pose.
PEGRASP_HD inline bool about_motion(const SceneView& s, const NearPair& pair) {
  return s.tally->contacts_later != 0 || (s.tally->pass == 0 && pair.ahead != 0);
}

// Whether solves start from load sharing (kernels/solver/load_sharing.hpp).
PEGRASP_HD inline bool loads_are_shared(const StepOptions& options) {
  return dof == 6 && options.load_sharing && options.solver == SolverKind::newton;
}

// The gap [m], less the pair's target, that a row is to close: all of it as a rule. With load sharing a row closes only
// a share of a small overlap. Where friction jams bodies (jaws that are not parallel around a part) no motion closes
// the overlap, and a step that asks for it leaves more than there was, until its answer is far off and the part slips.
// Of overlaps up to `settled` little is closed, from about twice that on everything.
PEGRASP_HD inline double gap_to_close(const StepOptions& options, double gap) {
  constexpr double share = 0.05;
  if (gap >= 0.0 || !loads_are_shared(options) || !linearises_anew(options)) return gap;
  const double settled = 0.2 * options.penetration_tolerance;
  return -max2(-share * gap, min2(-gap, 2.0 * (-gap - settled)));
}

// The speed [m/s] at which a row may close a gap [m], less its target. In a step without length closed gaps must not
// close further, and open ones are out of reach.
PEGRASP_HD inline double closing_speed(double gap, const StepOptions& options) {
  constexpr double any = 1e6;
  if (options.h > 0.0) return gap / options.h;
  return gap <= options.penetration_tolerance ? 0.0 : any;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
