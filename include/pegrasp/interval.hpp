// SPDX-License-Identifier: Apache-2.0
// Confidence intervals of counted outcomes, at 95 %.
#pragma once

#include <cstdint>
#include <span>

namespace pegrasp {

struct Interval {
  double low = 0.0;
  double high = 1.0;
};

// Wilson score interval of `successes` out of `trials`. Without trials: 0 to 1.
Interval wilson_interval(std::int64_t successes, std::int64_t trials);

// Confidence sequence of the probability of success: the chance that it ever leaves the probability out, after any
// number of trials, is at most 5 %. So one may look after every trial and stop when one likes. Without trials: 0 to 1.
Interval anytime_interval(std::int64_t successes, std::int64_t trials);

// Interval of the probability of success from independent randomisations of a Sobol' sequence, `points` of each, of
// which counts[r] succeeded: Student's around the mean of their shares. Counts are whole numbers and hide up to a
// quarter of variance, which is added: where all counts are equal the interval is still that wide. At least two counts.
Interval replicate_interval(std::span<const int> counts, int points);

// Score interval of the change of a success rate where the same trials are run twice: `gained` of `trials` failed first
// and succeeded then, `lost` the other way round. Without trials: -1 to 1.
Interval change_interval(std::int64_t gained, std::int64_t lost, std::int64_t trials);

}  // namespace pegrasp
