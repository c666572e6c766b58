// SPDX-License-Identifier: Apache-2.0
// A body in 3D as a scene begins: pose, velocity, momentum, inertia.
#pragma once

#include "kernels/integrate/oscillation.hpp"
#include "kernels/spatial/pull.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The turn that a body's own parameters say.
PEGRASP_HD inline Turn given_turn(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  const int q = m.at.pose + pose_size * body + 3;
  Turn turn = normalised({s.parameter(q), s.parameter(q + 1), s.parameter(q + 2), s.parameter(q + 3)});
  const int tilt = m.at.tilt + 3 * body;
  const V3 phi{s.parameter(tilt), s.parameter(tilt + 1), s.parameter(tilt + 2)};
  if (dot(phi, phi) > 0.0) turn = normalised(exponential(phi) * turn);
  const double yaw = s.parameter(m.at.yaw + body);
  if (yaw != 0.0) turn = normalised(exponential({0.0, 0.0, yaw}) * turn);
  return turn;
}

PEGRASP_HD inline V3 given_place(const SceneView& s, int body) {
  const int x = s.model->at.pose + pose_size * body;
  return {s.parameter(x), s.parameter(x + 1), s.parameter(x + 2)};
}

// Where a body's frame starts: where its parameters say, moved as its carrier is from where the scene describes that.
PEGRASP_HD inline Turn start_pose(const SceneView& s, int body, V3& place) {
  const ModelView& m = *s.model;
  Turn turn = given_turn(s, body);
  place = given_place(s, body);
  const int carrier = m.body_carrier[body];
  if (carrier < 0) return turn;
  const double* described = m.body_described + pose_size * carrier;
  const Turn moved = normalised(given_turn(s, carrier) * conjugate(load_turn(described + 3)));
  V3 row[3];
  matrix_of(moved, row);
  const V3 arm = place - load3(described);
  const V3 swung{dot(row[0], arm), dot(row[1], arm), dot(row[2], arm)};
  place = place + (given_place(s, carrier) - load3(described)) + (swung - arm);
  return normalised(moved * turn);
}

// Takes a body that oscillates to where it begins: `place` [m], the returned turn, and the velocity nu (dof).
PEGRASP_HD inline Turn begin_oscillation(const SceneView& s, int body, Turn turn, V3& place, double* nu) {
  double displacement[dof];
  oscillation_at(s, body, 0.0, displacement, nu);
  const double yaw = s.parameter(s.model->at.yaw + body);
  const Turn z = exponential({0.0, 0.0, yaw});
  place = place + turned_vector(z, load3(displacement));
  const V3 phi = load3(displacement + 3);
  store3(turned_vector(z, load3(nu)), nu);
  store3(turned_vector(z, through_left_jacobian(load3(nu + 3), -phi, dot(phi, phi))), nu + 3);
  return normalised(exponential(turned_vector(z, phi)) * turn);
}

PEGRASP_HD inline void begin_body(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  double* pose = s.pose + pose_size * body;
  double* nu = s.twist + dof * body;
  for (int i = 0; i < dof; ++i) nu[i] = s.parameter(m.at.velocity + dof * body + i);
  s.last_h[body] = 0.0;
  for (int i = 0; i < dof; ++i) s.acceleration[dof * body + i] = 0.0;
  V3 place;
  Turn turn = start_pose(s, body, place);
  store_turn(turn, pose + 3);
  V3 row[3];
  matrix_of(turn, row);
  const V3 c = centre_offset(s, body);
  store3(place + V3{dot(row[0], c), dot(row[1], c), dot(row[2], c)}, pose);
  for (int i = 0; i < pose_size; ++i) s.initial_pose[pose_size * body + i] = pose[i];
  if (oscillates(m, body)) {
    V3 centre = load3(pose);
    turn = begin_oscillation(s, body, turn, centre, nu);
    store3(centre, pose);
    store_turn(turn, pose + 3);
    matrix_of(turn, row);
  }
  store_frame(turn, s.start_frame + frame_size * body);
  store3(load3(nu + 3), s.last_spin + 3 * body);
  double* im = s.inv_mass + mass_size * body;
  double* inertia = s.inertia + 18 * body;
  for (int i = 0; i < mass_size; ++i) im[i] = 0.0;
  for (int i = 0; i < 18; ++i) inertia[i] = 0.0;
  store3({0.0, 0.0, 0.0}, s.momentum + momentum_size * body);
  if (!is_dynamic(s, body)) return;
  im[0] = lightness(m) / s.parameter(m.at.mass + body);
  if (m.body_slides[body] != 0) {  // without inertia to answer to torques, and whatever velocity was asked for
    store3(along_rails(s, body, load3(nu)), nu);
    store3({0.0, 0.0, 0.0}, nu + 3);
    store3({0.0, 0.0, 0.0}, s.last_spin + 3 * body);
    return;
  }
  for (int i = 0; i < 6; ++i) inertia[i] = s.parameter(m.at.inertia + 6 * body + i) / lightness(m);
  const Symmetric tensor = load_symmetric(inertia);
  const Symmetric inverse_tensor = inverse(tensor);
  store_symmetric(inverse_tensor, inertia + 6);
  const Symmetric world = turned(tensor, row);
  store_symmetric(world, inertia + 12);
  if (remembers_motion(m)) store3(world * load3(nu + 3), s.momentum + momentum_size * body);
  store_symmetric(turned(inverse_tensor, row), im + 1);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
