// SPDX-License-Identifier: Apache-2.0
// log, exp and the normal distribution from + - * / sqrt and bit moves alone, so that samples are the same bits on
// every machine (libm's differ). Measured in tests/sampling/portable_math_test.cpp: log and exp within 2 ulp of libm,
// the normal distribution function within 4e-13 relative, its inverse within 1e-14 relative.
//
// log, exp: argument reductions and minimax polynomials of fdlibm (Sun Microsystems, public method).
// normal_quantile: Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988).
// normal_cdf: Marsaglia's power series inside 3 standard deviations, the Laplace continued fraction outside.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/platform.hpp"

// One namespace for all: a second version, contracted, must not come to be.
#if defined(PEGRASP_FAST_ARITHMETIC)
#error "samples are drawn in strict arithmetic alone"
#endif

namespace pegrasp::portable {

PEGRASP_HD inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
PEGRASP_HD inline double of_bits(std::uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The next number above a finite one.
PEGRASP_HD inline double next_above(double x) {
  if (x == 0.0) return of_bits(1);
  return of_bits(x > 0.0 ? bits_of(x) + 1 : bits_of(x) - 1);
}

PEGRASP_HD inline double clamp(double x, double low, double high) { return x < low ? low : (high < x ? high : x); }

// Natural logarithm of a positive, finite, normal number.
PEGRASP_HD inline double log(double x) {
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double sqrt_half = 0.70710678118654752440;
  // x = 2^k m with m in [sqrt(1/2), sqrt(2))
  const std::uint64_t bits = bits_of(x);
  int k = static_cast<int>(bits >> 52) - 1022;
  double m = of_bits((bits & 0x000fffffffffffffULL) | 0x3fe0000000000000ULL);  // [1/2, 1)
  if (m < sqrt_half) {
    m = m + m;
    k -= 1;
  }
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double r = z * (6.666666666666735130e-01 +
                        z * (3.999999999940941908e-01 +
                             z * (2.857142874366239149e-01 +
                                  z * (2.222219843214978396e-01 +
                                       z * (1.818357216161805012e-01 +
                                            z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01))))));
  const double half = 0.5 * f * f;
  const double n = k;
  return n * ln2_high - ((half - (s * (half + r) + n * ln2_low)) - f);
}

// e^x; 0 below -708, infinite above 709.
PEGRASP_HD inline double exp(double x) {
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double inverse_ln2 = 1.44269504088896338700;
  constexpr double round = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  if (x < -708.0) return 0.0;
  if (x > 709.0) return of_bits(0x7ff0000000000000ULL);  // infinite
  const double k = (x * inverse_ln2 + round) - round;
  const double high = x - k * ln2_high;
  const double low = k * ln2_low;
  const double r = high - low;
  const double t = r * r;
  const double c =
      r -
      t * (1.66666666666666019037e-01 +
           t * (-2.77777777770155933842e-03 +
                t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  const double y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  // k is in -1022 .. 1023: split the power of two so that both factors are normal numbers
  const int whole = static_cast<int>(k);
  const int part = whole / 2;
  const double p = of_bits(static_cast<std::uint64_t>(part + 1023) << 52);
  const double q = of_bits(static_cast<std::uint64_t>(whole - part + 1023) << 52);
  return y * p * q;
}

// Probability that a standard normal number is at most x.
PEGRASP_HD inline double normal_cdf(double x) {
  constexpr double inverse_sqrt_two_pi = 0.39894228040143267794;
  const double density = inverse_sqrt_two_pi * exp(-0.5 * x * x);
  const double a = x < 0.0 ? -x : x;
  if (a < 3.0) {
    // sum of x^(2n+1) / (1 3 5 ... (2n+1)); for negative x the tail is the difference from 1/2
    double term = a;
    double sum = a;
    for (int n = 1; n < 100 && term > 1e-17 * sum; ++n) {
      term = term * (a * a) / (2 * n + 1);
      sum = sum + term;
    }
    return x < 0.0 ? 0.5 - density * sum : 0.5 + density * sum;
  }
  double fraction = a;
  for (int n = 80; n >= 1; --n) fraction = a + n / fraction;
  const double tail = density / fraction;
  return x < 0.0 ? tail : 1.0 - tail;
}

// The rational functions of normal_quantile(), times `factor`: about the median, and in the two parts of a tail.
PEGRASP_HD inline double quantile_at_median(double factor, double r) {
  const double above =
      (((((((2.5090809287301226727e+3 * r + 3.3430575583588128105e+4) * r + 6.7265770927008700853e+4) * r +
           4.5921953931549871457e+4) *
              r +
          1.3731693765509461125e+4) *
             r +
         1.9715909503065514427e+3) *
            r +
        1.3314166789178437745e+2) *
           r +
       3.3871328727963666080e+0);
  const double below =
      (((((((5.2264952788528545610e+3 * r + 2.8729085735721942674e+4) * r + 3.9307895800092710610e+4) * r +
           2.1213794301586595867e+4) *
              r +
          5.3941960214247511077e+3) *
             r +
         6.8718700749205790830e+2) *
            r +
        4.2313330701600911252e+1) *
           r +
       1.0);
  return factor * above / below;
}

PEGRASP_HD inline double quantile_in_near_tail(double factor, double r) {
  const double above =
      (((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r +
           1.27045825245236838258e+0) *
              r +
          3.64784832476320460504e+0) *
             r +
         5.76949722146069140550e+0) *
            r +
        4.63033784615654529590e+0) *
           r +
       1.42343711074968357734e+0);
  const double below =
      (((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r +
           1.48103976427480074590e-1) *
              r +
          6.89767334985100004550e-1) *
             r +
         1.67638483018380384940e+0) *
            r +
        2.05319162663775882187e+0) *
           r +
       1.0);
  return factor * above / below;
}

PEGRASP_HD inline double quantile_in_far_tail(double factor, double r) {
  const double above =
      (((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r +
           2.65321895265761230930e-2) *
              r +
          2.96560571828504891230e-1) *
             r +
         1.78482653991729133580e+0) *
            r +
        5.46378491116411436990e+0) *
           r +
       6.65790464350110377720e+0);
  const double below =
      (((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r +
           7.86869131145613259100e-4) *
              r +
          1.48753612908506148525e-2) *
             r +
         1.36929880922735805310e-1) *
            r +
        5.99832206555887937690e-1) *
           r +
       1.0);
  return factor * above / below;
}

// x with normal_cdf(x) = p, 0 < p < 1.
PEGRASP_HD inline double normal_quantile(double p) {
  const double q = p - 0.5;
  const double side = q < 0.0 ? -1.0 : 1.0;
  if (side * q <= 0.425) return quantile_at_median(q, 0.180625 - q * q);
  const double tail = q < 0.0 ? p : 1.0 - p;
  const double r = std::sqrt(-log(tail));
  return r <= 5.0 ? quantile_in_near_tail(side, r - 1.6) : quantile_in_far_tail(side, r - 5.0);
}

}  // namespace pegrasp::portable
