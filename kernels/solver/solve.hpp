// SPDX-License-Identifier: Apache-2.0
// One solve of a step problem: start from the last impulses, run the chosen solver, keep the impulses for the next
// solve.
#pragma once

#include "kernels/contact/make_rows.hpp"
#include "kernels/solver/accelerated_jacobi.hpp"
#include "kernels/solver/gauss_seidel.hpp"
#include "kernels/solver/infeasible.hpp"
#include "kernels/solver/jacobi.hpp"
#include "kernels/solver/jammed.hpp"
#include "kernels/solver/joint_tree.hpp"
#include "kernels/solver/kind.hpp"
#include "kernels/solver/load_sharing.hpp"
#include "kernels/solver/newton.hpp"
#include "kernels/solver/single_precision.hpp"
#include "kernels/solver/soft_newton.hpp"
#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/warm_start.hpp"
#else
#include "kernels/planar/warm_start.hpp"
#endif

namespace pegrasp::PEGRASP_ARITHMETIC {

// Where the impulses of a block that is no contact are kept: of a support point, a motor, a joint or a limit.
PEGRASP_HD inline double* kept_impulses(const SceneView& s, const Block& block) {
  switch (block.kind) {
    case block_disc:
      return s.support_impulse + 2 * block.owner;
    case block_joint:
      return s.joint_impulse + joint_rows_most * block.owner;
    case block_limit:
      return s.limit_impulse + block.owner;
    case block_coupling:
      return s.coupling_impulse + block.owner;
    case block_contact:  // kept in a list (keep_impulse)
    case block_clamp:
      break;
  }
  return s.actuator_impulse + motor_rows_most * block.owner;
}

// Starts the impulses of a block that is no contact from the kept ones, scaled by `ratio`.
PEGRASP_HD inline void warm_drive(const SceneView& s, const Block& block, double ratio) {
  Real* p = s.p + block.first_row;
  const double* kept = kept_impulses(s, block);
  for (int i = 0; i < block.row_count; ++i) p[i] = static_cast<Real>(ratio * kept[i]);
}

// Keeps the impulses of block k for the next solve, those of a contact in entry k of the list.
PEGRASP_HD inline void keep_impulse(const SceneView& s, int k, WarmContact* list, const StepOptions& options) {
  const Block& block = s.blocks[k];
  const Real* p = s.p + block.first_row;
  if (block.kind == block_contact) {
    const Contact& c = s.contacts[k];
    const NearPair& pair = s.pairs[c.pair];
    WarmContact& kept = list[k];
    kept.part_a = pair.part_a;
    kept.part_b = pair.part_b;
    kept.key = c.key;
    kept.shell = c.shell;
    kept.normal = static_cast<double>(p[0]);
    kept.allowed_overlap = kept.normal > 0.0 ? c.allowed_overlap : 0.0;
    tangent_of(s, block, p, kept.tangent);
    keep_place(c, kept);
    if (s.model->shells == shells_deflect) {
      keep_deflection(s, block, p, s.nu, options, kept);
    } else {
      for (int i = 0; i < deflection_size; ++i) kept.deflection[i] = kept.deflected[i] = 0.0;
    }
    return;
  }
  double* kept = kept_impulses(s, block);
  for (int i = 0; i < block.row_count; ++i) kept[i] = static_cast<double>(p[i]);
}

// The list that the next impulses go to: those of an island go to the one that the step will leave.
PEGRASP_HD inline int list_to_keep_in(const SceneView& s) {
  return 1 - (has_islands ? s.tally->islands.step_parity : s.tally->warm_parity);
}

// The factor of the last impulses from which a solve starts.
PEGRASP_HD inline double warm_ratio(const SceneTally& t, const StepOptions& options) {
  return (is_sweeping(options.solver) ? t.kick : options.h) / warm_time(t, options);
}

// Starts all impulses from the last ones, scaled to this (sub)step, or from 0; computes the velocities that belong to
// them.
template <class Team>
PEGRASP_HD_APART void start_impulses(Team& team, SceneView& s, const StepOptions& options) {
  const bool warm = options.warm_start && s.tally->warm_h > 0.0;
  const double ratio = warm ? warm_ratio(*s.tally, options) : 0.0;
  for_each(team, s.tally->block_count, [&](int k) {
    const Block& block = s.blocks[k];
    Real* p = s.p + block.first_row;
    if (!warm) {
      for (int i = 0; i < block.row_count; ++i) p[i] = 0;
    } else if (block.kind == block_contact) {
      warm_contact(s, k, ratio, first_warm(s), s.tally->warm_count[s.tally->warm_parity]);
    } else {
      warm_drive(s, block, ratio);
    }
    project(block, s.p);
  });
  velocities(team, s, s.p, s.v);
}

// Keeps the impulses of all blocks for the next solve.
template <class Team>
PEGRASP_HD_APART void keep_impulses(Team& team, SceneView& s, const StepOptions& options) {
  const int other = list_to_keep_in(s);
  const int first = kept_elsewhere(s);
  for_each(team, s.tally->block_count, [&](int k) { keep_impulse(s, k, s.warm[other] + first, options); });
  once(team, [&] {
    SceneTally& t = *s.tally;
    t.warm_parity = other;
    t.islands.warm_first = first;
    t.warm_count[other] = first + t.contact_count;
    t.warm_h = options.h;
    t.warm_kick = t.kick;
  });
}

// How many steps Newton gets: from the last impulses, from none, and between the rounds of AJ.
struct NewtonSteps {
  int warm, cold, later;
};

// Repeats a solve that failed in the turns of jammed.hpp; s.p and s.v are its answer. newton(turn): Newton's method as
// the chosen solver does it.
template <class Team, class Newton>
PEGRASP_HD SolveReport solve_jammed(Team& team, SceneView& s, const StepOptions& options, SolveReport report,
                                    const Newton& newton) {
  // No turn helps where it is not finite.
  const auto failed = [&] { return report.residual > static_cast<Real>(options.tolerance); };
  if (!failed() || in_single_precision || !may_be_jammed(options, s.tally->smallest != 0)) return report;
  const auto left = [&] { return s.tally->iterations_left - report.iterations; };
  for (int turn = 0; turn < jammed_turns && failed() && left() > 0 && !stopped(team); ++turn) {
    take_what_is_left(team, s, options);
    SolveReport next = newton(turn);
    report.iterations += next.iterations;
    if (!(next.residual <= static_cast<Real>(options.tolerance))) {
      next = solve_accelerated_jacobi(team, s, options, min2(jammed_iterations << turn, max2(left(), 1)));
      report.iterations += next.iterations;
    }
    report.residual = next.residual;
  }
  if (failed()) allow_no_overlap(team, s);
  return report;
}

// The answer to a step that has no solution: what AJ makes of the last impulses in a few iterations.
template <class Team>
PEGRASP_HD SolveReport answer_infeasible(Team& team, SceneView& s, const StepOptions& options) {
  SolveReport report = solve_accelerated_jacobi(team, s, options, min2(infeasible_iterations, options.max_iterations));
  report.infeasible = true;
  return report;
}

// Newton from the impulses of load sharing, if asked for, or from the last impulses; where that does not converge, from
// none; then rounds of AJ, each twice as long as the one before, with another try of Newton after each. Ends with the
// answer of AJ when the iterations are used up; at the smallest substep jammed contacts are then allowed what that
// answer leaves (jammed.hpp). Where Newton fails and a proof shows that there is no solution, nothing more is tried
// (infeasible.hpp). suspect: the last solve of the step had none, so that the proof comes first.
template <class Team>
PEGRASP_HD SolveReport solve_newton_in_rounds(Team& team, SceneView& s, const StepOptions& options, bool suspect) {
  constexpr NewtonSteps plain{12, 32, 24};
  constexpr NewtonSteps soft_steps{96, 96, 48};  // softened on the way, it seldom needs a second start
  constexpr int first_round = 16;
  // Bodies at rest and jaws on their way: the last impulses are the answer. Where joints hold light bodies taut, a
  // small residual may hide a large error of what they pull.
  const auto residual = [&] { return natural_residual(team, s, s.p, s.v, s.p_trial); };
  const Real start = residual();
  if (start <= Real(0.1) * static_cast<Real>(options.tolerance) && s.tally->taut == 0) return {0, start};
  if (suspect && prove_infeasible(team, s, options)) return answer_infeasible(team, s, options);
  const bool softly = options.solver == SolverKind::newton && has_friction(s);
  // These are computed anew wherever they are needed: what lives across the calls below takes registers from the
  // deepest of them.
  const auto most = [&] { return softly ? soft_steps : plain; };
  const auto left = [&](int used) { return most_iterations(options) - used; };
  const auto solved = [&](Real r) { return r <= static_cast<Real>(options.tolerance); };
  // begin: the natural residual at (s.p, s.v), which soft Newton asks for.
  const auto newton = [&](int steps, Real stiffness, Real begin) {
    return softly ? solve_soft_newton(team, s, options, steps, begin)
                  : solve_newton(team, s, options, steps, stiffness);
  };
  const auto begin_here = [&] { return softly ? residual() : Real(0); };
  SolveReport report{0, Real(1e30)};
  int used = 0;
  // Newton from where s.p and s.v are; the impulses in s.direction again where that fails.
  const auto attempt = [&](int steps, Real stiffness, Real begin) {
    report = newton(min2(steps, left(used)), stiffness, begin);
    used += report.iterations;
    if (solved(report.residual)) return;
    for_each(team, s.tally->row_count, [&](int i) { s.p[i] = s.direction[i]; });
    velocities(team, s, s.p, s.v);
  };
  report = solve_over_tree(team, s, options, options.max_iterations / 2);
  used = report.iterations;
  if (solved(report.residual)) return report;
  if (used > 0) start_impulses(team, s, options);
  for_each(team, s.tally->row_count, [&](int i) { s.direction[i] = s.p[i]; });
  if (loads_are_shared(options) && softly) {
    const SharedLoads shared = share_loads(team, s, options, options.max_iterations / 4);
    used = shared.steps;
    if (shared.settled) attempt(most().warm, warm_stiffness, begin_here());
  }
  if (!solved(report.residual) && left(used) > 0) attempt(most().warm, warm_stiffness, start);
  if (!solved(report.residual) && !suspect && prove_infeasible(team, s, options)) {
    report = answer_infeasible(team, s, options);
    report.iterations += used;
    return report;
  }
  if (!solved(report.residual) && left(used) > 0) {
    for_each(team, s.tally->row_count, [&](int i) { s.p[i] = 0; });
    velocities(team, s, s.p, s.v);
    attempt(most().cold, cold_stiffness, begin_here());
  }
  bool soft = true;
  for (int round = first_round; !solved(report.residual) && left(used) > 0 && !stopped(team); round *= 2) {
    report = solve_accelerated_jacobi(team, s, options, min2(round, left(used)));
    used += report.iterations;
    if (solved(report.residual) || !is_finite(static_cast<double>(report.residual))) break;
    const SolveReport last =
        newton(min2(most().later, left(used)), soft ? cold_stiffness : warm_stiffness, begin_here());
    soft = !soft;
    used += last.iterations;
    if (solved(last.residual)) report = last;
  }
  report.iterations = used;
  report = solve_jammed(team, s, options, report, [&](int turn) {
    return newton(most().warm, turn % 2 == 0 ? warm_stiffness : cold_stiffness, begin_here());
  });
  // Cut short before AJ had its turn: what is left is the start.
  if (!solved(report.residual)) report.residual = residual();
  return report;
}

// By the chosen method of first order. Where it fails, as in solve_newton_in_rounds(), a proof may show that there is
// no solution.
template <class Team>
PEGRASP_HD SolveReport solve_in_first_order(Team& team, SceneView& s, const StepOptions& options, bool suspect) {
  if (suspect && prove_infeasible(team, s, options)) return answer_infeasible(team, s, options);
  SolveReport report{0, Real(0)};
  if (options.solver == SolverKind::pgs) {
    report = solve_gauss_seidel(team, s, options);
  } else if (options.solver == SolverKind::jacobi) {
    report = solve_jacobi(team, s, options);
  } else if (options.solver == SolverKind::nncg) {
    report = solve_nncg(team, s, options);
  } else {
    report = solve_accelerated_jacobi(team, s, options, options.max_iterations);
  }
  const bool failed = report.residual > static_cast<Real>(options.tolerance);
  report.infeasible = failed && !suspect && prove_infeasible(team, s, options);
  if (report.infeasible) return report;
  if (options.solver != SolverKind::aj) return report;
  return solve_jammed(team, s, options, report, [](int) { return SolveReport{0, Real(1e30)}; });
}

// Solves the step problem. In: rows and blocks. Out: s.p, s.nu, the residual and the iteration count in the tally.
template <class Team>
PEGRASP_HD_APART void solve(Team& team, SceneView& s, const StepOptions& options) {
  const bool suspect = s.tally->infeasible != 0;
  start_impulses(team, s, options);
  const SolveReport report = is_newton(options.solver) ? solve_newton_in_rounds(team, s, options, suspect)
                                                       : solve_in_first_order(team, s, options, suspect);
  for_each_velocity(team, s, [&](int i) { s.nu[i] = static_cast<double>(s.v[i]); });
  keep_impulses(team, s, options);
  once(team, [&] {
    s.tally->residual = static_cast<double>(report.residual);
    const bool failed = !(report.residual <= static_cast<Real>(options.tolerance)) && s.tally->smallest != 0;
    s.tally->infeasible = report.infeasible ? 1 : 0;
    count_iterations(*s.tally, options, report.iterations, failed && !report.infeasible);
    s.tally->iterations += report.iterations;
    // most islands in flight have nothing to solve
    if (!has_islands || s.tally->row_count > 0) ++s.tally->outcome.solves;
  });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
