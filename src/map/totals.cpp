// SPDX-License-Identifier: Apache-2.0
#include "src/map/totals.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace pegrasp {

void add_samples(MapTotals& totals, const SampleBlock& block, double penetration_tolerance) {
  totals.trials += block.range.count;
  for (const SceneOutcome& o : block.outcomes) {
    const bool resolved = o.status == status_ok;
    totals.unresolved += resolved ? 0 : 1;
    totals.reasons.not_converged += (o.status & status_not_converged) != 0 ? 1 : 0;
    totals.reasons.capacity += (o.status & status_capacity) != 0 ? 1 : 0;
    totals.reasons.non_finite += (o.status & status_non_finite) != 0 ? 1 : 0;
    totals.reasons.too_deep += (o.status & status_too_deep) != 0 ? 1 : 0;
    totals.reasons.infeasible += (o.status & status_infeasible) != 0 ? 1 : 0;
    totals.successes += resolved ? o.success : 0;
    totals.above_penetration += resolved && o.penetration_max > penetration_tolerance ? 1 : 0;
    totals.stopped_still += o.stopped_still;
    totals.in_double += o.in_double;
    totals.steps += o.steps;
    totals.substeps += o.substeps;
    totals.substeps_rejected += o.substeps_rejected;
    totals.solves += o.solves;
    totals.iterations += o.iterations;
    totals.contacts_max = std::max(totals.contacts_max, o.contacts_max);
    totals.residual_max = std::max(totals.residual_max, o.residual_max);
    totals.penetration_max = std::max(totals.penetration_max, o.penetration_max);
  }
  totals.tripods_redrawn += std::accumulate(block.redrawn.begin(), block.redrawn.end(), 0LL);
  totals.resolved_by_reference +=
      std::count(block.by_reference.begin(), block.by_reference.end(), resolved_by_reference);
  totals.left_by_reference += std::count(block.by_reference.begin(), block.by_reference.end(), left_by_reference);
}

void add_totals(MapTotals& totals, const MapTotals& more) {
  totals.trials += more.trials;
  const auto add = [&](auto MapTotals::*member) { totals.*member += more.*member; };
  const auto add_reason = [&](auto UnresolvedReasons::*member) { totals.reasons.*member += more.reasons.*member; };
  for (auto member : {&MapTotals::successes, &MapTotals::unresolved, &MapTotals::stopped_still, &MapTotals::steps,
                      &MapTotals::substeps, &MapTotals::substeps_rejected, &MapTotals::in_double, &MapTotals::solves,
                      &MapTotals::iterations, &MapTotals::tripods_redrawn, &MapTotals::resolved_by_reference,
                      &MapTotals::left_by_reference, &MapTotals::above_penetration}) {
    add(member);
  }
  for (auto member : {&UnresolvedReasons::not_converged, &UnresolvedReasons::capacity, &UnresolvedReasons::non_finite,
                      &UnresolvedReasons::too_deep, &UnresolvedReasons::infeasible}) {
    add_reason(member);
  }
  for (std::size_t k = 0; k < grasp_failure_count; ++k) totals.grasp_failures[k] += more.grasp_failures[k];
  totals.contacts_max = std::max(totals.contacts_max, more.contacts_max);
  totals.residual_max = std::max(totals.residual_max, more.residual_max);
  totals.penetration_max = std::max(totals.penetration_max, more.penetration_max);
}

void for_each_block(const SuccessMap& map, const VisitBlock& visit) {
  if (map.elsewhere) {
    map.elsewhere(visit);
    return;
  }
  const std::size_t columns = map.sampled.size(), poses = map.poses();
  for (std::size_t row = 0; row < map.outcomes.size(); row += rows_a_block) {
    const std::size_t count = std::min(rows_a_block, map.outcomes.size() - row);
    visit({{map.held.first + row, count},
           std::span(map.values).subspan(row * columns, count * columns),
           std::span(map.outcomes).subspan(row, count),
           std::span(map.final_poses).subspan(row * poses, count * poses),
           std::span(map.redrawn).subspan(row, count),
           std::span(map.by_reference).subspan(row, count)});
  }
}

MapTotals map_totals(const SuccessMap& map) {
  if (map.totals) return *map.totals;
  MapTotals totals;
  for_each_block(map, [&](const SampleBlock& block) { add_samples(totals, block, map.penetration_tolerance); });
  return totals;
}

}  // namespace pegrasp
