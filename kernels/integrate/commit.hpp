// SPDX-License-Identifier: Apache-2.0
// The end of a (sub)step: work done from outside, then the end pose becomes the start pose.
#pragma once

#include "integrate/predict.hpp"
#include "scene/access.hpp"
#include "scene/team.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Work [J] that gravity, applied forces, servos and prescribed motion did on the dynamic bodies in the step. An impulse p
// along J changes the kinetic energy by p J (nu + nu+) / 2, exactly; what bodies that are moved for us feel at a contact
// counts as theirs.
// Of gravity, applied forces and what else makes the free motion of a body.
PEGRASP_HD inline void add_body_work(const SceneView& s, int body, double& work) {
  const ModelView& m = *s.model;
  if (!is_dynamic(s, body) || !s.present[body]) return;
  const double* before = s.twist + dof * body;
  const double* after = s.nu + dof * body;
  const double* free = s.free_twist + dof * body;
  const double mass = s.parameter(m.at_mass + body);
#if defined(PEGRASP_SPATIAL)
  for (int i = 0; i < 3; ++i) work += 0.5 * mass * (free[i] - before[i]) * (before[i] + after[i]);
  // torques of motors change the angular momentum before impulses do
  if (m.actuator_count > 0) {
    const V3 turned_by = load_symmetric(s.inertia + 18 * body + 12) * (load3(free + 3) - unforced_spin(s, body));
    work += 0.5 * dot(turned_by, load3(before + 3) + load3(after + 3));
  }
#else
  const double weight[dof] = {mass, mass, s.parameter(m.at_inertia + body)};
  for (int i = 0; i < dof; ++i) work += 0.5 * weight[i] * (free[i] - before[i]) * (before[i] + after[i]);
#endif
}

// Of servos and prescribed motion, through the rows of a block, on bodies that began with the velocities `from`.
PEGRASP_HD inline void add_block_work(const SceneView& s, int k, const double* from, double& work) {
  const Block& block = s.blocks[k];
  for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
    const Row& row = s.rows[i];
    const double p = static_cast<double>(s.p[i]);
    const int body[2] = {row.body_a, row.body_b};
    for (int side = 0; side < 2; ++side) {
      if (side == 1 && row.body_b == row.body_a) continue;
      const SolverReal* j = side ? row.jb : row.ja;
      const double* after = s.nu + dof * body[side];
      double speed = 0.0;
      if (is_dynamic(s, body[side])) {
        if (block.kind != block_clamp) continue;  // contact, support friction and joints explain nothing
        const double* before = from + dof * body[side];
        for (int c = 0; c < dof; ++c) speed += static_cast<double>(j[c]) * 0.5 * (before[c] + after[c]);
      } else {
        for (int c = 0; c < dof; ++c) speed -= static_cast<double>(j[c]) * after[c];
      }
      work += p * speed;
    }
  }
}

PEGRASP_HD inline double outside_work(const SceneView& s) {
  double work = 0.0;
  for (int body = 0; body < s.model->body_count; ++body) add_body_work(s, body, work);
  for (int k = 0; k < s.tally->block_count; ++k) add_block_work(s, k, s.twist, work);
  return work;
}

// Energy [J] that a step of a scene with joints may seem to gain where the free motion has none to measure it by: a part `most` of what
// servos turn over, and what impulses do on velocities that are off by the solve's tolerance, or draw joints together that the last
// step left open within theirs.
PEGRASP_HD inline double joint_slack(const SceneView& s, const StepOptions& options, double most) {
  if (s.model->joint_count == 0) return 0.0;
  const double off = options.tolerance + options.penetration_tolerance / options.h;
  double slack = 0.0;
  for (int k = 0; k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    for (int i = block.first_row; i < block.first_row + block.row_count; ++i) {
      slack += off * abs1(static_cast<double>(s.p[i]));
    }
    if (block.kind != block_clamp) continue;
    double work = 0.0;
    add_block_work(s, k, s.free_twist, work);
    slack += most * abs1(work);
  }
  return slack;
}

// Whether the step has given the scene energy that nobody put in: a linearisation that leads far astray may end without overlap
// and be wrong all the same, and so may the free motion of a body that turns far in a step. Measured against the free motion's
// kinetic energy, so that resting piles are not refused for rounding. What undoes overlap may push with its recovery speed; contact models other than `peg`
// undo it at once, at any speed, and only the free motion is looked at.
PEGRASP_HD inline bool gains_energy(const SceneView& s, const StepOptions& options) {
#if defined(PEGRASP_SPATIAL)
  // of the free motion's kinetic energy: by a body's free turn, beyond the free motion, and beyond the step's start
  constexpr double most_turning = 0.01;
  constexpr double most = 0.01;
  constexpr double most_in_all = 0.0025;
  const double h = options.h;
  double free = 0.0;
  double solved = 0.0;
  double gain = 0.0;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (!is_dynamic(s, body) || !s.present[body]) continue;
    if (!turns_as_it_should(s, body, h, most_turning)) return true;
    free += kinetic_energy(s, body, s.free_twist);
    solved += kinetic_energy(s, body, s.nu);
    gain += energy_gain(s, body, h);
  }
  if (options.contact != ContactModel::peg) return false;
  double work = 0.0;
  double servos = 0.0;
  for (int k = 0; k < s.tally->block_count; ++k) {
    add_block_work(s, k, s.free_twist, work);
    add_block_work(s, k, s.twist, servos);
  }
  for (int k = 0; k < s.tally->contact_count; ++k) {
    const NearPair& pair = s.pairs[s.contacts[k].pair];
    const double push = max2(0.0, pair.target - pair.s0_max) / h * static_cast<double>(s.p[s.blocks[k].first_row]);
    work += push;
    servos += push;
  }
  if (solved - work > (1.0 + most) * free + joint_slack(s, options, most)) return true;
  // Joints swing energy to and fro by O(h) at every step, and lose and gain none in the mean as long as steps are even.
  return s.model->joint_count == 0 && gain - servos > most_in_all * free;
#else
  (void)s;
  (void)options;
  return false;
#endif
}

PEGRASP_HD inline bool finite_body(const SceneView& s, int body) {
  for (int i = dof * body; i < dof * (body + 1); ++i) {
    if (!is_finite(s.nu[i])) return false;
  }
  for (int i = pose_size * body; i < pose_size * (body + 1); ++i) {
    if (!is_finite(s.end_pose[i])) return false;
  }
  return true;
}

PEGRASP_HD inline bool finite_motion(const SceneView& s) {
  for (int body = 0; body < s.model->body_count; ++body) {
    if (!finite_body(s, body)) return false;
  }
  return true;
}

PEGRASP_HD inline void commit_body(const SceneView& s, int body) {
  if (!s.present[body]) return;
  for (int i = 0; i < pose_size; ++i) s.pose[pose_size * body + i] = s.end_pose[pose_size * body + i];
  for (int i = 0; i < dof; ++i) s.twist[dof * body + i] = s.nu[dof * body + i];
  for (int i = 0; i < frame_size; ++i) s.start_frame[frame_size * body + i] = s.end_frame[frame_size * body + i];
  keep_momentum(s, body);
}

// q = q1, nu = nu+; a body moved for us follows its prescription to rounding; one yet to appear waits with its velocity.
template <class Team>
PEGRASP_HD void commit_motion(Team& team, SceneView& s) {
  if (s.model->joint_count > 0) {
    const double h = s.tally->warm_h;  // of the last solve: the (sub)step that ends here
    for_each(team, s.model->joint_count, [&](int joint) {
      if (joint_present(s, joint)) s.joint_turn[joint] = joint_coordinate(s, end_joint(s, joint), joint, free_turn, h);
    });
  }
  for_each(team, s.model->body_count, [&](int body) { commit_body(s, body); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
