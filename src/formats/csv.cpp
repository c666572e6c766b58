// SPDX-License-Identifier: Apache-2.0
#include "src/formats/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/text/units.hpp"

namespace pegrasp {
namespace {

void append(std::string& out, double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value == 0.0 ? 0.0 : value);  // no "-0"
  out.append(text, end.ptr);
}

}  // namespace

std::string number_text(double value) {
  std::string out;
  append(out, value);
  return out;
}

double to_mm(double metres) { return std::round(metres * 1e12) / 1e9; }

double on_axis(const std::string& axis, double value) {
  constexpr double degrees = 57.295779513082320877;
  if (axis == "grasp") return value;
  return axis == "yaw_deg" ? std::round(value * degrees * 1e9) / 1e9 : to_mm(value);
}

const char* cell_end_name(CellEnd end) {
  switch (end) {
    case CellEnd::fixed:
      break;
    case CellEnd::narrow:
      return "narrow";
    case CellEnd::above:
      return "above";
    case CellEnd::below:
      return "below";
    case CellEnd::budget:
      return "budget";
  }
  return "fixed";
}

std::vector<Axis> axes_of(const SuccessMap& map) {
  if (!map.axes.empty()) return map.axes;
  std::vector<Axis> axes(2);
  axes[0].name = map.x_name;
  axes[1].name = map.y_name;
  const auto columns = static_cast<std::size_t>(map.columns), rows = static_cast<std::size_t>(map.rows);
  for (std::size_t i = 0; i < std::min(columns, map.cells.size()); ++i)
    axes[0].numbers.push_back(on_axis(map.x_name, map.cells[i].x));
  for (std::size_t j = 0; j < rows && j * columns < map.cells.size(); ++j)
    axes[1].numbers.push_back(on_axis(map.y_name, map.cells[j * columns].y));
  for (Axis& axis : axes) axis.unit = unit_of_key(axis.name);
  return axes;
}

std::string axis_cell(const Axis& axis, std::size_t value) {
  std::string out;
  if (!axis.categorical) {
    append(out, axis.numbers[value]);
    return out;
  }
  const std::string& text = axis.texts[value];
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string axis_words(const Axis& axis) {
  return unit_of_key(axis.name) == axis.unit ? key_base(axis.name) : axis.name;
}

std::string place_words(const Axis& axis, std::size_t value) {
  std::string out = axis_words(axis) + " = ";
  if (axis.categorical) return out + axis.texts[value];
  append(out, axis.numbers[value]);
  return axis.unit == "1" ? out : out + " " + axis.unit;
}

std::string place_words(const std::vector<Axis>& axes, std::size_t cell) {
  std::string out;
  const std::vector<std::size_t> place = place_on(axes, cell);
  for (std::size_t k = 0; k < axes.size(); ++k) out += (k > 0 ? ", " : "") + place_words(axes[k], place[k]);
  return out;
}

namespace {

std::string heading(const SuccessMap& map) {
  std::string out;
  for (const Axis& axis : axes_of(map)) out += axis.name + ',';
  out += "samples,successes,unresolved,p,ci_low,ci_high";
  if (!map.starts.empty()) return out + ",interval,ended\n";
  return out + (map.replicates > 0 ? ",interval\n" : "\n");
}

// Behind its place.
void append_counts(std::string& out, const SuccessMap& map, const MapCell& cell) {
  out +=
      std::to_string(cell.samples) + ',' + std::to_string(cell.successes) + ',' + std::to_string(cell.unresolved) + ',';
  if (std::isnan(cell.p)) {
    out += "nan";
  } else {
    append(out, cell.p);
  }
  out += ',';
  append(out, cell.ci_low);
  out += ',';
  append(out, cell.ci_high);
  if (!map.starts.empty()) out += std::string(",sequence,") + cell_end_name(cell.end);
  if (map.replicates > 0) out += ",replicates";
  out += '\n';
}

// The cells of the map itself; before: what begins each line.
void append_cells(std::string& out, const SuccessMap& map, const char* before) {
  const std::vector<Axis> axes = axes_of(map);
  for (std::size_t c = 0; c < map.cells.size(); ++c) {
    const std::vector<std::size_t> place = place_on(axes, c);
    out += before;
    for (std::size_t k = 0; k < place.size(); ++k) out += axis_cell(axes[k], place[k]) + ',';
    append_counts(out, map, map.cells[c]);
  }
}

}  // namespace

std::string map_csv(const SuccessMap& map) {
  std::string out = heading(map);
  append_cells(out, map, "");
  return out;
}

std::string refined_csv(const SuccessMap& map) {
  std::string out = "level," + heading(map);
  append_cells(out, map, "0,");
  const std::vector<Axis> axes = axes_of(map);
  for (const RefinedCell& one : map.refined.cells) {
    out += std::to_string(one.level) + ',';
    for (std::size_t k = 0; k < axes.size(); ++k) {
      out += axes[k].categorical ? axis_cell(axes[k], static_cast<std::size_t>(one.at[k])) : number_text(one.at[k]);
      out += ',';
    }
    append_counts(out, map, one.cell);
  }
  return out;
}

}  // namespace pegrasp
