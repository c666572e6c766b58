// SPDX-License-Identifier: Apache-2.0
// Bodies in 2D whose joints pull so hard that a turn of theirs swings faster than the step can follow. They get more
// inertia and a drag towards the spins of their neighbours: docs/explanation/solvers.md, "Light links".
#pragma once

#include <span>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/planar/scene.hpp"

namespace pegrasp::reference {

struct PlanarHeld {
  double inertia = 0.0;  // added [kg m^2]; 0: the body is left alone
  double drag = 0.0;     // impulse of the drag without that of the new spin [N m s]
};

// (bodies) for a step of h [s] that starts with these poses and velocities (bodies). impulses: of the last solve's
// joint rows, in their order, over a step of kept_h [s]; if their number is another, nothing is held.
std::vector<PlanarHeld> held_taut(const PlanarNumbers& numbers, const std::vector<Vector3>& pose,
                                  const std::vector<Vector3>& velocity, std::span<const char> present,
                                  std::span<const double> impulses, double kept_h, double h);

// The end of an attempt.
struct PlanarAttemptEnd {
  const std::vector<Vector3>& pose;  // (bodies) where it starts
  const std::vector<Vector3>& start_velocity;
  const std::vector<Vector3>& velocity;
  std::span<const char> present;
  const std::vector<PlanarHeld>& held;    // (bodies) of its last pass, or empty
  std::span<const double> joint_impulse;  // of its last solve [N s]
};
// Whether two bodies that a joint connects, both free to turn, swing its arm by more than half a radian, or what is
// added to a body brakes it by more than twice what the joints could turn it.
bool swings_too_far(const PlanarNumbers& numbers, const PlanarAttemptEnd& swing, const StepOptions& options);

}  // namespace pegrasp::reference
