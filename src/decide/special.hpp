// SPDX-License-Identifier: Apache-2.0
// Functions of probability that the decisions need, from + - * / sqrt and the portable logarithm alone: the same bits
// on every machine.
#pragma once

#include <cstdint>

namespace pegrasp::decide {

// Logarithm of the gamma function, x > 0.
double log_gamma(double x);

// Logarithm of the beta function, a, b > 0.
double log_beta(double a, double b);

// Probability that a number with the beta distribution is at most x, and the number that has a probability p below it.
double beta_cdf(double a, double b, double x);
double beta_quantile(double a, double b, double p);

// McNemar's test: two-sided p-value of `gained` against `lost` where both are equally likely. Exact (binomial) up to
// mcnemar_exact_most of both together, beyond that normal, with the correction for
// continuity.
constexpr std::int64_t mcnemar_exact_most = 1000;
double mcnemar_p(std::int64_t gained, std::int64_t lost);

}  // namespace pegrasp::decide
