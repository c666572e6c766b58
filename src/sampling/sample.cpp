// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"

namespace pegrasp {

std::vector<SampledColumn> sampled_columns(const Problem& problem) {
  std::vector<SampledColumn> columns;
  for (const UncertainParameter& parameter : problem.uncertain) columns.push_back({parameter.name, parameter.unit});
  if (const UncertainPose& error = problem.grasps.error; error.body >= 0) {
    for (const char* name : {".x", ".y", ".z"}) columns.push_back({error.name + name, "m"});
    for (const char* name : {".turn_x", ".turn_y", ".turn_z"}) columns.push_back({error.name + name, "rad"});
  }
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
  return Sampler(problem, base_parameters).draw(cell, sample, parameters, values);
}

}  // namespace pegrasp
