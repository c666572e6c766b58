// SPDX-License-Identifier: Apache-2.0
// The state of planar bodies and their motion without contacts: prescribed motion, free motion
// nu_free = u + M^-1 (h_/2 f_ + h/2 f), and bounds on how far a body can move within a step.
//
// The velocity u of the state is that in the middle of the last (sub)step, of length h_ (leapfrog). Where a (sub)step
// of h begins, forces act at once for half of the last one and half of this one. A body that has made no step has h_ =
// 0.
#pragma once

#include <span>
#include <vector>

#include "src/reference/planar/scene.hpp"

namespace pegrasp::reference {

// (bodies) each: pose (x, y, theta) of the centre of mass; velocity (vx, vy, omega) in the middle of the last
// (sub)step, and the length of that [s]; mean acceleration where it began.
struct PlanarState {
  std::vector<Vector3> pose, velocity;
  std::vector<double> last;
  std::vector<Vector3> acceleration;
};

// The velocity that takes a kinematic body from `pose` to its keyframed pose at the end of the step [time, time + h].
// Poses are interpolated linearly between keyframes and held outside. A body without keyframes keeps `velocity`, and so
// do all where h is 0.
Vector3 prescribed_velocity(const PlanarNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity,
                            double time, double h);

// What a motor of a given force gives [N s or N m s] where a step of h [s] begins at `time` [s], after one of `last`
// [s].
template <class Numbers>
double given_impulse(const Numbers& numbers, int actuator, double time, double last, double h) {
  const double before = last > 0.0 ? numbers.target(actuator, time - 0.5 * last) : 0.0;
  return 0.5 * (last * before + h * numbers.target(actuator, time + 0.5 * h));
}

// A motor that makes its body follow its prescribed motion (ActuatorKind::follow): the direction of its force at a
// time, along the way that the body is to go or went last, or across it; and the velocity that it asks for in a step of
// h [s]. That is the velocity of the prescribed pose, and what takes the body from where it is, `pose`, to the
// prescribed one within the step. But it catches up no faster than sqrt(F d / m), d being how far it is behind: half of
// its force can stop it in time.
Vector3 follow_direction(const PlanarNumbers& numbers, int actuator, double time);
Vector3 follow_velocity(const PlanarNumbers& numbers, int actuator, const Vector3& pose, const Vector3& velocity,
                        double time, double last, double h);

// The generalised impulse [N s, N s, N m s] of gravity and of force motors on a dynamic body there, at these poses.
// Force motors act on the body itself or through its joints.
Vector3 applied_impulse(const PlanarNumbers& numbers, int body, const std::vector<Vector3>& pose,
                        std::span<const char> present, double time, double last, double h);

// The speed of the fastest point of the body [m/s].
double fastest_point(const PlanarBody& body, const Vector3& velocity);

// The speed [m/s] that gravity and the body's own motors can add to that there. What joints add only the solution of
// the step shows.
double driven_speed(const PlanarNumbers& numbers, int body, const Vector3& pose, const Vector3& velocity, double time,
                    double last, double h);

}  // namespace pegrasp::reference
