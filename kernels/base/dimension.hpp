// SPDX-License-Identifier: Apache-2.0
// The sizes that depend on the dimension. Code that differs between the two is in files of the same name in
// kernels/planar/ and kernels/spatial/, or behind `if constexpr (is_spatial)`.
#pragma once

#include "kernels/base/platform.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

#if defined(PEGRASP_SPATIAL)
constexpr bool is_spatial = true;
constexpr int dof = 6;            // generalised velocity of a body: vx, vy, vz, wx, wy, wz, world
constexpr int pose_size = 7;      // x, y, z of the centre of mass, w, x, y, z of the turn
constexpr int frame_size = 9;     // rotation matrix by rows
constexpr int mass_size = 7;      // 1/m, and the inverse inertia xx, xy, xz, yy, yz, zz in the world
constexpr int momentum_size = 3;  // angular momentum, world: the state that a free body keeps
constexpr int box_size = 6;       // lows, then highs
constexpr int taut_size = 32;     // kernels/spatial/taut.hpp
constexpr int tangent_size = 6;  // a contact's friction as it is kept for the next solve: impulse, moment by arm, world
constexpr int contact_rows_most = 3;
constexpr int deflection_size = 3;  // of a shell in its surface (kernels/contact/shell_rows.hpp), world
constexpr int joint_rows_most = 6;
constexpr int joint_frame_size = 24;  // per joint: origin and three axes in body a, then in body b
constexpr int motor_rows_most = 3;    // of a spherical joint
constexpr bool has_islands = true;    // kernels/step/islands.hpp
// Where a contact of the last solve was, world [m]. It identifies the contact when the features in its key have
// changed.
struct KeptPlace {
  double place[3];
};
using WarmPlace = KeptPlace;
#else
constexpr bool is_spatial = false;
constexpr int dof = 3;         // vx, vy, omega
constexpr int pose_size = 3;   // x, y, theta
constexpr int frame_size = 2;  // cosine, sine
constexpr int mass_size = 4;   // xx, xy, yy of M^-1's linear part, and 1 / inertia
constexpr int momentum_size = 0;
constexpr int box_size = 4;
constexpr int taut_size = 7;  // kernels/planar/taut.hpp
constexpr int tangent_size = 1;
constexpr int contact_rows_most = 2;
constexpr int deflection_size = 1;
constexpr int joint_rows_most = 3;
// Per joint: origin and x axis in body a, origin in body b, and by how much frame b is turned in body b beyond frame a
// in body a [rad].
constexpr int joint_frame_size = 7;
constexpr int motor_rows_most = 1;
constexpr bool has_islands = false;
struct NoPlace {};
using WarmPlace = NoPlace;
#endif
// What a step in 3D changes of a body: pose, velocity, momentum, frame; the length of the (sub)step, its acceleration
// and its spin.
constexpr int body_state_size = pose_size + dof + momentum_size + frame_size + 1 + dof + 3;

}  // namespace pegrasp::PEGRASP_ARITHMETIC
