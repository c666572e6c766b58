// SPDX-License-Identifier: Apache-2.0
// Motion of a body in 3D. The state is the angular momentum L in the world, which is exactly constant where nothing
// acts. The inertia tensor of a step is that of its middle,
//   w = I(q)^-1 L;  five times  qm = exp(h/2 w) q,  w = I(qm)^-1 L;
// impulses change w by it, and at the step's end L = I(qm) w, q = exp(h w) q. Like all velocities L is that in the
// middle of a step (kernels/integrate/predict.hpp).
#pragma once

#include "kernels/integrate/oscillation.hpp"
#include "kernels/integrate/wrench.hpp"
#include "kernels/spatial/ball_motor.hpp"
#include "kernels/spatial/pull.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

constexpr int keyframe_size = 10;  // displacement, turn, rotation vector to the next

// Pose of prescribed motion at time `time`: displacement and turn, on top of the initial pose, before the body's yaw.
// keyframes: keyframe_pose, or keyframe_own.
PEGRASP_HD inline void prescribed_pose(const ModelView& m, const double* keyframes, int body, double time,
                                       V3& displacement, Turn& turn) {
  const double t = keyframe_clock(m, body, time);
  const int first = m.body_first_keyframe[body];
  const int last = m.body_first_keyframe[body + 1] - 1;
  int k = first;
  while (k < last && m.keyframe_time[k + 1] <= t) ++k;
  const double* a = keyframes + keyframe_size * k;
  displacement = load3(a);
  turn = load_turn(a + 3);
  if (k == last || !(t > m.keyframe_time[k])) return;
  const double f = (t - m.keyframe_time[k]) / (m.keyframe_time[k + 1] - m.keyframe_time[k]);
  displacement = displacement + f * (load3(a + keyframe_size) - displacement);
  turn = exponential(f * load3(a + 7)) * turn;
}

// Prescribed motion turns with the yaw of the initial pose (a map over yaw): a hand that approaches along x approaches
// along the turned x.
PEGRASP_HD inline void turn_by_yaw(const SceneView& s, int body, V3& displacement, Turn& turn) {
  const double yaw = s.parameter(s.model->at.yaw + body);
  if (yaw == 0.0) return;
  const Turn z = exponential({0.0, 0.0, yaw});
  V3 row[3];
  matrix_of(z, row);
  displacement = {dot(row[0], displacement), dot(row[1], displacement), dot(row[2], displacement)};
  turn = z * turn * conjugate(z);
}

// Adds the shift and the turn that turn along with a body's start.
PEGRASP_HD inline void add_own_motion(const SceneView& s, int body, double t, V3& displacement, Turn& turn) {
  const ModelView& m = *s.model;
  V3 shift;
  Turn own;
  prescribed_pose(m, m.keyframe_own, body, t, shift, own);
  const Turn along = turned_at_start(s, m.body_motion_in[body]);
  displacement = displacement + turned_vector(along, shift);
  turn = turn * (along * own * conjugate(along));
}

// Displacement and turn of a body that oscillates at time t, before its yaw. Its velocity then: twist (dof), with yaw.
PEGRASP_HD inline void oscillation_pose(const SceneView& s, int body, double t, V3& displacement, Turn& turn,
                                        double* twist) {
  double moved[dof];
  oscillation_at(s, body, t, moved, twist);
  displacement = load3(moved);
  const V3 phi = load3(moved + 3);
  turn = exponential(phi);
  const Turn yaw = exponential({0.0, 0.0, s.parameter(s.model->at.yaw + body)});
  store3(turned_vector(yaw, load3(twist)), twist);
  store3(turned_vector(yaw, through_left_jacobian(load3(twist + 3), -phi, dot(phi, phi))), twist + 3);
}

// Velocity that takes a kinematic body from its pose to its prescribed pose at time t + h; at h = 0 the last one.
PEGRASP_HD inline void prescribed_twist(const SceneView& s, int body, double t, double h, double* twist) {
  const ModelView& m = *s.model;
  if (h > 0.0 && m.body_sampled[body] != 0) {
    for (int i = 0; i < dof; ++i) twist[i] = s.parameter(m.at.velocity + dof * body + i);
    return;
  }
  const bool swings = oscillates(m, body);
  if (!(h > 0.0) || (!swings && m.body_first_keyframe[body] == m.body_first_keyframe[body + 1])) {
    for (int i = 0; i < dof; ++i) twist[i] = s.twist[dof * body + i];
    return;
  }
  V3 displacement;
  Turn turn;
  if (swings) {
    oscillation_pose(s, body, t + h, displacement, turn, twist);
    if (m.body_end_velocity[body] != 0) return;
  } else {
    prescribed_pose(m, m.keyframe_pose, body, t + h, displacement, turn);
  }
  turn_by_yaw(s, body, displacement, turn);
  if (!swings && m.body_motion_in[body] >= 0) add_own_motion(s, body, t + h, displacement, turn);
  store3((1.0 / h) * (position(s.initial_pose, body) + displacement - position(s.pose, body)), twist);
  store3((1.0 / h) * logarithm(turn * turn_of(s.initial_pose, body) * conjugate(turn_of(s.pose, body))), twist + 3);
}

// Puts a body that oscillates where it is at time t.
PEGRASP_HD inline void place_oscillating(const SceneView& s, int body, double t) {
  V3 displacement;
  Turn turn;
  double twist[dof];
  oscillation_pose(s, body, t, displacement, turn, twist);
  turn_by_yaw(s, body, displacement, turn);
  turn = normalised(turn * turn_of(s.initial_pose, body));
  store3(position(s.initial_pose, body) + displacement, s.pose + pose_size * body);
  store_turn(turn, s.pose + pose_size * body + 3);
  store_frame(turn, s.start_frame + frame_size * body);
}

// Impulse and its moment [N s, N m s] on a body, where a (sub)step of h [s] begins, from motors of given force, which
// drive it directly or through its joints.
PEGRASP_HD inline Wrench motor_impulse(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  const double last = s.last_h[body];
  Wrench sum{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (int k = 0; k < m.actuator_count; ++k) {
    const int joint = m.actuator_joint[k];
    if (m.actuator_kind[k] != static_cast<int>(ActuatorKind::force)) continue;
    if (joint < 0) {
      const double pull = m.actuator_body[k] == body ? given_impulse(s, k, last, h) : 0.0;
      sum.force = sum.force + pull * motor_axis(m, k);
      continue;
    }
    const bool first = m.joint_body_a[joint] == body;
    if ((!first && m.joint_body_b[joint] != body) || !joint_present(s, joint)) continue;
    if (drives_ball(m, k)) {
      const V3 torque = ball_impulse(s, k, last, h);
      sum.torque = first ? sum.torque - torque : sum.torque + torque;
      continue;
    }
    const JointGradient g = freedom_gradient(m, start_joint(s, joint), joint, m.actuator_rotary[k] != 0);
    const Wrench& pull = first ? g.a : g.b;
    const double impulse = given_impulse(s, k, last, h);
    sum.force = sum.force + impulse * pull.force;
    sum.torque = sum.torque + impulse * pull.torque;
  }
  return sum;
}

// Whether motors or the user set forces.
PEGRASP_HD inline bool forces_are_set(const SceneView& s) { return s.model->actuator_count > 0 || has_wrenches(s); }

// The same as motor_impulse(), of the wrench that the user has set.
PEGRASP_HD inline Wrench user_impulse(const SceneView& s, int body, double h) {
  double set[dof];
  set_impulse(s, body, h, set);
  return {load3(set), load3(set + 3)};
}

// Of both.
PEGRASP_HD inline Wrench given_wrench(const SceneView& s, int body, double h) {
  const Wrench motors = motor_impulse(s, body, h);
  if (!has_wrenches(s)) return motors;
  const Wrench user = user_impulse(s, body, h);
  return {motors.force + user.force, motors.torque + user.torque};
}

// The acceleration [m/s^2] that gravity gives the body.
PEGRASP_HD inline V3 gravity_on(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  return has_weight(s, body) ? V3{m.gravity_x, m.gravity_y, m.gravity_z} : V3{0.0, 0.0, 0.0};
}

// Returns w of a dynamic body's free motion; writes the inertia in mid-step to s.inertia and s.inv_mass.
PEGRASP_HD inline V3 middle_inertia(const SceneView& s, int body, double h) {
  constexpr int rounds = 5;
  double* inertia = s.inertia + 18 * body;
  const Symmetric inverse_body = load_symmetric(inertia + 6);
  const V3 momentum = load3(s.momentum + momentum_size * body);
  const Turn start = turn_of(s.pose, body);
  V3 row[3];
  matrix_of(start, row);
  Symmetric inverse_world = turned(inverse_body, row);
  V3 w = inverse_world * momentum;
  for (int round = 0; round < rounds; ++round) {
    matrix_of(exponential((0.5 * h) * w) * start, row);
    inverse_world = turned(inverse_body, row);
    w = inverse_world * momentum;
  }
  store_symmetric(turned(load_symmetric(inertia), row), inertia + 12);
  store_symmetric(inverse_world, s.inv_mass + mass_size * body + 1);
  return w;
}

PEGRASP_HD inline void free_motion(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  double* nu = s.free_twist + dof * body;
  for (int i = 0; i < dof; ++i) nu[i] = 0.0;
  if (!s.present[body] || m.body_kind[body] == static_cast<int>(BodyKind::fixed)) return;
  if (m.body_kind[body] == static_cast<int>(BodyKind::kinematic)) {
    prescribed_twist(s, body, s.tally->time0, h, nu);
    return;
  }
  const V3 before = remembers_motion(m) ? linear(s.twist, body) : V3{0.0, 0.0, 0.0};
  const double light = lightness(m);
  store3(before + (light * kick_time(s, body, h)) * along_rails(s, body, gravity_on(s, body)), nu);
  if (m.pull_count > 0) store3(linear(s.free_twist, body) + light * along_rails(s, body, pulled_speed(s, body, h)), nu);
  store3(middle_inertia(s, body, h), nu + 3);
  if (!forces_are_set(s)) return;
  const Wrench pull = given_wrench(s, body, h);
  apply_impulse(s, body, pull.force, pull.torque, nu);
}

// End pose of a body that moves with nu for h, and its frame.
PEGRASP_HD inline void place_end(const SceneView& s, const double* nu, int body, double h) {
  double* end = s.end_pose + pose_size * body;
  store3(position(s.pose, body) + h * linear(nu, body), end);
  const V3 w = angular(nu, body);
  if (w.x == 0.0 && w.y == 0.0 && w.z == 0.0) {
    for (int i = 3; i < pose_size; ++i) end[i] = s.pose[pose_size * body + i];
    for (int i = 0; i < frame_size; ++i) s.end_frame[frame_size * body + i] = s.start_frame[frame_size * body + i];
    return;
  }
  const Turn turn = normalised(exponential(h * w) * turn_of(s.pose, body));
  store_turn(turn, end + 3);
  store_frame(turn, s.end_frame + frame_size * body);
}

// w of the free motion without motors: that of the momentum in the middle of the step.
PEGRASP_HD inline V3 unforced_spin(const SceneView& s, int body) {
  return load_symmetric(plain_inverse(s, body)) * load3(s.momentum + momentum_size * body);
}

// The frame of a body at the end of the step if its velocity changes as in the last (sub)step. To be called while
// end poses are those of the free motion.
PEGRASP_HD inline Frame expected_frame(const SceneView& s, int body, double h) {
  if (!is_dynamic(s, body)) return end_frame(s, body);
  const double kick = kick_time(s, body, h);
  const double* a = s.acceleration + dof * body;
  const V3 v = linear(s.twist, body) + kick * load3(a);
  const V3 w = load3(s.last_spin + 3 * body) + kick * load3(a + 3);
  Frame out{{0.0, 0.0, 0.0}, {}};
  matrix_of(normalised(exponential(h * w) * turn_of(s.pose, body)), out.row);
  out.origin = position(s.pose, body) + h * v - rotate(out, centre_offset(s, body));
  return out;
}

// Look ahead: sets s.nu and the end pose of a body as if nothing acted within the step. A kinematic body keeps its
// own.
PEGRASP_HD inline void look_ahead(const SceneView& s, int body, double h) {
  double* nu = s.nu + dof * body;
  for (int i = 0; i < dof; ++i) nu[i] = s.free_twist[dof * body + i];
  if (!is_dynamic(s, body)) return;
  store3(linear(s.twist, body), nu);
  store3(unforced_spin(s, body), nu + 3);
  place_end(s, s.nu, body, h);
}

// L . I^-1 L / 2 [J] for a body with the rotation of these rows.
PEGRASP_HD inline double spin_energy(const SceneView& s, int body, const V3* row) {
  const V3 momentum = load3(s.momentum + momentum_size * body);
  return 0.5 * dot(momentum, turned(load_symmetric(s.inertia + 18 * body + 6), row) * momentum);
}

// Whether the fixed-point rounds have converged and the free rotation keeps its energy, both to the share `most`. Thin
// bodies that turn far need shorter steps.
PEGRASP_HD inline bool turns_as_it_should(const SceneView& s, int body, double h, double most) {
  const V3 w = unforced_spin(s, body);
  const Turn start = turn_of(s.pose, body);
  V3 row[3];
  matrix_of(exponential((0.5 * h) * w) * start, row);
  const V3 momentum = load3(s.momentum + momentum_size * body);
  const V3 again = turned(load_symmetric(s.inertia + 18 * body + 6), row) * momentum;
  if (norm(again - w) > most * norm(w)) return false;
  matrix_of(start, row);
  const double before = spin_energy(s, body, row);
  matrix_of(exponential(h * w) * start, row);
  return abs1(spin_energy(s, body, row) - before) <= most * before;
}

// Kinetic energy [J], with the inertia in the middle of the step.
PEGRASP_HD inline double kinetic_energy(const SceneView& s, int body, const double* nu) {
  const V3 v = linear(nu, body);
  const V3 w = angular(nu, body);
  const double mass = s.parameter(s.model->at.mass + body);
  return 0.5 * (mass * dot(v, v) + dot(w, load_symmetric(s.inertia + 18 * body + 12) * w));
}

// The angular momentum that a step with the velocities s.nu leaves.
PEGRASP_HD inline V3 momentum_after(const SceneView& s, int body) {
  const V3 change = angular(s.nu, body) - unforced_spin(s, body);
  return load3(s.momentum + momentum_size * body) + load_symmetric(s.inertia + 18 * body + 12) * change;
}

// Kinetic energy [J] with the inertia at the end pose, which the next step starts from. If a body was hit and turns
// far, it differs from that with the inertia in the middle of the step.
PEGRASP_HD inline double kinetic_energy_after(const SceneView& s, int body) {
  const V3 v = linear(s.nu, body);
  const V3 momentum = momentum_after(s, body);
  const Frame frame = end_frame(s, body);
  const V3 w = turned(load_symmetric(s.inertia + 18 * body + 6), frame.row) * momentum;
  return 0.5 * (s.parameter(s.model->at.mass + body) * dot(v, v) + dot(momentum, w));
}

// Energy [J] that lifts a body by its radius.
PEGRASP_HD inline double weight_radius(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  double force = s.parameter(m.at.mass + body) * norm(gravity_on(s, body));
  if (m.pull_count > 0) force += s.parameter(m.at.mass + body) * norm(pulled_by(s, body, s.tally->time0));
  if (has_wrenches(s)) force += norm(load3(s.wrenches->now + dof * body));
  return force * m.body_radius[body];
}

// The work [J] of the wrench that the user has set, on the mean of the velocities before and after its impulse.
PEGRASP_HD inline double user_work(const SceneView& s, int body, double h) {
  const Wrench set = user_impulse(s, body, h);
  const V3 v = linear(s.twist, body) + linear(s.nu, body);
  const V3 w = unforced_spin(s, body) + angular(s.nu, body);
  return 0.5 * (dot(set.force, v) + dot(set.torque, w));
}

// Kinetic energy [J] gained in the step beyond the work of gravity, whose impulse acts on the mean of the velocities
// before and after it. A body slowed by a contact falls less than in the free motion, so the free motion's work would
// be too large.
PEGRASP_HD inline double energy_gain(const SceneView& s, int body, double h) {
  const ModelView& m = *s.model;
  const double mass = s.parameter(m.at.mass + body);
  const V3 weight = mass * gravity_on(s, body);
  const V3 before = linear(s.twist, body);
  const V3 after = linear(s.nu, body);
  double gain = kinetic_energy_after(s, body) - 0.5 * mass * dot(before, before) -
                0.5 * kick_time(s, body, h) * dot(weight, before + after);
  if (m.pull_count > 0) gain -= 0.5 * mass * dot(along_rails(s, body, pulled_speed(s, body, h)), before + after);
  if (has_wrenches(s)) gain -= user_work(s, body, h);
  const Frame frame = start_frame(s, body);
  gain -= spin_energy(s, body, frame.row);
  return gain;
}

// Keeps how a body's velocity has changed where a (sub)step of h [s] began, and its spin in it. To be called while
// s.twist is that before.
PEGRASP_HD inline void keep_acceleration(const SceneView& s, int body, double h) {
  const double kick = kick_time(s, body, h);
  const double share = kick > 0.0 ? 1.0 / kick : 0.0;
  const V3 spin = angular(s.nu, body);
  store3(share * (linear(s.nu, body) - linear(s.twist, body)), s.acceleration + dof * body);
  store3(share * (spin - load3(s.last_spin + 3 * body)), s.acceleration + dof * body + 3);
  store3(spin, s.last_spin + 3 * body);
}

// Updates the angular momentum by the step's impulses, so that a free body keeps its own to the last bit, and the
// angular velocity to that momentum at the pose reached.
PEGRASP_HD inline void keep_momentum(const SceneView& s, int body) {
  if (!is_dynamic(s, body)) return;
  if (!remembers_motion(*s.model)) return;
  double* momentum = s.momentum + momentum_size * body;
  store3(momentum_after(s, body), momentum);
  const Frame frame = start_frame(s, body);
  store3(turned(load_symmetric(s.inertia + 18 * body + 6), frame.row) * load3(momentum), s.twist + dof * body + 3);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
