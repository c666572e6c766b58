// SPDX-License-Identifier: Apache-2.0
// Factors in an order of pivots that is known from an equal pattern: the same as a search's where the numbers are,
// right where they have changed, given up where a pivot has become too small.
#include "src/reference/mcp/refactor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "pegrasp_reference/mcp.hpp"
#include "src/reference/mcp/pivot_orders.hpp"
#include "tests/fuzz_seed.hpp"
#include "tests/reference/bases.hpp"

namespace pegrasp::mcp {
namespace {

using namespace bases;

constexpr double tolerance = 1e-13;  // the engine's

bool regular(const Basis& basis) {
  Eigen::FullPivLU<Matrix> lu(basis.dense());
  lu.setThreshold(1e-6);
  return lu.isInvertible();
}

// With an entry in every row and every column, at least, to begin with: others are hardly ever regular.
Basis regular_basis(Random& random, int n, int entries, double units) {
  for (;;) {
    Basis basis = random.basis(n, entries, units);
    const std::vector<int> rows = random.permutation(n);
    for (int j = 0; j < n; ++j) {
      Column& column = basis.columns[j];
      if (std::find(column.rows.begin(), column.rows.end(), rows[j]) != column.rows.end()) continue;
      column.rows.push_back(rows[j]);
      column.values.push_back(random.entry());
    }
    if (regular(basis)) return basis;
  }
}

// Every number times 1 + amount x, x in [-1, 1).
void change(Basis& basis, double amount, Random& random) {
  for (Column& column : basis.columns)
    for (double& value : column.values) value *= 1.0 + amount * random.symmetric();
}

// Sparse kernels, and full ones that are eliminated as dense matrices.
TEST(Refactor, OfTheSameNumbersTheSameBits) {
  Random random(test::fuzz_seed(31));
  struct Kind {
    int n, entries;
    double units;
  };
  for (const auto& [n, entries, units] : {Kind{1, 1, 0.0}, {40, 4, 0.6}, {60, 8, 0.3}, {30, 30, 0.0}}) {
    for (int trial = 0; trial < 20; ++trial) {
      const Basis basis = regular_basis(random, n, entries, units);
      PivotOrders orders;
      BasisFactor<double> again(n, &orders), fresh(n);
      again.factorise(basis.views(), tolerance);
      EXPECT_FALSE(again.repeated());
      again.factorise(basis.views(), tolerance);
      EXPECT_TRUE(again.repeated());
      fresh.factorise(basis.views(), tolerance);
      EXPECT_FALSE(fresh.repeated());
      for (int step = 0; step < 20; ++step) {
        Vector a = random.vector(n), b = a;
        again.solve(a);
        fresh.solve(b);
        ASSERT_TRUE(same_bits(a, b));
        a = b = Basis::vector(random.column(n, 4), n);
        again.solve_entering(a);
        fresh.solve_entering(b);
        const int position = random.below(n);
        ASSERT_EQ(again.replace(position), fresh.replace(position));
      }
      EXPECT_EQ(again.growth(), fresh.growth());
      EXPECT_EQ(again.entries(), fresh.entries());
    }
  }
}

TEST(Refactor, LongDoubleToo) {
  Random random(test::fuzz_seed(32));
  const Basis basis = regular_basis(random, 40, 6, 0.4);
  PivotOrders orders;
  BasisFactor<long double> again(40, &orders);
  for (const bool known : {false, true}) {
    again.factorise(basis.views(), tolerance);
    EXPECT_EQ(again.repeated(), known);
    const BasisFactor<long double>::RealVector right = random.vector(40).cast<long double>();
    BasisFactor<long double>::RealVector x = right;
    again.solve(x);
    const Eigen::Matrix<long double, -1, -1> dense = basis.dense().cast<long double>();
    if (std::numeric_limits<long double>::digits < 64) continue;  // no more digits than double here
    EXPECT_LE(backward_error(dense, x, right), 1e-18L);
  }
}

TEST(Refactor, NumbersThatHaveChangedALittle) {
  Random random(test::fuzz_seed(33));
  int repeated = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 5 + random.below(80);
    Basis basis = regular_basis(random, n, 6, 0.4);
    PivotOrders orders;
    BasisFactor<double> factor(n, &orders);
    factor.factorise(basis.views(), tolerance);
    for (int step = 0; step < 5; ++step) {
      change(basis, 0.02, random);
      Basis replaced = basis;
      EXPECT_TRUE(factor.factorise(basis.views(), tolerance).positions.empty());
      repeated += factor.repeated();
      expect_solves(factor, basis.dense(), random, 1e-11);
      for (int k = 0; k < 5; ++k) {  // columns are replaced in repeated factors as in any
        const Column column = random.column(n, 3);
        Vector entering = Basis::vector(column, n);
        factor.solve_entering(entering);
        const int position = random.below(n);
        if (std::abs(entering[position]) < 0.1 || !factor.replace(position)) continue;
        replaced.columns[position] = column;
      }
      expect_solves(factor, replaced.dense(), random, 1e-9);
    }
  }
  EXPECT_GE(repeated, 225);  // of 250
}

// [4 1; 1 0.5] is eliminated from its 4.
TEST(Refactor, APivotThatVanishesIsLookedForAnew) {
  PivotOrders orders;
  BasisFactor<double> factor(2, &orders);
  Random random(test::fuzz_seed(34));
  Matrix dense(2, 2);
  dense << 4.0, 1.0, 1.0, 0.5;
  const auto factorise = [&] {
    const Basis basis(dense);
    EXPECT_TRUE(factor.factorise(basis.views(), tolerance).positions.empty());
    expect_solves(factor, dense, random, 1e-14);
    return factor.repeated();
  };
  EXPECT_FALSE(factorise());
  EXPECT_TRUE(factorise());
  dense << 1e-9, 1.0, 1.0, 0.5;
  EXPECT_FALSE(factorise());
  EXPECT_TRUE(factorise());  // the order that was found then
}

// Rank and dependent columns are the search's to tell; what has no full order is not remembered.
TEST(Refactor, SingularMatricesAreSearched) {
  Matrix dense(3, 3);
  dense << 1, 2, 3, 2, 4, 6, 1, 1, 1;
  PivotOrders orders;
  BasisFactor<double> factor(3, &orders);
  for (int k = 0; k < 2; ++k) {
    const Basis basis(dense);
    EXPECT_EQ(factor.factorise(basis.views(), tolerance).positions.size(), 1u);
    EXPECT_FALSE(factor.repeated());
  }
  dense(0, 1) = 5.0;
  const Basis regular(dense);
  EXPECT_TRUE(factor.factorise(regular.views(), tolerance).positions.empty());
  dense(0, 1) = 2.0;
  const Basis basis(dense);
  const auto dependent = factor.factorise(basis.views(), tolerance);
  EXPECT_FALSE(factor.repeated());
  EXPECT_EQ(dependent.positions.size(), 1u);
}

// Each of two sets of numbers refuses the other's order: after some attempts there is nothing but searches.
TEST(Refactor, NumbersThatRefuseEachOthersOrders) {
  PivotOrders orders;
  BasisFactor<double> factor(2, &orders);
  Random random(test::fuzz_seed(40));
  Matrix dense(2, 2);
  for (int step = 0; step < 20; ++step) {
    dense << (step % 2 ? 1e-9 : 1.0), 1.0, (step % 2 ? 1.0 : 1e-9), 1.0;
    const Basis basis(dense);
    EXPECT_TRUE(factor.factorise(basis.views(), tolerance).positions.empty());
    EXPECT_FALSE(factor.repeated());
    expect_solves(factor, dense, random, 1e-14);
  }
  const Basis basis(dense);
  factor.factorise(basis.views(), tolerance);
  EXPECT_FALSE(factor.repeated());  // even of the same numbers
}

// A pivot alone in its row, the stored zeros beside it left out, may be small; so it may when it is repeated.
TEST(Refactor, APivotAloneButForStoredZeros) {
  const std::vector<int> rows{0, 1, 2}, two{1, 2};
  const std::vector<double> first{0.02, 1.0, 0.5}, second{0.0, 1.0, 1.0}, third{1.0, -1.0};
  const std::vector<ColumnView> columns{{rows, first}, {rows, second}, {two, third}};
  PivotOrders orders;
  BasisFactor<double> factor(3, &orders);
  for (int k = 0; k < 4; ++k) {
    EXPECT_TRUE(factor.factorise(columns, tolerance).positions.empty());
    EXPECT_EQ(factor.repeated(), k > 0);
  }
}

// Where the zeros beside small pivots become numbers, their rows are alone no longer: growth would cost digits.
TEST(Refactor, APivotThatIsAloneNoLonger) {
  Random random(test::fuzz_seed(41));
  const int n = 24, half = n / 2;
  Matrix dense = Matrix::Zero(n, n);
  for (int i = 0; i < half; ++i) dense(i, i) = 0.012;
  for (int j = 0; j < n; ++j)
    for (int i = half; i < n; ++i) dense(i, j) = random.symmetric();
  Basis basis;
  for (int j = 0; j < n; ++j) {
    Column column;
    for (int i = 0; i < n; ++i) {
      column.rows.push_back(i);
      column.values.push_back(dense(i, j));
    }
    basis.columns.push_back(column);
  }
  PivotOrders orders;
  BasisFactor<double> factor(n, &orders);
  factor.factorise(basis.views(), tolerance);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < half; ++i)
      if (i != j) basis.columns[j].values[i] = random.symmetric();
  factor.factorise(basis.views(), tolerance);
  EXPECT_LE(factor.growth(), 30.0);
  expect_solves(factor, basis.dense(), random, 1e-14);
}

// A zero that is stored belongs to the pattern: it may be a number next time.
TEST(Refactor, StoredZerosMayBecomeNumbers) {
  Random random(test::fuzz_seed(35));
  int repeated = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 3 + random.below(40);
    const Basis full = regular_basis(random, n, 6, 0.3);
    Basis basis = full;
    for (Column& column : basis.columns)
      for (double& value : column.values)
        if (random.uniform() < 0.3) value = 0.0;
    if (!regular(basis)) continue;
    PivotOrders orders;
    BasisFactor<double> factor(n, &orders);
    for (const Basis* given : {static_cast<const Basis*>(&basis), &full, static_cast<const Basis*>(&basis)}) {
      EXPECT_TRUE(factor.factorise(given->views(), tolerance).positions.empty());
      repeated += factor.repeated();
      expect_solves(factor, given->dense(), random, 1e-10);
    }
  }
  EXPECT_GT(repeated, 10);
}

// More patterns than are remembered, in turn, with numbers of any size: every solve right, the rank as the search has
// it.
TEST(Refactor, ManyPatternsInTurn) {
  Random random(test::fuzz_seed(36));
  int repeated = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 2 + random.below(40);
    std::vector<Basis> bases;
    for (int k = 0; k < 12; ++k)
      bases.push_back(random.below(4) == 0 ? random.basis(n, 5, 0.5) : regular_basis(random, n, 5, 0.5));
    PivotOrders orders;
    BasisFactor<double> factor(n, &orders), fresh(n);
    for (int step = 0; step < 60; ++step) {
      Basis& basis = bases[random.below(step < 30 ? 12 : 3)];
      if (random.below(3) == 0) {
        for (Column& column : basis.columns)
          for (double& value : column.values) value = random.below(8) == 0 ? 0.0 : random.entry();
      } else {
        change(basis, 0.01, random);
      }
      const auto dependent = factor.factorise(basis.views(), tolerance),
                 expected = fresh.factorise(basis.views(), tolerance);
      repeated += factor.repeated();
      EXPECT_EQ(dependent.rows.size(), expected.rows.size());
      if (dependent.rows.empty() && regular(basis)) expect_solves(factor, basis.dense(), random, 1e-10);
    }
  }
  EXPECT_GT(repeated, 100);
}

TEST(Refactor, AsManyPatternsAsFitAreRemembered) {
  Random random(test::fuzz_seed(37));
  std::vector<Basis> bases;
  for (int k = 0; k < 9; ++k) bases.push_back(regular_basis(random, 20, 5, 0.3));
  PivotOrders orders;
  BasisFactor<double> factor(20, &orders);
  const auto repeated = [&](int k) {
    factor.factorise(bases[k].views(), tolerance);
    return factor.repeated();
  };
  for (int k = 0; k < 8; ++k) EXPECT_FALSE(repeated(k));
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(repeated(k));
  EXPECT_FALSE(repeated(8));  // in place of the one used longest ago
  for (int k = 1; k < 9; ++k) EXPECT_TRUE(repeated(k));
  EXPECT_FALSE(repeated(0));
}

// Problems of one pattern, whose numbers drift: far fewer searches where a basis has come before.
TEST(Workspace, HandsPivotOrdersFromSolveToSolve) {
  Random random(test::fuzz_seed(38));
  const int n = 30;
  Matrix m = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    m(i, i) = 8.0;
    for (int k = 0; k < 3; ++k) m(i, random.below(n)) += random.symmetric();
  }
  Vector q = random.vector(n);
  Workspace workspace, other;
  Vector start = Vector::Zero(n), start_alone = start;
  int searched = 0, searched_alone = 0;
  for (int step = 0; step < 10; ++step) {
    const Problem problem = lcp(SparseMatrix(m.sparseView()), q);
    const Result with = solve(problem, start, {}, &workspace), twin = solve(problem, start, {}, &other);
    const Result alone = solve(problem, start_alone);
    ASSERT_EQ(with.status, Status::solved);
    ASSERT_EQ(alone.status, Status::solved);
    EXPECT_TRUE(same_bits(with.x, twin.x));
    EXPECT_LE((with.x - alone.x).cwiseAbs().maxCoeff(), 1e-9);
    searched += with.statistics.factorisations - with.statistics.repeated_factorisations;
    searched_alone += alone.statistics.factorisations - alone.statistics.repeated_factorisations;
    start = with.x;
    start_alone = alone.x;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) m(i, j) *= 1.0 + 1e-4 * random.symmetric();
    q += 1e-4 * random.vector(n);
  }
  EXPECT_LT(searched, searched_alone / 2);
}

TEST(Workspace, MayBeMovedFrom) {
  Workspace first;
  Workspace second = std::move(first);
  const Problem problem = lcp(SparseMatrix(Matrix::Identity(2, 2).sparseView()), Vector::Constant(2, -1.0));
  for (Workspace* workspace : {&first, &second})
    EXPECT_EQ(solve(problem, Vector::Zero(2), {}, workspace).status, Status::solved);
}

// Every linearisation of a nonlinear problem has the pattern of the one before.
TEST(Workspace, LinearisationsOfOneSolveShareTheirOrders) {
  constexpr int n = 12;
  Problem problem;
  problem.lower = Vector::Zero(n);
  problem.upper = Vector::Constant(n, infinity);
  problem.evaluate = [](const Vector& x, Vector& f, SparseMatrix* jacobian) {
    f.resize(n);
    Matrix dense = Matrix::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      const int j = (i + 1) % n;
      f[i] = std::exp(x[i]) + 0.3 * x[j] * x[j] - 3.0;
      dense(i, i) = std::exp(x[i]);
      dense(i, j) = 0.6 * x[j] + 1e-3;
      f[i] += 1e-3 * x[j];
    }
    if (jacobian) *jacobian = dense.sparseView();
    return true;
  };
  const Result result = solve(problem, Vector::Constant(n, 0.5));
  ASSERT_EQ(result.status, Status::solved);
  EXPECT_GT(result.statistics.majors, 2);
  EXPECT_GE(result.statistics.repeated_factorisations, result.statistics.majors - 2);
  EXPECT_LE(result.statistics.repeated_factorisations, result.statistics.factorisations);
}

}  // namespace
}  // namespace pegrasp::mcp
