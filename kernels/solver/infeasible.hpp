// SPDX-License-Identifier: Apache-2.0
// Steps that no motion obeys: bodies with prescribed motion leave others less room than they need.
//
// Let J and b be the rows of contacts, joints and limits without friction, with the prescribed velocities in b. By
// Farkas' lemma no velocities have J v + b >= 0 (= 0 for joints) if and only if there are impulses y >= 0 with
//   J^T y = 0 on all bodies that can move,   y^T b < 0.
// The method of multipliers finds them: where no solution exists each update adds about the same impulses, and what is
// added tends to such a y. It is tested with a margin: y^T b must stay negative if every contact is allowed the
// penetration tolerance, and J^T y may be so small that only velocities beyond all reason could make up for it.
//
// Friction has no part in it, since friction bounds no gap. Bodies that friction alone holds back (jammed.hpp) are not
// proven infeasible.
#pragma once

#include "kernels/solver/jammed.hpp"
#include "kernels/solver/newton.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Newton steps that the proof may take. It ends after about six as a rule.
constexpr int proof_steps = 32;
// Iterations of AJ that make a step which has no solution move as little against its rows as it can.
constexpr int infeasible_iterations = 256;
// A motion by more of the body's radii than this within the step counts as beyond reason.
constexpr double reasonable_radii = 10.0;
// A body that bears less than this share of the largest force has no part in a squeeze.
constexpr double least_share = 1e-3;

PEGRASP_HD inline bool prescribed(const SceneView& s, int body) {
  return s.model->body_kind[body] == static_cast<int>(BodyKind::kinematic);
}

// Whether any contact is with a body that has prescribed motion. Others are not looked at: contradictions between fixed
// bodies come from modes that a shorter step chooses better.
PEGRASP_HD inline bool may_be_squeezed(const SceneView& s) {
  for (int k = 0; k < s.tally->contact_count; ++k) {
    if (prescribed(s, s.contacts[k].body_a) || prescribed(s, s.contacts[k].body_b)) return true;
  }
  return false;
}

// --- the rows without friction ---------------------------------------------------------------------------------------

// Rows of a block that bound a motion: the normal of a contact, a joint, a limit, a coupling. Friction and motors do
// not.
PEGRASP_HD inline int bounding_rows(const Block& block) {
  if (block.kind == block_contact) return 1;
  return is_bilateral(block) || block.kind == block_limit ? block.row_count : 0;
}

template <class Team>
PEGRASP_HD void leave_out_friction(Team& team, const SceneView& s) {
  for_each(team, s.tally->block_count, [&](int k) {
    Block& block = s.blocks[k];
    const int rows = block.row_count;
    block.row_count = bounding_rows(block);
    for (int i = block.row_count; i < rows; ++i) s.row_gradient[block.first_row + i].active = 0;
  });
}

template <class Team>
PEGRASP_HD void take_friction_back(Team& team, const SceneView& s) {
  for_each(team, s.tally->block_count, [&](int k) {
    const int end = k + 1 < s.tally->block_count ? s.blocks[k + 1].first_row : s.tally->row_count;
    s.blocks[k].row_count = end - s.blocks[k].first_row;
  });
}

// --- the proof -------------------------------------------------------------------------------------------------------

// Adds J^T y of a row to the forces of its bodies.
PEGRASP_HD inline void add_force(const Row& row, double y, Real* force) {
  for (int c = 0; c < dof; ++c) {
    force[dof * row.body_a + c] += static_cast<Real>(y * static_cast<double>(row.ja[c]));
    if (row.body_b != row.body_a) force[dof * row.body_b + c] += static_cast<Real>(y * static_cast<double>(row.jb[c]));
  }
}

PEGRASP_HD inline double force_size(const Real* force) {
  constexpr int linear = dof == 6 ? 3 : 2;
  double sum = 0.0;
  for (int c = 0; c < linear; ++c) sum += static_cast<double>(force[c]) * static_cast<double>(force[c]);
  return sqrt(sum);
}
PEGRASP_HD inline double torque_size(const Real* force) {
  constexpr int linear = dof == 6 ? 3 : 2;
  double sum = 0.0;
  for (int c = linear; c < dof; ++c) sum += static_cast<double>(force[c]) * static_cast<double>(force[c]);
  return sqrt(sum);
}

// y^T b in metres and what J^T y could make up for, with the bodies that bear the forces.
struct Proof {
  double missing = 0.0;  // -h y^T b [m N s]
  double granted = 0.0;  // what the tolerance of the contacts grants of it
  double room = 0.0;     // the same as `missing`, before overlap from earlier steps was forgiven
};

// Sums over all bounding rows with impulses y(row). Forces go to `force` (bodies, dof).
template <class Impulse>
PEGRASP_HD inline Proof weigh_rows(const SceneView& s, const StepOptions& options, const Impulse& y, Real* force) {
  Proof proof;
  const double h = options.h;
  for (int i = 0; i < dof * s.model->body_count; ++i) force[i] = 0;
  for (int k = 0; k < s.tally->block_count; ++k) {
    const Block& block = s.blocks[k];
    const int end = block.first_row + bounding_rows(block);
    for (int i = block.first_row; i < end; ++i) {
      const double impulse = static_cast<double>(y(i));
      if (impulse == 0.0 || (pushes(block) && !(impulse > 0.0))) continue;
      const Row& row = s.rows[i];
      if (block.kind == block_contact && row.compliance > 0) continue;  // a shell gives way
      add_force(row, impulse, force);
      double b = static_cast<double>(row.bias);
      for (int c = 0; c < dof; ++c) {
        if (!is_dynamic(s, row.body_a)) b += static_cast<double>(row.ja[c]) * s.free_twist[dof * row.body_a + c];
        if (!is_dynamic(s, row.body_b)) b += static_cast<double>(row.jb[c]) * s.free_twist[dof * row.body_b + c];
      }
      proof.missing -= impulse * h * b;
      proof.room -= impulse * h * b;
      if (block.kind != block_contact) continue;
      const Contact& c = s.contacts[k];
      proof.room -= impulse * c.target;
      proof.granted += impulse * max2(0.0, options.penetration_tolerance - c.allowed_overlap);
    }
  }
  return proof;
}

// Names the bodies of a squeeze: of those that do not move freely the two that bear the largest forces, and the body
// that the first of them pushes most. Returns the largest force, or 0 if none of the two has prescribed motion.
template <class Impulse>
PEGRASP_HD inline double name_bodies(const SceneView& s, const Impulse& y, const Real* force, Squeeze& squeeze) {
  double most[2] = {0.0, 0.0};
  squeeze.by[0] = squeeze.by[1] = -1;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (is_dynamic(s, body)) continue;
    const double size = force_size(force + dof * body);
    const int place = size > most[0] ? 0 : 1;
    if (!(size > most[place])) continue;
    if (place == 0) {
      most[1] = most[0];
      squeeze.by[1] = squeeze.by[0];
    }
    most[place] = size;
    squeeze.by[place] = body;
  }
  if (most[1] <= least_share * most[0]) squeeze.by[1] = -1;
  if (squeeze.by[0] < 0) return 0.0;
  double largest = 0.0;
  squeeze.body = -1;
  for (int k = 0; k < s.tally->contact_count; ++k) {
    const double pushed = static_cast<double>(y(s.blocks[k].first_row));
    const Contact& c = s.contacts[k];
    const bool by_these = c.body_a == squeeze.by[0] || c.body_b == squeeze.by[0];
    const int body = is_dynamic(s, c.body_b) ? c.body_b : c.body_a;
    if (!by_these || !(pushed > largest) || !is_dynamic(s, body)) continue;
    largest = pushed;
    squeeze.body = body;
  }
  const bool moved = prescribed(s, squeeze.by[0]) || (squeeze.by[1] >= 0 && prescribed(s, squeeze.by[1]));
  return moved && squeeze.body >= 0 ? most[0] : 0.0;
}

// Whether the impulses y(row) prove that no motion obeys the rows; notes the bodies in the tally if they do. By one
// rank. force: (bodies, dof) scratch.
template <class Impulse>
PEGRASP_HD inline bool proves(const SceneView& s, const StepOptions& options, const Impulse& y, Real* force) {
  const Proof proof = weigh_rows(s, options, y, force);
  const double left = proof.missing - proof.granted;
  if (!(left > 0.0)) return false;
  double made_up = 0.0;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (!is_dynamic(s, body) || !s.present[body]) continue;
    const double radius = max2(s.model->body_radius[body], options.penetration_tolerance);
    const double left_over = force_size(force + dof * body) + torque_size(force + dof * body) / radius;
    if (left_over == 0.0) continue;  // its free motion may be of another step
    made_up += left_over * (reasonable_radii * radius + options.h * speed_bound(s, s.free_twist, body));
  }
  if (!(left > made_up)) return false;
  Squeeze squeeze{};
  const double largest = name_bodies(s, y, force, squeeze);
  if (!(largest > 0.0)) return false;
  squeeze.room = proof.room / largest;
  squeeze.time = s.tally->time0 + options.h;
  s.tally->squeeze = squeeze;
  return true;
}

// Tries to prove that the rows have no solution, and notes it in the tally. Answers the same on all ranks. s.p, s.v and
// s.direction stay as they are.
template <class Team>
PEGRASP_HD_APART bool prove_infeasible(Team& team, SceneView& s, const StepOptions& options) {
  if (s.newton_matrix == nullptr || s.tally->alternative_count > 0 || !may_be_squeezed(s)) return false;
  const int rows = s.tally->row_count;
  const Real tolerance = static_cast<Real>(options.tolerance);
  const NewtonVectors n{s.p_newton, s.p_other, s.p_trial, s.v_other};
  leave_out_friction(team, s);
  once(team, [&] { order_nodes(s); });
  for_each(team, rows, [&](int i) { n.p_bar[i] = 0; });
  velocities(team, s, n.p_bar, n.v);
  Real stiffness = warm_stiffness;
  begin_states(team, s, n, stiffness);
  newton_balance(team, s, n);
  int fewest = s.tally->block_count + 1;
  int patience = 0;
  bool proven = false;
  for (int step = 0; step < proof_steps && !proven; ++step) {
    if (!newton_step(team, s, n, stiffness)) break;
    newton_unprojected_after(team, s, n);
    const int changed = change_states(team, s, n, fewest, patience);
    const Real balance = newton_residuals(team, s, n);
    if (!is_finite(static_cast<double>(balance))) break;
    if (changed > 0 || balance > Real(0.1) * tolerance) continue;
    for_each(team, rows, [&](int i) {  // y: what the multipliers gain
      n.y[i] = n.p[i] - n.p_bar[i];
      n.p_bar[i] = n.p[i];
    });
    once(team, [&] {
      s.tally->infeasible = proves(
                                s, options, [&](int i) { return n.y[i]; }, s.v_trial)
                                ? 1
                                : 0;
    });
    proven = s.tally->infeasible != 0;
    velocities(team, s, n.p_bar, s.v_trial);
    if (proven || natural_residual(team, s, n.p_bar, s.v_trial, n.y) <= tolerance) break;
    stiffness = stiffness < largest_stiffness ? stiffness_growth * stiffness : stiffness;
    for_each(team, rows, [&](int i) { set_stiffness(s, i, stiffness); });
    newton_unprojected(team, s, n);
    fewest = s.tally->block_count + 1;
    newton_balance(team, s, n);
  }
  // Velocities of bodies that rest are set once a step and must stay 0.
  for_each(team, dof * s.model->body_count, [&](int i) { s.v_trial[i] = 0; });
  take_friction_back(team, s);
  return proven;
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
