// SPDX-License-Identifier: Apache-2.0
#include "src/formats/csv.hpp"

#include <charconv>
#include <cmath>

namespace pegrasp {
namespace {

void append(std::string& out, double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value == 0.0 ? 0.0 : value);  // no "-0"
  out.append(text, end.ptr);
}

}  // namespace

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

std::string map_csv(const SuccessMap& map) {
  const bool until = !map.starts.empty();
  std::string out = map.x_name + ',' + map.y_name + ",samples,successes,unresolved,p,ci_low,ci_high" +
                    (until                ? ",interval,ended\n"
                     : map.replicates > 0 ? ",interval\n"
                                          : "\n");
  for (const MapCell& cell : map.cells) {
    append(out, on_axis(map.x_name, cell.x));
    out += ',';
    append(out, on_axis(map.y_name, cell.y));
    out += ',' + std::to_string(cell.samples) + ',' + std::to_string(cell.successes) + ',' +
           std::to_string(cell.unresolved) + ',';
    if (std::isnan(cell.p)) {
      out += "nan";
    } else {
      append(out, cell.p);
    }
    out += ',';
    append(out, cell.ci_low);
    out += ',';
    append(out, cell.ci_high);
    if (until) out += std::string(",sequence,") + cell_end_name(cell.end);
    if (map.replicates > 0) out += ",replicates";
    out += '\n';
  }
  return out;
}

}  // namespace pegrasp
