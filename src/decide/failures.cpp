// SPDX-License-Identifier: Apache-2.0
// Failed trials by reason, and a typical one of each.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "pegrasp/problem.hpp"
#include "src/decide/explain.hpp"

namespace pegrasp::decide {
namespace {

constexpr double sliding_margin = 1e-3;  // a margin to slip below this is that of a contact that slides
constexpr double much_lower = 0.5;       // of the length scale

// How high the bodies of a scene end that gravity pulls, against a trial that succeeds.
class Heights {
 public:
  explicit Heights(const StoredMap& map) {
    Problem problem;
    try {
      problem = parse_problem(map.problem_toml, (map.folder / "problem.toml").string());
    } catch (const InputError&) {
      return;  // of another version, or with files that are gone
    }
    const SceneSpec& scene = problem.scene;
    const std::array<double, 3> pull{scene.gravity.x, scene.gravity.y, scene.spatial ? scene.gravity_z : 0.0};
    const double strength = std::sqrt(pull[0] * pull[0] + pull[1] * pull[1] + pull[2] * pull[2]);
    known_ = true;
    if (!(strength > 0.0)) return;
    for (std::size_t k = 0; k < 3; ++k) up_[k] = -pull[k] / strength;
    coordinates_ = scene.spatial ? 3 : 2;
    stride_ = scene.bodies.empty() ? 0 : map.pose_numbers / scene.bodies.size();
    lower_ = much_lower * length_scale(scene);
    for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
      if (scene.bodies[body].kind != BodyKind::dynamic) continue;
      std::vector<double> of_successes;
      for (std::size_t row = 0; row < map.success.size(); ++row)
        if (map.resolved(row) && map.success[row] != 0) of_successes.push_back(height(map, row, body));
      if (of_successes.empty()) continue;
      const auto middle = of_successes.begin() + static_cast<std::ptrdiff_t>(of_successes.size() / 2);
      std::nth_element(of_successes.begin(), middle, of_successes.end());
      bodies_.emplace_back(body, *middle);
    }
  }
  bool known() const { return known_; }
  bool dropped(const StoredMap& map, std::size_t row) const {
    return std::any_of(bodies_.begin(), bodies_.end(),
                       [&](const auto& body) { return height(map, row, body.first) < body.second - lower_; });
  }

 private:
  double height(const StoredMap& map, std::size_t row, std::size_t body) const {
    const double* pose = map.final_pose.data() + row * map.pose_numbers + body * stride_;
    double sum = 0.0;
    for (std::size_t k = 0; k < coordinates_; ++k) sum += up_[k] * pose[k];
    return sum;
  }

  bool known_ = false;
  std::array<double, 3> up_{};
  std::size_t coordinates_ = 0, stride_ = 0;
  double lower_ = 0.0;
  std::vector<std::pair<std::size_t, double>> bodies_;  // and their usual height
};

FailureReason reason_of(const StoredMap& map, const Heights& heights, std::size_t row) {
  if (!map.resolved(row)) return FailureReason::unresolved;
  if (map.contacts_max[row] == 0) return FailureReason::never_touched;
  if (heights.dropped(map, row)) return FailureReason::dropped;
  if (map.stopped_still[row] != 0) return FailureReason::jammed;
  const bool slides = !map.slip_margin_end.empty() && map.slip_margin_end[row] < sliding_margin;
  return slides ? FailureReason::slipped : FailureReason::moving;
}

// What distinguishes trials: cell and sampled numbers, each divided by its spread.
class Spread {
 public:
  Spread(const StoredMap& map, const std::vector<std::size_t>& rows) : map_(map) {
    for (std::size_t k = 0; k < map.sampled.size() + map.axes.size(); ++k) {
      double sum = 0.0, squares = 0.0;
      for (const std::size_t row : rows) {
        sum += number(row, k);
        squares += number(row, k) * number(row, k);
      }
      const auto n = static_cast<double>(rows.size());
      const double variance = squares / n - sum / n * (sum / n);
      scale_.push_back(variance > 0.0 ? 1.0 / std::sqrt(variance) : 0.0);
    }
  }
  // The one of some trials that is nearest their mean.
  std::size_t nearest_the_mean(const std::vector<std::size_t>& rows) const {
    std::vector<double> mean(scale_.size(), 0.0);
    for (const std::size_t row : rows)
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += number(row, k) / static_cast<double>(rows.size());
    std::size_t nearest = rows.front();
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t row : rows) {
      double distance = 0.0;
      for (std::size_t k = 0; k < mean.size(); ++k) {
        const double apart = scale_[k] * (number(row, k) - mean[k]);
        distance += apart * apart;
      }
      if (distance < least) {
        least = distance;
        nearest = row;
      }
    }
    return nearest;
  }

 private:
  double number(std::size_t row, std::size_t k) const {
    const std::size_t axes = map_.axes.size();
    if (k < axes) return map_.number_on(k, static_cast<std::size_t>(map_.cell[row]));
    return map_.sampled[k - axes].values[row];
  }
  const StoredMap& map_;
  std::vector<double> scale_;
};

}  // namespace

const char* reason_name(FailureReason reason) {
  switch (reason) {
    case FailureReason::unresolved:
      return "unresolved";
    case FailureReason::never_touched:
      return "never_touched";
    case FailureReason::dropped:
      return "dropped";
    case FailureReason::jammed:
      return "jammed";
    case FailureReason::slipped:
      return "slipped";
    case FailureReason::moving:
      break;
  }
  return "moving";
}

const char* reason_words(FailureReason reason) {
  switch (reason) {
    case FailureReason::unresolved:
      return "unresolved: a step was not solved";
    case FailureReason::never_touched:
      return "never touched: no step had a contact";
    case FailureReason::dropped:
      return "dropped: ended lower than where trials succeed";
    case FailureReason::jammed:
      return "jammed: came to rest elsewhere";
    case FailureReason::slipped:
      return "slipped: a contact was sliding at the end";
    case FailureReason::moving:
      break;
  }
  return "moving: not at rest at the end";
}

std::vector<FailureGroup> failure_groups(const StoredMap& map, const std::vector<std::size_t>& rows,
                                         bool& drops_known) {
  const Heights heights(map);
  drops_known = heights.known();
  std::array<std::vector<std::size_t>, failure_reasons> failed;
  for (const std::size_t row : rows) {
    if (map.resolved(row) && map.success[row] != 0) continue;
    failed[static_cast<std::size_t>(reason_of(map, heights, row))].push_back(row);
  }
  const Spread spread(map, rows);
  std::vector<FailureGroup> groups;
  for (std::size_t k = 0; k < failure_reasons; ++k) {
    if (failed[k].empty()) continue;
    groups.push_back(
        {static_cast<FailureReason>(k), static_cast<long long>(failed[k].size()), spread.nearest_the_mean(failed[k])});
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const FailureGroup& a, const FailureGroup& b) { return a.trials > b.trials; });
  return groups;
}

}  // namespace pegrasp::decide
