// SPDX-License-Identifier: Apache-2.0
// The impulse by which two bodies that meet at a point stop each other: restitution 0, and Coulomb's friction.
#pragma once

#include "kernels/launch/penalty_contacts.hpp"
#include "src/geometry/vectors.hpp"

namespace pegrasp {

// Velocity of the point of a body that is at x.
inline Vec3 velocity_at(const PenaltyMotion& body, Vec3 x) { return body.velocity + cross(body.spin, x - body.centre); }

// The impulse on b at x [N s]; normal: unit, from a to b. Bodies that part there get none. One that sticks is taken
// where it lies in the cone of friction, else one along the slip.
Vec3 meeting_impulse(const PenaltyMotion& a, const PenaltyInertia& of_a, const PenaltyMotion& b,
                     const PenaltyInertia& of_b, Vec3 x, Vec3 normal, double friction);

// What an impulse at x does to a body.
void push(PenaltyMotion& body, const PenaltyInertia& inertia, Vec3 x, Vec3 impulse);

}  // namespace pegrasp
