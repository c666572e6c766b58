// SPDX-License-Identifier: Apache-2.0
// The step problem of a planar scene (src/reference/step/step_problem.hpp), linearised at a pose q_L that the velocity
// nu_L led to:
//
//   contact   w = (psi(q_L) - target) / h + G(q_L)' (nu - nu_L) >= 0  _|_  p >= 0    (thesis 2.27; nu_L = 0 at first);
//             sliding velocity t . slip / h + T' (nu - nu_E), slip being how far b slides over a from the start to
//             the end poses that nu_E leads to. G and t are those at the start for contacts that are closed
//             there, and those at q_L for others
//   support   velocity of the support point in its two directions, |p| <= k mu_s N   (Berard 3.25)
//   servo     speed - target speed in the middle of the step, |p| <= k limit; with PD gains common/servo.hpp
//   joint     (psi(q_L) - target) / h + G(q_L)' (nu - nu_L) = 0; limits are contacts without friction. Impulses act
//             along the gradient at the start of the step, as in SHAKE.
//
// with k = (h_ + h) / 2, the time that forces act where the step begins (motion.hpp).
//
// The generalised coordinates are those of the dynamic bodies that are present: three each, or one along its axis for a
// body on a rail.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/reference/common/shell.hpp"
#include "src/reference/planar/manifold.hpp"
#include "src/reference/planar/scene.hpp"
#include "src/reference/step/step_problem.hpp"

namespace pegrasp::reference {

class PlanarCoordinates {
 public:
  // present: (bodies), not 0 where the body takes part.
  PlanarCoordinates(const PlanarNumbers& numbers, std::span<const char> present);

  int size() const { return static_cast<int>(body_of_.size()); }
  bool moves(int body) const { return first_[static_cast<std::size_t>(body)] >= 0; }
  const std::vector<int>& body_of() const { return body_of_; }  // (size) body of each coordinate
  const SparseMatrix& mass() const { return mass_; }
  // Adds to the inertia [kg m^2] of a body that turns.
  void add_inertia(int body, double inertia) { mass_.coeffRef(turn_of(body), turn_of(body)) += inertia; }
  int turn_of(int body) const { return first_[static_cast<std::size_t>(body)] + 2; }  // of a body that turns
  // Converts a velocity or a generalised force between its three components and the coordinates of the body.
  void write(int body, const Vector3& full, Vector& reduced) const;
  Vector3 read(int body, const Vector& reduced) const;
  // Adds the gradient j of a body to a row. All coordinates of the body get entries, zeros too, so that the row counts
  // as acting on the body.
  void add(int body, const Vector3& j, SparseVector& gradient) const;

 private:
  const PlanarScene* scene_;
  std::vector<int> first_;  // (bodies) -1: no coordinates
  std::vector<int> body_of_;
  SparseMatrix mass_;
};

// A contact of a pair of parts, ready for a row.
struct PairContact {
  int pair = 0;  // index into the near pairs
  int body_a = 0, body_b = 0;
  ContactPoint at;
  double target = 0.0;  // [m] gap that the step must reach
  double mu = 0.0;
  ShellContact shell = {};
  std::optional<ContactPoint> started = std::nullopt;  // a smooth part's: the nearest point at the start of the step
};

// The data from which the rows of a step are made; (bodies) each.
struct StepState {
  std::vector<Vector3> pose;               // at the start of the step
  std::vector<Vector3> velocity;           // u, before the step; of bodies kinematic: within the step
  std::vector<double> last;                // [s] length of the last (sub)step
  std::vector<Vector3> acceleration;       // mean where that one began
  std::vector<Vector3> linearised_pose;    // q_L
  std::vector<Vector3> linearised_motion;  // nu_L, zero in the first pass
  std::vector<Vector3> end_pose;           // where end_motion leads: that of the last pass, at first the free motion
  std::vector<Vector3> end_motion;
  std::vector<Vector3> free_motion;
  std::vector<double> drag;  // impulses [N m s] on bodies that joints hold taut; or empty
  double time = 0.0;         // at the start [s]
  double recovery = 0.0;     // [m] of what joints are apart by, that a step may undo
  double closed = 0.0;       // [m] penetration tolerance: larger gaps are open
  bool first_pass = true;
  bool late_pass = false;  // contacts push along their normals at the end
  SpringForce spring_force = SpringForce::end;
};

// Makes the rows. The contacts of pairs come first, then the limits of joints. h: length of the step [s]. A step of
// length 0 completes the last one, as in kernels/: closed gaps must not close further, open ones are out of reach.
StepProblem make_step_problem(const PlanarNumbers& numbers, const PlanarCoordinates& coordinates,
                              const StepState& state, std::span<const PairContact> contacts,
                              std::span<const char> present, double h);

// The deflection along the surface [m] that the impulses of a contact with a shell leave it with; p: tangential, nu:
// the velocity of the solution.
double deflected(const PlanarNumbers& numbers, const StepState& state, const PairContact& c, const Contact& row,
                 double p, const Vector& nu, double h);

// The support points and actuators to which the supports and motors of the problem belong, in order.
std::vector<int> active_supports(const PlanarNumbers& numbers, std::span<const char> present);
std::vector<int> active_motors(const PlanarNumbers& numbers, std::span<const char> present, double h);

// How far [m] springs are at the poses `end` (bodies) from the lengths to which the impulses of the solve belong, which
// are in the order of the motors; of a spring that yields, by the share with which it does not. h: of the step [s].
double spring_error(const PlanarNumbers& numbers, const PlanarCoordinates& coordinates, const StepState& state,
                    std::span<const char> present, double h, const std::vector<Vector3>& end,
                    std::span<const double> motors);

}  // namespace pegrasp::reference
