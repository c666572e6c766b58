// SPDX-License-Identifier: Apache-2.0
#include "results/map_hdf5.hpp"

#include <cstdint>

#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"
#include "results/csv.hpp"
#include "results/hdf5_file.hpp"

namespace pegrasp {
namespace {

// One column of numbers, made from each element.
template <class T, class Items, class F>
std::vector<T> column(const Items& items, const F& f) {
  std::vector<T> out;
  out.reserve(items.size());
  for (const auto& item : items) out.push_back(static_cast<T>(f(item)));
  return out;
}

template <class T>
void put(Hdf5File& file, const std::string& name, const std::vector<hsize_t>& shape, const std::vector<T>& data,
         const std::string& unit) {
  file.write(name, shape, data.data());
  file.attribute(name, "unit", unit);
}

// "x_m" is in m.
std::vector<std::string> units_of(const std::vector<std::string>& columns) {
  std::vector<std::string> units;
  for (const std::string& name : columns) units.push_back(name.substr(name.rfind('_') + 1));
  return units;
}

void write_cells(Hdf5File& file, const SuccessMap& map) {
  const hsize_t rows = static_cast<hsize_t>(map.rows);
  const hsize_t columns = static_cast<hsize_t>(map.columns);
  std::vector<double> x, y;
  for (int i = 0; i < map.columns; ++i) x.push_back(on_axis(map.x_name, map.cells[static_cast<std::size_t>(i)].x));
  for (int j = 0; j < map.rows; ++j)
    y.push_back(on_axis(map.y_name, map.cells[static_cast<std::size_t>(j * map.columns)].y));
  const std::vector<std::string> units = units_of({map.x_name, map.y_name});
  put(file, map.x_name, {columns}, x, units[0]);
  put(file, map.y_name, {rows}, y, units[1]);
  const std::vector<hsize_t> shape{rows, columns};
  put(file, "samples", shape, column<std::int32_t>(map.cells, [](const MapCell& c) { return c.samples; }), "1");
  put(file, "successes", shape, column<std::int32_t>(map.cells, [](const MapCell& c) { return c.successes; }), "1");
  put(file, "unresolved", shape, column<std::int32_t>(map.cells, [](const MapCell& c) { return c.unresolved; }), "1");
  put(file, "p", shape, column<double>(map.cells, [](const MapCell& c) { return c.p; }), "1");
  put(file, "ci_low", shape, column<double>(map.cells, [](const MapCell& c) { return c.ci_low; }), "1");
  put(file, "ci_high", shape, column<double>(map.cells, [](const MapCell& c) { return c.ci_high; }), "1");
}

void write_samples(Hdf5File& file, const SuccessMap& map, const std::vector<GroupColumn>& groups) {
  const std::size_t total = map.outcomes.size();
  const std::vector<hsize_t> shape{total};
  file.group("samples_table");
  const std::string at = "samples_table/";
  std::vector<std::int32_t> cell(total), sample(total);
  for (std::size_t i = 0; i < total; ++i) {
    cell[i] = static_cast<std::int32_t>(i / static_cast<std::size_t>(map.samples));
    sample[i] = static_cast<std::int32_t>(i % static_cast<std::size_t>(map.samples));
  }
  put(file, at + "cell", shape, cell, "1");
  put(file, at + "sample", shape, sample, "1");
  using O = SceneOutcome;
  const auto& all = map.outcomes;
  put(file, at + "success", shape, column<std::int32_t>(all, [](const O& o) { return o.success; }), "1");
  put(file, at + "status", shape, column<std::int32_t>(all, [](const O& o) { return o.status; }), "1");
  file.attribute(at + "status", "bits", "1 not converged, 2 out of capacity, 4 not finite, 8 too deep; 0 resolved");
  put(file, at + "stopped_still", shape, column<std::int32_t>(all, [](const O& o) { return o.stopped_still; }), "1");
  put(file, at + "time", shape, column<double>(all, [](const O& o) { return o.time; }), "s");
  put(file, at + "steps", shape, column<std::int32_t>(all, [](const O& o) { return o.steps; }), "1");
  put(file, at + "substeps_rejected", shape, column<std::int32_t>(all, [](const O& o) { return o.substeps_rejected; }),
      "1");
  put(file, at + "iterations", shape, column<std::int64_t>(all, [](const O& o) { return o.iterations; }), "1");
  put(file, at + "contacts_max", shape, column<std::int32_t>(all, [](const O& o) { return o.contacts_max; }), "1");
  put(file, at + "residual_max", shape, column<double>(all, [](const O& o) { return o.residual_max; }), "m/s");
  put(file, at + "penetration_max", shape, column<double>(all, [](const O& o) { return o.penetration_max; }), "m");
  put(file, at + "tripods_redrawn", shape, column<std::int32_t>(map.redrawn, [](int n) { return n; }), "1");
  put(file, at + "by_reference", shape, column<std::int32_t>(map.by_reference, [](int n) { return n; }), "1");
  file.attribute(at + "by_reference", "values", "0 not asked, 1 resolved by it, 2 left unresolved");
  put(file, at + "final_pose", {total, map.body_names.size(), map.pose_columns.size()}, map.final_poses, "see units");
  file.attribute(at + "final_pose", "columns", map.pose_columns);
  file.attribute(at + "final_pose", "units", units_of(map.pose_columns));
  file.attribute(at + "final_pose", "bodies", map.body_names);
  file.group(at + "sampled");
  std::vector<double> values(total);
  for (std::size_t k = 0; k < map.sampled.size(); ++k) {
    for (std::size_t i = 0; i < total; ++i) values[i] = map.values[i * map.sampled.size() + k];
    put(file, at + "sampled/" + map.sampled[k].name, shape, values, map.sampled[k].unit);
  }
  for (const GroupColumn& column : groups) {
    const std::string name = at + "sampled/" + column.name;
    put(file, name, shape, column.drawn, "1");
    file.attribute(name, "groups", column.groups);
  }
}

void write_origin(Hdf5File& file, const SuccessMap& map, const Problem& problem) {
  file.attribute("/", "format", std::string("pegrasp-map-1"));
  file.attribute("/", "title", problem.title);
  // Of planar maps they are x_mm and y_mm, and files of earlier versions say nothing.
  if (problem.scene.spatial) file.attribute("/", "axes", std::vector<std::string>{map.x_name, map.y_name});
  file.attribute("/", "problem_toml", problem.resolved_toml);
  file.attribute("/", "seed", std::uint64_t{problem.seed});
  file.attribute("/", "samples_per_cell", static_cast<std::int64_t>(problem.samples));
  file.attribute("/", "version", std::string(version::number));
  file.attribute("/", "git", std::string(version::git));
  // Strict results are the same bytes wherever they were computed, and so is their file; summary.json says where.
  if (problem.arithmetic == Arithmetic::fast) file.attribute("/", "backend", map.backend);
  file.attribute("/", "fallback", std::string(map.fallback == Fallback::reference ? "reference" : "none"));
  file.attribute("/", "arithmetic", name_of(problem.arithmetic));
  file.attribute("/", "contact", name_of(problem.options.contact));
  file.attribute("/", "solver", name_of(map.solver));
  file.attribute("/", "road", name_of(map.road));
  file.attribute("/", "h_s", problem.options.h);
}

}  // namespace

std::size_t map_hdf5_bytes(const SuccessMap& map, std::size_t groups) {
  const std::size_t a_sample =
      sizeof(double) * (map.sampled.size() + map.poses() + 4) + sizeof(std::int32_t) * (10 + groups);
  const std::size_t a_cell = 3 * sizeof(std::int32_t) + 5 * sizeof(double);
  constexpr std::size_t all_else = std::size_t{1} << 20;  // names, the problem
  return map.outcomes.size() * a_sample + map.cells.size() * a_cell + all_else;
}

std::unique_ptr<Hdf5File> map_hdf5(const SuccessMap& map, const Problem& problem) {
  const std::vector<GroupColumn> groups = drawn_groups(problem);
  // With a byte too few the file would take as much again.
  auto file = std::make_unique<Hdf5File>(map_hdf5_bytes(map, groups.size()));
  write_origin(*file, map, problem);
  write_cells(*file, map);
  write_samples(*file, map, groups);
  return file;
}

}  // namespace pegrasp
