// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/certify.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "src/reference/mcp/certificate.hpp"
#include "src/reference/mcp/feasibility.hpp"
#include "src/reference/mcp/precise_sum.hpp"
#include "src/reference/mcp/stop.hpp"

namespace pegrasp::mcp {
namespace {

using Alternative = Certificate::Alternative;

// Complementarity up to this, in scaled numbers, counts as fulfilled: the point is a solution, or so near one that a
// proof of the contrary would not pass the check.
template <class Real>
constexpr Real solved_tolerance = std::is_same_v<Real, double> ? Real(1e-7) : Real(1e-11);
constexpr double scaled_range = 1e5;  // of unbounded variables, in scaled numbers, where contradictions are slight
constexpr int scaling_passes = 4;
constexpr double negligible = 1e-6;  // of the largest in the row or column: rounding of a zero, says nothing of scale
constexpr int polishing_passes = 3;
constexpr double almost_vanishing = 1e-6;  // of w_j: smaller sums in M'y are rounding
// Lessons from proofs. Longer ones hardly ever apply again and take memory; lesson_numbers bounds all of them together.
constexpr std::size_t lesson_leaves = 16, lesson_size = 40, lesson_numbers = 10'000'000;
constexpr std::int64_t pivots_per_node = 2000;  // far above what a node takes; ends what would cycle

double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

// The connected part of M that each index belongs to. Parts share no entry, so that the conditions of one part say
// nothing about another.
std::vector<int> parts(const SparseMatrix& m) {
  std::vector<int> root(static_cast<std::size_t>(m.cols()));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int i) {
    while (root[static_cast<std::size_t>(i)] != i) {
      int& above = root[static_cast<std::size_t>(i)];
      above = root[static_cast<std::size_t>(above)];
      i = above;
    }
    return i;
  };
  for (int j = 0; j < m.cols(); ++j)
    for (SparseMatrix::InnerIterator it(m, j); it; ++it)
      if (it.value() != 0.0) root[static_cast<std::size_t>(find(j))] = find(static_cast<int>(it.row()));
  for (int i = 0; i < m.cols(); ++i) root[static_cast<std::size_t>(i)] = find(i);
  return root;
}

// M' = R M C with entries near one, q and the bounds with it; by powers of two, so that nothing is rounded. `right`:
// what makes the numbers of a part those of right sides near one.
struct Scaled {
  SparseMatrix m;
  Vector q, lower, upper, row, column, right;

  Scaled(const SparseMatrix& m0, const Vector& q0, const Vector& lower0, const Vector& upper0)
      : m(m0), q(q0), lower(lower0), upper(upper0), row(Vector::Ones(q0.size())), column(Vector::Ones(q0.size())) {
    const Eigen::Index n = q.size();
    for (int pass = 0; pass < scaling_passes; ++pass)
      for (const bool rows : {true, false}) {
        Vector least = Vector::Constant(n, infinity), most = Vector::Zero(n);
        const auto each = [&](auto&& visit) {
          for (Eigen::Index j = 0; j < n; ++j)
            for (SparseMatrix::InnerIterator it(m, j); it; ++it) visit(rows ? it.row() : j, std::abs(it.value()));
        };
        each([&](Eigen::Index k, double size) { most[k] = std::max(most[k], size); });
        each([&](Eigen::Index k, double size) {
          if (size > negligible * most[k]) least[k] = std::min(least[k], size);
        });
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
    const std::vector<int> part = parts(m);
    Vector largest = Vector::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      double& most = largest[part[static_cast<std::size_t>(i)]];
      most = std::max(most, std::abs(q[i]));
    }
    right = Vector::Ones(n);
    for (Eigen::Index i = 0; i < n; ++i)
      if (const double most = largest[part[static_cast<std::size_t>(i)]]; most > 0.0)
        right[i] = 1.0 / power_of_two(most);
    q.array() *= right.array();
    lower.array() *= right.array();
    upper.array() *= right.array();
    for (Eigen::Index j = 0; j < n; ++j) {
      if (!is_finite_bound(lower0[j])) lower[j] = -infinity;
      if (!is_finite_bound(upper0[j])) upper[j] = infinity;
    }
  }
};

template <class Real>
class Search {
 public:
  Search(const SparseMatrix& m, const Vector& q, const Vector& lower, const Vector& upper, const Vector& hint,
         const Options& options, Branching branching)
      : m_(m),
        q_(q),
        lower_(lower),
        upper_(upper),
        options_(options),
        scaled_(m, q, lower, upper),
        lp_(scaled_.m, scaled_.q),
        fixed_(static_cast<std::size_t>(q.size()), false),
        chosen_(static_cast<std::size_t>(q.size()), Alternative::zero),
        times_needed_(static_cast<std::size_t>(q.size()), 0.0),
        start_(std::chrono::steady_clock::now()) {
    for (int i = 0; i < n(); ++i) {
      conditions_.push_back(open_condition(i));
      apply(i);
    }
    if (hint.size() == q.size()) {
      const Vector near = hint.array() / scaled_.column.array() * scaled_.right.array();
      for (int i = 0; i < n(); ++i)
        if (std::isfinite(near[i])) lp_.suggest(i, near[i]);
      if (branching == Branching::at_hint && near.allFinite()) {
        near_ = near;
        near_f_ = scaled_.m * near + scaled_.q;
      }
    }
  }

  std::optional<Certificate> run() {
    std::set<int> needed;
    if (!descend(needed)) return std::nullopt;
    if (ranged) {
      certificate_.range.resize(n());
      for (int i = 0; i < n(); ++i) certificate_.range[i] = range(i);
    }
    return std::move(certificate_);
  }

  const Vector& solution() const { return solution_; }  // empty: none was met

 private:
  // A slight contradiction can be cancelled by huge values of unbounded variables. Where it counts, these are limited
  // to scaled_range.
  static constexpr bool ranged = !std::is_same_v<Real, double>;
  static constexpr double least = ranged ? slight_contradiction : plain_contradiction;

  int n() const { return static_cast<int>(q_.size()); }

  // What is known of an index for which no alternative is fixed; with one.
  LeafCondition open_condition(int i) const {
    LeafCondition condition = free_condition(lower_[i], upper_[i]);
    if (ranged) condition.range = range(i);
    return condition;
  }
  bool fixed(int i, Alternative alternative, LeafCondition& condition) const {
    if (!fixed_condition(lower_[i], upper_[i], alternative, condition)) return false;
    if (ranged) condition.range = range(i);
    return true;
  }
  double range(int i) const { return scaled_range * scaled_.column[i] / scaled_.right[i]; }

  // Hands the conditions of an index, scaled, to the linear program.
  void apply(int i) {
    const LeafCondition& k = conditions_[static_cast<std::size_t>(i)];
    const bool down = is_finite_bound(lower_[i]) && k.upper == lower_[i];
    const bool up = is_finite_bound(upper_[i]) && k.lower == upper_[i];
    const double least_x = up ? scaled_.upper[i] : scaled_.lower[i],
                 most_x = down ? scaled_.lower[i] : scaled_.upper[i];
    if (ranged)
      lp_.set_bounds(i, std::max(least_x, std::min(-scaled_range, most_x)),
                     std::min(most_x, std::max(scaled_range, least_x)));
    else
      lp_.set_bounds(i, least_x, most_x);
    lp_.set_bounds(n() + i, k.positive ? 0.0 : -infinity, k.negative ? 0.0 : infinity);
  }

  bool out_of_time() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return stop_asked() || spent.count() > options_.time_limit_s;
  }

  // The index whose complementarity is violated most at the point of the linear program, among those that proofs needed
  // so far before others; -1: none.
  int next_index(Alternative& nearest) const {
    int best = -1;
    Real most = 0.0;
    for (int i = 0; i < n(); ++i) {
      if (fixed_[static_cast<std::size_t>(i)]) continue;
      const Real x = lp_.x(i), f = lp_.f(i), l = scaled_.lower[i], u = scaled_.upper[i];
      const Real residual = std::abs(x - std::min(std::max(x - f, l), u));
      if (residual <= solved_tolerance<Real>) continue;
      const Real score = residual * (1.0 + times_needed_[static_cast<std::size_t>(i)]);
      if (score > most) most = score, best = i;
    }
    if (best >= 0)
      nearest =
          near_.size() > 0 ? nearest_to(best, near_[best], near_f_[best]) : nearest_to(best, lp_.x(best), lp_.f(best));
    return best;
  }

  Alternative nearest_to(int i, Real x, Real f) const {
    if (scaled_.upper[i] - x < std::abs(f)) return Alternative::at_upper;
    return x - scaled_.lower[i] < std::abs(f) ? Alternative::at_lower : Alternative::zero;
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
    if (out_of_time() || out_of_pivots() ||
        certificate_.leaves.size() > static_cast<std::size_t>(options_.certify_nodes))
      return false;
    if (recall(needed)) return true;
    const std::size_t before = certificate_.leaves.size(), depth = path_.size();
    int i = -1;
    Alternative first = Alternative::at_lower;
    if (!forced(i, first)) {
      bool feasible = false;
      if (contradiction(feasible)) return add_leaf(needed);
      i = feasible ? next_index(first) : any_index();
      if (i < 0) {
        if (!feasible) return false;
        solution_.resize(n());
        for (int k = 0; k < n(); ++k)
          solution_[k] = static_cast<double>(lp_.x(k)) * scaled_.column[k] / scaled_.right[k];
        return false;
      }
    }
    std::vector<Alternative> order{first};
    for (const Alternative other : {Alternative::at_lower, Alternative::zero, Alternative::at_upper})
      if (other != first) order.push_back(other);
    for (const Alternative alternative : order) {
      LeafCondition condition;
      if (!fixed(i, alternative, condition)) continue;
      if (alternative == Alternative::zero && lower_[i] == upper_[i]) continue;
      const std::size_t branch = certificate_.leaves.size();
      path_.emplace_back(i, alternative);
      set(i, condition, true);
      chosen_[static_cast<std::size_t>(i)] = alternative;
      std::set<int> below;
      const bool proved = descend(below);
      path_.pop_back();
      set(i, open_condition(i), false);
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
    learn(needed, before);
    return true;
  }

  bool out_of_pivots() const { return lp_.pivots() >= options_.max_pivots; }

  // Whether the linear program contradicts itself, for certain; what rounding leaves open is not `feasible` either.
  bool contradiction(bool& feasible) {
    feasible = false;
    for (int attempt = 0; attempt < 3 && !(attempt > 0 && (out_of_time() || out_of_pivots())); ++attempt) {
      if (attempt == 1) lp_.refresh();
      if (attempt == 2) lp_.reset();
      // A column whose small entry was no pivot leaves that much in M'y, and a proof may depend on it.
      lp_.set_pivot_tolerance(attempt == 0 ? 1e-9 : 1e-12);
      using Answer = typename Feasibility<Real>::Answer;
      const Answer answer = lp_.run(lp_.pivots() + pivots_per_node);
      feasible = answer == Answer::feasible;
      if (feasible) return false;
      if (answer == Answer::infeasible && take_multipliers()) return true;
    }
    return false;
  }

  // Where the linear program said nothing: the alternatives of some index may be easier. -1: all are fixed.
  int any_index() const {
    int best = -1;
    for (int i = 0; i < n(); ++i) {
      if (fixed_[static_cast<std::size_t>(i)] || (!is_finite_bound(lower_[i]) && !is_finite_bound(upper_[i]))) continue;
      if (best < 0 || times_needed_[static_cast<std::size_t>(i)] > times_needed_[static_cast<std::size_t>(best)])
        best = i;
    }
    return best;
  }

  // A proof found before: the fixed alternatives contradict each other, as these leaves show, which fix more.
  struct Lesson {
    std::vector<std::pair<int, Alternative>> fixed;
    std::vector<Certificate::Leaf> leaves;
  };
  bool holds(const std::pair<int, Alternative>& f) const {
    return fixed_[static_cast<std::size_t>(f.first)] && chosen_[static_cast<std::size_t>(f.first)] == f.second;
  }

  void learn(const std::set<int>& needed, std::size_t first_leaf) {
    const std::size_t count = certificate_.leaves.size() - first_leaf;
    const std::size_t numbers = count * static_cast<std::size_t>(n()) * (low_.size() > 0 ? 2 : 1);
    if (count > lesson_leaves || needed.size() > lesson_size || learnt_ + numbers > lesson_numbers) return;
    learnt_ += numbers;
    Lesson lesson;
    for (const int i : needed) lesson.fixed.emplace_back(i, chosen_[static_cast<std::size_t>(i)]);
    for (std::size_t k = first_leaf; k < certificate_.leaves.size(); ++k) {
      Certificate::Leaf leaf = certificate_.leaves[k];
      leaf.fixed.erase(leaf.fixed.begin(), leaf.fixed.begin() + static_cast<std::ptrdiff_t>(path_.size()));
      lesson.leaves.push_back(std::move(leaf));
    }
    lessons_.push_back(std::move(lesson));
  }

  bool recall(std::set<int>& needed) {
    for (const Lesson& lesson : lessons_) {
      if (!std::all_of(lesson.fixed.begin(), lesson.fixed.end(), [&](const auto& f) { return holds(f); })) continue;
      const std::size_t before = certificate_.leaves.size();
      bool sound = true;
      std::set<int> also;
      for (const Certificate::Leaf& old : lesson.leaves) {
        Certificate::Leaf leaf{path_, old.y, old.y_low};
        bool possible = true;
        std::vector<LeafCondition> conditions = conditions_;
        for (const auto& f : old.fixed) {
          if (fixed_[static_cast<std::size_t>(f.first)]) {
            also.insert(f.first);  // what is fixed already decides which of the leaves are left
            if (holds(f)) continue;
            possible = false;
            break;
          }
          leaf.fixed.push_back(f);
          fixed(f.first, f.second, conditions[static_cast<std::size_t>(f.first)]);
        }
        if (!possible) continue;
        if (!check_leaf(m_, q_, conditions, leaf.y, leaf.y_low, nullptr, least)) {
          sound = false;
          break;
        }
        certificate_.leaves.push_back(std::move(leaf));
      }
      if (sound) {
        needed = std::move(also);
        for (const auto& f : lesson.fixed) needed.insert(f.first);
        return true;
      }
      certificate_.leaves.resize(before);
    }
    return false;
  }

  // An index one of whose alternatives is known to contradict what is fixed: the others follow without a choice.
  bool forced(int& index, Alternative& impossible) const {
    for (const Lesson& lesson : lessons_) {
      const std::pair<int, Alternative>* open = nullptr;
      bool applies = true;
      for (const auto& f : lesson.fixed) {
        if (holds(f)) continue;
        if (open || fixed_[static_cast<std::size_t>(f.first)]) {
          applies = false;
          break;
        }
        open = &f;
      }
      if (!applies || !open) continue;
      index = open->first;
      impossible = open->second;
      return true;
    }
    return false;
  }

  bool contradicted() {
    sums_.emplace(m_, q_, multipliers_, low_);
    return sums_->contradict(conditions_, nullptr, least);
  }

  // Of the linear program, scaled back: y'F = (y' R^-1)(R F).
  bool take_multipliers() {
    const auto& y = lp_.multipliers();
    const Vector back = scaled_.row.cwiseProduct(scaled_.right), high = y.template cast<double>();
    multipliers_ = high.cwiseProduct(back);
    low_.resize(0);
    if constexpr (!std::is_same_v<Real, double>)
      low_ = (y - high.template cast<Real>()).template cast<double>().cwiseProduct(back);
    for (int pass = 0; pass < polishing_passes; ++pass) {
      if (contradicted()) return true;
      if (!promising() || !polish()) return false;
    }
    return contradicted();
  }

  // Whether the leaf would be a contradiction without the terms of unbounded variables. If not, polishing rarely helps.
  bool promising() const {
    double bound = multipliers_.dot(q_);
    const Vector c = m_.transpose() * multipliers_;
    for (int j = 0; j < n(); ++j) {
      const LeafCondition& k = conditions_[static_cast<std::size_t>(j)];
      double most = -infinity;
      if (is_finite_bound(k.lower)) most = std::max(most, c[j] * k.lower);
      if (is_finite_bound(k.upper)) most = std::max(most, c[j] * k.upper);
      if (most > -infinity) bound += most;
    }
    return bound < 0.0;
  }

  // Makes those entries of M'y vanish that must and almost do, by the least change relative to y's entries: zeros stay.
  // The factors of a basis with bad condition leaves them larger than check_leaf() takes.
  bool polish() {
    const Vector size = multipliers_.cwiseAbs();
    std::vector<int> rows, columns;
    for (int i = 0; i < n(); ++i)
      if (size[i] > 0.0) rows.push_back(i);
    std::vector<double> sums, sizes;
    for (int j = 0; j < n(); ++j) {
      PreciseSum sum;
      double w = 0.0;
      for (SparseMatrix::InnerIterator it(m_, j); it; ++it) {
        sum.add_product(it.value(), multipliers_[it.row()]);
        if (low_.size() > 0) sum.add_product(it.value(), low_[it.row()]);
        w += std::abs(it.value()) * size[it.row()];
      }
      const LeafCondition& k = conditions_[static_cast<std::size_t>(j)];
      const double c = sum.value();
      const bool harmful = (!is_finite_bound(k.upper) && c > 0.0) || (!is_finite_bound(k.lower) && c < 0.0);
      const bool free = !is_finite_bound(k.upper) && !is_finite_bound(k.lower);
      if (w == 0.0 || !(harmful || free)) continue;
      if (std::abs(c) > almost_vanishing * w) return false;
      columns.push_back(j);
      sums.push_back(c);
      sizes.push_back(w);
    }
    if (rows.empty() || columns.empty()) return false;
    if (low_.size() == 0) low_ = Vector::Zero(n());
    std::vector<Eigen::Index> place(static_cast<std::size_t>(n()), -1);
    for (std::size_t k = 0; k < rows.size(); ++k)
      place[static_cast<std::size_t>(rows[k])] = static_cast<Eigen::Index>(k);
    Eigen::MatrixXd a =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(columns.size()), static_cast<Eigen::Index>(rows.size()));
    Vector right(a.rows());
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto r = static_cast<Eigen::Index>(k);
      right[r] = -sums[k] / sizes[k];
      for (SparseMatrix::InnerIterator it(m_, columns[k]); it; ++it)
        if (const Eigen::Index at = place[static_cast<std::size_t>(it.row())]; at >= 0)
          a(r, at) = it.value() * size[it.row()] / sizes[k];
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(1e-10);
    const Vector change = solver.compute(a).solve(right);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double step = change[static_cast<Eigen::Index>(k)];
      if (!(std::abs(step) < 1.0)) return false;
      // What y's own digits cannot hold goes to low_.
      const int i = rows[k];
      const double change_i = step * size[i] + low_[i], y = multipliers_[i] + change_i;
      low_[i] = change_i - (y - multipliers_[i]);
      multipliers_[i] = y;
    }
    return true;
  }

  bool add_leaf(std::set<int>& needed) {
    if (++leaves_seen_ > options_.certify_nodes) return false;
    certificate_.leaves.push_back({path_, multipliers_, low_});
    std::vector<LeafCondition> conditions = conditions_;
    for (auto fixed = path_.rbegin(); fixed != path_.rend(); ++fixed) {
      LeafCondition& condition = conditions[static_cast<std::size_t>(fixed->first)];
      const LeafCondition kept = std::exchange(condition, open_condition(fixed->first));
      if (sums_->contradict(conditions, nullptr, least)) continue;
      condition = kept;
      needed.insert(fixed->first);
      times_needed_[static_cast<std::size_t>(fixed->first)] += 1.0;
    }
    learn(needed, certificate_.leaves.size() - 1);
    return true;
  }

  const SparseMatrix& m_;
  const Vector &q_, &lower_, &upper_;
  const Options& options_;
  Scaled scaled_;
  Feasibility<Real> lp_;
  std::vector<LeafCondition> conditions_;
  std::vector<bool> fixed_;
  std::vector<std::pair<int, Alternative>> path_;
  Certificate certificate_;
  Vector near_, near_f_;                 // the hint and its F, scaled, where branching follows it; or empty
  Vector solution_, multipliers_, low_;  // of y: multipliers_ + low_, which may be empty
  std::optional<LeafSums> sums_;         // of y
  std::vector<Lesson> lessons_;
  std::vector<Alternative> chosen_;  // of what is fixed
  std::size_t learnt_ = 0;
  int leaves_seen_ = 0;
  std::vector<double> times_needed_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

std::optional<Certificate> find_certificate(const SparseMatrix& m, const Vector& q, const Vector& lower,
                                            const Vector& upper, const Vector& hint, const Options& options,
                                            Vector* solution, Digits digits, Branching branching) {
  const Eigen::Index n = q.size();
  if (n == 0 || m.rows() != n || m.cols() != n || lower.size() != n || upper.size() != n) return std::nullopt;
  if (!q.allFinite() || !(lower.array() <= upper.array()).all()) return std::nullopt;
  for (Eigen::Index j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(m, j); it; ++it)
      if (!std::isfinite(it.value())) return std::nullopt;
  const auto run = [&](auto&& search) {
    std::optional<Certificate> proof = search.run();
    if (solution && search.solution().size() == n) *solution = search.solution().cwiseMax(lower).cwiseMin(upper);
    return proof;
  };
  const std::optional<Certificate> found = digits == Digits::usual
                                               ? run(Search<double>(m, q, lower, upper, hint, options, branching))
                                               : run(Search<long double>(m, q, lower, upper, hint, options, branching));
  if (found && !check_certificate(m, q, lower, upper, *found)) return std::nullopt;
  return found;
}

}  // namespace pegrasp::mcp
