// SPDX-License-Identifier: Apache-2.0
#include "pegrasp/problem.hpp"
#include "pegrasp/sampler.hpp"
#include "sampling/draw_sample.hpp"

namespace pegrasp {

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
  const Sampler sampler(problem, base_parameters);
  const int redrawn = draw_sample(sampler.plan(), static_cast<std::uint32_t>(cell), static_cast<std::uint32_t>(sample),
                                  parameters.data(), values.data());
  sampler.check(redrawn);
  return redrawn;
}

}  // namespace pegrasp
