// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/sampling/distribution.hpp"
#include "kernels/sampling/philox.hpp"
#include "pegrasp/problem.hpp"

namespace pegrasp {

// Of `d`, which outlives it; of a mixture without its components.
DistributionView view_of(const Distribution& d);

// One draw, a function of the key alone. Does not allocate.
double draw(const Distribution& distribution, const DrawKey& key);

// Which component of a mixture the key draws, by index.
std::size_t draw_group(const Distribution& mixture, const DrawKey& key);

// The interval that draws fall in (a normal draw never strays more than 8.3 standard deviations). low_open: `low` itself is never drawn.
struct DrawBounds {
  double low = 0.0;
  double high = 0.0;
  bool low_open = false;
};
DrawBounds draw_bounds(const Distribution& distribution);

// A typical value: mean, median or first choice.
double central_value(const Distribution& distribution);

// Probability that N(mean, sd) falls between low and high.
double normal_probability(double mean, double sd, double low, double high);

// The `mean` of a log-normal distribution with this median (> 0).
double log_of_median(double median);

}  // namespace pegrasp
