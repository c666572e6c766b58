// SPDX-License-Identifier: Apache-2.0
#include "src/cli/map_output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp/names.hpp"
#include "src/cli/common.hpp"
#include "src/cli/console.hpp"
#include "src/cli/sweep_text.hpp"
#include "src/cli/terminal.hpp"
#include "src/formats/csv.hpp"
#include "src/map/step_check.hpp"
#include "src/text/printable.hpp"
#include "src/text/revision.hpp"

namespace pegrasp::cli {
namespace {

// ": 42 not converged, 1 too deep"; empty without unresolved trials.
std::string reasons_text(const UnresolvedReasons& reasons) {
  const std::pair<long long, std::uint32_t> counts[] = {{reasons.not_converged, status_not_converged},
                                                        {reasons.capacity, status_capacity},
                                                        {reasons.non_finite, status_non_finite},
                                                        {reasons.too_deep, status_too_deep},
                                                        {reasons.infeasible, status_infeasible}};
  std::string text;
  for (const auto& [count, bit] : counts) {
    if (count > 0) text += (text.empty() ? ": " : ", ") + std::to_string(count) + " " + status_words(bit);
  }
  return text;
}

// "4 of 200 outcomes change (1 to success, 3 to failure), 2 unresolved".
std::string changes_text(const OutcomeChanges& changes) {
  std::string text = std::to_string(changes.flips()) + " of " + std::to_string(changes.compared) + " outcomes change";
  if (changes.flips() > 0) {
    text += " (" + std::to_string(changes.gained) + " to success, " + std::to_string(changes.lost) + " to failure)";
  }
  return changes.unresolved > 0 ? text + ", " + std::to_string(changes.unresolved) + " unresolved" : text;
}

// The cells with the most flips at half the step, where there are several cells.
std::string worst_cells(const SuccessMap& map) {
  constexpr std::size_t most_named = 3;
  const std::vector<CheckedCell>& cells = map.step_check->cells;
  std::vector<std::size_t> flipped;
  const auto flips = [&cells](std::size_t c) { return cells[c].gained + cells[c].lost; };
  for (std::size_t c = 0; c < cells.size(); ++c)
    if (flips(c) > 0) flipped.push_back(c);
  if (cells.size() < 2 || flipped.empty()) return {};
  std::stable_sort(flipped.begin(), flipped.end(),
                   [&flips](std::size_t a, std::size_t b) { return flips(a) > flips(b); });
  std::string text = "in " + std::to_string(flipped.size()) + (flipped.size() == 1 ? " cell" : " cells");
  for (std::size_t i = 0; i < std::min(most_named, flipped.size()); ++i) {
    const std::size_t c = flipped[i];
    text += (i == 0 ? ": " : "; ") + place_words(axes_of(map), c) + " (" + std::to_string(flips(c)) + " of " +
            std::to_string(cells[c].reruns) + ")";
  }
  return text + (flipped.size() > most_named ? "; ..." : "");
}

void print_step_check(const SuccessMap& map) {
  if (!map.step_check) return;
  const StepCheck& check = *map.step_check;
  const std::string half = std::isnan(check.half_step) ? "half the step" : shortest(1e3 * check.half_step) + " ms";
  console().print("step check  %zu trials again at %s: %s", check.reruns, half.c_str(),
                  changes_text(check.half).c_str());
  if (check.unresolved > 0) console().print(", %lld unresolved in the map", check.unresolved);
  console().print("\n");
  if (check.half.compared > 0) {
    console().print(
        "            the success rate changes by %+.2f points [%+.2f, %+.2f]; its sampling error is %.2f points\n",
        100.0 * check.bias, 100.0 * check.bias_interval.low, 100.0 * check.bias_interval.high,
        100.0 * check.sampling_error);
  }
  const std::string cells = worst_cells(map);
  if (!cells.empty()) console().print("            %s\n", cells.c_str());
  if (check.cold) console().print("cold start  %s\n", changes_text(*check.cold).c_str());
}

void print_failures(const MapTotals& sum) {
  const auto count = [&sum](GraspFailure failure) { return sum.grasp_failures[static_cast<std::size_t>(failure)]; };
  console().print(
      "failures    %lld begin in collision, %lld never touch the part, %lld drop it, %lld let it move too far\n",
      count(GraspFailure::in_collision), count(GraspFailure::never_touched), count(GraspFailure::dropped),
      count(GraspFailure::moved));
}

// "40 above the threshold, 390 below, 11 open after 3000 samples".
std::string ends_text(const SuccessMap& map) {
  const std::pair<CellEnd, std::string> ends[] = {
      {CellEnd::above, " above the threshold"},
      {CellEnd::below, " below the threshold"},
      {CellEnd::narrow, " narrow enough"},
      {CellEnd::budget, " open after " + std::to_string(map.samples) + " samples"}};
  std::string text;
  for (const auto& [end, words] : ends) {
    const auto is_such = [end = end](const MapCell& cell) { return cell.end == end; };
    const auto count = std::count_if(map.cells.begin(), map.cells.end(), is_such);
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + words;
  }
  return text;
}

// "refined     37 cells between, level 1: 25, level 2: 12; 1110 trials, 0.31 s".
void print_refined(const RefinedCells& refined) {
  if (refined.levels == 0) return;
  std::string levels;
  for (int level = 1; level <= refined.levels; ++level) {
    const auto count = std::count_if(refined.cells.begin(), refined.cells.end(),
                                     [level](const RefinedCell& cell) { return cell.level == level; });
    levels += ", level " + std::to_string(level) + ": " + std::to_string(count);
  }
  console().print("refined     %zu cells added%s; %zu trials, %.2f s\n", refined.cells.size(), levels.c_str(),
                  refined.trials, refined.seconds);
  if (refined.left > 0) {
    console().print("            %zu steep places are left; more map.refine.cells would refine them\n", refined.left);
  }
}

void print_summary(const SuccessMap& map, const Problem& problem, const std::filesystem::path& out,
                   const std::string& no_picture) {
  const MapTotals sum = map_totals(map);
  const auto total = static_cast<double>(sum.trials);
  const double resolved = total - static_cast<double>(sum.unresolved);
  std::array<char, 32> rate{"no rate"};
  if (resolved > 0.0)
    std::snprintf(rate.data(), rate.size(), "%.2f %%", 100.0 * static_cast<double>(sum.successes) / resolved);
  console().print("trials      %zu in %zu %s, %lld succeeded (%s), %lld unresolved%s\n", sum.trials, map.cells.size(),
                  problem.grasps.given() ? "grasps" : "cells", sum.successes, rate.data(), sum.unresolved,
                  reasons_text(sum.reasons).c_str());
  if (problem.grasps.given()) print_failures(sum);
  if (!map.starts.empty()) console().print("cells       %s\n", ends_text(map).c_str());
  if (map.fallback == Fallback::reference) {
    console().print("fallback    the reference simulator resolved %lld of %lld trials that were unresolved\n",
                    sum.resolved_by_reference, sum.resolved_by_reference + sum.left_by_reference);
  }
  if (sum.in_double > 0) {
    console().print("precision   %lld trials simulated in double precision: single did not reach the tolerance\n",
                    sum.in_double);
  }
  print_refined(map.refined);
  print_step_check(map);
  console().print("worst       residual %.2g m/s, overlap %.2g mm\n", sum.residual_max, 1e3 * sum.penetration_max);
  const double simulated = map.timing.simulating;
  if (map.resumed == 0 && simulated > 0.0) {
    console().print("speed       %.0f trials/s, %.3g scene-steps/s on %s\n", total / simulated,
                    static_cast<double>(sum.steps) / simulated, map.device.c_str());
  } else if (map.resumed == sum.trials) {
    console().print("speed       all trials came from an earlier run\n");
  } else {
    console().print("speed       %zu trials came from an earlier run; the rest on %s\n", map.resumed,
                    map.device.c_str());
  }
  console().print(
      "time        %.2f s: reading %.2f, sampling %.2f, simulating %.2f, fallback %.2f, step check %.2f, journal %.2f, "
      "writing %.2f, drawing %.2f\n",
      map.timing.total, map.timing.reading, map.timing.sampling, simulated, map.timing.fallback, map.timing.step_check,
      map.timing.journal, map.timing.writing, map.timing.drawing);
  console().print("made by     %s\n", version_text().c_str());
  if (problem.grasps.given()) {
    console().print("written to  %s (grasps.csv, grasps.h5, %s, summary.json, problem.toml)\n",
                    printable(out.string()).c_str(),
                    ("scored_grasps" + printable(problem.grasps.file.extension().string())).c_str());
    return;
  }
  console().print("written to  %s (map.csv, map.h5, summary.json, problem.toml%s%s%s)\n",
                  printable(out.string()).c_str(), problem.rows ? ", rows_out.csv" : "",
                  map.refined.levels > 0 ? ", refined.csv" : "", no_picture.empty() ? ", map.png" : "");
}

// Files, picture, summary. Returns why there is no picture, empty where there is one.
std::string write_all(SuccessMap& map, const Problem& problem, const std::filesystem::path& out, bool picture) {
  const auto begin_writing = std::chrono::steady_clock::now();
  write_map(map, problem, out);
  map.timing.writing = seconds_since(begin_writing);
  const auto begin_drawing = std::chrono::steady_clock::now();
  const std::string no_picture = picture ? draw_map(out) : "not asked for";
  map.timing.drawing = seconds_since(begin_drawing);
  map.timing.total += map.timing.reading + map.timing.writing + map.timing.drawing;
  finish_map(map, problem, out);
  return no_picture;
}

}  // namespace

void MapOutput::add(CLI::App& app) {
  app.add_flag("--no-plot", no_plot, "do not draw map.png");
  app.add_flag("--quiet", quiet, "print nothing but errors");
  app.add_flag("--json", json, "print the summary as one JSON object");
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void write_and_tell(SuccessMap& map, const Problem& problem, const std::filesystem::path& out,
                    const MapOutput& output) {
  const bool picture = !output.no_plot && !problem.grasps.given();  // grasps lie on no plane
  const std::string no_picture = write_all(map, problem, out, picture);
  if (output.json) {
    console().out << map_summary_json(map, problem) << '\n';
  } else if (output.talks()) {
    if (stdout_is_terminal() && !problem.grasps.given()) {
      const bool grid = problem.axes.empty() && !problem.scene.spatial;
      console().out << (grid ? heat_map : sweep_text)(map, colour_wanted(), terminal_width());
    }
    console().out.flush();
    print_summary(map, problem, out, no_picture);
  }
  finish_output();
  const std::string warning = map.step_check ? step_check_warning(*map.step_check) : std::string();
  if (!output.quiet && !warning.empty()) console().err << "pegrasp: warning: " << warning << '\n';
  if (picture && !no_picture.empty()) console().err << "pegrasp: no map.png: " << printable_line(no_picture) << '\n';
}

}  // namespace pegrasp::cli
