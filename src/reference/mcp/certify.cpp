// SPDX-License-Identifier: Apache-2.0
#include "reference/mcp/certify.hpp"

#include <chrono>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "reference/mcp/certificate.hpp"
#include "reference/mcp/feasibility.hpp"

namespace pegrasp::mcp {
namespace {

using Alternative = Certificate::Alternative;

// Complementarity that holds up to this, in scaled numbers, holds: a solution, or something so near one that a proof of
// the contrary would not pass the check.
constexpr double solved_tolerance = 1e-7;
constexpr int scaling_passes = 4;
constexpr std::int64_t pivots_per_node = 2000;  // far above what a node takes; ends what would cycle

double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

// M' = R M C with entries near one, q and the bounds with it; by powers of two, so that nothing is rounded.
struct Scaled {
  SparseMatrix m;
  Vector q, lower, upper, row, column;
  double right = 1.0;

  Scaled(const SparseMatrix& m0, const Vector& q0, const Vector& lower0, const Vector& upper0)
      : m(m0), q(q0), lower(lower0), upper(upper0), row(Vector::Ones(q0.size())), column(Vector::Ones(q0.size())) {
    const Eigen::Index n = q.size();
    for (int pass = 0; pass < scaling_passes; ++pass)
      for (const bool rows : {true, false}) {
        Vector least = Vector::Constant(n, infinity), most = Vector::Zero(n);
        for (Eigen::Index j = 0; j < n; ++j)
          for (SparseMatrix::InnerIterator it(m, j); it; ++it) {
            const Eigen::Index k = rows ? it.row() : j;
            const double size = std::abs(it.value());
            if (size > 0.0) least[k] = std::min(least[k], size), most[k] = std::max(most[k], size);
          }
        Vector factor = Vector::Ones(n);
        for (Eigen::Index k = 0; k < n; ++k)
          if (most[k] > 0.0) factor[k] = 1.0 / power_of_two(std::sqrt(least[k]) * std::sqrt(most[k]));
        for (Eigen::Index j = 0; j < n; ++j)
          for (SparseMatrix::InnerIterator it(m, j); it; ++it) it.valueRef() *= factor[rows ? it.row() : j];
        (rows ? row : column).array() *= factor.array();
      }
    q.array() *= row.array();
    lower.array() /= column.array();
    upper.array() /= column.array();
    const double largest = n > 0 ? q.cwiseAbs().maxCoeff() : 0.0;
    if (largest > 0.0) right = 1.0 / power_of_two(largest);
    q *= right;
    lower *= right;
    upper *= right;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (!is_finite_bound(lower0[j])) lower[j] = -infinity;
      if (!is_finite_bound(upper0[j])) upper[j] = infinity;
    }
  }
};

class Search {
 public:
  Search(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper, const Vector& hint,
         const Options& options)
      : m_(m),
        q_(q),
        lower_(lower),
        upper_(upper),
        options_(options),
        scaled_(m, q, lower, upper),
        lp_(scaled_.m, scaled_.q),
        fixed_(static_cast<std::size_t>(q.size()), false),
        times_needed_(static_cast<std::size_t>(q.size()), 0.0),
        start_(std::chrono::steady_clock::now()) {
    for (int i = 0; i < n(); ++i) {
      conditions_.push_back(free_condition(lower[i], upper[i]));
      apply(i);
    }
    if (hint.size() == q.size()) {
      const Vector near = hint.array() / scaled_.column.array() * scaled_.right;
      for (int i = 0; i < n(); ++i)
        if (std::isfinite(near[i])) lp_.suggest(i, near[i]);
    }
  }

  std::optional<Certificate> run() {
    std::set<int> needed;
    if (!descend(needed)) return std::nullopt;
    return std::move(certificate_);
  }

  const Vector& solution() const { return solution_; }  // empty: none was met

 private:
  int n() const { return static_cast<int>(q_.size()); }

  // Hands the conditions of an index, scaled, to the linear program.
  void apply(int i) {
    const LeafCondition& k = conditions_[static_cast<std::size_t>(i)];
    const bool down = is_finite_bound(lower_[i]) && k.upper == lower_[i];
    const bool up = is_finite_bound(upper_[i]) && k.lower == upper_[i];
    lp_.set_bounds(i, up ? scaled_.upper[i] : scaled_.lower[i], down ? scaled_.lower[i] : scaled_.upper[i]);
    lp_.set_bounds(n() + i, k.positive ? 0.0 : -infinity, k.negative ? 0.0 : infinity);
  }

  bool out_of_time() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return spent.count() > options_.time_limit_s;
  }

  // The index whose complementarity is violated most at the point of the linear program, among those that proofs needed
  // so far before others; -1: none.
  int next_index() const {
    int best = -1;
    double most = 0.0;
    for (int i = 0; i < n(); ++i) {
      if (fixed_[static_cast<std::size_t>(i)]) continue;
      const double x = lp_.x(i), f = lp_.f(i);
      const double residual = std::abs(x - std::min(std::max(x - f, scaled_.lower[i]), scaled_.upper[i]));
      if (residual <= solved_tolerance) continue;
      const double score = residual * (1.0 + times_needed_[static_cast<std::size_t>(i)]);
      if (score > most) most = score, best = i;
    }
    return best;
  }

  void set(int i, const LeafCondition& condition, bool fixed) {
    conditions_[static_cast<std::size_t>(i)] = condition;
    fixed_[static_cast<std::size_t>(i)] = fixed;
    apply(i);
  }

  // Proves that the conditions set now have no solution. `needed`: the fixed indices that the proof makes use of. A
  // branch that was proved without its own alternative proves the whole node (conflict-directed backjumping, Prosser
  // 1993); without that, indices that have nothing to do with the contradiction double the work, each.
  bool descend(std::set<int>& needed) {
    if (out_of_time()) return false;
    Feasibility::Answer answer = lp_.run(lp_.pivots() + pivots_per_node);
    if (answer == Feasibility::Answer::infeasible && !contradicted(conditions_)) {
      // Rounding, as a rule: once more from a fresh inverse.
      if (!lp_.refresh()) return false;
      answer = lp_.run(lp_.pivots() + pivots_per_node);
      if (answer == Feasibility::Answer::infeasible && !contradicted(conditions_)) return false;
    }
    if (answer == Feasibility::Answer::failed) return false;
    if (answer == Feasibility::Answer::infeasible) return add_leaf(needed);
    const int i = next_index();
    if (i < 0) {
      solution_.resize(n());
      for (int k = 0; k < n(); ++k) solution_[k] = lp_.x(k) * scaled_.column[k] / scaled_.right;
      return false;
    }
    const std::size_t before = certificate_.leaves.size(), depth = path_.size();
    for (const Alternative alternative : {Alternative::at_lower, Alternative::zero, Alternative::at_upper}) {
      LeafCondition condition;
      if (!fixed_condition(lower_[i], upper_[i], alternative, condition)) continue;
      if (alternative == Alternative::zero && lower_[i] == upper_[i]) continue;
      const std::size_t branch = certificate_.leaves.size();
      path_.emplace_back(i, alternative);
      set(i, condition, true);
      std::set<int> below;
      const bool proved = descend(below);
      path_.pop_back();
      set(i, free_condition(lower_[i], upper_[i]), false);
      if (!proved) return false;
      if (!below.count(i)) {
        auto& leaves = certificate_.leaves;
        leaves.erase(leaves.begin() + static_cast<std::ptrdiff_t>(before),
                     leaves.begin() + static_cast<std::ptrdiff_t>(branch));
        for (std::size_t k = before; k < leaves.size(); ++k)
          leaves[k].fixed.erase(leaves[k].fixed.begin() + static_cast<std::ptrdiff_t>(depth));
        needed = std::move(below);
        return true;
      }
      needed.insert(below.begin(), below.end());
    }
    needed.erase(i);
    return true;
  }

  // Scaled multipliers back: y'F = (y' R^-1)(R F).
  Vector multipliers() const { return lp_.multipliers().cwiseProduct(scaled_.row); }
  bool contradicted(const std::vector<LeafCondition>& conditions) const {
    return check_leaf(m_, q_, conditions, multipliers(), nullptr);
  }

  bool add_leaf(std::set<int>& needed) {
    if (++leaves_seen_ > options_.certify_nodes) return false;
    certificate_.leaves.push_back({path_, multipliers()});
    std::vector<LeafCondition> conditions = conditions_;
    for (auto fixed = path_.rbegin(); fixed != path_.rend(); ++fixed) {
      LeafCondition& condition = conditions[static_cast<std::size_t>(fixed->first)];
      const LeafCondition kept = std::exchange(condition, free_condition(lower_[fixed->first], upper_[fixed->first]));
      if (contradicted(conditions)) continue;
      condition = kept;
      needed.insert(fixed->first);
      times_needed_[static_cast<std::size_t>(fixed->first)] += 1.0;
    }
    return true;
  }

  const SparseMatrix& m_;
  const Vector &q_, &lower_, &upper_;
  const Options& options_;
  Scaled scaled_;
  Feasibility lp_;
  std::vector<LeafCondition> conditions_;
  std::vector<bool> fixed_;
  std::vector<std::pair<int, Alternative>> path_;
  Certificate certificate_;
  Vector solution_;
  int leaves_seen_ = 0;
  std::vector<double> times_needed_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

std::optional<Certificate> find_certificate(const SparseMatrix& m, const Vector& q, const Vector& lower,
                                            const Vector& upper, const Vector& hint, const Options& options,
                                            Vector* solution) {
  const Eigen::Index n = q.size();
  if (n == 0 || m.rows() != n || m.cols() != n || lower.size() != n || upper.size() != n) return std::nullopt;
  if (!q.allFinite() || !(lower.array() <= upper.array()).all()) return std::nullopt;
  for (Eigen::Index j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(m, j); it; ++it)
      if (!std::isfinite(it.value())) return std::nullopt;
  Search search(m, q, lower, upper, hint, options);
  std::optional<Certificate> found = search.run();
  if (solution && search.solution().size() == n) *solution = search.solution().cwiseMax(lower).cwiseMin(upper);
  if (found && !check_certificate(m, q, lower, upper, *found)) return std::nullopt;
  return found;
}

}  // namespace pegrasp::mcp
