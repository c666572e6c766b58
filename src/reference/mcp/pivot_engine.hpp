// SPDX-License-Identifier: Apache-2.0
// The pivotal engine follows the piecewise linear path of a linear mixed complementarity problem from a start to a
// solution (Dirkse and Ferris 1995, section 3; Munson 2000, chapter 3):
//
//   M z - w + v + a + (1 - t) r + q = 0,   l <= z <= u,   0 <= w ⊥ z - l >= 0,   0 <= v ⊥ u - z >= 0,   t: 0 -> 1
//
// One variable of every triple (z_i, w_i, v_i) is basic, except for one triple without a basic variable while t is
// basic. A z_i without bounds never leaves the basis. A regular start places t = 0 at any given point: r is what the
// equations miss there. Where the first basis is singular, artificials a (fixed at 0) replace the columns that depend
// on others. The z of those columns stay where they are (superbasic) until they can take the artificial's place.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/basis_factor.hpp"
#include "src/reference/mcp/precise_sum.hpp"

namespace pegrasp::mcp {

// F = m z + q on l <= z <= u; bounds are finite or infinite, never 1e20.
struct LinearModel {
  SparseMatrix m;  // compressed
  Vector q, lower, upper;
};

enum class Place : std::int8_t { lower, upper, basic };  // which of the triple is basic: w, v, z

enum class PathEnd { solution, ray, cycle, singular, pivot_limit, time_limit };

struct PivotSettings {
  double pivot_tolerance = 4e-11;
  double feasibility_tolerance = 1e-6;  // EXPAND: grows from half of it
  int refactor_interval = 50;
  std::int64_t max_pivots = 50000;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

class PivotEngine {
 public:
  // orders: pivot orders of bases factorised before, here or elsewhere. They must live as long as this object.
  PivotEngine(int n, PivotOrders& orders);

  // Follows the path from z (n), which is moved to the bounds that `place` names, until t = 1 or the path ends. `place`
  // and `z` are then those of the end. covering: null, or the direction r (n) of a ray start (Lemke). Then r is scaled
  // so that t = 0 is feasible, and basic z are solved for.
  PathEnd follow(const LinearModel& model, std::vector<Place>& place, Vector& z, const Vector* covering,
                 const PivotSettings& settings);

  // The model changes from now on: its factors are not used again.
  void forget() { factors_hold_ = false; }

  // Results of the last follow().
  std::int64_t pivots() const { return pivots_; }
  int factorisations() const { return factorisations_; }
  int repeated_factorisations() const { return repeated_; }  // of these: in a known order of pivots
  bool started_singular() const { return singular_start_; }
  double progress() const { return record_; }  // the largest t, of 1

 private:
  // Variables: z_i = i, w_i = n + i, v_i = 2 n + i, a_i = 3 n + i, t = 4 n.
  int kind(int variable) const { return variable / n_; }
  int triple(int variable) const { return variable % n_; }
  bool first_basis(const std::vector<Place>& place, const Vector& z);
  ColumnView view(int variable) const;
  bool factorise();
  double recompute_basics(int refinements);
  void recompute_end();
  void load_column(int variable, Vector& column) const;
  void set_bounds(int position);
  double value_bound_low(int variable) const;
  double value_bound_high(int variable) const;
  std::uint64_t basis_key() const;
  bool exchange_artificial(int position);
  // The steps of follow().
  struct Walk;
  struct Leaving {  // the basic variable that leaves; position -1: none does
    int position = -1;
    int rank = 3;  // t before artificials before the rest
    double size = 0.0, distance = 0.0;
    bool at_high = false;
  };
  void begin_path(std::vector<Place>& place, Vector& z, const Vector* covering);
  Leaving ratio_test(double direction, double tiny, double delta);
  double own_reach(const Walk& walk) const;
  std::optional<PathEnd> reach_own_end(Walk& walk, double own);
  void refresh(Walk& walk);
  bool exchange(Walk& walk, const Leaving& leaving, double step);
  std::optional<PathEnd> pivot(Walk& walk, const PivotSettings& settings);
  void read_end(std::vector<Place>& place, Vector& z) const;
  bool release_dependent(std::vector<Place>& place, Vector& z);

  int n_;
  const LinearModel* model_ = nullptr;
  BasisFactor<double> factor_;
  Vector r_;                   // covering vector of unit size
  double length_ = 0.0;        // t runs to here: r scaled back
  double t_ = 0.0;             // value of t while it is not basic
  std::vector<int> basis_;     // (n) variable at each position
  bool factors_hold_ = false;  // factor_ and columns_ are those of basis_ and the model
  std::vector<double> value_;  // (n) of the basics
  std::vector<double> low_, high_;
  std::vector<double> z_;  // (n) values of the z that are not basic
  std::vector<std::pair<int, int>>
      dependent_;                    // row without a pivot and variable that gave way, of the last factorise()
  std::vector<int> superbasic_;      // triples whose z is neither basic nor at a bound
  std::vector<std::uint64_t> code_;  // (4 n + 1) random words: a basis is the sum of its variables'
  std::vector<ColumnView> columns_;
  std::vector<int> all_rows_;
  std::vector<double> ones_, minus_ones_, t_column_;
  Vector alpha_, work_, solution_;
  struct Moving {  // a basic that the driving variable moves: towards its upper bound or not, how fast, how far it may
    int position;
    double size, capacity;
    bool up;
  };
  std::vector<Moving> moving_;    // (n + 1)
  std::vector<char> basic_;       // (n) whether z_i is
  std::vector<PreciseSum> rest_;  // (n)
  std::int64_t pivots_ = 0;
  int factorisations_ = 0, repeated_ = 0;
  bool singular_start_ = false;
  double record_ = 0.0;
};

}  // namespace pegrasp::mcp
