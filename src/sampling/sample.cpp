// SPDX-License-Identifier: Apache-2.0
// One sample: the base parameters, moved by the grid, with every uncertain number drawn. Nothing here allocates.
#include <algorithm>
#include <stdexcept>

#include "pegrasp/problem.hpp"
#include "sampling/distributions.hpp"
#include "sampling/tripod.hpp"

namespace pegrasp {
namespace {

// A tripod whose loads cannot hold the centre of mass is redrawn; the reader refuses distributions that succeed in fewer
// than 1 draw of 100, so that this many failures in a row do not happen (0.99^100000).
constexpr std::uint32_t most_redraws = 100000;

void move_with_grid(const Grid& grid, int cell, std::span<double> parameters) {
  if (grid.x.empty() || grid.y.empty()) return;
  const auto columns = static_cast<int>(grid.x.size());
  const double x = grid.x[static_cast<std::size_t>(cell % columns)];
  const double y = grid.y[static_cast<std::size_t>(cell / columns)];
  for (std::size_t i = 0; i < grid.x_target.size(); ++i) {
    parameters[static_cast<std::size_t>(grid.x_target[i])] += grid.x_factor[i] * x;
  }
  for (std::size_t i = 0; i < grid.y_target.size(); ++i) {
    parameters[static_cast<std::size_t>(grid.y_target[i])] += grid.y_factor[i] * y;
  }
}

void apply(const UncertainParameter& parameter, double value, std::span<double> parameters) {
  for (std::size_t i = 0; i < parameter.target.size(); ++i) {
    double& slot = parameters[static_cast<std::size_t>(parameter.target[i])];
    slot = (parameter.add ? slot : 0.0) + parameter.scale[i] * value;
  }
}

// Draws radius, turn and loads; returns how often the loads had to be redrawn.
int draw_tripod(const UncertainTripod& tripod, DrawKey key, double mass, SupportTripod& support, double& radius,
                double& turn) {
  const auto one = [&](const Distribution& distribution, std::uint32_t offset) {
    key.stream = tripod.stream + offset;
    return draw(distribution, key);
  };
  radius = one(tripod.radius, 0);
  turn = one(tripod.turn, 1);
  std::array<double, 3> load{};
  for (key.redraw = 0; key.redraw < most_redraws; ++key.redraw) {
    for (std::uint32_t k = 0; k < 3; ++k) load[k] = one(tripod.load[k], 2 + k);
    if (!tripod_can_carry(load)) continue;
    support = tripod_on_circle(radius, turn, load, mass * tripod.gravity);
    return static_cast<int>(key.redraw);
  }
  throw std::runtime_error(tripod.name + ": no tripod in 100000 draws held the centre of mass; narrow its loads");
}

}  // namespace

std::vector<SampledColumn> sampled_columns(const Problem& problem) {
  std::vector<SampledColumn> columns;
  for (const UncertainParameter& parameter : problem.uncertain) columns.push_back({parameter.name, parameter.unit});
  for (const UncertainTripod& tripod : problem.tripods) {
    columns.push_back({tripod.name + ".radius", "m"});
    columns.push_back({tripod.name + ".turn", "rad"});
    for (const char* point : {"1", "2", "3"}) {
      columns.push_back({tripod.name + ".x" + point, "m"});
      columns.push_back({tripod.name + ".y" + point, "m"});
      columns.push_back({tripod.name + ".load" + point, "N"});
    }
  }
  return columns;
}

int draw_sample(const Problem& problem, std::span<const double> base_parameters, int cell, int sample,
                std::span<double> parameters, std::span<double> values) {
  std::copy(base_parameters.begin(), base_parameters.end(), parameters.begin());
  DrawKey key{problem.seed, static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(sample), 0, 0};
  std::size_t column = 0;
  for (const UncertainParameter& parameter : problem.uncertain) {
    key.stream = parameter.stream;
    const double value = draw(parameter.distribution, key);
    apply(parameter, value, parameters);
    values[column++] = value;
  }
  // after the draws, which may have written the poses that follow the grid
  move_with_grid(problem.grid, cell, parameters);
  int redrawn = 0;
  if (problem.tripods.empty()) return redrawn;
  // what is needed of the layout, without building it
  const ParameterLayout layout = parameter_layout(problem.scene);
  for (const UncertainTripod& tripod : problem.tripods) {
    SupportTripod support;
    double radius = 0.0;
    double turn = 0.0;
    const double mass = parameters[static_cast<std::size_t>(layout.mass(tripod.body))];
    const int redraws = draw_tripod(tripod, key, mass, support, radius, turn);
    redrawn += redraws;
    values[column++] = radius;
    values[column++] = turn;
    const int first = support_point(problem.scene, tripod.body);
    for (int k = 0; k < 3; ++k) {
      const auto slot = static_cast<std::size_t>(layout.support(first + k));
      const auto i = static_cast<std::size_t>(k);
      values[column++] = parameters[slot] = support.point[i].x;
      values[column++] = parameters[slot + 1] = support.point[i].y;
      values[column++] = parameters[slot + 2] = support.load[i];
    }
  }
  return redrawn;
}

}  // namespace pegrasp
