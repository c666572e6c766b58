// SPDX-License-Identifier: Apache-2.0
#include "src/reference/mcp/pivot_engine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <span>
#include <unordered_set>

#include "src/reference/mcp/stop.hpp"

namespace pegrasp::mcp {
namespace {

constexpr std::int64_t pivots_between_looks = 16;  // at the clock

// Relative to the largest entry of its column: a smaller pivot counts as zero and the column as dependent. Nearly
// parallel contacts have pivots of the square of their difference, 1e-12 and less, and have solutions nevertheless.
constexpr double dependent_pivot = 1e-13;

enum Kind : int { kind_z = 0, kind_w = 1, kind_v = 2, kind_a = 3, kind_t = 4 };

// Relative to the largest basic variable: smaller corrections by refinement are rounding.
constexpr double at_rest = 1e-14;

// EXPAND grows its tolerance over so many pivots, then starts anew (Gill, Murray, Saunders and Wright 1989).
constexpr int expand_period = 10000;

std::uint64_t mix(std::uint64_t x) {  // splitmix64 (Steele, Lea and Flood 2014)
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

PivotEngine::PivotEngine(int n, PivotOrders& orders)
    : n_(n),
      factor_(n, &orders),
      basis_(static_cast<std::size_t>(n)),
      value_(basis_.size()),
      low_(basis_.size()),
      high_(basis_.size()),
      z_(basis_.size()),
      code_(4 * basis_.size() + 1),
      columns_(basis_.size()),
      all_rows_(basis_.size()),
      ones_(basis_.size(), 1.0),
      minus_ones_(basis_.size(), -1.0),
      t_column_(basis_.size()),
      alpha_(n),
      work_(n),
      solution_(n),
      moving_(basis_.size() + 1),
      basic_(basis_.size()),
      rest_(basis_.size()) {
  for (std::size_t i = 0; i < code_.size(); ++i) code_[i] = mix(i);
  for (int i = 0; i < n; ++i) all_rows_[static_cast<std::size_t>(i)] = i;
}

double PivotEngine::value_bound_low(int variable) const {
  if (variable == 4 * n_) return -infinity;
  return kind(variable) == kind_z ? model_->lower[variable] : 0.0;
}

double PivotEngine::value_bound_high(int variable) const {
  if (variable == 4 * n_) return length_;
  if (kind(variable) == kind_z) return model_->upper[variable];
  return kind(variable) == kind_a ? 0.0 : infinity;
}

void PivotEngine::set_bounds(int position) {
  const auto p = static_cast<std::size_t>(position);
  low_[p] = value_bound_low(basis_[p]);
  high_[p] = value_bound_high(basis_[p]);
}

void PivotEngine::load_column(int variable, Vector& column) const {
  column.setZero();
  const ColumnView from = view(variable);
  for (std::size_t e = 0; e < from.rows.size(); ++e) column[from.rows[e]] = from.values[e];
}

ColumnView PivotEngine::view(int variable) const {
  if (variable == 4 * n_) return {all_rows_, t_column_};
  if (kind(variable) == kind_z) {
    const SparseMatrix& m = model_->m;
    const auto begin = static_cast<std::size_t>(m.outerIndexPtr()[variable]);
    const auto count = static_cast<std::size_t>(m.outerIndexPtr()[variable + 1]) - begin;
    return {{m.innerIndexPtr() + begin, count}, {m.valuePtr() + begin, count}};
  }
  const auto row = static_cast<std::size_t>(triple(variable));
  return {{all_rows_.data() + row, 1}, {(kind(variable) == kind_w ? minus_ones_ : ones_).data() + row, 1}};
}

// False when the basis is singular and artificials had to come in.
bool PivotEngine::factorise() {
  for (std::size_t p = 0; p < basis_.size(); ++p) columns_[p] = view(basis_[p]);
  ++factorisations_;
  factors_hold_ = true;
  dependent_.clear();
  const BasisFactor<double>::Dependent dependent = factor_.factorise(columns_, dependent_pivot);
  repeated_ += factor_.repeated();
  for (std::size_t k = 0; k < dependent.positions.size(); ++k) {
    const auto p = static_cast<std::size_t>(dependent.positions[k]);
    const int out = basis_[p];
    dependent_.emplace_back(dependent.rows[k], out);
    if (out != 4 * n_ && kind(out) == kind_z) {
      z_[static_cast<std::size_t>(out)] = value_[p];
      superbasic_.push_back(out);
    }
    basis_[p] = kind_a * n_ + dependent.rows[k];
    columns_[p] = view(basis_[p]);
    value_[p] = 0.0;
    set_bounds(dependent.positions[k]);
  }
  return dependent.positions.empty();
}

// Basics from the equations: B x = -q - length r + t r - sum of M_j z_j over the z that are not basic. What B x leaves
// of the right side is summed in twice the precision, so that refinement gives digits that the factors have not.
// Returns the size of the last correction.
double PivotEngine::recompute_basics(int refinements) {
  std::vector<char>& basic = basic_;
  std::fill(basic.begin(), basic.end(), 0);
  for (const int variable : basis_) {
    if (variable < n_) basic[static_cast<std::size_t>(variable)] = 1;
  }
  Eigen::VectorXd& x = solution_;
  x.setZero();
  double correction = 0.0;
  for (int k = 0; k <= refinements; ++k) {
    for (int i = 0; i < n_; ++i) {
      rest_[static_cast<std::size_t>(i)] = PreciseSum(-model_->q[i]);
      if (length_ > 0.0) rest_[static_cast<std::size_t>(i)].add_product(t_ - length_, r_[i]);
    }
    for (int j = 0; j < n_; ++j) {
      const double zj = z_[static_cast<std::size_t>(j)];
      if (basic[static_cast<std::size_t>(j)] || zj == 0.0) continue;
      for (SparseMatrix::InnerIterator it(model_->m, j); it; ++it) {
        rest_[static_cast<std::size_t>(it.row())].add_product(-it.value(), zj);
      }
    }
    if (k > 0) {
      for (std::size_t p = 0; p < basis_.size(); ++p) {
        const double xp = x[static_cast<Eigen::Index>(p)];
        const ColumnView& c = columns_[p];
        for (std::size_t e = 0; e < c.rows.size(); ++e) {
          rest_[static_cast<std::size_t>(c.rows[e])].add_product(-c.values[e], xp);
        }
      }
    }
    for (int i = 0; i < n_; ++i) work_[i] = rest_[static_cast<std::size_t>(i)].value();
    factor_.solve(work_);
    x += work_;
    correction = work_.lpNorm<Eigen::Infinity>() / std::max(1.0, x.lpNorm<Eigen::Infinity>());
    if (correction <= std::numeric_limits<double>::epsilon() / 4) break;
  }
  for (std::size_t p = 0; p < basis_.size(); ++p) value_[p] = x[static_cast<Eigen::Index>(p)];
  return correction;
}

// t has left the basis: computes the basic variables of the solution exactly. Factors with updates are good enough
// where refinement converges.
void PivotEngine::recompute_end() {
  length_ = 0.0;
  const std::vector<double> before = value_;
  if (factors_hold_ && recompute_basics(3) <= at_rest) return;
  value_ = before;
  factorise();  // columns that depend on others keep their values: the equations hold with them as they are
  recompute_basics(3);
}

std::uint64_t PivotEngine::basis_key() const {
  std::uint64_t key = 0;
  for (const int variable : basis_) key += code_[static_cast<std::size_t>(variable)];
  return key;
}

// An artificial blocks at `position`: the superbasic z that moves it most takes its place. Nothing moves.
bool PivotEngine::exchange_artificial(int position) {
  double best = 1e-9;
  std::size_t chosen = superbasic_.size();
  for (std::size_t k = 0; k < superbasic_.size(); ++k) {
    load_column(superbasic_[k], work_);
    factor_.solve(work_);
    const double size = std::abs(work_[position]) / std::max(1.0, work_.lpNorm<Eigen::Infinity>());
    if (size > best) {
      best = size;
      chosen = k;
    }
  }
  if (chosen == superbasic_.size()) return false;
  const int j = superbasic_[chosen];
  superbasic_.erase(superbasic_.begin() + static_cast<std::ptrdiff_t>(chosen));
  const auto p = static_cast<std::size_t>(position);
  basis_[p] = j;
  value_[p] = z_[static_cast<std::size_t>(j)];
  set_bounds(position);
  return factorise();
}

// The basis of one of every triple, as `place` says, factorised; values of w and v are the caller's. Where it is that
// of the path before, so are its factors. False when it is singular.
bool PivotEngine::first_basis(const std::vector<Place>& place, const Vector& z) {
  superbasic_.clear();
  const auto wanted = [&](int i) {
    const Place at = place[static_cast<std::size_t>(i)];
    return at == Place::basic ? i : (at == Place::lower ? kind_w : kind_v) * n_ + i;
  };
  bool same = factors_hold_;
  for (std::size_t p = 0; same && p < basis_.size(); ++p)
    same = basis_[p] < 3 * n_ && basis_[p] == wanted(triple(basis_[p]));
  for (int i = 0; i < n_; ++i) {
    if (!same) basis_[static_cast<std::size_t>(i)] = wanted(i);
    z_[static_cast<std::size_t>(i)] = z[i];
  }
  for (int p = 0; p < n_; ++p) {
    const auto s = static_cast<std::size_t>(p);
    value_[s] = z[triple(basis_[s])];
    set_bounds(p);
  }
  return same || factorise();
}

// A singular first basis: for every row that was left without a pivot, z of that row goes to its nearest bound and w or
// v comes in; where that z has no bounds, the dependent column's. False when there is nothing to release.
bool PivotEngine::release_dependent(std::vector<Place>& place, Vector& z) {
  std::vector<int> leave;
  const auto bounded = [&](int i) { return std::isfinite(model_->lower[i]) || std::isfinite(model_->upper[i]); };
  for (const auto& [row, out] : dependent_) {
    const int column = triple(out);
    if (place[static_cast<std::size_t>(row)] == Place::basic && bounded(row)) {
      leave.push_back(row);
    } else if (kind(out) == kind_z && bounded(column)) {
      leave.push_back(column);
    }
  }
  if (leave.empty()) return false;
  for (const int i : leave) {
    const bool low = std::isfinite(model_->lower[i]) &&
                     !(std::isfinite(model_->upper[i]) && model_->upper[i] - z[i] < z[i] - model_->lower[i]);
    place[static_cast<std::size_t>(i)] = low ? Place::lower : Place::upper;
    z[i] = low ? model_->lower[i] : model_->upper[i];
  }
  first_basis(place, z);
  return true;
}

// How a path goes on: the variable that is driven and how, and what has been seen since t last grew.
struct PivotEngine::Walk {
  int driving;
  double direction = 1.0;  // of the driving variable
  double value = 0.0;      // of the driving variable
  int since_factorised;
  std::uint64_t key;  // of the basis
  std::unordered_set<std::uint64_t> seen;
};

// Takes every variable to the place that it starts from, factorises the first basis, and sets the path's direction r_
// and its length.
void PivotEngine::begin_path(std::vector<Place>& place, Vector& z, const Vector* covering) {
  const LinearModel& model = *model_;
  const Vector& q = model.q;
  for (int i = 0; i < n_; ++i) {
    Place& at = place[static_cast<std::size_t>(i)];
    if (at == Place::lower && !std::isfinite(model.lower[i])) at = Place::basic;
    if (at == Place::upper && !std::isfinite(model.upper[i])) at = Place::basic;
    if (at == Place::lower) z[i] = model.lower[i];
    if (at == Place::upper) z[i] = model.upper[i];
    z[i] = std::min(std::max(z[i], model.lower[i]), model.upper[i]);
  }
  r_ = Vector::Zero(n_);
  dependent_.clear();
  singular_start_ = !first_basis(place, z);
  for (int tries = 0; tries < 30 && !dependent_.empty(); ++tries) {
    if (!release_dependent(place, z)) break;
  }
  if (covering) {
    recompute_basics(1);  // length 0: the path's start is where t would be 1
    for (std::size_t p = 0; p < basis_.size(); ++p) {
      const int variable = basis_[p];
      if (variable < n_) continue;
      const int i = triple(variable);
      const double c = (*covering)[i];
      if (kind(variable) == kind_a) continue;
      r_[i] = kind(variable) == kind_w ? c : -c;
      if (value_[p] < 0.0) length_ = std::max(length_, -value_[p] / c);
    }
    for (std::size_t p = 0; p < basis_.size(); ++p) {
      const int variable = basis_[p];
      if (variable >= n_ && kind(variable) != kind_a) value_[p] += length_ * (*covering)[triple(variable)];
    }
  } else {
    // What the equations miss at the start.
    work_ = q;
    work_ += model.m * z;
    for (int i = 0; i < n_; ++i) {
      const Place at = place[static_cast<std::size_t>(i)];
      r_[i] =
          -(at == Place::basic ? work_[i] : (at == Place::lower ? std::min(work_[i], 0.0) : std::max(work_[i], 0.0)));
    }
    for (std::size_t p = 0; p < basis_.size(); ++p) {
      const int i = triple(basis_[p]);
      if (kind(basis_[p]) == kind_w) value_[p] = std::max(work_[i], 0.0);
      if (kind(basis_[p]) == kind_v) value_[p] = std::max(-work_[i], 0.0);
      if (kind(basis_[p]) == kind_a) value_[p] = 0.0;
    }
    length_ = r_.lpNorm<Eigen::Infinity>();
    if (length_ > 0.0) r_ /= length_;
  }
  for (int i = 0; i < n_; ++i) t_column_[static_cast<std::size_t>(i)] = -r_[i];
}

// EXPAND's two passes for the column alpha_: the step allowed by bounds relaxed by `delta`, then the largest pivot
// within it. What moves by no more than `tiny` is left out.
PivotEngine::Leaving PivotEngine::ratio_test(double direction, double tiny, double delta) {
  // Of those that move, a small part: to the end of the list without a branch, which would be mispredicted.
  int moving = 0;
  for (int p = 0; p < n_; ++p) {
    const double rate = -direction * alpha_[p];
    const double capacity = rate < 0.0 ? value_[static_cast<std::size_t>(p)] - low_[static_cast<std::size_t>(p)]
                                       : high_[static_cast<std::size_t>(p)] - value_[static_cast<std::size_t>(p)];
    moving_[static_cast<std::size_t>(moving)] = {p, std::abs(rate), capacity, rate > 0.0};
    moving += std::abs(rate) > tiny;
  }
  const std::span<const Moving> movers{moving_.data(), static_cast<std::size_t>(moving)};
  double relaxed = infinity;
  for (const Moving& m : movers) relaxed = std::min(relaxed, (m.capacity + delta) / m.size);
  Leaving out;
  if (!(relaxed < infinity)) return out;
  for (const Moving& m : movers) {
    if (!(m.capacity <= relaxed * m.size)) continue;
    const int variable = basis_[static_cast<std::size_t>(m.position)];
    const int rank = variable == 4 * n_ ? 0 : (variable >= 3 * n_ ? 1 : 2);
    if (rank < out.rank || (rank == out.rank && m.size > out.size)) {
      out = {m.position, rank, m.size, m.capacity, m.up};
    }
  }
  return out;
}

// How far the driving variable itself may go.
double PivotEngine::own_reach(const Walk& walk) const {
  if (walk.driving == 4 * n_) return length_ - walk.value;
  if (kind(walk.driving) != kind_z) return infinity;
  return walk.direction > 0.0 ? model_->upper[walk.driving] - walk.value : walk.value - model_->lower[walk.driving];
}

// The driving variable reaches its other end before any other its bound. Returns how the path ends, if it does.
std::optional<PathEnd> PivotEngine::reach_own_end(Walk& walk, double own) {
  if (own == infinity) return PathEnd::ray;
  for (std::size_t p = 0; p < basis_.size(); ++p) {
    value_[p] -= own * walk.direction * alpha_[static_cast<Eigen::Index>(p)];
  }
  if (walk.driving == 4 * n_) {
    t_ = length_;
    return PathEnd::solution;
  }
  const int i = walk.driving;
  const bool up = walk.direction > 0.0;
  z_[static_cast<std::size_t>(i)] = up ? model_->upper[i] : model_->lower[i];
  walk.driving = (up ? kind_v : kind_w) * n_ + i;
  walk.value = 0.0;
  walk.direction = 1.0;
  ++pivots_;
  return std::nullopt;
}

// Factorises the basis anew; a column that has become dependent gives way to an artificial.
void PivotEngine::refresh(Walk& walk) {
  factorise();
  recompute_basics(1);
  walk.key = basis_key();
  walk.since_factorised = 0;
}

// The driving variable takes the leaving one's place in the basis; the complement of that one is driven next. Returns
// true when t has left: the path has come to its end.
bool PivotEngine::exchange(Walk& walk, const Leaving& leaving, double step) {
  for (std::size_t p = 0; p < basis_.size(); ++p) {
    value_[p] -= step * walk.direction * alpha_[static_cast<Eigen::Index>(p)];
  }
  const auto at = static_cast<std::size_t>(leaving.position);
  const int out = basis_[at];
  basis_[at] = walk.driving;
  value_[at] = walk.value + step * walk.direction;
  set_bounds(leaving.position);
  walk.key += code_[static_cast<std::size_t>(walk.driving)] - code_[static_cast<std::size_t>(out)];
  ++pivots_;
  ++walk.since_factorised;
  if (walk.driving == 4 * n_) t_ = 0.0;  // basic from now on: recompute_basics() must not count it twice

  factors_hold_ = factor_.replace(leaving.position);
  columns_[at] = view(walk.driving);
  if (out == 4 * n_) {
    t_ = length_;
    return true;
  }
  const int j = triple(out);
  if (kind(out) == kind_z) {
    z_[static_cast<std::size_t>(j)] = leaving.at_high ? model_->upper[j] : model_->lower[j];
    walk.driving = (leaving.at_high ? kind_v : kind_w) * n_ + j;
    walk.value = 0.0;
    walk.direction = 1.0;
  } else {
    walk.driving = j;
    walk.value = kind(out) == kind_w ? model_->lower[j] : model_->upper[j];
    walk.direction = kind(out) == kind_w ? 1.0 : -1.0;
  }
  if (!factors_hold_) refresh(walk);
  return false;
}

// One pivot. Returns how the path ends, if it does.
std::optional<PathEnd> PivotEngine::pivot(Walk& walk, const PivotSettings& settings) {
  const double expand_step = 0.5 * settings.feasibility_tolerance / expand_period;
  load_column(walk.driving, alpha_);
  factor_.solve_entering(alpha_);
  const double delta =
      0.5 * settings.feasibility_tolerance + expand_step * static_cast<double>(pivots_ % expand_period);
  if (!alpha_.allFinite()) return PathEnd::singular;
  const double norm = alpha_.lpNorm<Eigen::Infinity>();
  const Leaving leaving = ratio_test(walk.direction, settings.pivot_tolerance * std::max(1.0, norm), delta);
  const double step = leaving.position >= 0 ? std::max(leaving.distance, expand_step) / leaving.size : infinity;
  const double own = own_reach(walk);
  if (own <= step) return reach_own_end(walk, own);
  if (leaving.rank == 1) {
    if (!exchange_artificial(leaving.position)) return PathEnd::singular;
    recompute_basics(1);
    walk.key = basis_key();
    walk.since_factorised = 0;
    ++pivots_;
    return std::nullopt;
  }
  if (exchange(walk, leaving, step)) return PathEnd::solution;

  // Cycling: the same basis about to be entered by the same variable, and t no farther than it has been.
  double t_now = 0.0;
  for (std::size_t p = 0; p < basis_.size(); ++p) {
    if (basis_[p] == 4 * n_) t_now = value_[p];
  }
  if (t_now > record_ * length_ + 1e-9 * length_) {
    record_ = t_now / length_;
    walk.seen.clear();
  } else if (!walk.seen.insert(walk.key + 3 * code_[static_cast<std::size_t>(walk.driving)]).second) {
    return PathEnd::cycle;
  }
  return std::nullopt;
}

// Where the path has led: places and values of z.
void PivotEngine::read_end(std::vector<Place>& place, Vector& z) const {
  const LinearModel& model = *model_;
  for (int i = 0; i < n_; ++i) {
    place[static_cast<std::size_t>(i)] =
        z_[static_cast<std::size_t>(i)] == model.upper[i] ? Place::upper : Place::lower;
    z[i] = z_[static_cast<std::size_t>(i)];
  }
  for (const int j : superbasic_) place[static_cast<std::size_t>(j)] = Place::basic;
  for (std::size_t p = 0; p < basis_.size(); ++p) {
    const int variable = basis_[p];
    if (variable < n_) {
      place[static_cast<std::size_t>(variable)] = Place::basic;
      z[variable] = value_[p];
    } else if (variable < 4 * n_ && kind(variable) != kind_a) {
      place[static_cast<std::size_t>(triple(variable))] = kind(variable) == kind_w ? Place::lower : Place::upper;
    }
  }
  z = z.cwiseMax(model.lower).cwiseMin(model.upper);
}

PathEnd PivotEngine::follow(const LinearModel& model, std::vector<Place>& place, Vector& z, const Vector* covering,
                            const PivotSettings& settings) {
  if (model_ != &model) forget();
  model_ = &model;
  pivots_ = 0;
  factorisations_ = repeated_ = 0;
  record_ = 0.0;
  t_ = 0.0;
  length_ = 0.0;
  begin_path(place, z, covering);

  // The path before may have left some updates of the factors.
  Walk walk{4 * n_, 1.0, 0.0, factor_.updates(), basis_key(), {}};
  PathEnd end = PathEnd::solution;
  const bool timed = settings.deadline != std::chrono::steady_clock::time_point::max();
  while (length_ > 0.0) {
    if (pivots_ >= settings.max_pivots) {
      end = PathEnd::pivot_limit;
      break;
    }
    if (pivots_ % pivots_between_looks == 0 &&
        (stop_asked() || (timed && std::chrono::steady_clock::now() >= settings.deadline))) {
      end = PathEnd::time_limit;
      break;
    }
    if (walk.since_factorised >= settings.refactor_interval) refresh(walk);
    if (const std::optional<PathEnd> ended = pivot(walk, settings)) {
      end = *ended;
      break;
    }
  }
  if (end == PathEnd::solution) {
    record_ = 1.0;
    recompute_end();
  }
  read_end(place, z);
  return end;
}

}  // namespace pegrasp::mcp
