// SPDX-License-Identifier: Apache-2.0
#include "src/cli/sweep_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "src/cli/terminal.hpp"
#include "src/formats/csv.hpp"
#include "src/text/printable.hpp"

namespace pegrasp::cli {
namespace {

constexpr std::size_t most_lines = 40, most_panels = 6, label_columns = 12, bar_columns = 30;

// An axis with several values, and the distance of cells along it.
struct ShownAxis {
  Axis axis;
  std::size_t stride;
};

std::string label_of(const Axis& axis, std::size_t value) {
  std::string text = printable(axis.categorical ? axis.texts[value] : number_text(axis.numbers[value]));
  if (text.size() >= label_columns) text = text.substr(0, label_columns - 3) + "..";
  return std::string(label_columns - 1 - std::min(text.size(), label_columns - 1), ' ') + text + ' ';
}

std::string name_of_axis(const Axis& axis) {
  const std::string unit = axis.unit == "1" ? "" : " [" + axis.unit + "]";
  return printable(axis.label.empty() ? axis_words(axis) + unit : axis.label);
}

// A band where the interval is, and a mark at p.
std::string bar_of(const MapCell& cell) {
  const auto column = [](double p) {
    return static_cast<std::size_t>(std::lround(std::clamp(p, 0.0, 1.0) * (bar_columns - 1)));
  };
  std::string bar(bar_columns, ' ');
  for (std::size_t i = column(cell.ci_low); i <= column(cell.ci_high); ++i) bar[i] = '-';
  if (!std::isnan(cell.p)) bar[column(cell.p)] = '#';
  return bar;
}

std::string curve(const SuccessMap& map, const Axis& axis, std::size_t stride) {
  std::string text = "  " + name_of_axis(axis) + ", p with its interval\n";
  const std::size_t count = axis.size(), lines = std::min(count, most_lines);
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t value = lines > 1 ? i * (count - 1) / (lines - 1) : 0;
    const MapCell& cell = map.cells[value * stride];
    char numbers[64];
    if (std::isnan(cell.p)) {
      std::snprintf(numbers, sizeof numbers, "  no rate");
    } else {
      std::snprintf(numbers, sizeof numbers, "  %.3f  [%.3f, %.3f]", cell.p, cell.ci_low, cell.ci_high);
    }
    text += label_of(axis, value) + '|' + bar_of(cell) + '|' + numbers + '\n';
  }
  if (lines < count)
    text += "  " + std::to_string(lines) + " of " + std::to_string(count) + " values; map.csv has all\n";
  return text;
}

// p over the resolved samples of a block of merge x merge cells, fewer at the ends; NaN without any.
double block_p(const SuccessMap& map, const ShownAxis& x, const ShownAxis& y, std::size_t offset, std::size_t i,
               std::size_t j, std::size_t merge) {
  long long successes = 0, resolved = 0;
  for (std::size_t b = j; b < std::min(j + merge, y.axis.size()); ++b) {
    for (std::size_t a = i; a < std::min(i + merge, x.axis.size()); ++a) {
      const MapCell& cell = map.cells[offset + a * x.stride + b * y.stride];
      successes += cell.successes;
      resolved += cell.samples - cell.unresolved;
    }
  }
  if (resolved == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(successes) / static_cast<double>(resolved);
}

std::string plane(const SuccessMap& map, const ShownAxis& x, const ShownAxis& y, std::size_t offset, bool colour,
                  std::size_t merge) {
  std::string text;
  for (std::size_t row = (y.axis.size() - 1) / merge + 1; row-- > 0;) {
    text += label_of(y.axis, row * merge);
    for (std::size_t i = 0; i < x.axis.size(); i += merge)
      text += heat_block(block_p(map, x, y, offset, i, row * merge, merge), colour);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string sweep_text(const SuccessMap& map, bool colour, int width) {
  const std::vector<Axis> axes = axes_of(map);
  std::vector<ShownAxis> shown;
  std::size_t stride = 1;
  for (const Axis& axis : axes) {
    if (axis.size() > 1) shown.push_back({axis, stride});
    stride *= axis.size();
  }
  if (shown.size() < 2) return shown.empty() ? curve(map, axes.front(), 1) : curve(map, shown[0].axis, shown[0].stride);
  const ShownAxis &x = shown[0], &y = shown[1];
  const std::size_t room = static_cast<std::size_t>(std::max(1, (width - static_cast<int>(label_columns)) / 2));
  const std::size_t merge = (x.axis.size() + room - 1) / room;
  std::size_t panels = 1;
  for (std::size_t k = 2; k < shown.size(); ++k) panels *= shown[k].axis.size();
  std::string text;
  const std::size_t count = std::min(panels, most_panels);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = count > 1 ? i * (panels - 1) / (count - 1) : 0, offset = 0;
    std::string title;
    for (std::size_t k = 2; k < shown.size(); ++k) {
      const std::size_t value = rest % shown[k].axis.size();
      rest /= shown[k].axis.size();
      offset += value * shown[k].stride;
      title += (title.empty() ? "  " : ", ") + printable(place_words(shown[k].axis, value));
    }
    if (!title.empty()) text += title + '\n';
    text += plane(map, x, y, offset, colour, merge);
  }
  if (count < panels) {
    text += "  " + std::to_string(count) + " of " + std::to_string(panels) + " combinations; map.csv has all\n";
  }
  text += "  up: " + name_of_axis(y.axis) + ", across: " + name_of_axis(x.axis) + ' ' +
          label_of(x.axis, 0).substr(label_of(x.axis, 0).find_first_not_of(' ')) + ".. " +
          label_of(x.axis, x.axis.size() - 1).substr(label_of(x.axis, x.axis.size() - 1).find_first_not_of(' ')) +
          heat_legend(colour) + '\n';
  const std::string side = std::to_string(merge);
  return merge == 1 ? text : text + "  " + side + " x " + side + " cells per block; map.csv has every cell\n";
}

}  // namespace pegrasp::cli
