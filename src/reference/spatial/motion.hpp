// SPDX-License-Identifier: Apache-2.0
// The state of spatial bodies and their motion without contacts. The state includes the angular momentum L (world),
// which is constant where nothing acts. The inertia of a step is that in its middle, after half of the free turn:
//
//   w = I(q)^-1 L;  five times  q_m = exp(h/2 w) q,  w = I(q_m)^-1 L
//
// With this inertia impulses change w. As in 2D (src/reference/planar/motion.hpp) forces act where a step begins, for
// half of the last one and half of this one. At the end, L += I(q_m) (w+ - w) and q = exp(h w+) q.
#pragma once

#include <vector>

#include "src/reference/spatial/scene.hpp"

namespace pegrasp::reference::spatial {

struct Twist6 {
  Vector3 linear = Vector3::Zero(), angular = Vector3::Zero();
};

// (bodies) each
struct SpatialState {
  std::vector<Vector3> position;  // of the centres of mass
  std::vector<Turn> turn;
  std::vector<Twist6> velocity;
  std::vector<Vector3> momentum;  // angular, of dynamic bodies
  std::vector<double> last;       // [s] length of the last (sub)step, in whose middle velocities and momenta are
  // Velocities in that one itself: `velocity` has the spin that belongs to the momentum and the present turn.
  std::vector<Twist6> motion;
  std::vector<Twist6> acceleration;  // mean where that one began
};
SpatialState start_state(const SpatialNumbers& numbers);

// The frame of a body, in which its parts are described.
Placement frame_of(const SpatialNumbers& numbers, int body, const Vector3& position, const Turn& turn);

struct FreeMotion {
  Matrix3 inertia = Matrix3::Identity();  // world, in the middle of the step
  Vector3 spin = Vector3::Zero();         // w there
};
FreeMotion free_spin(const SpatialNumbers& numbers, int body, const Turn& turn, const Vector3& momentum, double h);

// The velocity that takes a kinematic body from its present pose to its keyframed pose at the end of the step [time,
// time + h]. Between keyframes bodies move and turn uniformly, the shorter way round. A body without keyframes keeps
// its velocity, and so do all where h is 0.
Twist6 prescribed_velocity(const SpatialNumbers& numbers, int body, const SpatialState& state, double time, double h);

// Puts a body that oscillates where it is at time t.
void place_oscillating(const SpatialNumbers& numbers, int body, double t, SpatialState& state);

// A motor that makes its body follow its prescribed motion (ActuatorKind::follow): the direction of its force or torque
// at a time; and the velocity that it asks for in a step of h [s]. As in 2D (src/reference/planar/motion.hpp); the
// second direction across the way is level, or y where the way is upright.
Vector3 follow_direction(const SpatialNumbers& numbers, int actuator, double time);
Twist6 follow_velocity(const SpatialNumbers& numbers, int actuator, const SpatialState& state, double time, double h);

// An upper bound of the speed of the fastest point of the body [m/s].
double fastest_point(const SpatialNumbers& numbers, int body, const Twist6& velocity);

// Rotational energy [J] of a body with the turn and the angular momentum.
double spin_energy(const SpatialNumbers& numbers, int body, const Turn& turn, const Vector3& momentum);

}  // namespace pegrasp::reference::spatial
