// SPDX-License-Identifier: Apache-2.0
// Confidence sequence of a Bernoulli mean. Against the mean p one bets on every next trial with the mixture of all odds
// under Jeffreys' prior: after S successes and F failures the capital is
//   K(p) = B(S + 1/2, F + 1/2) / B(1/2, 1/2) / (p^S (1 - p)^F),
// a martingale of mean 1 if p is the mean, so that it ever reaches 1 / alpha with probability alpha at most (Ville).
// The sequence holds every p whose capital is below that. This is the method of mixtures (Robbins, Ann. Math. Stat. 41,
// 1970; the beta-binomial mixture of Howard, Ramdas, McAuliffe and Sekhon, Ann. Stat. 49, 2021) and, as a bet, one of
// Waudby-Smith and Ramdas (JRSS B 86, 2024). It hangs on the counts alone, not on their order.
#include "kernels/sampling/portable_math.hpp"
#include "pegrasp/interval.hpp"
#include "src/decide/special.hpp"

namespace pegrasp {
namespace {

constexpr double log_most_capital = 2.99573227355399099;  // log(1 / 0.05)
constexpr double log_pi = 1.14472988584940017;            // of B(1/2, 1/2)

// Least p below the share of successes whose capital is not too much, or rather a p just below it. With `successes` > 0
// the capital falls from infinity at 0 to its least at the share.
double least_credible(double successes, double failures) {
  const double log_mixture = decide::log_beta(successes + 0.5, failures + 0.5) - log_pi - log_most_capital;
  double low = 0.0, high = successes / (successes + failures);
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) return low;
    const double log_chance = successes * portable::log(middle) + failures * portable::log(1.0 - middle);
    (log_mixture > log_chance ? low : high) = middle;
  }
}

}  // namespace

Interval anytime_interval(std::int64_t successes, std::int64_t trials) {
  if (trials <= 0) return {0.0, 1.0};
  const auto s = static_cast<double>(successes), f = static_cast<double>(trials - successes);
  return {successes == 0 ? 0.0 : least_credible(s, f), successes == trials ? 1.0 : 1.0 - least_credible(f, s)};
}

}  // namespace pegrasp
