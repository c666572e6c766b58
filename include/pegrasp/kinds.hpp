// SPDX-License-Identifier: Apache-2.0
// The kinds of things that a scene is made of, shared by the host and the kernels. Their numbers are in compiled
// models.
#pragma once

namespace pegrasp {

// dynamic: moved by forces; fixed: never moves; kinematic: follows prescribed motion, whatever touches it.
enum class BodyKind : int { dynamic = 0, fixed, kinematic };

// What an actuator does (ActuatorSpec says it in full): applies a force, keeps a speed, approaches a position, or makes
// a body follow its keyframes. The last one has no name in files: limit_force() makes it.
enum class ActuatorKind : int { force = 0, velocity_servo, position_servo, follow };

// What a joint leaves of the motion of one body in another (Williams' thesis, table 2.1). The last two are for 3D.
//   fixed        nothing
//   revolute     turns about the axis
//   prismatic    slides along the axis
//   cylindrical  both
//   spherical    turns about the joint's origin
// A distance joint holds nothing: its slide is the distance of its two points, on which springs act (add_spring()).
enum class JointKind : int { fixed = 0, revolute, prismatic, cylindrical, spherical, distance };

// Where the frames of a joint are when parameters put its bodies elsewhere than the scene does: where each body carries
// its own; or where the second body carries its own, to which the first one's is moved; or the other way round. In the
// last two the coordinates of the joint begin at 0.
enum class JointAnchor : int { as_given = 0, by_second, by_first };

// How bodies answer to forces.
//   dynamic      they are accelerated
//   quasistatic  forces balance in every step, and bodies move no farther than contacts and prescribed motion make them
//                (Berard's thesis, 3.4)
enum class MotionModel : int { dynamic = 0, quasistatic };

// The predicates of a success condition (pegrasp/predicate.hpp): leaves, and what combines them.
//   gap_below           the separation of part_a and part_b is at most `value` [m], and part_b on the `side` of part_a:
//                       separating normal . side >= 1/2. `side` is a unit vector in the frame of part_a's body; (0, 0)
//                       is any side.
//   pose_within         x and y of a `point` of the body, and theta, are inside [low, high], in the world, or relative
//                       to body_b's frame when body_b >= 0, for at least `duration` [s] up to now. In 3D x, y and z
//                       are, and the body has turned by at most `tilt` [rad] since the start.
//   speed_below         the speed of every point of the body is at most `value` [m/s] for at least `duration` [s] up to
//                       now
//   displacement_below  the centre of mass is within `value` [m] of where it started
//   all, any            of the last `count` values
//   negate              of the last value
//   held                since time `since` [s] the body has moved by at most `value` [m] and turned by at most `tilt`
//                       [rad], as body_b (or the world) sees it
//   touching            contacts of the body, with body_b where body_b >= 0, carry force, for at least `duration` [s]
//                       up to now
//   contact_force       the sum of the normal forces of these contacts, each step's mean, is in [value, most] [N]: for
//                       at least `duration` [s] up to now; with count = 1, in every step that ends at or after `since`
//                       [s]
enum class PredicateKind : int {
  gap_below = 0,
  pose_within,
  speed_below,
  displacement_below,
  all,
  any,
  negate,
  held,
  touching,
  contact_force,
};

// How an uncertain number is distributed (struct Distribution).
enum class DistributionKind : int {
  constant = 0,
  uniform,
  normal,
  truncated_normal,
  log_normal,
  choice,
  measured,
  given,
  mixture
};

}  // namespace pegrasp
