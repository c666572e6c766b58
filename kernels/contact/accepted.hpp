// SPDX-License-Identifier: Apache-2.0
// Whether the geometry at the end pose agrees with the linearisation that led there.
#pragma once

#include "kernels/broad_phase/find_pairs.hpp"
#include "kernels/contact/choose_modes.hpp"
#include "kernels/contact/shell_rows.hpp"
#include "kernels/joint/spring.hpp"

namespace pegrasp::PEGRASP_ARITHMETIC {

// What a near pair leaves at the end pose [m]: overlap beyond the pair's target, overlap in all, and how far apart it
// ends if it carries a force. Negative where there is no overlap. Of parts with shells overlap is that of the cores,
// and apart they are as far as the end differs from where the force of the shell says.
struct EndOfPair {
  double penetration, depth, apart;
};

// Measures the pair at the end pose and chooses the mode of the next pass.
PEGRASP_HD inline EndOfPair end_of_pair(const SceneView& s, NearPair& pair, const StepOptions& options) {
  measure_end(s, pair, options);
  const double beyond = pair.s_end - pair.target;
  double apart = beyond > 0.0 && carries(s, pair) ? beyond : 0.0;
  const double give = shell_thickness(*s.model, pair);
  if (give > 0.0) apart = max2(apart, shell_error(s, pair, options));
  if constexpr (is_spatial) keep_better_mode(pair, max2(-beyond, apart));
  return {-beyond, -pair.s_end - give, apart};
}

// Whether a linearisation stands that left these distances [m].
PEGRASP_HD inline bool stands(const StepOptions& options, double penetration, double apart) {
  // In 3D large faces overlap by large volumes; another pass leaves next to nothing, and only one island makes it.
  constexpr double most = is_spatial ? 0.3 : 1.0;
  return penetration <= most * options.penetration_tolerance && apart <= options.penetration_tolerance;
}

// Whether the last linearisation is accepted: no pair overlaps by more than the tolerance beyond its target, no pair
// that carries a force ends apart by more than the tolerance (that would be a force at a distance), joints are closed,
// and springs are as long as their forces say. Contact models that linearise once are asked only for the last two.
// Leaves penetration, depth and joints_open in the tally; lists pairs again where bodies left their margins.
template <class Team>
PEGRASP_HD_APART bool accepted(Team& team, SceneView& s, const StepOptions& options) {
  for_each_active(team, s, [&](int body) { place_end(s, s.nu, body, options.h); });
  double penetration = 0.0;
  double depth = 0.0;
  double apart = 0.0;
  double risk = 0.0;
  for (int k = team.rank(); k < s.tally->pair_count; k += team.size()) {
    NearPair& pair = s.pairs[k];
    if (!pair.near_contact) continue;
    const EndOfPair end = end_of_pair(s, pair, options);
    penetration = max_or_nan(penetration, end.penetration);
    depth = max_or_nan(depth, end.depth);
    apart = max2(apart, end.apart);
    if (at_risk(pair)) risk = 1.0;
  }
  double open = 0.0;
  double torn = 0.0;
  for (int k = team.rank(); k < s.model->joint_count; k += team.size()) {
    if (!joint_active(s, k)) continue;
    torn = max_or_nan(torn, hold_error(s, k, options, options.h));
    if (joint_present(s, k)) open = max_or_nan(open, joint_apart_by(s, k));
  }
  if (s.model->joint_count > 0) {
    open = team.max(open);
    torn = team.max(torn);
  }
  penetration = max_or_nan(team.max(penetration), torn);
  depth = team.max(depth);
  apart = team.max(apart);
  risk = team.max(risk);
  team.sync();
  once(team, [&] {
    s.tally->penetration = penetration;
    s.tally->depth = depth;
    s.tally->joints_open = open;
    if (risk > 0.0) s.tally->risk = 1;
  });
  if (!linearises_anew(options)) return stands(options, torn, 0.0);
  const bool fast = refresh_pairs(team, s, options);
  once(team, [&] { s.tally->outran = fast ? 1 : 0; });
  return !fast && stands(options, penetration, apart);
}

}  // namespace pegrasp::PEGRASP_ARITHMETIC
