// SPDX-License-Identifier: Apache-2.0
// Whether linear conditions leave a motion, and whether a quasistatic step was the only one possible (Berard's thesis,
// proposition 1).
#pragma once

#include <vector>

#include "pegrasp/scene.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

// Conditions on a motion d of so many coordinates: a . d >= 0, and a . d = 0.
struct MotionCone {
  int size = 0;
  std::vector<std::vector<double>> not_negative, zero;
};

// Whether d = 0 is all that the conditions leave: two linear programs for each coordinate, which make it as large and
// as small as |d_i| <= 1 allows, by the simplex method with Bland's rule.
bool leaves_rest_alone(const MotionCone& cone);

// The conditions of (3.48) after a step of a scene without joints: contacts that carry force neither open nor slip,
// those that are closed do not close, support points do not slip, and applied forces do no negative work. Contacts
// without friction may slip. The simulation watches its contacts (Simulation::watch_contacts()). closed: gap [m].
MotionCone cone_of_step(const SceneSpec& scene, const Simulation& simulation, double closed);

}  // namespace pegrasp
