// SPDX-License-Identifier: Apache-2.0
// Penalty contacts as the worker that steps such scenes asks for them (kernels/launch/cpu/penalty_worker_impl.hpp):
// contacts that push by springs and dampers, without rows and without a solver. src/penalty/ has the law.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pegrasp/geometry.hpp"

namespace pegrasp {

// Where a body is and how it moves. World.
struct PenaltyMotion {
  bool present = true;
  Vec3 origin;          // of the body's frame [m]
  Vec3 row[3];          // of the matrix that takes the frame's coordinates to the world's
  Vec3 centre;          // of mass [m]
  Vec3 velocity, spin;  // of the centre of mass [m/s], [rad/s]
};

// How a body answers to impulses: symmetric matrices xx, xy, xz, yy, yz, zz; 0 where it does not move.
struct PenaltyInertia {
  double inverse_mass[6] = {};     // [1/kg]
  double inverse_inertia[6] = {};  // [1/(kg m^2)], world
};

// What contacts do to a body, about its centre of mass.
struct PenaltyLoad {
  Vec3 force;   // [N]
  Vec3 torque;  // [N m]
};

// A point that pushes in a step. Impulses act on body_b, their opposites on body_a.
struct PenaltyContact {
  int body_a = 0, body_b = 0;   // of the scene
  int part_a = 0, part_b = 0;   // over all bodies
  bool face_of_b = false;       // the normal is that of a face of part_b
  Vec3 point;                   // [m]
  Vec3 normal;                  // unit, from body_a to body_b
  double depth = 0.0;           // [m]
  double friction = 0.0;        // coefficient
  double normal_impulse = 0.0;  // [N s] in the step
  Vec3 tangential_impulse;      // [N s]
  Vec3 slip;                    // of body_b against body_a, along the tangents [m/s]
  bool slides = false;
};

// The penalty contacts of one scene at a time. A step calls, in this order:
//   place(), where the last step has not left all bodies where they are now; meet(); loads(), first with `begins`, then
//   at the other places of the integrator; keep(); place() at the step's end.
class PenaltyContacts {
 public:
  virtual ~PenaltyContacts() = default;
  // A scene of these parameters begins: nothing has touched yet.
  virtual void begin(const double* parameters) = 0;
  // Finds the overlaps of all bodies. Returns the deepest [m].
  virtual double place(std::span<const PenaltyMotion> bodies) = 0;
  // Bodies that come together are stopped by impulses, which change their velocities.
  virtual void meet(std::span<PenaltyMotion> bodies, std::span<const PenaltyInertia> inertias) = 0;
  // Adds what contacts do at the given motions. begins: as they were placed, at the beginning of a step whose forces
  // act for `time` [s].
  virtual void loads(std::span<const PenaltyMotion> bodies, std::span<PenaltyLoad> loads, bool begins, double time) = 0;
  // Ends a step of h [s]: what is remembered of each pair.
  virtual void keep(double h) = 0;
  // Points that have pushed, of the step's beginning, and the impulses of bodies that met.
  virtual const std::vector<PenaltyContact>& contacts() const = 0;
};

}  // namespace pegrasp
