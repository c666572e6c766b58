// SPDX-License-Identifier: Apache-2.0
// Checks a proof that a mixed linear complementarity problem has no solution. It shares no code with the search for
// proofs; it uses sums of products, with bounds for their rounding.
//
// A leaf has signs of some F_i and a box for x. With y'F >= 0 by the signs, and c = M'y,
//
//   0 <= y'F = y'q + c'x <= y'q + sum_j max over the box of c_j x_j,
//
// which is a contradiction (Farkas) when the right side is negative. Where the box is unbounded, c_j must vanish or
// have the harmless sign. Floating-point vectors hardly ever make a sum vanish exactly. With w = |M|'|y| and S =
// |y|'|q| + sum of w_j times the size of the finite bounds, the largest value of the bounded terms of y'F, two
// conditions replace that:
//
//   1. |c_j| <= 1e-12 w_j: a change of M's entries by 1e-12 of themselves makes c_j zero. The certificate is exact for
//      a problem that near.
//   2. For the problem as given: x_j may range over |x_j| <= 1e6 S / w_j, and the right side must still be negative,
//      rounding included. A certificate therefore shows, for exactly the numbers given, that no solution exists in
//      which the terms of each unbounded variable are at most a million times S. Where c_j surely has the harmless
//      sign, the variable is not limited in this way.
//
// The contradiction must also exceed a share of S. y is given as a sum of two vectors where one has too few digits for
// that.
#include "src/reference/mcp/certificate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "src/reference/mcp/precise_sum.hpp"

namespace pegrasp::mcp {
namespace {

constexpr double vanishing = 1e-12;      // of w_j: c_j is rounding; larger: near-singular problems lose their solutions
constexpr double unbounded_range = 1e6;  // of S / w_j: larger excludes more, but asks more digits of y
constexpr double low_part = 1e-3;        // of y: the sign is y's
constexpr double rounding = 2.3e-16;     // above twice the unit roundoff: covers the second order terms, too

using Alternative = Certificate::Alternative;
using Fixed = std::vector<std::pair<int, Alternative>>;

bool fail(std::string* why, std::string text) {
  if (why) *why = std::move(text);
  return false;
}

double larger_bound(const LeafCondition& k) {
  double size = 0.0;
  if (is_finite_bound(k.lower)) size = std::abs(k.lower);
  if (is_finite_bound(k.upper)) size = std::max(size, std::abs(k.upper));
  return size;
}

// Whether some leaf covers every way to choose one alternative for each index. The leaves are given without what the
// caller has already decided. They must form a tree: one index that all of them fix, and a tree for each of its
// alternatives.
bool covers_all(std::vector<Fixed> leaves, const Vector& lower, const Vector& upper) {
  for (const Fixed& leaf : leaves)
    if (leaf.empty()) return true;
  if (leaves.empty()) return false;
  std::map<int, std::size_t> count;
  for (const Fixed& leaf : leaves)
    for (const auto& [index, alternative] : leaf) ++count[index];
  const auto common =
      std::find_if(count.begin(), count.end(), [&](const auto& c) { return c.second == leaves.size(); });
  if (common == count.end()) return false;
  const int index = common->first;
  std::map<Alternative, std::vector<Fixed>> branches;
  for (Fixed& leaf : leaves) {
    const auto at = std::find_if(leaf.begin(), leaf.end(), [&](const auto& f) { return f.first == index; });
    const Alternative alternative = at->second;
    leaf.erase(at);
    branches[alternative].push_back(std::move(leaf));
  }
  leaves.clear();
  // A variable that is fixed has F >= 0 or F <= 0, whatever F is.
  if (is_finite_bound(lower[index]) && !covers_all(std::move(branches[Alternative::at_lower]), lower, upper))
    return false;
  if (is_finite_bound(upper[index]) && !covers_all(std::move(branches[Alternative::at_upper]), lower, upper))
    return false;
  return lower[index] == upper[index] || covers_all(std::move(branches[Alternative::zero]), lower, upper);
}

}  // namespace

LeafCondition free_condition(double lower, double upper) {
  return {lower, upper, !is_finite_bound(upper), !is_finite_bound(lower)};
}

bool fixed_condition(double lower, double upper, Alternative alternative, LeafCondition& condition) {
  switch (alternative) {
    case Alternative::at_lower:
      condition = {lower, lower, true, false};
      return is_finite_bound(lower);
    case Alternative::at_upper:
      condition = {upper, upper, false, true};
      return is_finite_bound(upper);
    case Alternative::zero:
      condition = {lower, upper, true, true};
      return true;
  }
  return false;
}

void BoundedSum::add_product(double a, double b) {
  sum_.add_product(a, b);
  size_ += std::abs(a * b);
  ++terms_;
}

// The last rounding, the second order (Ogita, Rump and Oishi, proposition 5.5), underflow.
double BoundedSum::error() const {
  return 0.5 * rounding * std::abs(value()) + rounding * rounding * terms_ * terms_ * size_ + 1e-300 * terms_;
}

LeafSums::LeafSums(const SparseMatrix& m, const Vector& q, const Vector& y, const Vector& y_low) : y_(y) {
  const Eigen::Index n = q.size();
  const bool low = y_low.size() > 0;
  if (y.size() != n || (low && y_low.size() != n)) {
    unusable_ = "y has the wrong length";
    return;
  }
  if (!y.allFinite() || !(low ? y_low : y).allFinite() || (y.array() == 0.0).all()) {
    unusable_ = "y is zero or not finite";
    return;
  }
  if (low && !(y_low.cwiseAbs().array() <= low_part * y.cwiseAbs().array()).all()) {
    unusable_ = "y_low is not small beside y";
    return;
  }
  // A power of two: nothing is rounded.
  const double scale = std::exp2(std::ilogb(std::max(y.cwiseAbs().maxCoeff(), 1e-300)));
  const auto add = [&](BoundedSum& sum, Eigen::Index i, double factor) {
    sum.add_product(y[i] / scale, factor);
    if (low) sum.add_product(y_low[i] / scale, factor);
  };
  for (Eigen::Index i = 0; i < n; ++i) add(constant_, i, q[i]);
  c_.resize(static_cast<std::size_t>(n));
  for (Eigen::Index j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(m, j); it; ++it) add(c_[static_cast<std::size_t>(j)], it.row(), it.value());
}

bool LeafSums::contradict(const std::vector<LeafCondition>& conditions, std::string* why,
                          double least_contradiction) const {
  if (!unusable_.empty()) return fail(why, unusable_);
  const std::size_t n = c_.size();
  for (std::size_t i = 0; i < n; ++i) {
    const LeafCondition& k = conditions[i];
    const double y = y_[static_cast<Eigen::Index>(i)];
    if ((y > 0.0 && !k.positive) || (y < 0.0 && !k.negative))
      return fail(why, "y has a sign that the condition on F does not admit in row " + std::to_string(i));
  }
  double size = constant_.size();  // S
  for (std::size_t j = 0; j < n; ++j) size += c_[j].size() * larger_bound(conditions[j]);

  double bound = constant_.value() + constant_.error(),
         added = size;  // added: sum of the sizes of all that is added, for its rounding
  for (std::size_t j = 0; j < n; ++j) {
    const BoundedSum& sum = c_[j];
    const double value = sum.value(), error = sum.error(), w = sum.size();
    if (w == 0.0) continue;
    const LeafCondition& k = conditions[j];
    const double largest = value + error, least = value - error;
    const bool ranged = is_finite_bound(k.range);
    const double range = ranged ? k.range : unbounded_range * size / w;
    // Over a box, c x is largest at an end of x for an end of c's interval.
    double most = -infinity;
    const auto consider = [&](double x) { most = std::max({most, least * x, largest * x}); };
    if (is_finite_bound(k.lower)) consider(k.lower);
    if (is_finite_bound(k.upper)) consider(k.upper);
    const bool grows = (largest > 0.0 && !is_finite_bound(k.upper)) || (least < 0.0 && !is_finite_bound(k.lower));
    if (grows) {
      const double harmful = std::max(is_finite_bound(k.upper) ? 0.0 : value, is_finite_bound(k.lower) ? 0.0 : -value);
      if (!ranged && !(harmful <= vanishing * w))
        return fail(why, "y'M does not vanish for the unbounded variable " + std::to_string(j));
      if (!is_finite_bound(k.upper)) consider(range);
      if (!is_finite_bound(k.lower)) consider(-range);
    }
    bound += most;
    added += std::abs(most);
  }
  bound += rounding * (2.0 * static_cast<double>(n) + 4.0) * added;
  if (!(bound < -least_contradiction * size)) return fail(why, "y'(M x + q) need not be negative");
  return true;
}

bool check_certificate(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper,
                       const Certificate& certificate, std::string* why) {
  const Eigen::Index n = q.size();
  if (m.rows() != n || m.cols() != n || lower.size() != n || upper.size() != n) return fail(why, "sizes do not match");
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(lower[i] <= upper[i])) return fail(why, "not bounds: those of variable " + std::to_string(i));
  const bool ranged = certificate.range.size() > 0;
  if (ranged && !(certificate.range.size() == n && (certificate.range.array() > 0.0).all()))
    return fail(why, "the range has the wrong length or is not positive");
  std::vector<LeafCondition> conditions(static_cast<std::size_t>(n));
  std::vector<Fixed> fixed;
  for (std::size_t leaf = 0; leaf < certificate.leaves.size(); ++leaf) {
    const Certificate::Leaf& entry = certificate.leaves[leaf];
    const std::string name = "leaf " + std::to_string(leaf) + ": ";
    for (Eigen::Index i = 0; i < n; ++i) {
      LeafCondition& condition = conditions[static_cast<std::size_t>(i)];
      condition = free_condition(lower[i], upper[i]);
      if (ranged) condition.range = certificate.range[i];
    }
    std::vector<bool> seen(static_cast<std::size_t>(n), false);
    for (const auto& [index, alternative] : entry.fixed) {
      if (index < 0 || index >= n) return fail(why, name + "no such index " + std::to_string(index));
      const auto i = static_cast<std::size_t>(index);
      if (seen[i]) return fail(why, name + "index " + std::to_string(index) + " is fixed twice");
      seen[i] = true;
      const double range = conditions[i].range;
      if (!fixed_condition(lower[index], upper[index], alternative, conditions[i]))
        return fail(why, name + "no such alternative for index " + std::to_string(index));
      conditions[i].range = range;
    }
    std::string reason;
    if (!check_leaf(m, q, conditions, entry.y, entry.y_low, &reason)) return fail(why, name + reason);
    fixed.push_back(entry.fixed);
  }
  if (!covers_all(std::move(fixed), lower, upper)) return fail(why, "the leaves leave a case out, or are no tree");
  return true;
}

}  // namespace pegrasp::mcp
