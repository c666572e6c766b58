// SPDX-License-Identifier: Apache-2.0
// From the problem of a row to its trials.
#include <cmath>

#include "pegrasp/sampler.hpp"
#include "src/map/map_options.hpp"
#include "src/rows/trial_batch.hpp"
#include "src/sampling/distributions.hpp"

namespace pegrasp {
namespace {

void make_constant(Distribution& d) {
  Distribution constant;
  constant.mean = central_value(d);
  d = std::move(constant);
}

// The problem without any draw.
Problem nominal_of(Problem problem) {
  problem.correlations.clear();
  problem.sampling = Sampling::random;
  for (UncertainParameter& one : problem.uncertain) make_constant(one.distribution);
  for (UncertainTripod& one : problem.tripods) {
    make_constant(one.radius);
    make_constant(one.turn);
    for (Distribution& load : one.load) make_constant(load);
  }
  problem.grasps.error.root = {};
  problem.grasps.error.offsets.clear();
  problem.grasps.error.weights.clear();
  return problem;
}

int samples_asked(const Problem& problem, const RowOptions& options) {
  if (options.nominal) return 1;
  return options.samples > 0 ? options.samples : problem.samples;
}

}  // namespace

PreparedRow prepare_row(Problem problem, const RowOptions& options) {
  PreparedRow row;
  row.problem = std::move(problem);
  const Problem& all = row.problem;
  RowResult& result = row.result;
  result.cells = options.cells > 0 ? options.cells : all.cells() - options.first_cell;
  if (options.first_cell < 0 || result.cells < 1 || options.first_cell + result.cells > all.cells())
    throw InputError("a row is asked for cells that its problem does not have");
  result.samples = samples_asked(all, options);
  result.bodies = all.scene.bodies.size();
  result.pose_size = all.scene.spatial ? 7 : 3;
  if (all.rows && static_cast<std::size_t>(options.first_sample + result.samples) > all.rows->rows())
    throw InputError("map.samples_from has fewer rows than samples are asked for");
  const std::size_t groups = all.group_count();
  std::vector<Sampler> samplers;
  std::vector<Problem> nominal;
  for (std::size_t g = 0; g < groups; ++g) {
    const Problem& own = all.of_group(g);
    row.own_scenes = row.own_scenes || own.changes.any();
    row.groups.push_back({compile_model(own.scene), map_options(own, own.scene), own.arithmetic});
    samplers.emplace_back(options.nominal ? nominal_of(own) : own);
  }
  const auto trials = static_cast<std::size_t>(result.cells) * static_cast<std::size_t>(result.samples);
  const std::size_t columns = samplers.front().values();
  result.outcomes.resize(trials);
  result.final_poses.resize(trials * result.bodies * result.pose_size);
  result.drawn.resize(trials * columns);
  row.group.resize(trials);
  row.drawn.resize(trials);
  for (std::size_t t = 0; t < trials; ++t) {
    const int cell = options.first_cell + static_cast<int>(t / static_cast<std::size_t>(result.samples));
    const int sample = options.nominal ? 0 : options.first_sample + static_cast<int>(t) % result.samples;
    const std::size_t g = all.group_of(cell, sample);
    row.group[t] = g;
    row.drawn[t].resize(samplers[g].parameters());
    const int redrawn =
        samplers[g].draw(cell, sample, row.drawn[t], std::span(result.drawn).subspan(t * columns, columns));
    static_cast<void>(redrawn);
  }
  return row;
}

}  // namespace pegrasp
