// SPDX-License-Identifier: Apache-2.0
// Bodies in 3D whose joints pull so hard that a turn of theirs swings faster than the step can follow. They get more
// inertia and a drag towards the spins of their neighbours: docs/explanation/solvers.md, "Light links".
#pragma once

#include <span>
#include <vector>

#include "pegrasp/options.hpp"
#include "src/reference/spatial/motion.hpp"

namespace pegrasp::reference::spatial {

struct Held {
  bool held = false;
  Matrix3 inertia = Matrix3::Zero();  // added, world [kg m^2]
  Vector3 drag = Vector3::Zero();     // impulse of the drag without that of the new spin [N m s]
};

// (bodies) for a step of h [s]. middle: (bodies) the free motion. impulses: of the last solve's joint rows, in their
// order, over a step of kept_h [s]; if their number is another, nothing is held.
std::vector<Held> held_taut(const SpatialNumbers& numbers, const SpatialState& start, std::span<const char> present,
                            const std::vector<FreeMotion>& middle, std::span<const double> impulses, double kept_h,
                            double h);

// The end of an attempt.
struct SpatialAttemptEnd {
  const SpatialState& start;
  const std::vector<FreeMotion>& middle;  // (bodies)
  const std::vector<Twist6>& velocity;    // (bodies) of the last solve
  std::span<const char> present;
  const std::vector<Held>& held;          // (bodies) of its last pass, or empty
  std::span<const double> joint_impulse;  // of its last solve [N s]
};
// Whether two bodies that a joint connects, both free to turn, swing its arm by more than half a radian, or what is
// added to a body brakes it by more than twice what the joints could turn it.
bool swings_too_far(const SpatialNumbers& numbers, const SpatialAttemptEnd& swing, const StepOptions& options);

}  // namespace pegrasp::reference::spatial
