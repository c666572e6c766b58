// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "kernels/sampling/distribution.hpp"
#include "kernels/sampling/philox.hpp"
#include "pegrasp/problem.hpp"

namespace pegrasp {

// The view of `d`, which must outlive it. The view of a mixture has no components.
DistributionView view_of(const Distribution& d);

// One draw, which depends on the key alone. Does not allocate.
double draw(const Distribution& distribution, const DrawKey& key);

// The index of the component of a mixture that the key draws.
std::size_t draw_group(const Distribution& mixture, const DrawKey& key);

// The interval of all possible draws. A normal draw is never farther than 8.3 standard deviations from the mean.
// low_open: `low` itself is never drawn.
struct DrawBounds {
  double low = 0.0;
  double high = 0.0;
  bool low_open = false;
};
DrawBounds draw_bounds(const Distribution& distribution);

// Which dimensions of a Sobol' sequence the numbers of a problem take, in their order; -1: none. What is given or
// constant takes none, the columns of one file of measurements one together. The draws that pick a group, and those of
// support tripods, take none either: they are made again until they suit.
struct SobolPlaces {
  std::vector<int> of_number;  // of each uncertain parameter
  int of_error = -1;           // the first of the pose error's
  int used = 0, beyond = 0;    // dimensions; numbers for which none was left
};
SobolPlaces sobol_places(const Problem& problem);

// A typical value of the distribution: its mean, median or first choice.
double central_value(const Distribution& distribution);

// Probability that a draw from N(mean, sd) lies between low and high.
double normal_probability(double mean, double sd, double low, double high);

// The `mean` of a log-normal distribution with this median (> 0).
double log_of_median(double median);

}  // namespace pegrasp
