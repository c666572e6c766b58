// SPDX-License-Identifier: Apache-2.0
#include "src/map/map_hdf5.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "pegrasp/names.hpp"
#include "pegrasp/version.hpp"
#include "src/formats/csv.hpp"
#include "src/formats/hdf5_file.hpp"
#include "src/map/grasp_results.hpp"
#include "src/map/shared_options.hpp"

namespace pegrasp {
namespace {

// A name in HDF5, where a slash parts the steps of a path. Names from a URDF may hold slashes.
std::string dataset_name(const std::string& name) {
  std::string out;
  for (const char c : name) out += c == '/' ? "%2F" : std::string(1, c);
  return out;
}

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
  for (const std::string& name : columns) units.push_back(name == "grasp" ? "1" : name.substr(name.rfind('_') + 1));
  return units;
}

// Of arrays of cells: along the last axis of the problem first, so that a cell's place in memory is its number.
std::vector<hsize_t> shape_of_cells(const SuccessMap& map) {
  std::vector<hsize_t> shape;
  for (const Axis& axis : axes_of(map)) shape.insert(shape.begin(), axis.size());
  return shape;
}

void write_axes(Hdf5File& file, const SuccessMap& map) {
  for (const Axis& axis : axes_of(map)) {
    const std::string name = dataset_name(axis.name);
    put(file, name, {axis.size()}, axis.numbers, axis.unit);
    if (axis.categorical) file.attribute(name, "values", axis.texts);
    if (axis.logarithmic) file.attribute(name, "scale", std::string("log"));
    if (!axis.label.empty()) file.attribute(name, "label", axis.label);
  }
}

// The names of the axes, as HDF5 calls the dimensions of an array.
void label_cells(Hdf5File& file, const SuccessMap& map, const Problem& problem,
                 const std::vector<std::string>& arrays) {
  if (problem.axes.empty()) return;
  std::vector<std::string> labels;
  for (auto axis = map.axes.rbegin(); axis != map.axes.rend(); ++axis) labels.push_back(axis->name);
  for (const std::string& array : arrays) file.attribute(array, "DIMENSION_LABELS", labels);
}

// Makes datasets of cells, whose numbers are made as they are written.
class CellColumns {
 public:
  CellColumns(Hdf5File& file, std::vector<MapHdf5::CellColumn>& out) : file_(file), out_(out) {}

  // value(cell): of type T.
  template <class T, class F>
  void add(const std::string& name, const std::vector<hsize_t>& shape, const std::string& unit, const F& value) {
    constexpr bool real = std::is_same_v<T, double>;
    static_assert(real || std::is_same_v<T, std::int32_t>);
    const auto number = real ? Hdf5File::Number::float64 : Hdf5File::Number::int32;
    const std::uint64_t place = file_.reserve(name, shape, number);
    file_.attribute(name, "unit", unit);
    out_.push_back({place, sizeof(T), [value](std::span<const MapCell> cells, void* to) {
                      std::transform(cells.begin(), cells.end(), static_cast<T*>(to),
                                     [&](const MapCell& cell) { return static_cast<T>(value(cell)); });
                    }});
  }

 private:
  Hdf5File& file_;
  std::vector<MapHdf5::CellColumn>& out_;
};

void write_cells(Hdf5File& file, const SuccessMap& map, const Problem& problem, CellColumns& columns) {
  write_axes(file, map);
  const std::vector<hsize_t> shape = shape_of_cells(map);
  columns.add<std::int32_t>("samples", shape, "1", [](const MapCell& c) { return c.samples; });
  columns.add<std::int32_t>("successes", shape, "1", [](const MapCell& c) { return c.successes; });
  columns.add<std::int32_t>("unresolved", shape, "1", [](const MapCell& c) { return c.unresolved; });
  columns.add<double>("p", shape, "1", [](const MapCell& c) { return c.p; });
  columns.add<double>("ci_low", shape, "1", [](const MapCell& c) { return c.ci_low; });
  columns.add<double>("ci_high", shape, "1", [](const MapCell& c) { return c.ci_high; });
  label_cells(file, map, problem, {"samples", "successes", "unresolved", "p", "ci_low", "ci_high"});
  if (!map.starts.empty()) {
    columns.add<std::int32_t>("ended", shape, "1", [](const MapCell& c) { return static_cast<int>(c.end); });
    file.attribute("ended", "values", std::string("1 narrow, 2 above, 3 below, 4 budget"));
    label_cells(file, map, problem, {"ended"});
  }
  if (!problem.scene.measure_forces) return;
  const auto add = [&](const char* name, double MapCell::*member, const char* unit) {
    columns.add<double>(name, shape, unit, [member](const MapCell& c) { return c.*member; });
  };
  add("grip_force_max", &MapCell::grip_force_max, "N");
  add("slip_margin_min", &MapCell::slip_margin_min, "1");
  add("slip_margin_end", &MapCell::slip_margin_end, "1");
  label_cells(file, map, problem, {"grip_force_max", "slip_margin_min", "slip_margin_end"});
}

// The table of refined.csv.
void write_refined(Hdf5File& file, const SuccessMap& map) {
  if (map.refined.levels == 0) return;
  const std::string at = "refined/";
  file.group("refined");
  const std::vector<Axis> axes = axes_of(map);
  const std::size_t coarse = map.cells.size(), all = coarse + map.refined.cells.size();
  const auto put_column = [&](const std::string& name, const std::string& unit, auto first, const auto& of_coarse,
                              const auto& of_refined) {
    std::vector<decltype(first)> column;
    column.reserve(all);
    for (std::size_t c = 0; c < coarse; ++c) column.push_back(of_coarse(c));
    for (const RefinedCell& one : map.refined.cells) column.push_back(of_refined(one));
    put(file, at + name, {all}, column, unit);
  };
  put_column(
      "level", "1", std::int32_t{}, [](std::size_t) { return 0; }, [](const RefinedCell& c) { return c.level; });
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::string name = dataset_name(axes[k].name);
    put_column(
        name, axes[k].unit, double{}, [&](std::size_t c) { return axes[k].numbers[place_on(axes, c)[k]]; },
        [k](const RefinedCell& c) { return c.at[k]; });
  }
  const auto put_cells = [&](const std::string& name, auto member) {
    using T = std::remove_cvref_t<decltype(MapCell{}.*member)>;
    using Stored = std::conditional_t<std::is_same_v<T, double>, double, std::int32_t>;
    put_column(
        name, "1", Stored{}, [&](std::size_t c) { return static_cast<Stored>(map.cells[c].*member); },
        [member](const RefinedCell& c) { return static_cast<Stored>(c.cell.*member); });
  };
  put_cells("samples", &MapCell::samples);
  put_cells("successes", &MapCell::successes);
  put_cells("unresolved", &MapCell::unresolved);
  put_cells("p", &MapCell::p);
  put_cells("ci_low", &MapCell::ci_low);
  put_cells("ci_high", &MapCell::ci_high);
  if (!map.starts.empty()) put_cells("ended", &MapCell::end);
}

// Of grasps. What of them stands in their file is made as it is written, too.
void write_grasps(Hdf5File& file, const SuccessMap& map, const Problem& problem, CellColumns& columns,
                  std::vector<MapHdf5::GraspColumn>& of_grasps) {
  const std::vector<hsize_t> shape{map.cells.size()};
  std::size_t longest = 1;
  problem.grasps.list->for_each([&longest](const Grasp& grasp) { longest = std::max(longest, grasp.id.size()); });
  file.group("grasps");
  const std::uint64_t names = file.reserve_texts("grasps/id", map.cells.size(), longest);
  of_grasps.push_back({names, [longest](const Grasp& grasp, std::string& to) {
                         to += grasp.id;
                         to.append(longest + 1 - grasp.id.size(), '\0');
                       }});
  const std::uint64_t poses = file.reserve("grasps/pose", {map.cells.size(), 7}, Hdf5File::Number::float64);
  file.attribute("grasps/pose", "unit", std::string("see columns"));
  file.attribute("grasps/pose", "columns",
                 std::vector<std::string>{"x_m", "y_m", "z_m", "qw_1", "qx_1", "qy_1", "qz_1"});
  of_grasps.push_back({poses, [](const Grasp& grasp, std::string& to) {
                         const Vec3 p = grasp.position;
                         const Quaternion q = grasp.turn;
                         const double numbers[] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
                         to.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
                       }});
  for (std::size_t k = 1; k < grasp_failure_count; ++k) {
    columns.add<std::int32_t>("grasps/" + grasp_failure_names()[k], shape, "1",
                              [k](const MapCell& c) { return c.grasp.failures[k]; });
  }
  const auto add = [&](const char* name, double GraspMeasures::*member, const char* unit) {
    columns.add<double>(std::string("grasps/") + name, shape, unit,
                        [member](const MapCell& c) { return c.grasp.*member; });
  };
  add("slip_mean", &GraspMeasures::slip, "m");
  add("tilt_mean", &GraspMeasures::tilt, "rad");
  add("slip_margin_min", &GraspMeasures::margin_min, "1");
  add("force_max", &GraspMeasures::force_max, "N");
  add("drop_time_mean", &GraspMeasures::drop_time, "s");
}

// Without a check there is nothing of it: the file is what it would be then.
void write_step_check(Hdf5File& file, const SuccessMap& map) {
  if (!map.step_check) return;
  const StepCheck& check = *map.step_check;
  const std::string at = "step_check";
  file.group(at);
  const auto say = [&](const std::string& name, const auto& value) { file.attribute(at, name, value); };
  say("half_step_s", check.half_step);
  say("trials", static_cast<std::int64_t>(check.reruns));
  say("compared", std::int64_t{check.half.compared});
  say("bias", check.bias);
  say("bias_ci_low", check.bias_interval.low);
  say("bias_ci_high", check.bias_interval.high);
  say("sampling_error", check.sampling_error);
  if (check.cold) say("cold_compared", std::int64_t{check.cold->compared});
  const std::vector<hsize_t> shape = shape_of_cells(map);
  const auto cells = [&](const std::string& name, int CheckedCell::*count) {
    put(file, at + "/" + name, shape,
        column<std::int32_t>(check.cells, [count](const CheckedCell& cell) { return cell.*count; }), "1");
  };
  cells("trials", &CheckedCell::reruns);
  cells("failed_then_succeeded", &CheckedCell::gained);
  cells("succeeded_then_failed", &CheckedCell::lost);
  cells("unresolved", &CheckedCell::unresolved);
  cells("cold_start", &CheckedCell::cold_flips);
  const std::string list = at + "/flipped";
  file.group(list);
  const auto flipped = [&](const std::string& name, const auto& value) {
    put(file, list + "/" + name, {check.flipped.size()}, column<std::int32_t>(check.flipped, value), "1");
  };
  const auto a_cell = static_cast<std::size_t>(map.samples);
  flipped("cell", [a_cell](const FlippedTrial& t) { return t.trial / a_cell; });
  flipped("sample", [a_cell](const FlippedTrial& t) { return t.trial % a_cell; });
  flipped("success", [](const FlippedTrial& t) { return t.first; });
  flipped("half_step", [](const FlippedTrial& t) { return t.half; });
  flipped("cold_start", [](const FlippedTrial& t) { return t.cold; });
}

// Ties the axes to all arrays of cells, as HDF5's dimension scales.
void write_scales(Hdf5File& file, const SuccessMap& map, const Problem& problem) {
  std::vector<std::string> arrays{"samples", "successes", "unresolved", "p", "ci_low", "ci_high"}, scales;
  if (!map.starts.empty()) arrays.push_back("ended");
  if (problem.scene.measure_forces)
    arrays.insert(arrays.end(), {"grip_force_max", "slip_margin_min", "slip_margin_end"});
  if (map.step_check) {
    for (const char* name : {"trials", "failed_then_succeeded", "succeeded_then_failed", "unresolved", "cold_start"})
      arrays.push_back("step_check/" + std::string(name));
  }
  for (const Axis& axis : axes_of(map)) scales.insert(scales.begin(), dataset_name(axis.name));
  file.scales(scales, arrays);
}

hsize_t samples_in(const SuccessMap& map) {
  return map.starts.empty() ? static_cast<std::size_t>(map.samples) * map.cells.size() : map.starts.back();
}

// Makes the columns of samples_table, in order.
class Columns {
 public:
  Columns(Hdf5File& file, const SuccessMap& map, std::vector<MapHdf5::Column>& out)
      : file_(file), out_(out), total_(samples_in(map)) {}

  // A number of type T for each sample of a block: value(block, row).
  template <class T, class F>
  void add(const std::string& name, const std::string& unit, const F& value) {
    add<T>(name, unit, {total_}, 1, [value](const SampleBlock& block, T* to) {
      for (std::size_t i = 0; i < block.range.count; ++i) to[i] = static_cast<T>(value(block, i));
    });
  }
  // Of several numbers a sample: fill(block, to).
  template <class T, class Fill>
  void add(const std::string& name, const std::string& unit, const std::vector<hsize_t>& shape, std::size_t a_sample,
           const Fill& fill) {
    const std::uint64_t place = file_.reserve(at_ + name, shape, number(T{}));
    file_.attribute(at_ + name, "unit", unit);
    const std::size_t bytes = a_sample * sizeof(T);
    out_.push_back({place, bytes, [fill](const SampleBlock& block, void* to) { fill(block, static_cast<T*>(to)); }});
  }
  template <class T>
  void say(const std::string& column, const std::string& name, const T& what) {
    file_.attribute(at_ + column, name, what);
  }

 private:
  static Hdf5File::Number number(std::int32_t) { return Hdf5File::Number::int32; }
  static Hdf5File::Number number(std::int64_t) { return Hdf5File::Number::int64; }
  static Hdf5File::Number number(double) { return Hdf5File::Number::float64; }

  Hdf5File& file_;
  std::vector<MapHdf5::Column>& out_;
  hsize_t total_;
  std::string at_ = "samples_table/";
};

// Of the outcome.
template <class F>
auto of(const F& f) {
  return [f](const SampleBlock& block, std::size_t i) { return f(block.outcomes[i]); };
}

// Rows of the map as runs of samples of the problem, whose numbers follow each other: visit(first number, count).
template <class Visit>
void for_each_run(const SuccessMap& map, const SampleRange& rows, const Visit& visit) {
  if (map.starts.empty()) {
    visit(rows.first, rows.count);
    return;
  }
  for (std::size_t row = rows.first; row < rows.end();) {
    const TrialPlace at = place_of(map, row);
    const std::size_t end = std::min(map.starts[at.cell + 1], rows.end());
    visit(at.cell * static_cast<std::size_t>(map.samples) + at.sample, end - row);
    row = end;
  }
}

void make_columns(Hdf5File& file, const SuccessMap& map, const Problem& problem, std::vector<MapHdf5::Column>& out) {
  using O = SceneOutcome;
  using Block = const SampleBlock&;
  file.group("samples_table");
  Columns columns(file, map, out);
  columns.add<std::int32_t>("cell", "1",
                            [&map](Block b, std::size_t i) { return place_of(map, b.range.first + i).cell; });
  columns.add<std::int32_t>("sample", "1",
                            [&map](Block b, std::size_t i) { return place_of(map, b.range.first + i).sample; });
  columns.add<std::int32_t>("success", "1", of([](const O& o) { return o.success; }));
  columns.add<std::int32_t>("status", "1", of([](const O& o) { return o.status; }));
  columns.say("status", "bits",
              std::string("1 not converged, 2 out of capacity, 4 not finite, 8 too deep, 16 infeasible; 0 resolved"));
  columns.add<std::int32_t>("stopped_still", "1", of([](const O& o) { return o.stopped_still; }));
  // Files of strict arithmetic stay as they are.
  if (problem.arithmetic == Arithmetic::fast) {
    columns.add<std::int32_t>("in_double", "1", of([](const O& o) { return o.in_double; }));
  }
  columns.add<double>("time", "s", of([](const O& o) { return o.time; }));
  columns.add<std::int32_t>("steps", "1", of([](const O& o) { return o.steps; }));
  columns.add<std::int32_t>("substeps_rejected", "1", of([](const O& o) { return o.substeps_rejected; }));
  columns.add<std::int64_t>("iterations", "1", of([](const O& o) { return o.iterations; }));
  columns.add<std::int32_t>("contacts_max", "1", of([](const O& o) { return o.contacts_max; }));
  columns.add<double>("residual_max", "m/s", of([](const O& o) { return o.residual_max; }));
  columns.add<double>("penetration_max", "m", of([](const O& o) { return o.penetration_max; }));
  if (problem.scene.measure_forces) {
    columns.add<double>("grip_force_max", "N", of([](const O& o) { return o.grip_force_max; }));
    columns.add<double>("slip_margin_min", "1", of([](const O& o) { return o.slip_margin_min; }));
    columns.add<double>("slip_margin_end", "1", of([](const O& o) { return o.slip_margin_end; }));
  }
  if (problem.grasps.given()) {
    const HoldWatch watch = problem.scene.watch;
    columns.add<std::int32_t>("failure", "1", of([watch, h = problem.options.h](const O& o) {
                                return o.status == status_ok ? static_cast<int>(grasp_failure(o, watch, h)) : -1;
                              }));
    columns.say("failure", "values", grasp_failure_names());
    columns.add<double>("start_overlap", "m", of([](const O& o) { return o.start_overlap; }));
    columns.add<double>("touch_first", "s", of([](const O& o) { return o.touch_first; }));
    columns.add<double>("touch_last", "s", of([](const O& o) { return o.touch_last; }));
    columns.add<double>("slip_max", "m", of([](const O& o) { return o.hold_slip_max; }));
    columns.add<double>("tilt_max", "rad", of([](const O& o) { return o.hold_tilt_max; }));
    columns.add<double>("hold_margin_min", "1", of([](const O& o) { return o.hold_margin_min; }));
    columns.add<double>("hold_force_max", "N", of([](const O& o) { return o.hold_force_max; }));
  }
  columns.add<std::int32_t>("tripods_redrawn", "1", [](Block b, std::size_t i) { return b.redrawn[i]; });
  columns.add<std::int32_t>("by_reference", "1", [](Block b, std::size_t i) { return b.by_reference[i]; });
  columns.say("by_reference", "values", std::string("0 not asked, 1 resolved by it, 2 left unresolved"));
  const hsize_t total = samples_in(map);
  columns.add<double>("final_pose", "see units", {total, map.body_names.size(), map.pose_columns.size()}, map.poses(),
                      [](Block b, double* to) { std::copy(b.final_poses.begin(), b.final_poses.end(), to); });
  columns.say("final_pose", "columns", map.pose_columns);
  columns.say("final_pose", "units", units_of(map.pose_columns));
  columns.say("final_pose", "bodies", map.body_names);
  file.group("samples_table/sampled");
  const std::size_t sampled = map.sampled.size();
  for (std::size_t k = 0; k < sampled; ++k) {
    columns.add<double>("sampled/" + dataset_name(map.sampled[k].name), map.sampled[k].unit,
                        [sampled, k](Block b, std::size_t i) { return b.values[i * sampled + k]; });
  }
  const std::vector<GroupColumn> groups = group_columns(problem);
  for (std::size_t k = 0; k < groups.size(); ++k) {
    const std::string name = "sampled/" + dataset_name(groups[k].name);
    columns.add<std::int32_t>(name, "1", {total}, 1, [&map, &problem, k](Block b, std::int32_t* to) {
      for_each_run(map, b.range, [&](std::size_t number, std::size_t count) {
        const std::vector<std::int32_t> drawn = drawn_groups(problem, k, number, count);
        to = std::copy(drawn.begin(), drawn.end(), to);
      });
    });
    columns.say(name, "groups", groups[k].groups);
  }
}

void write_origin(Hdf5File& file, const SuccessMap& map, const Problem& problem) {
  file.attribute("/", "format", std::string("pegrasp-map-1"));
  file.attribute("/", "title", problem.title);
  // Of planar maps they are x_mm and y_mm, and files of earlier versions say nothing.
  if (problem.scene.spatial || !problem.axes.empty()) {
    std::vector<std::string> names;
    for (const Axis& axis : axes_of(map)) names.push_back(axis.name);
    file.attribute("/", "axes", names);
  }
  file.attribute("/", "problem_toml", problem.resolved_toml);
  file.attribute("/", "seed", std::uint64_t{problem.seed});
  file.attribute("/", "samples_per_cell", static_cast<std::int64_t>(problem.samples));
  // Of maps with as many samples in every cell the interval is Wilson's, and the file says nothing.
  if (problem.until.any()) {
    file.attribute("/", "interval", std::string("confidence sequence"));
    if (problem.until.half_width > 0.0) file.attribute("/", "until_half_width", problem.until.half_width);
    if (problem.until.decided > 0.0) file.attribute("/", "until_decided", problem.until.decided);
  }
  if (map.replicates > 0) {
    file.attribute("/", "sampling", std::string("sobol"));
    file.attribute("/", "replicates", std::int64_t{map.replicates});
  }
  file.attribute("/", "version", std::string(version::number));
  file.attribute("/", "git", std::string(version::git));
  // Strict results are the same bytes wherever they were computed, and so is their file; summary.json says where.
  if (problem.arithmetic == Arithmetic::fast) file.attribute("/", "backend", map.backend);
  file.attribute("/", "fallback", std::string(map.fallback == Fallback::reference ? "reference" : "none"));
  file.attribute("/", "arithmetic", name_of(problem.arithmetic));
  const SharedOptions shared(problem, map);
  file.attribute("/", "contact", shared.contact);
  file.attribute("/", "solver", shared.solver);
  file.attribute("/", "strategy", shared.strategy);
  file.attribute("/", "h_s", shared.h);
}

}  // namespace

MapHdf5::MapHdf5(const SuccessMap& map, const Problem& problem) : problem_(problem) {
  CellColumns columns(file_, cell_columns_);
  write_origin(file_, map, problem);
  write_cells(file_, map, problem, columns);
  if (problem.grasps.given()) write_grasps(file_, map, problem, columns, grasp_columns_);
  write_refined(file_, map);
  write_step_check(file_, map);
  write_scales(file_, map, problem);
  if (!map.counts_only) make_columns(file_, map, problem, columns_);
}

std::uint64_t MapHdf5::write(const SuccessMap& map, const MapHdf5::Put& put) {
  const SparseImage& image = file_.finish();
  image.for_each_page(put);
  put_cells(map, put);
  std::string bytes;
  for_each_block(map, [&](const SampleBlock& block) {
    for (const Column& column : columns_) {
      bytes.resize(block.range.count * column.bytes);
      column.fill(block, bytes.data());
      put(column.place + block.range.first * column.bytes, bytes);
    }
  });
  return image.size();
}

void MapHdf5::put_cells(const SuccessMap& map, const Put& put) const {
  constexpr std::size_t cells_a_piece = 4096;
  std::string bytes;
  for (std::size_t first = 0; first < map.cells.size(); first += cells_a_piece) {
    const std::size_t count = std::min(cells_a_piece, map.cells.size() - first);
    for (const CellColumn& column : cell_columns_) {
      bytes.resize(count * column.bytes);
      column.fill(std::span(map.cells).subspan(first, count), bytes.data());
      put(column.place + first * column.bytes, bytes);
    }
  }
  for (const GraspColumn& column : grasp_columns_) {
    std::uint64_t place = column.place;
    bytes.clear();
    const auto flush = [&] {
      put(place, bytes);
      place += bytes.size();
      bytes.clear();
    };
    problem_.grasps.list->for_each([&](const Grasp& grasp) {
      column.append(grasp, bytes);
      if (bytes.size() > (std::size_t{1} << 16)) flush();
    });
    flush();
  }
}

}  // namespace pegrasp
