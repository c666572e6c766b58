// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pegrasp/map.hpp"
#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"
#include "src/formats/csv.hpp"
#include "src/map/grasp_results.hpp"
#include "src/map/shared_options.hpp"
#include "src/map/step_check.hpp"

namespace pegrasp {
namespace {

using Json = nlohmann::ordered_json;

Json changes_json(const OutcomeChanges& changes) {
  return {{"compared", changes.compared},
          {"failed_then_succeeded", changes.gained},
          {"succeeded_then_failed", changes.lost},
          {"unresolved", changes.unresolved}};
}

Json value_json(const Axis& axis, std::size_t value) {
  return axis.categorical ? Json(axis.texts[value]) : Json(axis.numbers[value]);
}

// null where it is not the same in all cells.
Json number_json(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

Json axes_json(const SuccessMap& map) {
  Json out = Json::array();
  for (const Axis& axis : map.axes) {
    Json values = Json::array();
    for (std::size_t i = 0; i < axis.size(); ++i) values.push_back(value_json(axis, i));
    out.push_back({{"name", axis.name}, {"unit", axis.unit}, {"values", std::move(values)}});
  }
  return out;
}

Json step_check_json(const SuccessMap& map) {
  if (!map.step_check) return nullptr;
  const StepCheck& check = *map.step_check;
  Json out = {
      {"trials", check.reruns}, {"unresolved", check.unresolved}, {"half_step_s", number_json(check.half_step)}};
  out["half_step"] = changes_json(check.half);
  out["bias"] = nullptr;  // of no trial there is none
  if (check.half.compared > 0) out["bias"] = check.bias;
  out["bias_ci_low"] = check.bias_interval.low;
  out["bias_ci_high"] = check.bias_interval.high;
  out["sampling_error"] = check.sampling_error;
  const std::string warning = step_check_warning(check);
  out["warning"] = nullptr;
  if (!warning.empty()) out["warning"] = warning;
  out["cold_start"] = check.cold ? changes_json(*check.cold) : Json(nullptr);
  out["cells_with_flips"] = Json::array();
  for (std::size_t c = 0; c < check.cells.size(); ++c) {
    const CheckedCell& cell = check.cells[c];
    if (cell.gained + cell.lost + cell.cold_flips == 0) continue;
    Json one = {{"cell", c}};
    const std::vector<Axis> axes = axes_of(map);
    const std::vector<std::size_t> place = place_on(axes, c);
    for (std::size_t k = 0; k < place.size(); ++k) one[axes[k].name] = value_json(axes[k], place[k]);
    one["trials"] = cell.reruns;
    one["failed_then_succeeded"] = cell.gained;
    one["succeeded_then_failed"] = cell.lost;
    one["cold_start"] = cell.cold_flips;
    out["cells_with_flips"].push_back(std::move(one));
  }
  return out;
}

Json until_json(const SuccessMap& map, const Problem& problem) {
  if (map.starts.empty()) return nullptr;
  Json out = {{"half_width", nullptr}, {"decided", nullptr}};
  if (problem.until.half_width > 0.0) out["half_width"] = problem.until.half_width;
  if (problem.until.decided > 0.0) out["decided"] = problem.until.decided;
  Json& cells = out["cells"];
  for (const CellEnd end : {CellEnd::narrow, CellEnd::above, CellEnd::below, CellEnd::budget}) {
    cells[cell_end_name(end)] =
        std::count_if(map.cells.begin(), map.cells.end(), [end](const MapCell& cell) { return cell.end == end; });
  }
  return out;
}

Json refined_json(const RefinedCells& refined) {
  Json levels = Json::array();
  for (int level = 1; level <= refined.levels; ++level) {
    levels.push_back(std::count_if(refined.cells.begin(), refined.cells.end(),
                                   [level](const RefinedCell& cell) { return cell.level == level; }));
  }
  return {{"cells", refined.cells.size()},
          {"cells_of_levels", std::move(levels)},
          {"steep_places_left", refined.left},
          {"trials", refined.trials},
          {"seconds", refined.seconds}};
}

}  // namespace

std::string map_summary_json(const SuccessMap& map, const Problem& problem) {
  const MapTiming& timing = map.timing;
  const MapTotals sum = map_totals(map);
  const auto ratio = [](auto a, auto b) { return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0.0; };
  const auto total = static_cast<long long>(sum.trials);
  const double simulated = timing.simulating;
  // Rates are of this run alone: after a resume it simulated only what was left.
  const double share = ratio(total - static_cast<long long>(map.resumed), total);
  const SharedOptions shared(problem, map);
  Json out;
  out["title"] = problem.title;
  out["trials"] = total;
  out["cells"] = map.cells.size();
  if (!problem.axes.empty()) out["axes"] = axes_json(map);
  out["samples_per_cell"] = map.samples;
  out["interval"] = map.replicates > 0 ? "replicates" : map.starts.empty() ? "wilson" : "confidence sequence";
  out["until"] = until_json(map, problem);
  if (map.refined.levels > 0) out["refined"] = refined_json(map.refined);
  out["successes"] = sum.successes;
  out["success_rate"] = nullptr;  // of no resolved trial there is none
  if (total > sum.unresolved) out["success_rate"] = ratio(sum.successes, total - sum.unresolved);
  out["unresolved"] = sum.unresolved;
  out["unresolved_by_reason"] = {{"not_converged", sum.reasons.not_converged},
                                 {"capacity", sum.reasons.capacity},
                                 {"non_finite", sum.reasons.non_finite},
                                 {"too_deep", sum.reasons.too_deep},
                                 {"infeasible", sum.reasons.infeasible}};
  if (problem.grasps.given()) {
    out["grasps"] = problem.grasps.size();
    out["failures"] = Json::object();
    for (std::size_t k = 1; k < grasp_failure_count; ++k)
      out["failures"][grasp_failure_names()[k]] = sum.grasp_failures[k];
  }
  out["fallback"] = map.fallback == Fallback::reference ? "reference" : "none";
  out["resolved_by_reference"] = sum.resolved_by_reference;
  out["left_by_reference"] = sum.left_by_reference;
  out["tolerance_m_s"] = number_json(shared.tolerance);
  out["above_penetration_tolerance"] = sum.above_penetration;
  out["penetration_tolerance_m"] = number_json(shared.penetration_tolerance);
  out["stopped_still"] = sum.stopped_still;
  if (problem.arithmetic == Arithmetic::fast) out["in_double"] = sum.in_double;
  out["tripods_redrawn"] = sum.tripods_redrawn;
  out["steps"] = sum.steps;
  out["steps_per_trial"] = ratio(sum.steps, total);
  out["substeps_rejected"] = sum.substeps_rejected;
  out["solves_per_substep"] = ratio(sum.solves, sum.substeps);
  out["iterations_per_solve"] = ratio(sum.iterations, sum.solves);
  out["contacts_max"] = sum.contacts_max;
  out["residual_max_m_s"] = sum.residual_max;
  out["penetration_max_m"] = sum.penetration_max;
  out["step_check"] = step_check_json(map);
  out["trials_resumed"] = map.resumed;
  out["trials_per_s"] = simulated > 0.0 ? share * static_cast<double>(total) / simulated : 0.0;
  out["scene_steps_per_s"] = simulated > 0.0 ? share * static_cast<double>(sum.steps) / simulated : 0.0;
  out["seconds"] = {{"reading", timing.reading},   {"sampling", timing.sampling},     {"simulating", simulated},
                    {"fallback", timing.fallback}, {"step_check", timing.step_check}, {"journal", timing.journal},
                    {"writing", timing.writing},   {"drawing", timing.drawing},       {"total", timing.total}};
  out["contact"] = shared.contact;
  out["solver"] = shared.solver;
  out["strategy"] = shared.strategy;
  out["arithmetic"] = name_of(problem.arithmetic);
  out["h_s"] = number_json(shared.h);
  out["seed"] = problem.seed;
  out["backend"] = map.backend;
  out["device"] = map.device;
  out["version"] = version::number;
  out["git"] = version::git;
  out["compiler"] = version::compiler;
  out["build_type"] = version::build_type;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace pegrasp
