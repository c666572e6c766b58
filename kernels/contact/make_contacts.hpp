// SPDX-License-Identifier: Apache-2.0
// Makes the contacts of all near pairs at the pose of the linearisation, for every contact model.
#pragma once

#include "kernels/contact/linearisation.hpp"
#if defined(PEGRASP_SPATIAL)
#include "kernels/spatial/features.hpp"
#include "kernels/spatial/ratio.hpp"
#else
#include "kernels/planar/features.hpp"
#include "kernels/planar/ratio.hpp"
#endif
#include "kernels/scene/active.hpp"
#include "kernels/scene/candidates.hpp"
#include "kernels/scene/shell.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// The geometry of a pair at the pose where its contacts are linearised (about_motion): the start of the step or an end
// pose.
PEGRASP_HD inline PairGeometry linearisation_geometry(const SceneView& s, const NearPair& pair) {
  const bool end = about_motion(s, pair);
  return pair_geometry(s, pair, end ? end_frame(s, pair.body_a) : start_frame(s, pair.body_a),
                       end ? end_frame(s, pair.body_b) : start_frame(s, pair.body_b));
}

// Sine of the angle below which edges or faces touch along their overlap: flat_angle and twice the relative turn in h
// [s] at the velocities of the linearisation (of the free motion where that is at the start).
PEGRASP_HD inline double flat_sine(const SceneView& s, const NearPair& pair, double h) {
  const double* nu = about_motion(s, pair) || !remembers_motion(*s.model) ? s.nu : s.free_twist;
  const double sine = flat_angle + 2.0 * h * relative_turn_rate(nu, pair.body_a, pair.body_b);
  constexpr double most = 0.5;
  return is_spatial ? min2(most, sine) : sine;
}

// Friction coefficient of a pair: a parameter of the scene, or in models without a list of pairs a property of the
// model.
PEGRASP_HD inline double pair_friction(const SceneView& s, const NearPair& pair) {
  return pair.slot >= 0 ? s.parameter(s.model->at.friction + pair.slot)
                        : unlisted_friction(*s.model, pair.body_a, pair.body_b);
}

// Writes contacts, and their alternatives, into the places that are reserved for the pair.
struct ContactSink {
  const SceneView* s;
  const NearPair* pair;
  int pair_index;
  int count;
  int alternatives;
  bool write;  // false: count only

  PEGRASP_HD int add(const ContactPoint& c, double target, int shell = contact_rigid) {
    const int at = pair->first_contact + count;
    // Rounding may give a clipped face more corners than it can have: one of them then stands for two.
    if (write && count == pair->contact_count) return at - 1;
    ++count;
    if (!write) return at;
    Contact& out = s->contacts[at];
    out.pair = pair_index;
    out.body_a = pair->body_a;
    out.body_b = pair->body_b;
    out.key = c.key;
    out.first_alternative = pair->first_alternative + alternatives;
    out.alternative_count = 0;
    out.p = c.p;
    out.n = c.n;
    out.gap = c.gap;
    out.target = target;
    out.mu = pair_friction(*s, *pair);
    set_rounds(*s, *pair, c, out);
    out.at = c.p;
    out.push = c.n;
    out.allowed_overlap = 0.0;
    out.shell = shell;
    out.lag = 0.0;
    for (int i = 0; i < deflection_size; ++i) out.deflection[i] = 0.0;
    return at;
  }
  // Another gap of the contact added last: the largest of all counts (max rule).
  PEGRASP_HD void add_alternative(const ContactPoint& c) {
    const int at = pair->first_alternative + alternatives++;
    if (!write) return;
    ++s->contacts[pair->first_contact + count - 1].alternative_count;
    s->alternatives[at] = {c.p, c.n, c.gap, pair->body_a, pair->body_b};
  }
};

// Adds a contact of model peg: one with a shell, and with its core where that may be reached within the step, or one
// of them.
PEGRASP_HD inline void add_point(const NearPair& pair, const ContactPoint& point, double thickness, ContactSink& sink) {
  if (!(thickness > 0.0)) {
    sink.add(point, pair.target);
    return;
  }
  if (point.role != point_guards) sink.add(point, 0.0, contact_soft);
  if (point.role != point_springs && point.gap <= pair.eps - thickness) sink.add(point, pair.target, contact_core);
}

// Adds the contacts of a pair to the sink, by the contact model.
PEGRASP_HD_LARGE void pair_contacts(const SceneView& s, const NearPair& pair, const StepOptions& options,
                                    ContactSink& sink) {
  PairGeometry g = linearisation_geometry(s, pair);
  note_flatness(s, pair, options.h, g);
  const double thickness = shell_thickness(*s.model, pair);
  g.shell = thickness > 0.0;
  switch (options.contact) {
    case ContactModel::peg:
      mode_contacts(g, pair.mode, flat_sine(s, pair, options.h), options.penetration_tolerance,
                    [&](const ContactPoint& point) { add_point(pair, point, thickness, sink); });
      break;
    case ContactModel::standard:
      standard_contacts(g, pair.eps, flat_sine(s, pair, options.h), sink);
      break;
    case ContactModel::corrective:
      corrective_contact(g, pair.eps, sink);
      break;
    case ContactModel::peg_features:
      feature_contacts(g, pair.eps, sink);
      break;
    case ContactModel::penalty:  // these push without rows (kernels/launch/penalty_contacts.hpp)
    case ContactModel::penalty_deepest:
      break;
    case ContactModel::ratio:
      if constexpr (!for_device) ratio_contacts(g, pair.eps, options.penetration_tolerance, options.gamma, sink);
      break;
  }
}

// Counts the places that the contacts of pair k need: as many as it has, or, where counting costs as much as making
// them, as many as it can have.
PEGRASP_HD inline void reserve_contacts(const SceneView& s, int k, const StepOptions& options) {
  NearPair& pair = s.pairs[k];
  pair.contact_count = 0;
  pair.alternative_count = 0;
  if (!pair.near_contact || pair.mode == mode_none) return;
  if (options.contact == ContactModel::peg) {
    const int each = shell_thickness(*s.model, pair) > 0.0 ? 2 : 1;
    pair.contact_count = pair.apart == kept_apart ? 0 : each * most_contacts(*s.model, pair);
    return;
  }
  pair.first_contact = pair.first_alternative = 0;
  ContactSink counter{&s, &pair, k, 0, 0, false};
  pair_contacts(s, pair, options, counter);
  pair.contact_count = counter.count;
  pair.alternative_count = counter.alternatives;
}

// Writes the contacts of pair k into its places; leaves their true number.
PEGRASP_HD inline void write_contacts(const SceneView& s, int k, const StepOptions& options) {
  NearPair& pair = s.pairs[k];
  if (pair.contact_count == 0) return;
  ContactSink writer{&s, &pair, k, 0, 0, true};
  pair_contacts(s, pair, options, writer);
  pair.contact_count = writer.count;
}

// Makes the contacts of all pairs. Places are reserved pair by pair, so that the numbers of contacts do not depend on
// the team. More contacts than the workspace holds set the capacity bit, and no contacts are made.
template <class Team>
PEGRASP_HD_LARGE void make_contacts(Team& team, SceneView& s, const StepOptions& options) {
  for_each(team, s.tally->pair_count, [&](int k) { reserve_contacts(s, k, options); });
  once(team, [&] {
    SceneTally& t = *s.tally;
    int contacts = 0;
    int alternatives = 0;
    for (int k = 0; k < t.pair_count; ++k) {
      s.pairs[k].first_contact = contacts;
      s.pairs[k].first_alternative = alternatives;
      contacts += s.pairs[k].contact_count;
      alternatives += s.pairs[k].alternative_count;
    }
    const int capacity = contacts + kept_elsewhere(s);
    t.outcome.contacts_demand = max2(t.outcome.contacts_demand, max2(capacity, alternatives));
    if (capacity > s.capacity.contacts || alternatives > s.capacity.alternatives) {
      t.step_status |= status_capacity;
      t.pair_count = 0;
    }
  });
  for_each(team, s.tally->pair_count, [&](int k) { write_contacts(s, k, options); });
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
