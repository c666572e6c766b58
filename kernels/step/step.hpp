// SPDX-License-Identifier: Apache-2.0
// One attempt at a step of one scene, as a table of contents. docs/architecture.md follows it phase by phase.
//
//   find_pairs            broad phase: what could touch within the step
//   predict               motion without constraints; prescribed motion
//   choose_modes          one separating feature per pair of convex parts
//   make_rows             gaps, Jacobians, friction, support points, motors
//   solve                 impulses and velocities
//   accepted              does the geometry at the end pose agree with the linearisation? Else linearise again there
//   integrate_or_reject   take the end pose, or reject the attempt: the caller halves the step
//
// An attempt covers a whole step or a substep. advance_scene() (run_scene.hpp) applies the stop rule once the whole
// step is done; run_scene() evaluates the success condition when the scene is over.
#pragma once

#include "kernels/broad_phase/find_pairs.hpp"
#include "kernels/contact/accepted.hpp"
#include "kernels/contact/choose_modes.hpp"
#include "kernels/contact/landing.hpp"
#include "kernels/contact/make_rows.hpp"
#include "kernels/integrate/commit.hpp"
#include "kernels/integrate/predict.hpp"
#include "kernels/joint/swing.hpp"
#include "kernels/solver/kind.hpp"
#include "kernels/solver/solve.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// What became of an attempt. merged (3D): a body came into the reach of another island (broad_phase/claims.hpp); no
// pose has changed.
enum class StepResult { done, rejected, failed, merged };

// Whether a rejected attempt would be tried again at half the length: as a rule (plain), and where a pair could pass
// through each other (at_risk), or bodies land (landing).
struct HalvingAllowance {
  bool plain, at_risk, landing;
  PEGRASP_HD bool where(bool risk) const { return risk ? at_risk : plain; }
};

// Status bits that end a scene at once.
constexpr std::uint32_t fatal_bits = status_capacity | status_non_finite | status_single_precision;

// What becomes of an attempt, and the status bits that it leaves if it is taken because no smaller step is available.
struct Assessment {
  StepResult result;
  std::uint32_t status;
};

// What is known of an attempt when it ends.
struct AttemptFindings {
  double residual;     // of the last solve [m/s]
  double penetration;  // [m] at the end pose of the last pass, beyond what the step set out to reach
  double joints_open;  // [m] at the start
  int outran;          // 1: a body moves farther than the near pairs were listed for
  int astray;          // 1: the last pass was linearised at an end pose that solves nothing
  int infeasible;      // 1: a proof shows that the last pass has no solution
  int lands;           // batched strategy, 1: bodies land, and the attempt is to be halved
};
PEGRASP_HD inline AttemptFindings findings_of(const SceneTally& t) {
  return {t.residual, t.penetration, t.joints_open, t.outran, t.astray, t.infeasible, 0};
}

// Decides what becomes of an attempt. agreed: accepted() said yes. can_halve: a smaller step is still available.
// finite: all velocities and end poses are. gained: the step gained energy that nothing put in (gains_energy).
PEGRASP_HD inline Assessment assess_attempt(const AttemptFindings& t, const StepOptions& options, bool agreed,
                                            bool can_halve, bool finite, bool gained = false) {
  // An iteration that diverged does not mean that the state is at fault: a shorter step may be solved.
  if (!finite)
    return can_halve ? Assessment{StepResult::rejected, 0u} : Assessment{StepResult::failed, status_non_finite};
  // Pairs that came into reach in the last pass were never looked at: they may overlap by any depth.
  const bool too_deep =
      options.contact == ContactModel::peg && !agreed && (t.penetration > options.reject_depth || t.outran);
  const bool unsolved = gained || (!agreed && t.astray != 0) || !(t.residual <= options.tolerance);
  if (t.lands != 0) return {StepResult::rejected, 0u};
  if ((too_deep || unsolved) && can_halve) return {StepResult::rejected, 0u};
  // A joint that began the step apart is drawn together at the recovery speed. Until it is closed the scene is not the
  // one that was described, which a status bit reports.
  const bool open = t.joints_open > options.reject_depth && !solves_once(options);
  // Where no motion obeys the step neither overlap nor residual says anything more.
  if (t.infeasible != 0 && unsolved)
    return {StepResult::done, status_infeasible | (open ? std::uint32_t{status_too_deep} : 0u)};
  return {StepResult::done, (too_deep || open ? status_too_deep : 0u) | (unsolved ? status_not_converged : 0u)};
}

// Adds a (sub)step that was taken to the totals of the scene. status: bits of the attempt. work: outside_work [J].
PEGRASP_HD inline void record_substep(SceneTally& t, std::uint32_t status, double work) {
  t.step_status |= status;
  t.step_residual = max_or_nan(t.step_residual, t.residual);
  t.step_depth = max2(t.step_depth, t.depth);
  t.explained_work += work;
  t.last_contacts = t.contact_count;
  t.outcome.contacts_max = max2(t.outcome.contacts_max, t.contact_count);
  t.outcome.contacts_sum += t.contact_count;
  ++t.outcome.substeps;
}

// The same for an island, in a record of its own, since merging with another island may still undo the step.
PEGRASP_HD inline void record_island(IslandRecord& r, const SceneTally& t, std::uint32_t status, double work) {
  r.status |= status;
  r.residual = max_or_nan(r.residual, t.residual);
  r.depth = max2(r.depth, t.depth);
  r.work += work;
  r.last_contacts = t.contact_count;
  r.contacts += t.contact_count;
  ++r.substeps;
}

// Adds a (sub)step that was taken to the scene (2D) or to the island at hand (3D).
PEGRASP_HD inline void record_attempt(const SceneView& s, std::uint32_t status, double work) {
  if constexpr (has_islands) {
    record_island(s.record[s.tally->islands.island], *s.tally, status, work);
  } else {
    record_substep(*s.tally, status, work);
  }
}

// Keeps the largest squeeze of the step; of equal ones, but for rounding, the last.
PEGRASP_HD inline void note_squeeze(SceneTally& t) {
  constexpr double equal = 0.999;
  if (t.step_squeeze.body < 0 || t.squeeze.room > equal * t.step_squeeze.room) t.step_squeeze = t.squeeze;
}

// Quasistatic scenes. Bodies on which neither contacts nor supports act stay, whatever else pulls them.
template <class Team>
PEGRASP_HD void let_loose_bodies_stay(Team& team, SceneView& s) {
  for_each_active(team, s, [&](int body) {
    if (!is_dynamic(s, body) || s.body_first_row[body] != s.body_first_row[body + 1]) return;
    for (int i = dof * body; i < dof * (body + 1); ++i) s.free_twist[i] = 0.0;
  });
}

PEGRASP_HD inline bool pulled_at_all(const SceneView& s, int body) {
  for (int i = dof * body; i < dof * (body + 1); ++i) {
    if (s.free_twist[i] != 0.0) return true;
  }
  return false;
}

// Quasistatic scenes. A body that keeps more than this share of the velocity that applied forces alone would give it is
// not in balance: nothing in its reach holds it. Then the step counts as not solved.
constexpr double most_unbalanced = 1e-3;
PEGRASP_HD inline bool is_unbalanced(const SceneView& s, int body) {
  if (!is_dynamic(s, body) || s.present[body] == 0 || !pulled_at_all(s, body)) return false;
  return speed_bound(s, s.nu, body) > most_unbalanced * speed_bound(s, s.free_twist, body);
}
PEGRASP_HD inline double unbalanced_speed(const SceneView& s) {
  double worst = 0.0;
  for (int i = 0; i < active_count(s); ++i) {
    const int body = active_body(s, i);
    if (is_unbalanced(s, body)) worst = max2(worst, speed_bound(s, s.nu, body));
  }
  return worst;
}
// Such a body stays where it is. Returns whether there is one.
PEGRASP_HD inline bool hold_unbalanced(const SceneView& s, double h) {
  bool any = false;
  for (int i = 0; i < active_count(s); ++i) {
    const int body = active_body(s, i);
    if (!is_unbalanced(s, body)) continue;
    any = true;
    for (int k = dof * body; k < dof * (body + 1); ++k) s.nu[k] = 0.0;
    place_end(s, s.nu, body, h);
  }
  return any;
}
// Takes the end pose of an attempt or rejects it; s.tally and, where the attempt is taken, poses and velocities change.
// The result is the same on all ranks.
template <class Team>
PEGRASP_HD_APART StepResult integrate_or_reject(Team& team, SceneView& s, const StepOptions& options, bool agreed,
                                                bool can_halve) {
  const bool finite = finite_motion(s);
  const auto own = [&s](int body) { return is_own(s, body); };
  team.sync();
  once(team, [&] {
    const bool astray = s.tally->lost != 0 && finite && lost_its_way(s, options, s.tally->residual, own);
    if (astray || (finite && swings_too_far(s, options, s.tally->warm_h, own))) s.tally->lost = 2;
  });
  const bool gained = s.tally->lost == 2 || gains_energy(s, options);
  const Assessment assessment = assess_attempt(findings_of(*s.tally), options, agreed, can_halve, finite, gained);
  team.sync();  // every rank has read the tally that one of them now adds to
  const bool unsolved = assessment.result == StepResult::done && (assessment.status & unsolved_bits) != 0;
  once(team, [&] {
    const bool no_motion = (assessment.status & status_infeasible) != 0;
    const bool loose = unsolved && !remembers_motion(*s.model) && hold_unbalanced(s, options.h);
    s.tally->holds = loose || (unsolved && hold_still(s, options, s.tally->residual, no_motion, own)) ? 1 : 0;
  });
  const bool holds = s.tally->holds != 0;
  const bool infeasible = s.tally->infeasible != 0;
  // Impulses without end are nothing to start the next attempt from.
  if (!finite || infeasible || holds) once(team, [&] { s.tally->warm_h = 0.0; });
  if (assessment.result == StepResult::failed) once(team, [&] { s.tally->step_status |= assessment.status; });
  if (assessment.result != StepResult::done) return assessment.result;
  once(team, [&] {
    record_attempt(s, assessment.status, holds ? gain_of_held(s, own) : outside_work(s));
    if ((assessment.status & status_infeasible) != 0) note_squeeze(*s.tally);
  });
  commit_motion(team, s, options.h);
  if (s.model->shells == shells_deflect) {
    WarmContact* const kept = s.warm[s.tally->warm_parity] + first_warm(s);
    for_each(team, s.tally->contact_count, [&](int k) { take_deflected(kept[k]); });
  }
  return StepResult::done;
}

// In 3D more passes than usual are tried before an attempt is rejected, or taken with an overlap: up to so many times
// the usual number. One more pass costs less than two halves of the step.
constexpr int most_passes = 2;
constexpr double worth_mending = 0.1;  // of reject_depth: overlaps that the usual passes left
PEGRASP_HD inline bool worth_another_pass(const AttemptFindings& t, const StepOptions& options) {
  return t.penetration > worth_mending * options.reject_depth || t.outran != 0 || !(t.residual <= options.tolerance);
}

// Whether an attempt goes on after a pass that agrees, as long as passes are left: its solve missed the tolerance. In
// the first pass rows of contacts that will stick contradict each other by what the free motion turns. Solvers of first
// order answer with impulses that grow for thousands of iterations; about the end pose to which these lead the rows
// agree. Where Newton's method fails, the answer is far from the solution and so is the next linearisation.
PEGRASP_HD inline bool goes_on_unsolved(double residual, int infeasible, const StepOptions& options) {
  return !is_newton(options.solver) && linearises_anew(options) && infeasible == 0 && !(residual <= options.tolerance);
}

PEGRASP_HD constexpr std::int64_t least_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

// What is left of the iterations of the step. A scene whose unresolved steps have used up theirs gets one solve a step.
// used: iterations of the step so far. penetration: of its last pass [m]; where that is far too deep nothing is left to
// be won by the turns of jammed bodies, which a step may need many iterations to come to.
PEGRASP_HD inline int iterations_to_spend(const SceneTally& t, const StepOptions& options, std::int64_t used,
                                          double penetration) {
  constexpr double far_too_deep = 100.0;  // times reject_depth
  const bool spent = t.iterations_in_vain >= options.scene_iterations;
  const bool hopeless = !(penetration <= far_too_deep * options.reject_depth);
  const std::int64_t most = hopeless ? options.step_iterations / 3 : options.step_iterations;
  const std::int64_t all = spent ? std::int64_t{options.max_iterations} : most;
  return static_cast<int>(used < all ? least_of(all - used, 1'000'000'000) : 0);
}

// The status bits of the step so far: of the scene (2D) or of the island at hand (3D).
PEGRASP_HD inline std::uint32_t status_so_far(const SceneView& s) {
  if constexpr (has_islands) {
    return s.record[s.tally->islands.island].status;
  } else {
    return s.tally->step_status;
  }
}

// Whether the step goes on in single solves that are taken as they stand: it has used up its iterations, or a substep
// was proven to have no solution, and the rest of the step will not have one.
PEGRASP_HD inline bool hurries(const SceneView& s, const StepOptions& options) {
  return iterations_to_spend(*s.tally, options, s.tally->iterations, s.tally->penetration) <= 0 ||
         (status_so_far(s) & status_infeasible) != 0;
}

// The options of a solve: as many iterations as are left, and a few where none are.
PEGRASP_HD inline StepOptions options_of_solve(const StepOptions& options, int to_spend) {
  constexpr int least = 64;
  StepOptions out = options;
  out.max_iterations = min2(out.max_iterations, max2(least, to_spend));
  return out;
}

// How long [s] forces act where an attempt of h [s] begins: the time of the first body that moves.
PEGRASP_HD inline double kick_of_attempt(const SceneView& s, double h) {
  for (int i = 0; i < active_count(s); ++i) {
    const int body = active_body(s, i);
    if (is_dynamic(s, body) && s.present[body] != 0) return kick_time(s, body, h);
  }
  return h;
}

// Number of passes that an attempt gets as a rule. Contact models that linearise once pass again only to close joints.
PEGRASP_HD inline int usual_passes(const SceneView& s, const StepOptions& options) {
  if (solves_once(options)) return 1;
  return linearises_anew(options) || s.model->joint_count > 0 ? options.max_passes : 1;
}

// The same at most.
PEGRASP_HD inline int most_passes_of(const SceneView& s, const StepOptions& options) {
  const int usual = usual_passes(s, options);
  return has_islands && linearises_anew(options) && usual > 1 ? most_passes * usual : usual;
}

// One attempt at a step of options.h [s] from the present state. allowance: whether a rejected attempt would be halved.
// A rejected attempt leaves poses and velocities as they were; its impulses are kept to start the next attempt from.
template <class Team>
PEGRASP_HD StepResult step_scene(Team& team, SceneView& s, const StepOptions& options,
                                 const HalvingAllowance& allowance) {
  find_pairs(team, s, options);
  if (has_islands && s.tally->islands.merged != 0) return StepResult::merged;
  predict(team, s, options);
  const int passes = hurries(s, options) ? 1 : usual_passes(s, options);
  const int most = passes > 1 ? most_passes_of(s, options) : passes;
  bool agreed = false;
  bool enough = false;
  for (int pass = 0; pass < most && !enough; ++pass) {
    if (pass > 0 && (hurries(s, options) || stopped(team))) break;
    const int to_spend = iterations_to_spend(*s.tally, options, s.tally->iterations, s.tally->penetration);
    const StepOptions options_here = options_of_solve(options, to_spend);
    // A pass is astray if the pass before it was not solved. First-order solvers come nearer from pass to pass; where
    // Newton and its rounds of AJ give up, the step is close to jammed and the answer is far from the solution.
    once(team, [&] {
      SceneTally& t = *s.tally;
      t.pass = pass;
      t.kick = kick_of_attempt(s, options.h);
      t.smallest = allowance.where(t.risk != 0) ? 0 : 1;
      t.contacts_later = pass > 0 && linearises_anew(options) ? 1 : 0;
      if (t.step_passes <= pass) t.step_passes = pass + 1;
      t.iterations_left = to_spend;
      if (pass == 0) t.lost = 0;
      if (pass > 0 && !(t.residual <= options.tolerance)) t.lost = 1;
      t.astray = pass > 0 && is_newton(options.solver) && !(t.residual <= options.tolerance) ? 1 : 0;
    });
    choose_modes(team, s, options);
    hold_taut(team, s, options.h, s.tally->warm_h, [&s](int joint) { return joint_active(s, joint); });
    make_rows(team, s, options);
    if (s.tally->step_status & fatal_bits) return StepResult::failed;
    const bool may_halve = allowance.landing && !hurries(s, options);
    if (may_halve && asks_for_landings(s, options) && any_lands(team, s, options)) return StepResult::rejected;
    if (!remembers_motion(*s.model)) let_loose_bodies_stay(team, s);
    solve(team, s, options_here);
    if (!remembers_motion(*s.model)) {
      once(team, [&] { s.tally->residual = max2(s.tally->residual, unbalanced_speed(s)); });
    }
    agreed = accepted(team, s, options);
    if (has_islands && s.tally->islands.merged != 0) return StepResult::merged;
    enough = pass + 1 < passes ? agreed && !goes_on_unsolved(s.tally->residual, s.tally->infeasible, options)
                               : agreed || !worth_another_pass(findings_of(*s.tally), options);
  }
  if (s.tally->step_status & fatal_bits) return StepResult::failed;
  const bool can_halve = allowance.where(s.tally->risk != 0) && !hurries(s, options);
  return integrate_or_reject(team, s, options, agreed, can_halve);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
