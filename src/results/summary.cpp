// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "pegrasp/map.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"

namespace pegrasp {

std::string map_summary_json(const SuccessMap& map, const Problem& problem) {
  const MapTiming& timing = map.timing;
  long long successes = 0, unresolved = 0, still = 0, steps = 0, substeps = 0, rejected = 0, solves = 0, iterations = 0;
  long long above_penetration = 0;  // of the resolved trials
  int contacts_max = 0;
  double residual = 0.0, penetration = 0.0;
  for (const SceneOutcome& o : map.outcomes) {
    unresolved += o.status != status_ok ? 1 : 0;
    successes += o.status == status_ok ? o.success : 0;
    above_penetration += o.status == status_ok && o.penetration_max > map.penetration_tolerance ? 1 : 0;
    still += o.stopped_still;
    steps += o.steps;
    substeps += o.substeps;
    rejected += o.substeps_rejected;
    solves += o.solves;
    iterations += o.iterations;
    contacts_max = std::max(contacts_max, o.contacts_max);
    residual = std::max(residual, o.residual_max);
    penetration = std::max(penetration, o.penetration_max);
  }
  const auto ratio = [](auto a, auto b) { return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0.0; };
  const long long total = static_cast<long long>(map.outcomes.size());
  const double simulated = timing.simulating;
  // Rates are of this run alone: after a resume it simulated only what was left.
  const double share = ratio(total - static_cast<long long>(map.resumed), total);
  nlohmann::ordered_json out;
  out["title"] = problem.title;
  out["trials"] = total;
  out["cells"] = map.cells.size();
  out["samples_per_cell"] = map.samples;
  out["successes"] = successes;
  out["success_rate"] = nullptr;  // of no resolved trial there is none
  if (total > unresolved) out["success_rate"] = ratio(successes, total - unresolved);
  out["unresolved"] = unresolved;
  out["fallback"] = map.fallback == Fallback::reference ? "reference" : "none";
  out["resolved_by_reference"] = std::count(map.by_reference.begin(), map.by_reference.end(), resolved_by_reference);
  out["left_by_reference"] = std::count(map.by_reference.begin(), map.by_reference.end(), left_by_reference);
  out["tolerance_m_s"] = map.tolerance;
  out["above_penetration_tolerance"] = above_penetration;
  out["penetration_tolerance_m"] = map.penetration_tolerance;
  out["stopped_still"] = still;
  out["tripods_redrawn"] = std::accumulate(map.redrawn.begin(), map.redrawn.end(), 0LL);
  out["steps"] = steps;
  out["steps_per_trial"] = ratio(steps, total);
  out["substeps_rejected"] = rejected;
  out["solves_per_substep"] = ratio(solves, substeps);
  out["iterations_per_solve"] = ratio(iterations, solves);
  out["contacts_max"] = contacts_max;
  out["residual_max_m_s"] = residual;
  out["penetration_max_m"] = penetration;
  out["trials_resumed"] = map.resumed;
  out["trials_per_s"] = simulated > 0.0 ? share * static_cast<double>(total) / simulated : 0.0;
  out["scene_steps_per_s"] = simulated > 0.0 ? share * static_cast<double>(steps) / simulated : 0.0;
  out["seconds"] = {{"reading", timing.reading},   {"sampling", timing.sampling}, {"simulating", simulated},
                    {"fallback", timing.fallback}, {"journal", timing.journal},   {"writing", timing.writing},
                    {"drawing", timing.drawing},   {"total", timing.total}};
  out["contact"] = name_of(problem.options.contact);
  out["solver"] = name_of(map.solver);
  out["road"] = name_of(map.road);
  out["arithmetic"] = name_of(problem.arithmetic);
  out["h_s"] = problem.options.h;
  out["seed"] = problem.seed;
  out["backend"] = map.backend;
  out["device"] = map.device;
  out["version"] = version::number;
  out["git"] = version::git;
  out["compiler"] = version::compiler;
  out["build_type"] = version::build_type;
  return out.dump(2);
}

}  // namespace pegrasp
