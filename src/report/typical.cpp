// SPDX-License-Identifier: Apache-2.0
#include "src/report/typical.hpp"

#include <algorithm>
#include <cmath>

namespace pegrasp::report {
namespace {

enum class TrialEnd { success, failure, unresolved };

TrialEnd end_of(const decide::StoredMap& map, std::size_t trial) {
  if (!map.resolved(trial)) return TrialEnd::unresolved;
  return map.success[trial] != 0 ? TrialEnd::success : TrialEnd::failure;
}

const char* end_word(TrialEnd end) {
  switch (end) {
    case TrialEnd::success:
      return "success";
    case TrialEnd::failure:
      return "failure";
    case TrialEnd::unresolved:
      break;
  }
  return "unresolved";
}

// One over the standard deviation of every sampled number; 0 where it does not vary.
std::vector<double> weights_of(const decide::StoredMap& map) {
  std::vector<double> weights;
  for (const decide::StoredColumn& column : map.sampled) {
    double sum = 0.0, squares = 0.0;
    const auto count = static_cast<double>(column.values.size());
    for (const double value : column.values) sum += value;
    for (const double value : column.values) squares += (value - sum / count) * (value - sum / count);
    const double deviation = std::sqrt(squares / count);
    weights.push_back(deviation > 0.0 && std::isfinite(deviation) ? 1.0 / deviation : 0.0);
  }
  return weights;
}

// Of the trials the one whose numbers lie nearest their mean; the first of equals.
std::size_t nearest_mean(const decide::StoredMap& map, const std::vector<double>& weights,
                         const std::vector<std::size_t>& trials) {
  std::vector<double> distance(trials.size(), 0.0);
  for (std::size_t k = 0; k < map.sampled.size(); ++k) {
    double mean = 0.0;
    for (const std::size_t trial : trials) mean += map.sampled[k].values[trial];
    mean /= static_cast<double>(trials.size());
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const double away = weights[k] * (map.sampled[k].values[trials[i]] - mean);
      distance[i] += std::isfinite(away) ? away * away : 0.0;
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    if (distance[i] < distance[best]) best = i;
  }
  return trials[best];
}

}  // namespace

std::vector<ChosenTrial> chosen_trials(const decide::StoredMap& map, int more, std::size_t most) {
  const std::vector<double> weights = weights_of(map);
  std::vector<std::vector<std::size_t>> of_cell(map.cells.size());
  for (std::size_t trial = 0; trial < map.cell.size(); ++trial) {
    of_cell[static_cast<std::size_t>(map.cell[trial])].push_back(trial);
  }
  const std::size_t each = 2 + static_cast<std::size_t>(more);
  const std::size_t cells = std::min(map.cells.size(), std::max<std::size_t>(1, most / each));
  std::vector<ChosenTrial> out;
  for (std::size_t c = 0; c < map.cells.size(); ++c) {
    if ((c + 1) * cells / map.cells.size() == c * cells / map.cells.size()) continue;  // another cell nearby is taken
    const auto add = [&](std::size_t trial, const std::string& role) {
      out.push_back({static_cast<int>(c), map.sample[trial], role});
    };
    for (const TrialEnd end : {TrialEnd::success, TrialEnd::failure}) {
      std::vector<std::size_t> found;
      for (const std::size_t trial : of_cell[c]) {
        if (end_of(map, trial) == end) found.push_back(trial);
      }
      if (!found.empty()) add(nearest_mean(map, weights, found), std::string("typical ") + end_word(end));
    }
    for (const std::size_t trial : of_cell[c]) {
      if (end_of(map, trial) != TrialEnd::unresolved) continue;
      add(trial, "unresolved");
      break;
    }
    for (const std::size_t trial : of_cell[c]) {
      if (map.sample[trial] < more) {
        add(trial, "sample " + std::to_string(map.sample[trial]) + ": " + end_word(end_of(map, trial)));
      }
    }
  }
  return out;
}

}  // namespace pegrasp::report
