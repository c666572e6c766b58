// SPDX-License-Identifier: Apache-2.0
// Sums of products in about twice the precision of a double (Ogita, Rump and Oishi 2005): every rounding error is
// computed exactly and added up beside the sum.
#pragma once

#include <cmath>

namespace pegrasp::mcp {

class PreciseSum {
 public:
  PreciseSum() = default;
  explicit PreciseSum(double start) : sum_(start) {}

  void add(double x) {
    const double sum = sum_ + x;
    const double part = sum - sum_;
    error_ += (sum_ - (sum - part)) + (x - part);
    sum_ = sum;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    error_ += std::fma(a, b, -product);
    add(product);
  }
  double value() const { return sum_ + error_; }

 private:
  double sum_ = 0.0;
  double error_ = 0.0;
};

}  // namespace pegrasp::mcp
