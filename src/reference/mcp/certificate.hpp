// SPDX-License-Identifier: Apache-2.0
// One leaf of a certificate, checked on its own; check_certificate() in include/pegrasp_reference/mcp.hpp does it for
// all of them.
#pragma once

#include <string>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/precise_sum.hpp"

namespace pegrasp::mcp {

// Numbers of 1e20 or more count as infinite (include/pegrasp_reference/mcp.hpp).
constexpr double infinite_bound = 1e20;
inline bool is_finite_bound(double bound) { return bound > -infinite_bound && bound < infinite_bound; }

// The conditions that a leaf imposes on one variable and its row: lower <= x <= upper, and the sign of F.
struct LeafCondition {
  double lower = -infinity, upper = infinity;
  bool positive = false, negative = false;  // F >= 0, F <= 0; both: F = 0; neither: nothing is known
  double range = infinity;                  // |x| <= range is all that is asked about, where a bound is infinite
};

// The condition of an index that no alternative is fixed for: the bounds, and the sign of F that follows from them.
LeafCondition free_condition(double lower, double upper);
// The condition with an alternative fixed. False if there is no such alternative: at an infinite bound.
bool fixed_condition(double lower, double upper, Certificate::Alternative alternative, LeafCondition& condition);

// A contradiction must exceed this share of S (certificate.cpp). A smaller one may be a constraint that is met exactly,
// with rounding where the problem was set up (for example, two equal rows).
constexpr double slight_contradiction = 1e-12;
constexpr double plain_contradiction = 1e-9;  // beyond which there is hardly a point of a small residual, either

// A sum of products with a bound for its error. In plain double the error of a sum that cancels, times the range of an
// unbounded variable, would hide small contradictions.
class BoundedSum {
 public:
  void add_product(double a, double b);
  double value() const { return sum_.value(); }
  double size() const { return size_; }  // sum of the products' magnitudes
  double error() const;                  // bounds |value() - exact|

 private:
  PreciseSum sum_;
  double size_ = 0.0, terms_ = 0.0;
};

// The sums y'q and y'M of a leaf with multipliers y + y_low (y_low may be empty). They can be checked against many sets
// of conditions.
class LeafSums {
 public:
  LeafSums(const SparseMatrix& m, const Vector& q, const Vector& y, const Vector& y_low);

  // Whether they contradict the conditions (certificate.cpp). `why`, if not null, receives the reason why not.
  bool contradict(const std::vector<LeafCondition>& conditions, std::string* why,
                  double least_contradiction = slight_contradiction) const;

 private:
  Vector y_;
  std::string unusable_;       // why y is no multiplier at all; or empty
  BoundedSum constant_;        // y'q, scaled
  std::vector<BoundedSum> c_;  // (n) M'y, scaled
};

// The same for one set of conditions.
inline bool check_leaf(const SparseMatrix& m, const Vector& q, const std::vector<LeafCondition>& conditions,
                       const Vector& y, const Vector& y_low, std::string* why,
                       double least_contradiction = slight_contradiction) {
  return LeafSums(m, q, y, y_low).contradict(conditions, why, least_contradiction);
}

}  // namespace pegrasp::mcp
