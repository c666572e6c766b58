// SPDX-License-Identifier: Apache-2.0
#include "src/decide/explain.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "pegrasp/error.hpp"
#include "src/decide/numbers.hpp"
#include "src/formats/csv.hpp"

namespace pegrasp::decide {
namespace {

constexpr std::size_t fewest_trials = 50;
constexpr std::size_t most_points = 16;     // of a curve
constexpr std::size_t trials_a_point = 20;  // at least, on average

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_sampled(const StoredMap& map, const std::string& name) {
  return std::any_of(map.sampled.begin(), map.sampled.end(), [&](const StoredColumn& c) { return c.name == name; });
}

// Whether a sampled number is a function of others: the points and the last load of a support tripod, and the groups
// from which numbers were drawn.
bool follows_from_others(const StoredMap& map, const std::string& name) {
  if (ends_with(name, ".group") || name.rfind("group.", 0) == 0) return true;
  for (const char* end : {".x1", ".x2", ".x3", ".y1", ".y2", ".y3", ".load3"}) {
    if (!ends_with(name, end)) continue;
    const std::string tripod = name.substr(0, name.size() - std::string_view(end).size());
    return is_sampled(map, tripod + ".turn") && is_sampled(map, tripod + ".load1");
  }
  return false;
}

bool varies(const std::vector<double>& values) {
  if (values.empty() || !std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
    return false;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low < *high;
}

void add_factor(Factor factor, std::vector<Factor>& factors) {
  if (varies(factor.values)) factors.push_back(std::move(factor));
}

void add_factors(const StoredMap& map, const std::vector<std::size_t>& rows, Explanation& out) {
  for (std::size_t k = 0; k < map.axes.size(); ++k) {
    const Axis& axis = map.axes[k];
    Factor factor{axis_words(axis), axis.unit, {}, axis.categorical || axis.name == "grasp"};
    for (const std::size_t row : rows)
      factor.values.push_back(map.number_on(k, static_cast<std::size_t>(map.cell[row])));
    add_factor(std::move(factor), out.factors);
  }
  for (const StoredColumn& column : map.sampled) {
    Factor factor{column.name, column.unit, {}};
    for (const std::size_t row : rows) factor.values.push_back(column.values[row]);
    if (follows_from_others(map, column.name)) {
      if (varies(factor.values)) out.left_out.push_back(column.name);
      continue;
    }
    add_factor(std::move(factor), out.factors);
  }
}

std::vector<CurvePoint> curve_of(const Factor& factor, const std::vector<double>& success) {
  const std::size_t most = std::clamp(success.size() / trials_a_point, std::size_t{2}, most_points);
  const Bins bins = bins_of(factor.values, most);
  std::vector<CurvePoint> points(bins.count);
  for (std::size_t r = 0; r < success.size(); ++r) {
    CurvePoint& point = points[bins.of_row[r]];
    const double value = factor.values[r];
    point.low = point.trials == 0 ? value : std::min(point.low, value);
    point.high = point.trials == 0 ? value : std::max(point.high, value);
    point.mean += value;
    ++point.trials;
    point.successes += success[r] != 0.0 ? 1 : 0;
  }
  for (CurvePoint& point : points) {
    point.mean /= static_cast<double>(point.trials);
    point.p = static_cast<double>(point.successes) / static_cast<double>(point.trials);
    point.interval = wilson_interval(point.successes, point.trials);
  }
  return points;
}

}  // namespace

Explanation explain(const StoredMap& map, std::optional<std::size_t> cell) {
  if (cell && *cell >= map.cells.size()) {
    throw InputError("--cell: " + map.folder.string() + " has cells 0 to " + std::to_string(map.cells.size() - 1));
  }
  Explanation out;
  out.cell = cell;
  std::vector<std::size_t> rows, resolved;
  for (std::size_t row = 0; row < map.success.size(); ++row) {
    if (cell && static_cast<std::size_t>(map.cell[row]) != *cell) continue;
    rows.push_back(row);
    if (map.resolved(row)) resolved.push_back(row);
  }
  std::vector<double> success;
  for (const std::size_t row : resolved) {
    success.push_back(map.success[row] != 0 ? 1.0 : 0.0);
    out.successes += map.success[row] != 0 ? 1 : 0;
  }
  out.trials = static_cast<long long>(rows.size());
  out.resolved = static_cast<long long>(resolved.size());
  const std::string what = map.folder.string() + (cell ? " in cell " + std::to_string(*cell) : std::string());
  if (resolved.size() < fewest_trials) {
    throw InputError(what + ": " + std::to_string(resolved.size()) + " resolved trials explain nothing; simulate " +
                     std::to_string(fewest_trials) + " or more, better thousands, with --samples");
  }
  if (out.successes == 0 || out.successes == out.resolved) {
    throw InputError(
        what + ": all resolved trials " + (out.successes == 0 ? "fail" : "succeed") + ", so no parameter decides; " +
        (cell ? "choose a cell at the border of success" : "choose a grid that holds the border of success"));
  }
  add_factors(map, resolved, out);
  if (out.factors.empty()) throw InputError(what + ": nothing varies between its trials, so nothing is explained");
  out.indices = sobol_indices(out.factors, success);
  for (const Factor& factor : out.factors) out.curves.push_back(curve_of(factor, success));
  out.failures = failure_groups(map, rows, out.drops_known);
  return out;
}

}  // namespace pegrasp::decide
