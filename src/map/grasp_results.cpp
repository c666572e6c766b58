// SPDX-License-Identifier: Apache-2.0
#include "src/map/grasp_results.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "src/formats/csv.hpp"
#include "src/grasps/grasp_formats.hpp"

namespace pegrasp {
namespace {

// Nothing where there is no number.
void append_number(std::string& out, double value) {
  out += ',';
  if (!std::isfinite(value)) return;
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value == 0.0 ? 0.0 : value);
  out.append(text, end.ptr);
}

std::string quoted_name(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

const std::vector<std::string>& grasp_failure_names() {
  static const std::vector<std::string> names{"none", "begins_in_collision", "never_touched", "dropped", "moved"};
  return names;
}

GraspFailure grasp_failure(const SceneOutcome& outcome, const HoldWatch& watch, double h) {
  if (outcome.success != 0) return GraspFailure::none;
  if (outcome.start_overlap > watch.overlap) return GraspFailure::in_collision;
  if (outcome.touch_first < 0.0) return GraspFailure::never_touched;
  return outcome.touch_last < outcome.time - 0.5 * h ? GraspFailure::dropped : GraspFailure::moved;
}

void add_to_grasp(GraspMeasures& sums, const SceneOutcome& outcome, GraspFailure failure) {
  ++sums.failures[static_cast<std::size_t>(failure)];
  if (failure == GraspFailure::in_collision) return;
  sums.force_max = std::fmax(sums.force_max, outcome.hold_force_max);
  if (failure == GraspFailure::dropped) sums.drop_time += outcome.touch_last;
  if (failure != GraspFailure::none) return;
  sums.slip += outcome.hold_slip_max;
  sums.tilt += outcome.hold_tilt_max;
  sums.margin_min = std::fmin(sums.margin_min, outcome.hold_margin_min);
}

void finish_grasp(GraspMeasures& sums) {
  const auto count = [&sums](GraspFailure failure) {
    return static_cast<double>(sums.failures[static_cast<std::size_t>(failure)]);
  };
  // Without a trial 0 / 0, which is no number.
  sums.slip /= count(GraspFailure::none);
  sums.tilt /= count(GraspFailure::none);
  sums.drop_time /= count(GraspFailure::dropped);
  for (double* x : {&sums.slip, &sums.tilt, &sums.drop_time}) {
    if (!std::isfinite(*x)) *x = std::numeric_limits<double>::quiet_NaN();
  }
}

void write_grasps_csv(const SuccessMap& map, const Problem& problem, AtomicFile& file) {
  std::string out = "id,samples,successes,unresolved,p,ci_low,ci_high";
  for (std::size_t k = 1; k < grasp_failure_names().size(); ++k) out += "," + grasp_failure_names()[k];
  out += ",slip_mean_m,tilt_mean_rad,slip_margin_min,force_max_n,drop_time_mean_s";
  const bool until = !map.starts.empty();
  out += until ? ",interval,ended\n" : "\n";
  std::uint64_t written = 0;
  const auto flush = [&] {
    file.write_at(written, out);
    written += out.size();
    out.clear();
  };
  std::size_t number = 0;
  problem.grasps.list->for_each([&](const Grasp& grasp) {
    const MapCell& cell = map.cells[number++];
    out += quoted_name(grasp.id);
    for (const int count : {cell.samples, cell.successes, cell.unresolved}) out += "," + std::to_string(count);
    for (const double value : {cell.p, cell.ci_low, cell.ci_high}) append_number(out, value);
    const GraspMeasures& own = cell.grasp;
    for (std::size_t k = 1; k < own.failures.size(); ++k) out += "," + std::to_string(own.failures[k]);
    for (const double value : {own.slip, own.tilt, own.margin_min, own.force_max, own.drop_time}) {
      append_number(out, value);
    }
    if (until) out += std::string(",sequence,") + cell_end_name(cell.end);
    out += '\n';
    if (out.size() > (std::size_t{1} << 16)) flush();
  });
  flush();
  file.finish();
}

void write_scored_grasps(const SuccessMap& map, const Problem& problem, AtomicFile& file) {
  const auto grasps = [&](const VisitGrasp& visit) {
    std::size_t number = 0;
    problem.grasps.list->for_each([&](const Grasp& grasp) {
      Grasp scored = grasp;
      const double p = map.cells[number++].p;
      scored.confidence = std::isfinite(p) ? std::optional<double>(p) : std::nullopt;
      visit(scored);
    });
  };
  const std::uint64_t size =
      write_grasps(problem.grasps.list->about(), grasps,
                   [&file](std::uint64_t place, std::string_view bytes) { file.write_at(place, bytes); });
  file.resize(size);
  file.finish();
}

std::string scored_file(const Problem& problem) { return "scored_grasps" + problem.grasps.file.extension().string(); }

}  // namespace pegrasp
