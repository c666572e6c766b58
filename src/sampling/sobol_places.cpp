// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "kernels/sampling/draw_sample.hpp"
#include "src/sampling/distributions.hpp"
#include "src/sampling/sobol_directions.hpp"

namespace pegrasp {

SobolPlaces sobol_places(const Problem& problem) {
  SobolPlaces places;
  std::map<std::uint32_t, int> of_file;  // by the stream that picks the row
  const auto next = [&places](int count) {
    if (places.used + count > sobol_dimensions) {
      places.beyond += count;
      return -1;
    }
    places.used += count;
    return places.used - count;
  };
  for (const UncertainParameter& parameter : problem.uncertain) {
    const Distribution& d = parameter.distribution;
    int place = -1;
    if (d.kind == DistributionKind::measured) {
      const auto found = of_file.find(d.group_stream);
      place = found != of_file.end() ? found->second : of_file.emplace(d.group_stream, next(1)).first->second;
    } else if (takes_word(view_of(d))) {
      place = next(1);
    }
    places.of_number.push_back(place);
  }
  const UncertainPose& error = problem.grasps.error;
  if (error.body >= 0) places.of_error = next(error.offsets.empty() ? pose_error_columns : 1);
  return places;
}

int numbers_beyond_sobol(const Problem& problem) {
  return problem.sampling == Sampling::sobol ? sobol_places(problem).beyond : 0;
}

}  // namespace pegrasp
