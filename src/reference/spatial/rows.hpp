// SPDX-License-Identifier: Apache-2.0
// The step problem of a spatial scene (src/reference/step/step_problem.hpp), linearised at a pose q_L that the velocity
// nu_L led to:
//
//   contact   w = (psi(q_L) - target) / h + J (nu - nu_L) >= 0  _|_  p >= 0;  |p_t| <= mu p against the slip. In the
//             first pass nu_L is 0; for pairs that touch it is the velocity with which the bodies come.
//   joint     the same with w = 0;  limits are contacts without friction
//   servo     speed - target speed in the middle of the step, |p| <= k limit, k = (h_ + h) / 2; with PD gains
//             common/servo.hpp
//
// The end pose is exp(h w) q_0, so that J is the gradient times the left Jacobian of exp at h w_L. Impulses of contacts
// act along the gradient G alone, so that they do not change the total angular momentum. Impulses of joints act along
// the gradient at the start of the step, as in SHAKE.
//
// In the chosen coordinates the mass matrix is the identity: sqrt(m) v and L' w, where L L' is the inertia in the
// middle of the step. Each dynamic body that is present has six coordinates.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "src/reference/common/joint_targets.hpp"
#include "src/reference/common/shell.hpp"
#include "src/reference/spatial/joints.hpp"
#include "src/reference/spatial/touch.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference::spatial {

class SpatialCoordinates {
 public:
  // present: (bodies), not 0 where the body takes part. inertia: (bodies) world, of the step.
  SpatialCoordinates(const SpatialNumbers& numbers, std::span<const char> present, const std::vector<Matrix3>& inertia);

  int size() const { return static_cast<int>(body_of_.size()); }
  bool moves(int body) const { return first_[static_cast<std::size_t>(body)] >= 0; }
  const std::vector<int>& body_of() const { return body_of_; }  // (size) body of each coordinate
  void write(int body, const Twist6& velocity, Vector& coordinates) const;
  Twist6 read(int body, const Vector& coordinates) const;
  // The same for a force and a torque.
  void write_force(int body, const Twist6& force, Vector& coordinates) const;
  // Adds the part `row.linear . v + row.angular . w` of a body to a row.
  void add(int body, const Twist6& row, SparseVector& gradient) const;

 private:
  std::vector<int> first_;  // (bodies) -1: no coordinates
  std::vector<double> root_mass_;
  std::vector<char> turns_;
  std::vector<Matrix3> factor_;  // L
  std::vector<int> body_of_;
};

// Gaps up to this many penetration tolerances are closed where the step begins.
constexpr double closed_tolerances = 2.0;
// Beyond so much turn [rad] in a step late passes keep the directions of its start.
constexpr double far_turn = 0.05;

// A contact of a pair of parts, ready for a row.
struct PairContact {
  int pair = 0;  // index into the near pairs
  PartPair parts = {};
  int body_a = 0, body_b = 0;
  ContactPoint at;
  double target = 0.0;  // [m] gap that the step must reach
  double mu = 0.0;
  FrictionArms arms = {};
  bool touches = false;  // where the step begins the parts are closed
  bool ahead = false;    // in the first pass: linearised where the last velocities lead (StepView::ahead_motion)
  ShellContact shell = {};
};

// The data from which the rows of a step are made.
struct StepView {
  const SpatialNumbers& numbers;
  const SpatialCoordinates& coordinates;
  std::span<const char> present;
  const SpatialState& start;
  std::vector<Twist6> motion;                // (bodies) of bodies kinematic: within the step
  std::vector<Twist6> free;                  // (bodies) of dynamic ones without forces that act within the step
  std::vector<Vector3> linearised_position;  // (bodies) q_L
  std::vector<Turn> linearised_turn;
  std::vector<Twist6> linearised_motion;  // (bodies) nu_L; at the start pose zero
  std::vector<Twist6> free_motion;        // (bodies) the step's without contacts, joints and servos
  std::vector<Vector3> ahead_position;    // (bodies) the same of contacts that are ahead
  std::vector<Turn> ahead_turn;
  std::vector<Twist6> ahead_motion;
  std::vector<Vector3> end_position;  // (bodies) the end at hand, to which slip is measured
  std::vector<Turn> end_turn;
  std::vector<Twist6> end_motion;  // that leads there
  std::vector<Vector3> drag;       // (bodies) impulses [N m s] on bodies that joints hold taut; or empty
  std::vector<double> joint_turn;  // (joints) at the start, counted on
  bool first_pass = true;
  double time = 0.0, h = 0.0;
  double recovery = 0.0;  // [m] that a step may undo
  bool load_sharing = false;
  double penetration_tolerance =
      0.0;  // [m] contacts of a pair that are no farther apart share a spring; of smaller overlaps little is closed
  bool late_pass = false;  // contacts push along their normals at the end
  SpringForce spring_force = SpringForce::end;
};

// The limits of a scene's joints that act, in the order of their rows.
struct JointLimit {
  int joint;
  Freedom freedom;
};
std::vector<JointLimit> active_limits(const SpatialScene& scene, std::span<const char> present);
LimitGap limit_gap(const SpatialScene& scene, const JointLimit& limit, const JointAt& at, double last_turn);
// The actuators whose servos act, in the order of the motors.
std::vector<int> active_servos(const SpatialNumbers& numbers, std::span<const char> present, double h);

// What kinematic bodies add to the velocity of a row [m/s]: as a mean of the last step and this one, and in this one.
struct Carry {
  double mean = 0.0, now = 0.0;
  // The most [J] that they do by an impulse of the row: one that sets off does more than the mean says.
  double work(double impulse) const { return std::max(-impulse * mean, -impulse * now); }
};

// The rows. The contacts come first, then the limits (contacts without friction). Bilaterals are the rows of the
// joints, in order, then those of the couplings.
struct StepRows {
  StepProblem problem;
  std::vector<Carry> contact_carry, bilateral_carry;
  std::vector<std::vector<Carry>> tangent_carry;  // (contacts, tangents)
  std::vector<std::vector<Vector3>> directions;   // (contacts of pairs, 2) of slip
};
StepRows make_rows(const StepView& view, std::span<const PairContact> contacts);

// How far [m] springs are in the state `end` from the lengths to which the impulses of the solve belong, which are in
// the order of the motors; of a spring that yields, by the share with which it does not.
double spring_error(const StepView& view, const SpatialState& end, std::span<const double> motors);

}  // namespace pegrasp::reference::spatial
