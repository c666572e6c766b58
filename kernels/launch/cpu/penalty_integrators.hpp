// SPDX-License-Identifier: Apache-2.0
// How a scene with penalty contacts is taken through a step of h [s].
//
// Runge and Kutta's method of fourth order: the state of a body is its place, turn, velocity and angular momentum, all
// at the same time, and the forces of contacts, gravity, pulls, actuators and the user are asked for at four places;
// those of pulls and actuators are those of the middle of the step. Integral terms and what sticks are constant in a
// step.
//
// Semi-implicit: as in all other scenes (kernels/integrate/predict.hpp), with the impulses of contacts in the free
// motion. Joints, limits and motors are rows that the solver answers.
#pragma once

#include <atomic>
#include <vector>

#include "kernels/launch/cpu/scene_worker_impl.hpp"
#include "kernels/launch/penalty_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

struct PenaltyState {
  std::vector<PenaltyMotion> motions;
  std::vector<PenaltyInertia> inertias;
  std::vector<PenaltyLoad> loads;
  void resize(std::size_t bodies) {
    motions.resize(bodies);
    inertias.resize(bodies);
    loads.resize(bodies);
  }
};

inline V3 inner_vector(Vec3 v) { return {v.x, v.y, v.z}; }

// The motions of all bodies at the poses and velocities of the scene.
inline void read_motions(const SceneView& s, std::vector<PenaltyMotion>& motions) {
  for (int body = 0; body < s.model->body_count; ++body) {
    PenaltyMotion& to = motions[static_cast<std::size_t>(body)];
    const Frame frame = start_frame(s, body);
    to.present = s.present[body] != 0;
    to.origin = public_vector(frame.origin);
    for (int i = 0; i < 3; ++i) to.row[i] = public_vector(frame.row[i]);
    to.centre = public_vector(position(s.pose, body));
    const bool still = s.model->body_kind[body] == static_cast<int>(BodyKind::fixed);
    to.velocity = still ? Vec3{} : public_vector(linear(s.twist, body));
    to.spin = still ? Vec3{} : public_vector(angular(s.twist, body));
  }
}

// The inertia of a body's frame at the scene's pose, world; of its inverse with `inverse`.
inline Symmetric world_inertia(const SceneView& s, int body, bool inverse) {
  return turned(load_symmetric(s.inertia + 18 * body + (inverse ? 6 : 0)), start_frame(s, body).row);
}

// Whether the body has an angular momentum.
inline bool has_spin(const SceneView& s, int body) { return is_dynamic(s, body) && s.model->body_slides[body] == 0; }

// Bodies that come together stop each other; the scene gets their velocities.
inline void let_meet(const SceneView& s, PenaltyContacts& contacts, PenaltyState& state) {
  for (int body = 0; body < s.model->body_count; ++body) {
    PenaltyInertia& out = state.inertias[static_cast<std::size_t>(body)];
    out = {};
    if (!is_dynamic(s, body)) continue;
    const double light = s.inv_mass[mass_size * body];
    const V3 x = along_rails(s, body, {1.0, 0.0, 0.0}), y = along_rails(s, body, {0.0, 1.0, 0.0}),
             z = along_rails(s, body, {0.0, 0.0, 1.0});
    const double columns[6] = {x.x, x.y, x.z, y.y, y.z, z.z};
    for (int i = 0; i < 6; ++i) out.inverse_mass[i] = light * columns[i];
    if (has_spin(s, body)) store_symmetric(world_inertia(s, body, true), out.inverse_inertia);
  }
  contacts.meet(state.motions, state.inertias);
  if (contacts.contacts().empty()) return;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (!is_dynamic(s, body) || s.present[body] == 0) continue;
    const PenaltyMotion& motion = state.motions[static_cast<std::size_t>(body)];
    store3(inner_vector(motion.velocity), s.twist + dof * body);
    if (!has_spin(s, body)) continue;
    const V3 spin = inner_vector(motion.spin);
    store3(spin, s.twist + dof * body + 3);
    store3(world_inertia(s, body, false) * spin, s.momentum + momentum_size * body);
  }
}

inline void ask_for_loads(PenaltyContacts& contacts, PenaltyState& state, bool begins, double time) {
  for (PenaltyLoad& load : state.loads) load = {};
  contacts.loads(state.motions, state.loads, begins, time);
}

// ---------------------------------------------------------------------------------------------- Runge and Kutta

// Of a dynamic body: the state, or its rate.
struct BodyState {
  V3 place{0.0, 0.0, 0.0};
  Turn turn{0.0, 0.0, 0.0, 0.0};
  V3 velocity{0.0, 0.0, 0.0}, momentum{0.0, 0.0, 0.0};
};

inline BodyState operator+(const BodyState& a, const BodyState& b) {
  return {a.place + b.place,
          {a.turn.w + b.turn.w, a.turn.x + b.turn.x, a.turn.y + b.turn.y, a.turn.z + b.turn.z},
          a.velocity + b.velocity,
          a.momentum + b.momentum};
}
inline BodyState operator*(double f, const BodyState& a) {
  return {f * a.place, {f * a.turn.w, f * a.turn.x, f * a.turn.y, f * a.turn.z}, f * a.velocity, f * a.momentum};
}

inline BodyState state_of(const SceneView& s, int body) {
  return {position(s.pose, body), turn_of(s.pose, body), linear(s.twist, body),
          load3(s.momentum + momentum_size * body)};
}

// Puts a body into a state.
inline void put_state(const SceneView& s, int body, const BodyState& state) {
  const Turn turn = normalised(state.turn);
  store3(state.place, s.pose + pose_size * body);
  store_turn(turn, s.pose + pose_size * body + 3);
  store_frame(turn, s.start_frame + frame_size * body);
  store3(along_rails(s, body, state.velocity), s.twist + dof * body);
  if (!has_spin(s, body)) return;
  store3(state.momentum, s.momentum + momentum_size * body);
  store3(world_inertia(s, body, true) * state.momentum, s.twist + dof * body + 3);
}

// The forces that actuators and the user give a body in the middle of a step of h [s]. In such scenes last_h is 0, so
// that an impulse where a step begins is half of h times them.
inline Wrench driven(const SceneView& s, int body, double h) {
  const Wrench impulse = given_wrench(s, body, h);
  return {(2.0 / h) * impulse.force, (2.0 / h) * impulse.torque};
}

// The rate of a body's state, with the loads of contacts.
inline BodyState rate_of(const SceneView& s, int body, double h, const PenaltyLoad& load) {
  const ModelView& m = *s.model;
  BodyState rate;
  rate.place = linear(s.twist, body);
  const V3 w = angular(s.twist, body);
  const Turn q = turn_of(s.pose, body);
  const Turn turning = Turn{0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * q;
  rate.turn = turning;
  V3 force = inner_vector(load.force), torque = inner_vector(load.torque);
  if (forces_are_set(s)) {
    const Wrench drive = driven(s, body, h);
    force = force + drive.force;
    torque = torque + drive.torque;
  }
  V3 acceleration = gravity_on(s, body) + s.inv_mass[mass_size * body] * force;
  if (m.pull_count > 0) acceleration = acceleration + pulled_by(s, body, s.tally->time0 + 0.5 * h);
  rate.velocity = along_rails(s, body, acceleration);
  rate.momentum = has_spin(s, body) ? torque : V3{0.0, 0.0, 0.0};
  return rate;
}

// A body with prescribed motion, a part of the step on: its velocity is constant within it.
inline void put_kinematic(const SceneView& s, int body, const BodyState& begin, const double* nu, double time) {
  store3(begin.place + time * load3(nu), s.pose + pose_size * body);
  const Turn turn = normalised(exponential(time * load3(nu + 3)) * begin.turn);
  store_turn(turn, s.pose + pose_size * body + 3);
  store_frame(turn, s.start_frame + frame_size * body);
  for (int i = 0; i < dof; ++i) s.twist[dof * body + i] = nu[i];
}

// Work [J] of gravity, pulls, actuators and the user, by the trapezoidal rule.
inline double work_from_outside(const SceneView& s, int body, double h, V3 from, const double* twist_before) {
  const ModelView& m = *s.model;
  const double mass = s.parameter(m.at.mass + body);
  double work = mass * dot(along_rails(s, body, gravity_on(s, body)), position(s.pose, body) - from);
  const V3 mean = 0.5 * (load3(twist_before) + linear(s.twist, body));
  const V3 spin = 0.5 * (load3(twist_before + 3) + angular(s.twist, body));
  if (m.pull_count > 0) work += mass * h * dot(pulled_by(s, body, s.tally->time0 + 0.5 * h), mean);
  if (!forces_are_set(s)) return work;
  const Wrench drive = driven(s, body, h);
  return work + h * (dot(drive.force, mean) + dot(drive.torque, spin));
}

inline bool finite_state(const SceneView& s, int body) {
  for (int i = pose_size * body; i < pose_size * (body + 1); ++i) {
    if (!is_finite(s.pose[i])) return false;
  }
  for (int i = dof * body; i < dof * (body + 1); ++i) {
    if (!is_finite(s.twist[i])) return false;
  }
  return true;
}

class RungeKutta {
 public:
  RungeKutta(const SceneView& s, double h, PenaltyContacts& contacts, PenaltyState& state)
      : s_(s),
        h_(h),
        contacts_(contacts),
        state_(state),
        bodies_(s.model->body_count),
        begin_(static_cast<std::size_t>(bodies_)),
        sum_(begin_.size()),
        rate_(begin_.size()),
        twist_(s.twist, s.twist + dof * bodies_) {}

  // False where the end is not finite.
  bool run(double& work) {
    prescribed_.assign(static_cast<std::size_t>(dof * bodies_), 0.0);
    for (int body = 0; body < bodies_; ++body) {
      begin_[at(body)] = state_of(s_, body);
      if (is_kinematic(s_, body)) prescribed_twist(s_, body, s_.tally->time0, h_, prescribed_.data() + dof * body);
    }
    constexpr double share[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}, place[4] = {0.0, 0.5, 0.5, 1.0};
    for (int stage = 0; stage < 4; ++stage) {
      if (stage > 0) put(place[stage] * h_, rate_);
      read_motions(s_, state_.motions);
      ask_for_loads(contacts_, state_, stage == 0, h_);
      for (int body = 0; body < bodies_; ++body) {
        if (!moves(body)) continue;
        rate_[at(body)] = rate_of(s_, body, h_, state_.loads[at(body)]);
        sum_[at(body)] = sum_[at(body)] + share[stage] * rate_[at(body)];
      }
    }
    put(h_, sum_);
    bool finite = true;
    for (int body = 0; body < bodies_; ++body) {
      finite = finite && finite_state(s_, body);
      const double* before = twist_.data() + dof * body;
      if (moves(body)) work += work_from_outside(s_, body, h_, begin_[at(body)].place, before);
      const double once_h = 1.0 / h_;
      for (int i = 0; i < dof; ++i) s_.acceleration[dof * body + i] = once_h * (s_.twist[dof * body + i] - before[i]);
      store3(angular(s_.twist, body), s_.last_spin + 3 * body);
      if (is_kinematic(s_, body) && s_.model->body_end_velocity[body] != 0)
        place_oscillating(s_, body, s_.tally->time0 + h_);
    }
    return finite;
  }

 private:
  static std::size_t at(int body) { return static_cast<std::size_t>(body); }
  bool moves(int body) const { return is_dynamic(s_, body) && s_.present[body] != 0; }
  // All bodies, `time` [s] on at these rates.
  void put(double time, const std::vector<BodyState>& rate) {
    for (int body = 0; body < bodies_; ++body) {
      if (moves(body)) put_state(s_, body, begin_[at(body)] + time * rate[at(body)]);
      if (is_kinematic(s_, body)) put_kinematic(s_, body, begin_[at(body)], prescribed_.data() + dof * body, time);
    }
  }

  const SceneView& s_;
  double h_;
  PenaltyContacts& contacts_;
  PenaltyState& state_;
  int bodies_;
  std::vector<BodyState> begin_, sum_, rate_;
  std::vector<double> twist_, prescribed_;
};

inline bool step_rk4(SceneView& s, double h, PenaltyContacts& contacts, PenaltyState& state, double& work) {
  s.tally->row_count = s.tally->block_count = s.tally->pair_count = s.tally->contact_count = 0;
  s.tally->residual = 0.0;
  return RungeKutta(s, h, contacts, state).run(work);
}

// ---------------------------------------------------------------------------------------------- semi-implicit

// What a solve of joints and motors begins with; nothing of it is about contacts.
inline void begin_solve(const SceneView& s, const StepOptions& options) {
  SceneTally& t = *s.tally;
  t.pass = 0;
  t.pair_count = 0;
  t.kick = kick_of_attempt(s, options.h);
  t.smallest = 1;
  t.contacts_later = 0;
  t.lost = 0;
  t.astray = 0;
  t.outran = 0;
  t.infeasible = 0;
  t.residual = 0.0;
  t.joints_open = 0.0;
  t.iterations_left = options.max_iterations;
}

inline bool step_semi_implicit(SceneView& s, const StepOptions& options, PenaltyContacts& contacts, PenaltyState& state,
                               const std::atomic<bool>* stop, double& work) {
  const ModelView& m = *s.model;
  HeedfulTeam team{{}, stop};
  begin_solve(s, options);
  ask_for_loads(contacts, state, true, options.h);
  for (int body = 0; body < m.body_count; ++body) free_motion(s, body, options.h);
  const std::vector<double> free(s.free_twist, s.free_twist + dof * m.body_count);
  for (int body = 0; body < m.body_count; ++body) {
    if (is_dynamic(s, body) && s.present[body] != 0) {
      const double kick = kick_time(s, body, options.h);
      const PenaltyLoad& load = state.loads[static_cast<std::size_t>(body)];
      apply_impulse(s, body, kick * inner_vector(load.force), kick * inner_vector(load.torque),
                    s.free_twist + dof * body);
    }
    if (m.joint_count > 0) note_free_spin(s, body);
    for (int i = dof * body; i < dof * (body + 1); ++i) s.nu[i] = s.free_twist[i];
  }
  hold_taut(team, s, options.h, s.tally->warm_h, [&s](int joint) { return joint_active(s, joint); });
  make_rows(team, s, options);
  if (s.tally->block_count > 0) {
    solve(team, s, options);
  }
  for (int body = 0; body < m.body_count; ++body) place_end(s, s.nu, body, options.h);
  if (!finite_motion(s)) return false;
  for (int i = 0; i < dof * m.body_count; ++i) s.free_twist[i] = free[static_cast<std::size_t>(i)];
  if (m.joint_count > 0) {
    for (int body = 0; body < m.body_count; ++body) {
      store3(load3(free.data() + dof * body + 3), s.taut + taut_size * body + taut_spin);
    }
  }
  work += outside_work(s);
  commit_motion(team, s, options.h);
  return true;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
