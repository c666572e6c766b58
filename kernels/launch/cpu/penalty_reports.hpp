// SPDX-License-Identifier: Apache-2.0
// What others are told of penalty contacts: the sums of forces that success and outcomes ask for, the report of a step,
// and the work of prescribed motion.
#pragma once

#include <vector>

#include "kernels/launch/cpu/step_watch.hpp"
#include "kernels/launch/penalty_contacts.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

inline double margin_of(const PenaltyContact& c) {
  const double most = c.friction * c.normal_impulse;
  return most > 0.0 ? max2(0.0, 1.0 - square_root(inner(c.tangential_impulse, c.tangential_impulse)) / most) : 1.0;
}

// Adds the contacts of a step to the sums of their bodies, as add_forces() does for contacts with rows.
inline void add_to_sums(const SceneView& s, const std::vector<PenaltyContact>& contacts) {
  const ModelView& m = *s.model;
  if (!asks_for_forces(m)) return;
  for (const PenaltyContact& c : contacts) {
    const int owner = is_dynamic(s, c.body_a) ? c.body_a : c.body_b;
    for (int k = 0; m.force_predicates > 0 && k < m.predicate_count; ++k) {
      const Predicate& predicate = m.predicates[k];
      if (about_forces(predicate) && concerns(predicate, c.body_a, c.body_b))
        predicate_impulse(s, k, owner) += c.normal_impulse;
    }
    if (m.measures_forces == 0) continue;
    for (const int body : {c.body_a, c.body_b}) {
      const int other = body == c.body_a ? c.body_b : c.body_a;
      if (!is_dynamic(s, body)) continue;
      s.grip_impulse[body] += c.normal_impulse;
      if (body == m.watched && m.body_holds[other] != 0) *s.hold_impulse += c.normal_impulse;
    }
  }
  if (m.measures_forces == 0) return;
  std::vector<double> largest(static_cast<std::size_t>(m.body_count), 0.0);
  for (const PenaltyContact& c : contacts) {
    for (const int body : {c.body_a, c.body_b}) {
      double& most = largest[static_cast<std::size_t>(body)];
      most = max2(most, c.normal_impulse);
    }
  }
  for (const PenaltyContact& c : contacts) {
    for (const int body : {c.body_a, c.body_b}) {
      if (!is_dynamic(s, body) || c.normal_impulse < force_that_counts * largest[static_cast<std::size_t>(body)])
        continue;
      s.slip_margin[body] = min2(s.slip_margin[body], margin_of(c));
    }
  }
}

// Work [J] that bodies with prescribed motion do on others through the contacts of a step.
inline double work_of_prescribed(const SceneView& s, const std::vector<PenaltyContact>& contacts,
                                 const std::vector<PenaltyMotion>& motions) {
  double work = 0.0;
  for (const PenaltyContact& c : contacts) {
    for (const int body : {c.body_a, c.body_b}) {
      const int other = body == c.body_a ? c.body_b : c.body_a;
      if (!is_kinematic(s, body) || !is_dynamic(s, other)) continue;
      const PenaltyMotion& motion = motions[static_cast<std::size_t>(body)];
      const Vec3 arm = sum_of(c.point, times(-1.0, motion.centre));
      const Vec3 speed = sum_of(motion.velocity, crossed(motion.spin, arm));
      const Vec3 impulse = sum_of(times(c.normal_impulse, c.normal), c.tangential_impulse);
      work += (body == c.body_a ? 1.0 : -1.0) * inner(impulse, speed);
    }
  }
  return work;
}

// Adds the contacts of a step of h [s] to its report.
inline void report_contacts(const std::vector<PenaltyContact>& contacts, double h,
                            const std::vector<PenaltyMotion>& motions, StepContents& all) {
  for (const PenaltyContact& c : contacts) {
    ContactReport report;
    report.body_a = c.body_a;
    report.body_b = c.body_b;
    report.part_a = c.part_a;
    report.part_b = c.part_b;
    report.feature = c.face_of_b ? ContactFeature::face_b : ContactFeature::face_a;
    report.point = c.point;
    report.normal = c.normal;
    report.gap = -c.depth;
    report.friction = c.friction;
    report.normal_impulse = c.normal_impulse;
    report.tangential_impulse = c.tangential_impulse;
    report.duration = h;
    report.impulse = sum_of(times(c.normal_impulse, c.normal), c.tangential_impulse);
    const Vec3 centre_a = motions[static_cast<std::size_t>(c.body_a)].centre;
    const Vec3 centre_b = motions[static_cast<std::size_t>(c.body_b)].centre;
    report.turn_a = crossed(sum_of(c.point, times(-1.0, centre_a)), times(-1.0, report.impulse));
    report.turn_b = crossed(sum_of(c.point, times(-1.0, centre_b)), report.impulse);
    report.slip = c.slip;
    report.state = c.slides ? ContactState::slide : ContactState::stick;
    report.margin = margin_of(c);
    all.contacts.push_back(report);
    all.step_contacts.push_back(report);
    for (const int body : {c.body_a, c.body_b}) {
      const bool first = body == c.body_a;
      BodyLoad& load = all.bodies[static_cast<std::size_t>(body)];
      load.contact_impulse = sum_of(load.contact_impulse, times(first ? -1.0 : 1.0, report.impulse));
      load.contact_turn = sum_of(load.contact_turn, first ? report.turn_a : report.turn_b);
      load.normal_impulse += c.normal_impulse;
      load.duration = std::max(load.duration, h);
    }
  }
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
