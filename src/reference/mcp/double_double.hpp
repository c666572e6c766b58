// SPDX-License-Identifier: Apache-2.0
// Numbers with twice the digits of a double, some 32 decimals, as the unevaluated sum high + low of two doubles, with
// low at most half a unit in the last place of high (Dekker 1971; Hida, Li and Bailey 2001). Results are accurate to a
// few units of 2^-104. The range is that of a double; infinities are not supported.
#pragma once

#include <cmath>

namespace pegrasp::mcp {

class DoubleDouble {
 public:
  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double x) : high_(x) {}  // NOLINT(google-explicit-constructor): every double is one

  explicit operator double() const { return high_; }
  double high() const { return high_; }
  double low() const { return low_; }

  friend DoubleDouble operator-(DoubleDouble a) { return {-a.high_, -a.low_}; }

  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const double sum = a.high_ + b.high_, part = sum - a.high_;
    const double error = (a.high_ - (sum - part)) + (b.high_ - part);
    const double low = a.low_ + b.low_, low_part = low - a.low_;
    const double low_error = (a.low_ - (low - low_part)) + (b.low_ - low_part);
    const DoubleDouble first = renormalised(sum, error + low);
    return renormalised(first.high_, first.low_ + low_error);
  }
  friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

  friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const double product = a.high_ * b.high_;
    const double error = std::fma(a.high_, b.high_, -product);
    return renormalised(product, error + (a.high_ * b.low_ + a.low_ * b.high_));
  }

  // Three quotients of doubles, each of the remainder of the ones before.
  friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high_ / b.high_;
    DoubleDouble rest = a - DoubleDouble(first) * b;
    const double second = rest.high_ / b.high_;
    rest = rest - DoubleDouble(second) * b;
    return DoubleDouble(first) + DoubleDouble(second) + DoubleDouble(rest.high_ / b.high_);
  }

  DoubleDouble& operator+=(DoubleDouble b) { return *this = *this + b; }
  DoubleDouble& operator-=(DoubleDouble b) { return *this = *this - b; }
  DoubleDouble& operator*=(DoubleDouble b) { return *this = *this * b; }
  DoubleDouble& operator/=(DoubleDouble b) { return *this = *this / b; }

  friend bool operator==(DoubleDouble a, DoubleDouble b) { return a.high_ == b.high_ && a.low_ == b.low_; }
  friend bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.high_ < b.high_ || (a.high_ == b.high_ && a.low_ < b.low_);
  }
  friend bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
  friend bool operator<=(DoubleDouble a, DoubleDouble b) { return a < b || a == b; }
  friend bool operator>=(DoubleDouble a, DoubleDouble b) { return b <= a; }

  friend DoubleDouble abs(DoubleDouble a) { return a.high_ < 0.0 ? -a : a; }

 private:
  constexpr DoubleDouble(double high, double low) : high_(high), low_(low) {}

  // |low| <= |high|, or high is zero.
  static DoubleDouble renormalised(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
  }

  double high_ = 0.0, low_ = 0.0;
};

}  // namespace pegrasp::mcp
