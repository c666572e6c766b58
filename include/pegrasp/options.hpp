// SPDX-License-Identifier: Apache-2.0
// What a simulation is asked to do, and what it returns. Plain data, shared by the host and the kernels.
#pragma once

#include <cstdint>

namespace pegrasp {

// How contact is modelled. docs/explanation/contact-models.md derives each.
enum class ContactModel : int {
  peg = 0,       // one separating feature per pair of convex parts, re-linearised (default)
  peg_features,  // Williams' U, I and X constraints (thesis, algorithms 8-11; in 3D 12-17), solved with the max rule
  standard,      // every near vertex-edge pair unilateral
  corrective,    // only pairs that overlap already, one contact each
  // Springs, dampers and an integral term on the points by which bodies overlap, in 3D on the CPU (src/penalty/):
  penalty,          // on all points of the bottom of the overlap (Drumwright)
  penalty_deepest,  // on the deepest point alone
  // Every event of Hart's ratio metric within reach is unilateral, one linearisation a step, on the CPU:
  ratio,
};

constexpr bool is_penalty(ContactModel contact) {
  return contact == ContactModel::penalty || contact == ContactModel::penalty_deepest;
}

// How scenes with penalty contacts are integrated. Joints and servos take `semi_implicit`.
enum class PenaltyIntegrator : int {
  rk4 = 0,        // Runge and Kutta's of fourth order, forces at four places a step
  semi_implicit,  // forces change velocities, these the poses
};

// The law of penalty contacts (docs/explanation/contact-models.md). Gains are those of a pair of bodies, by their mass
// together; bodies that are not dynamic count 0.
struct PenaltyOptions {
  double stiffness = 100.0;    // k_p [N/m per kg], > 0
  double damping = 50.0;       // k_v [N s/m per kg]
  double integral = 2.0;       // k_i [N/m per kg], of the sum of past depths
  double lambda = 0.85;        // in [0, 1): by this that sum is forgotten from step to step
  double still_speed = 0.01;   // [m/s] below this slip friction is a spring with a damper
  double impact_speed = 1e-6;  // [m/s] bodies that meet faster are stopped by an impulse
  PenaltyIntegrator integrator = PenaltyIntegrator::rk4;
  bool operator==(const PenaltyOptions&) const = default;
};

enum class SolverKind : int {
  aj = 0,         // accelerated mass-split projected Jacobi
  pgs,            // projected Gauss-Seidel
  jacobi,         // projected Jacobi with relaxation (Williams' thesis, eq. 2.47)
  nncg,           // nonsmooth nonlinear conjugate gradients (Silcowitz, Niebe, Erleben)
  newton,         // augmented Lagrangian with semismooth Newton, AJ where that does not converge (default)
  stiff_newton,   // the same with stiff penalties from the start, also with friction
  island_newton,  // batched strategy on a CPU: Newton in every island, with a sparse elimination; then AJ
};

// When in a step the springs of compliant shells are asked for their force (CompliantShell).
enum class SpringForce : int {
  end = 0,  // at its end: stable at any stiffness, and of first order; a spring loses energy
  start,    // at its start: of second order, for steps well below the period of the springs
};

enum class Arithmetic : int { strict = 0, fast = 1 };

// How a scene is computed; the equations and the rule by which a solve ends are the same.
enum class Strategy : int {
  automatic = 0,  // by the size of the scene (derive_options)
  per_scene,      // one team a scene, for its whole trajectory
  batched,        // phase by phase, all rows of a batch in two sparse matrices; solver aj, no peg_features
};

// Status of a scene: what went wrong, as bits. 0: every step was solved to the tolerance and ended with no overlap
// beyond reject_depth, but for what bodies overlapped before it.
enum StatusBit : std::uint32_t {
  status_ok = 0,
  status_not_converged = 1u << 0,  // a step's residual stayed above the tolerance: raise max_iterations or lower h
  status_capacity = 1u << 1,       // more contacts than the workspace holds (re-run with more capacity by the batch)
  status_non_finite = 1u << 2,     // a state became NaN or infinite: the scene was stopped there
  status_too_deep =
      1u << 3,  // the smallest substep still penetrated more than reject_depth, or a joint began a step as far apart
  status_infeasible =
      1u << 4,  // bodies with prescribed motion leave others too little room: a proof shows that no motion obeys a step
  // Fast arithmetic alone: single precision does not reach the tolerance, at least not in few iterations. The scene
  // ends there; Backend and Simulation run it again in double precision, so that none of their results has this bit.
  status_single_precision = 1u << 5,
};

// Why no motion obeys a step (status_infeasible): a body has less room than it needs. Bodies by their index.
struct Squeeze {
  int body = -1;         // that has too little room; -1: none has
  int by[2] = {-1, -1};  // those that leave it: the two that push most; -1: there is no second
  double room = 0.0;     // [m] that is missing, at least
  double time = 0.0;     // [s] at the end of the (sub)step
};

// What becomes of a scene after a step that ended with a status bit.
enum class OnUnresolved : int {
  automatic = 0,  // stop in maps, go_on elsewhere
  stop,           // it ends there
  go_on,
};

// Numbers that steer one step. Lengths are absolute here; derive_options() fills those left at 0 from the scene.
struct StepOptions {
  double h = 0.005;  // step [s]
  ContactModel contact = ContactModel::peg;
  SolverKind solver = SolverKind::newton;
  Strategy strategy = Strategy::automatic;
  int max_passes = 5;         // linearisations a step, at most; in 3D twice as many before it is halved
  int max_iterations = 0;     // solver iterations a solve, at most; 0: 4000, for large scenes 20 000 (derive_options)
  int max_substep_level = 4;  // a step is halved at most this often
  // With contact peg: how often a step is halved around the time at which bodies that were apart come together
  // (docs/explanation/pair-modes.md). -1: 2 in planar scenes with few moving bodies, else 0 (derive_options).
  int landing_halvings = -1;
  // Solver iterations a step may take over all its solves (in 3D an island's step), and all unresolved steps of a scene
  // together. A step that has used them up is taken as it stands. 0: as many as 1.5 times
  // all passes at all levels, each of max_iterations (at least 4000), and twice as many.
  std::int64_t step_iterations = 0, scene_iterations = 0;
  double tolerance = 0.0;              // stopping residual [m/s]; 0: 1e-6, 3e-7 or less (derive_options)
  double penetration_tolerance = 0.0;  // accepted overlap [m]; 0: 1e-6 of the length scale
  double reject_depth = 0.0;       // overlap [m] that makes a step too deep; 0: 3e-5 of the length scale, in 3D 1e-5
  double detect_distance = 0.0;    // smallest eps [m] of the broad phase; 0: 1e-3 of the length scale
  double recovery_speed = 0.0;     // cap on the depenetration speed [m/s]; 0: 1 length scale a second
  double jacobi_relaxation = 0.5;  // lambda of eq. 2.47
  double still_speed = 1e-4;       // stop rule: every dynamic body slower than this [m/s] ...
  double still_time = 0.0;         // ... for this long [s]; 0 switches the stop rule off
  double duration = 1.0;           // time limit [s]
  OnUnresolved on_unresolved = OnUnresolved::automatic;
  bool warm_start = true;
  // In 3D, solver newton: contacts share loads evenly where nothing else decides, and with contact peg they
  // close little of small overlaps (docs/explanation/solvers.md).
  bool load_sharing = false;
  // In 3D, contact model peg: the first linearisation of a step is about the motion that bodies have, for pairs that
  // touch (docs/explanation/pair-modes.md).
  bool look_ahead = false;
  bool islands = true;  // in 3D bodies that may touch are accepted, or halved, apart from others; false: all as one
  SpringForce spring_force = SpringForce::end;  // of compliant shells
  PenaltyOptions penalty{};                     // with contact penalty and penalty_deepest
  // With contact ratio, in [0, 1]: the share of a gap, of an overlap or of what joints are apart that a step may, or
  // must, close. 0: overlaps are not undone, and only bodies that touch or overlap have contacts.
  double gamma = 1.0;
  bool operator==(const StepOptions&) const = default;
};

// What one simulated scene returns, besides its final poses.
struct SceneOutcome {
  std::uint32_t status = status_ok;  // StatusBit
  int success = 0;                   // 1: the success predicate held at the end
  int stopped_still = 0;             // 1: ended by the stop rule, 0: by the time limit (or a fault)
  int steps = 0;                     // steps of size h
  int substeps_rejected = 0;         // attempts that were restored and halved
  int unresolved_steps = 0;          // steps that ended with a status bit set
  int contacts_max = 0;
  int contacts_demand = 0;        // capacity for contacts that the scene asked for at most (> capacity: overflow)
  std::int64_t contacts_sum = 0;  // over accepted (sub)steps
  std::int64_t substeps = 0;      // accepted (sub)steps
  std::int64_t solves = 0;
  std::int64_t iterations = 0;   // over all solves
  double time = 0.0;             // simulated [s]
  double residual_max = 0.0;     // largest natural-map residual of an accepted (sub)step [m/s]
  double penetration_max = 0.0;  // largest overlap depth at the end of an accepted (sub)step [m]
  // 1: fast arithmetic, but simulated in double precision from the start, since single precision did not reach the
  // tolerance.
  std::int64_t in_double = 0;
  // Where the scene measures forces (SceneSpec::measure_forces); forces are means over a step of length h.
  double grip_force_max = 0.0;   // largest sum of the normal forces of all contacts on one dynamic body [N]
  double slip_margin_min = 1.0;  // least (mu p_n - |p_t|) / (mu p_n) of contacts with friction that carry force
  double slip_margin_end = 1.0;  // the same of the last step
  // Where the scene watches a part that is held (SceneSpec::watch).
  double start_overlap = 0.0;    // of the part with what is to hold it, as the trial begins [m]
  double touch_first = -1.0;     // end of the first step in which the part was touched [s]; -1: never
  double touch_last = -1.0;      // of the last one
  double hold_force_max = 0.0;   // largest sum of the normal forces on the part, of a step [N]
  double hold_margin_min = 1.0;  // least margin to slip of the part's contacts
  double hold_slip_max = -1.0;   // farthest that the part has shifted [m]; -1: not looked at yet
  double hold_tilt_max = -1.0;   // and turned [rad]
  // Where the scene measures it (SceneSpec::measure_margin): how far the success condition is from changing, at least 0
  // with success and below 0 without. Lengths count in mm, angles in degrees, speeds in mm/s, forces in N, times in ms.
  double success_margin = 0.0;
};

}  // namespace pegrasp
