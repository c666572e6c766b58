// SPDX-License-Identifier: Apache-2.0
// One sample: the base parameters, moved by the grid, with every uncertain number drawn. Nothing here allocates.
#include <algorithm>

#include "pegrasp/problem.hpp"
#include "sampling/distributions.hpp"
#include "sampling/tripod.hpp"

namespace pegrasp {
namespace {

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
  key.stream = tripod.stream;
  radius = draw(tripod.radius, key);
  key.stream = tripod.stream + 1;
  turn = draw(tripod.turn, key);
  std::array<double, 3> load{};
  const std::uint32_t redraws = draw_loads(tripod, key, load);
  support = tripod_on_circle(radius, turn, load, mass * tripod.gravity);
  return static_cast<int>(redraws);
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
      const auto slot = static_cast<std::size_t>(layout.spatial ? layout.foot(first + k) : layout.support(first + k));
      const auto i = static_cast<std::size_t>(k);
      values[column++] = parameters[slot] = support.point[i].x;
      values[column++] = parameters[slot + 1] = support.point[i].y;
      values[column++] = support.load[i];
      // in space statics shares out the weight
      if (!layout.spatial) parameters[slot + 2] = support.load[i];
    }
  }
  return redrawn;
}

}  // namespace pegrasp
