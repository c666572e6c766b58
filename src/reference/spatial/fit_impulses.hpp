// SPDX-License-Identifier: Apache-2.0
// Impulses that a claimed velocity follows from.
#pragma once

#include "src/reference/spatial/cone_problem.hpp"

namespace pegrasp::reference::spatial {

// The impulses found of a convex problem (ConeProblem with claimed velocities), changed so that the velocity that
// follows from them comes as close to the claimed one as it can, by kinetic energy. Where a step is ill-conditioned, as
// of bodies jammed by friction, impulses that solve it to the tolerance leave velocities much farther apart than that.
// Only such impulses change as may: those of closed contacts, along the side of the cone where they slide, and across
// it as far as a slow slip lets friction turn, and those of motors within their bounds. Of the changes that serve as
// well the least one is taken.
StepSolution fit_impulses(const StepProblem& step, const ConeProblem& problem, const Vector& found,
                          const Vector& claimed);

}  // namespace pegrasp::reference::spatial
