// SPDX-License-Identifier: Apache-2.0
#include "results/csv.hpp"

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

std::string map_csv(const SuccessMap& map) {
  std::string out = "x_mm,y_mm,samples,successes,unresolved,p,ci_low,ci_high\n";
  for (const MapCell& cell : map.cells) {
    append(out, to_mm(cell.x));
    out += ',';
    append(out, to_mm(cell.y));
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
    out += '\n';
  }
  return out;
}

}  // namespace pegrasp
