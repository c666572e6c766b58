// SPDX-License-Identifier: Apache-2.0
#include "src/map/rows_csv.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "src/formats/csv.hpp"
#include "src/map/grasp_results.hpp"

namespace pegrasp {
namespace {

void put_measure(std::string& line, double value) {
  line += ',';
  if (std::isnan(value)) {
    line += "nan";
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value == 0.0 ? 0.0 : value);  // no "-0"
  line.append(text, end.ptr);
}

// A name with a comma or a quotation mark stands in quotes.
std::string csv_name(const std::string& name) {
  if (name.find(',') == std::string::npos) return name;
  return '"' + name + '"';
}

// Why a trial has no success, in words; empty where nothing more is known.
std::string reason_of(const SceneOutcome& o, const Problem& problem) {
  if (o.status == status_ok) {
    if (!problem.grasps.given() || o.success != 0) return {};
    return grasp_failure_names()[static_cast<std::size_t>(grasp_failure(o, problem.scene.watch, problem.options.h))];
  }
  std::string out;
  for (const auto& [bit, name] : {std::pair{status_not_converged, "not_converged"},
                                  std::pair{status_capacity, "capacity"}, std::pair{status_non_finite, "non_finite"},
                                  std::pair{status_too_deep, "too_deep"}, std::pair{status_infeasible, "infeasible"}}) {
    if ((o.status & bit) != 0) out += (out.empty() ? "" : "+") + std::string(name);
  }
  return out;
}

// The axes on which cells differ, each with its place among all.
using CellAxes = std::vector<std::pair<std::size_t, Axis>>;

std::string heading(const Problem& problem, const CellAxes& axes) {
  std::string line = "cell,sample";
  for (const auto& [at, axis] : axes) line += ',' + csv_name(axis.name);
  for (const std::string& name : problem.rows->names) line += ',' + csv_name(name);
  if (problem.variants)
    for (const BodyVariants& body : problem.variants->bodies) line += ',' + csv_name(body.body + ".variant");
  line += ",success,reason,time_s,steps,residual_max_m_s,penetration_max_m";
  if (problem.scene.measure_forces) line += ",grip_force_max_n,slip_margin_min,slip_margin_end";
  if (problem.grasps.given()) line += ",slip_max_m,tilt_max_rad,hold_margin_min,hold_force_max_n";
  return line + '\n';
}

// place: of the cell, as text.
void append_trial(std::string& text, const SceneOutcome& o, const Problem& problem, const std::string& place,
                  TrialPlace at) {
  const auto [cell, sample] = at;
  text += std::to_string(cell) + ',' + std::to_string(sample) + place;
  for (const std::vector<double>& column : problem.rows->columns) put_measure(text, column[sample]);
  if (problem.variants) {
    for (const BodyVariants& body : problem.variants->bodies)
      text += ',' +
              csv_name(body.names[drawn_variant(body, problem.seed, static_cast<int>(cell), static_cast<int>(sample))]);
  }
  text += o.status != status_ok ? ",nan," : o.success != 0 ? ",1," : ",0,";
  text += reason_of(o, problem);
  put_measure(text, o.time);
  text += ',' + std::to_string(o.steps);
  put_measure(text, o.residual_max);
  put_measure(text, o.penetration_max);
  if (problem.scene.measure_forces) {
    for (const double measure : {o.grip_force_max, o.slip_margin_min, o.slip_margin_end}) put_measure(text, measure);
  }
  if (problem.grasps.given()) {
    for (const double measure : {o.hold_slip_max, o.hold_tilt_max, o.hold_margin_min, o.hold_force_max})
      put_measure(text, measure);
  }
  text += '\n';
}

}  // namespace

std::unique_ptr<AtomicFile> write_rows_csv(const SuccessMap& map, const Problem& problem,
                                           const std::filesystem::path& out) {
  auto file = std::make_unique<AtomicFile>(out / "rows_out.csv");
  std::uint64_t size = 0;
  const std::vector<Axis> all = axes_of(map);
  CellAxes axes;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].size() > 1) axes.emplace_back(k, all[k]);
  std::string text = heading(problem, axes), place;
  std::size_t placed = static_cast<std::size_t>(-1);  // the cell that `place` is of
  const auto put = [&] {
    file->write_at(size, text);
    size += text.size();
    text.clear();
  };
  put();
  for_each_block(map, [&](const SampleBlock& block) {
    for (std::size_t i = 0; i < block.outcomes.size(); ++i) {
      const TrialPlace at = place_of(map, block.range.first + i);
      if (at.cell != placed) {
        placed = at.cell;
        const std::vector<std::size_t> on = place_on(all, placed);
        place.clear();
        for (const auto& [k, axis] : axes) place += ',' + axis_cell(axis, on[k]);
      }
      append_trial(text, block.outcomes[i], problem, place, at);
    }
    put();
  });
  file->resize(size);
  file->finish();
  return file;
}

}  // namespace pegrasp
