// SPDX-License-Identifier: Apache-2.0
// Contact forces that a scene's success, or its outcome, asks for: sums of impulses over a step. Models that ask for
// none have no memory for them and do none of this.
//
// Every sum belongs to a dynamic body and is made from the rows on it, in their order. A body's sums begin anew with
// the first attempt of a step that is taken, so that islands which begin again, or wait, count once.
#pragma once

#include "kernels/scene/access.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// Contacts that carry less than this share of the largest normal force on their body have no say in its margin to slip.
constexpr double force_that_counts = 1e-3;

PEGRASP_HD inline bool asks_for_forces(const ModelView& m) { return m.force_predicates + m.measures_forces > 0; }

constexpr unsigned force_kinds = kinds_of_forces();

// Whether a predicate is about contact forces.
PEGRASP_HD inline bool about_forces(const Predicate& p) { return (force_kinds >> static_cast<int>(p.kind) & 1u) != 0; }

// The sum of a predicate's normal impulses [N s] that belong to a body.
PEGRASP_HD inline double& predicate_impulse(const SceneView& s, int predicate, int body) {
  return s.predicate_impulse[s.model->body_count * predicate + body];
}

// Of a body when a step, or the scene, begins.
PEGRASP_HD inline void clear_forces(const SceneView& s, int body) {
  const ModelView& m = *s.model;
  if (m.force_predicates > 0) {
    for (int k = 0; k < m.predicate_count; ++k) predicate_impulse(s, k, body) = 0.0;
  }
  if (m.measures_forces == 0) return;
  s.grip_impulse[body] = 0.0;
  s.slip_margin[body] = 1.0;
  if (body == m.watched) *s.hold_impulse = 0.0;
}

// The impulse of a row of the attempt at hand [N s; of rotation N m s, or by the row's arm]. All that reports forces
// reads it here.
PEGRASP_HD inline double row_impulse(const SceneView& s, int row) { return static_cast<double>(s.p[row]); }

PEGRASP_HD inline double normal_impulse(const SceneView& s, const Block& block) {
  return row_impulse(s, block.first_row);
}

// (mu p_n - |p_t|) / (mu p_n) of a contact that carries force; 1 without friction.
PEGRASP_HD inline double margin_of_contact(const SceneView& s, const Block& block) {
  const double most = static_cast<double>(block.bound) * normal_impulse(s, block);
  if (!(most > 0.0)) return 1.0;
  double length2 = 0.0;
  for (int i = block.first_row + 1; i < block.first_row + block.row_count; ++i) {
    const double p = row_impulse(s, i);
    length2 += p * p;
  }
  return max2(0.0, 1.0 - square_root(length2) / most);
}

// Whether a contact of these bodies is one that the predicate is about.
PEGRASP_HD inline bool concerns(const Predicate& p, int body_a, int body_b) {
  return (p.body == body_a && (p.body_b < 0 || p.body_b == body_b)) ||
         (p.body == body_b && (p.body_b < 0 || p.body_b == body_a));
}

// Adds what an attempt that was taken did to a dynamic body whose motion is committed. Its impulses act for the time
// between the middles of two (sub)steps, their forces last as long as the (sub)step. begins: the step begins with it.
// for_each_contact(f): calls f(block) for the contacts on the body, in the order of the rows.
template <class ForEachContact>
PEGRASP_HD inline void add_forces(const SceneView& s, int body, bool begins, const ForEachContact& for_each_contact) {
  const ModelView& m = *s.model;
  if (begins) clear_forces(s, body);
  const double lasts = remembers_motion(m) ? s.last_h[body] / s.last_kick[body] : 2.0;
  double largest = 0.0;
  for_each_contact([&](const Block& block) {
    const Contact& c = s.contacts[block.owner];
    const double p = lasts * normal_impulse(s, block);
    largest = max2(largest, p);
    if (m.measures_forces != 0) s.grip_impulse[body] += p;
    if (body == m.watched && m.body_holds[c.body_a == body ? c.body_b : c.body_a] != 0) *s.hold_impulse += p;
    // A contact of two dynamic bodies is summed with the first.
    const bool own = c.body_a == body || !is_dynamic(s, c.body_a);
    for (int k = 0; own && m.force_predicates > 0 && k < m.predicate_count; ++k) {
      const Predicate& predicate = m.predicates[k];
      if (about_forces(predicate) && concerns(predicate, c.body_a, c.body_b)) predicate_impulse(s, k, body) += p;
    }
  });
  if (m.measures_forces == 0) return;
  for_each_contact([&](const Block& block) {
    const double p = lasts * normal_impulse(s, block);
    if (p > 0.0 && p >= force_that_counts * largest)
      s.slip_margin[body] = min2(s.slip_margin[body], margin_of_contact(s, block));
  });
}

// The mean normal force [N] of a predicate's contacts in a step of h [s] that is done.
PEGRASP_HD inline double predicate_force(const SceneView& s, int predicate, double h) {
  double sum = 0.0;
  for (int body = 0; body < s.model->body_count; ++body) sum += predicate_impulse(s, predicate, body);
  return sum / h;
}

// Adds a step of h [s] that is done to the outcome.
PEGRASP_HD inline void keep_measures(const SceneView& s, double h) {
  if (s.model->measures_forces == 0) return;
  SceneOutcome& outcome = s.tally->outcome;
  outcome.slip_margin_end = 1.0;
  for (int body = 0; body < s.model->body_count; ++body) {
    if (!is_dynamic(s, body) || s.present[body] == 0) continue;
    outcome.grip_force_max = max2(outcome.grip_force_max, s.grip_impulse[body] / h);
    outcome.slip_margin_end = min2(outcome.slip_margin_end, s.slip_margin[body]);
  }
  outcome.slip_margin_min = min2(outcome.slip_margin_min, outcome.slip_margin_end);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
