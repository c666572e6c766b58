// SPDX-License-Identifier: Apache-2.0
// Contacts with compliant shells: rows, and what is carried from step to step (Berard's thesis, 3.88-3.93).
//
//   normal      p = k (K d' + C (d' - d) / h) >= 0,   d' = -gap at the end,   d = max(0, -gap at the start)
//               as w = gap' / h + C d / (h (h K + C)) + p / (k (h K + C)) >= 0  _|_  p >= 0
//   tangential  p_t = -k (K_t e' + C_t (e' - e) / h),   e' = e + h w_t,   |p_t| <= mu p
//               as w_t + K_t e / (h K_t + C_t) + p_t / (k (h K_t + C_t)) = 0; at the bound e' follows from p_t
//
// k is the time for which forces act (kick_time), h but for the first step and next to longer or shorter ones. The
// deflection e is a vector in the surface; e' of a step that is taken is e of the next. A shell that is let go springs
// back at once. Under the shell is a rigid contact with friction of its own, whose gap is to reach minus the thickness:
// both push along one normal, so that the sum of their friction is bounded by mu times the sum of their forces.
//
// That is implicit Euler, which takes energy out of a spring. SpringForce::start has forces at the start of the step in
// place of d' and e', as in a step without length: a row that is so compliant that no motion changes its impulse.
#pragma once

#include "kernels/scene/shell.hpp"
#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/rows.hpp"
#else
#include "kernels/planar/rows.hpp"
#endif

namespace pegrasp::PEGRASP_ARITHMETIC {

// Responses of the bodies by which a row is more compliant than they that is to have a given impulse.
constexpr double given_compliance = 1e8;

PEGRASP_HD inline bool forces_at_start(const StepOptions& options) {
  return options.spring_force == SpringForce::start || !(options.h > 0.0);
}

// How long [s] the forces of a contact act: the mean of its bodies.
PEGRASP_HD inline double contact_kick(const SceneView& s, const Contact& c, double h) {
  if (!is_dynamic(s, c.body_a)) return kick_time(s, c.body_b, h);
  if (!is_dynamic(s, c.body_b)) return kick_time(s, c.body_a, h);
  return 0.5 * (kick_time(s, c.body_a, h) + kick_time(s, c.body_b, h));
}

// J M^-1 J^T of a row.
PEGRASP_HD inline double row_response(const Row& row) {
  double sum = 0.0;
  for (int i = 0; i < dof; ++i) {
    sum += static_cast<double>(row.ja[i]) * static_cast<double>(row.wa[i]) +
           static_cast<double>(row.jb[i]) * static_cast<double>(row.wb[i]);
  }
  return sum;
}

PEGRASP_HD inline void add_compliance(Row& row, double compliance) {
  row.compliance += static_cast<SolverReal>(compliance);
  row.diagonal += static_cast<SolverReal>(compliance);
}

// The compliance [m/s per N s] of a row with a force that is given but for its damping [N s/m].
PEGRASP_HD inline double compliance_of_given(const Row& row, double kick, double damping) {
  const double most = given_compliance * row_response(row);
  return kick * damping * most > 1.0 ? 1.0 / (kick * damping) : most;
}

// The component of the deflection of a contact along the tangent of one of its rows [m].
PEGRASP_HD inline double deflection_along(const Contact& c, const Row& row) {
  if constexpr (is_spatial) {
    double sum = 0.0;
    for (int i = 0; i < deflection_size; ++i) sum += c.deflection[i] * static_cast<double>(row.jb[i]);
    return sum;
  } else {
    return c.deflection[0];
  }
}

// The rows of friction with tangential springs.
PEGRASP_HD inline int sprung_rows(const Block& block) {
  constexpr int tangents = is_spatial ? 2 : 1;
  return min2(block.row_count - 1, tangents);
}

// What the deflection at the start adds to a row of friction [m/s].
PEGRASP_HD inline double deflection_bias(const PairShell& shell, const Contact& c, const Row& row, double kick,
                                         const StepOptions& options) {
  const double pull = shell.tangential_stiffness * deflection_along(c, row);
  if (forces_at_start(options)) return static_cast<double>(row.compliance) * kick * pull;
  return pull / (options.h * shell.tangential_stiffness + shell.tangential_damping);
}

// Makes the rows of a rigid contact those of a shell. To be called once they are filled. about: they are linearised at
// the end poses.
PEGRASP_HD_LARGE void soften(const SceneView& s, Contact& c, const Block& block, bool about,
                             const StepOptions& options) {
  const PairShell shell = pair_shell(*s.model, s.pairs[c.pair]);
  const double h = options.h;
  const double kick = contact_kick(s, c, h);
  double gap = c.gap;
  if (about) gap = at_start(s, c).gap;
  if (gap > 1e299) gap = s.pairs[c.pair].s0_max;  // nothing is known of it
  const double start = max2(0.0, -gap);
  Row& normal = s.rows[block.first_row];
  c.lag = 0.0;
  if (forces_at_start(options)) {
    const double compliance = compliance_of_given(normal, kick, shell.damping);
    add_compliance(normal, compliance);
    normal.bias = static_cast<SolverReal>(-compliance * kick * shell.stiffness * start);
  } else {
    const double gives = h * shell.stiffness + shell.damping;
    c.lag = shell.damping * start / gives;
    add_compliance(normal, 1.0 / (kick * gives));
    normal.bias += static_cast<SolverReal>(c.lag / h);
  }
  if (!(shell.tangential_stiffness > 0.0)) return;
  for (int i = block.first_row + 1; i <= block.first_row + sprung_rows(block); ++i) {
    Row& row = s.rows[i];
    const double compliance = forces_at_start(options)
                                  ? compliance_of_given(row, kick, shell.tangential_damping)
                                  : 1.0 / (kick * (h * shell.tangential_stiffness + shell.tangential_damping));
    add_compliance(row, compliance);
    row.bias += static_cast<SolverReal>(deflection_bias(shell, c, row, kick, options));
  }
}

// --- deflections from step to step -----------------------------------------------------------------------------------

// Takes up the deflection that the feature of a contact has had, or the mean of its pair where the feature is new: two
// surfaces have shifted by as much everywhere. The list of kept impulses is searched from `first` to `last`.
PEGRASP_HD inline void take_deflection(const SceneView& s, Contact& c, int first, int last) {
  const NearPair& pair = s.pairs[c.pair];
  const WarmContact* list = s.warm[s.tally->warm_parity];
  double sum[deflection_size] = {};
  int count = 0;
  for (int k = first; c.shell == contact_soft && k < last; ++k) {
    const WarmContact& old = list[k];
    if (old.part_a != pair.part_a || old.part_b != pair.part_b || old.shell != contact_soft) continue;
    if (old.key == c.key) {
      for (int i = 0; i < deflection_size; ++i) c.deflection[i] = old.deflection[i];
      return;
    }
    for (int i = 0; i < deflection_size; ++i) sum[i] += old.deflection[i];
    ++count;
  }
  for (int i = 0; i < deflection_size; ++i) c.deflection[i] = count > 0 ? sum[i] / count : 0.0;
}

// Keeps the deflection of a contact at the start, and what the impulses p of its block make of it. v: velocities of the
// solution.
PEGRASP_HD_LARGE void keep_deflection(const SceneView& s, const Block& block, const SolverReal* p, const double* v,
                                      const StepOptions& options, WarmContact& kept) {
  const Contact& c = s.contacts[block.owner];
  for (int i = 0; i < deflection_size; ++i) kept.deflection[i] = kept.deflected[i] = c.deflection[i];
  if (c.shell != contact_soft) return;
  const PairShell shell = pair_shell(*s.model, s.pairs[c.pair]);
  const double h = options.h;
  const double kick = contact_kick(s, c, h);
  for (int i = 0; i < deflection_size; ++i) kept.deflected[i] = 0.0;
  if (!(shell.tangential_stiffness > 0.0) || !(kick > 0.0)) return;
  for (int i = 1; i <= sprung_rows(block); ++i) {
    const Row& row = s.rows[block.first_row + i];
    const double e = deflection_along(c, row);
    const double force = static_cast<double>(p[i]) / kick;
    double after = 0.0;
    if (forces_at_start(options)) {
      double speed = static_cast<double>(row.bias) - deflection_bias(shell, c, row, kick, options);
      for (int k = 0; k < dof; ++k) {
        speed += static_cast<double>(row.ja[k]) * v[dof * row.body_a + k] +
                 static_cast<double>(row.jb[k]) * v[dof * row.body_b + k];
      }
      after = (-force - shell.tangential_damping * speed) / shell.tangential_stiffness + h * speed;
    } else {
      after = (shell.tangential_damping * e - h * force) / (h * shell.tangential_stiffness + shell.tangential_damping);
    }
    if constexpr (is_spatial) {
      for (int k = 0; k < deflection_size; ++k) kept.deflected[k] += after * static_cast<double>(row.jb[k]);
    } else {
      kept.deflected[0] = after;
    }
  }
}

// A step was taken: what its contacts have deflected by is where the next one starts.
PEGRASP_HD inline void take_deflected(WarmContact& kept) {
  for (int i = 0; i < deflection_size; ++i) kept.deflection[i] = kept.deflected[i];
}

// --- the end of a step -----------------------------------------------------------------------------------------------

// How far [m] a pair with a shell ends from where the forces of its contacts say, by the share with which their rows
// answer by motion instead of by the shell: a soft one has no error to speak of.
PEGRASP_HD_APART double shell_error(const SceneView& s, const NearPair& pair, const StepOptions& options) {
  if (forces_at_start(options)) return 0.0;
  double deepest = -1e300;  // of contacts that push
  double least = 0.0;       // to which those that do not may have come back
  double share = 0.0;
  bool any = false;
  for (int i = pair.first_contact; i < pair.first_contact + pair.contact_count; ++i) {
    const Contact& c = s.contacts[i];
    if (c.shell != contact_soft) continue;
    const Row& row = s.rows[s.blocks[i].first_row];
    const double p = static_cast<double>(s.p[s.blocks[i].first_row]);
    const double response = row_response(row);
    if (response > 0.0) share = max2(share, response / (response + static_cast<double>(row.compliance)));
    if (p > 0.0) deepest = max2(deepest, options.h * static_cast<double>(row.compliance) * p + c.lag);
    least = max2(least, c.lag);
    any = true;
  }
  const double ended = -pair.s_end;
  if (!any) return pair.apart == kept_apart ? 0.0 : max2(0.0, ended);
  return share * max2(ended - max2(deepest, least), max2(deepest - ended, 0.0));
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
