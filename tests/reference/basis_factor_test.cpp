// SPDX-License-Identifier: Apache-2.0
// Factors of a basis against dense ones: regular and singular, as factorised and after hundreds of replaced columns.
#include "src/reference/mcp/basis_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/fuzz_seed.hpp"
#include "tests/reference/bases.hpp"

namespace pegrasp::mcp {
namespace {

using namespace bases;

// The solver's pivot tolerance.
constexpr double tolerance = 4e-11;

// What factorise() says is missing completes the matrix to a regular one, which the factors are of.
void expect_completed(BasisFactor<double>& factor, const Basis& basis, const BasisFactor<double>::Dependent& dependent,
                      Random& random) {
  ASSERT_EQ(dependent.positions.size(), dependent.rows.size());
  EXPECT_TRUE(std::is_sorted(dependent.positions.begin(), dependent.positions.end()));
  EXPECT_TRUE(std::is_sorted(dependent.rows.begin(), dependent.rows.end()));
  Matrix completed = basis.dense();
  for (std::size_t k = 0; k < dependent.rows.size(); ++k)
    completed.col(dependent.positions[k]) = Vector::Unit(basis.size(), dependent.rows[k]);
  if (basis.size() > 0) {
    EXPECT_TRUE(Eigen::FullPivLU<Matrix>(completed).isInvertible());
  }
  expect_solves(factor, completed, random, 1e-12);
}

bool regular(const Matrix& a) {
  Eigen::FullPivLU<Matrix> lu(a);
  lu.setThreshold(1e-9);
  return lu.isInvertible();
}

TEST(BasisFactor, NothingToFactorise) {
  BasisFactor<double> factor(0);
  EXPECT_TRUE(factor.factorise({}, tolerance).rows.empty());
  Vector x(0);
  factor.solve(x);
  factor.solve_entering(x);
  factor.solve_transposed(x);
  EXPECT_EQ(x.size(), 0);
  EXPECT_EQ(factor.entries(), 0u);
  EXPECT_EQ(factor.growth(), 0.0);
}

TEST(BasisFactor, OneByOne) {
  BasisFactor<double> factor(1);
  EXPECT_TRUE(factor.factorise(Basis(Matrix::Constant(1, 1, -4.0)).views(), tolerance).rows.empty());
  Vector x = Vector::Constant(1, 2.0);
  factor.solve(x);
  EXPECT_EQ(x[0], -0.5);
  factor.solve_transposed(x);
  EXPECT_EQ(x[0], 0.125);
  x[0] = 8.0;
  factor.solve_entering(x);
  EXPECT_EQ(x[0], -2.0);
  EXPECT_TRUE(factor.replace(0));
  EXPECT_EQ(factor.updates(), 1);
  x[0] = 16.0;
  factor.solve(x);
  EXPECT_EQ(x[0], 2.0);

  const auto dependent = factor.factorise(Basis(Matrix::Zero(1, 1)).views(), tolerance);
  EXPECT_EQ(dependent.positions, std::vector<int>{0});
  EXPECT_EQ(dependent.rows, std::vector<int>{0});
  EXPECT_EQ(factor.updates(), 0);
}

TEST(BasisFactor, UnitColumnsAreExact) {
  Random random(1);
  for (const int n : {1, 2, 7, 60}) {
    const std::vector<int> permutation = random.permutation(n);
    Matrix dense = Matrix::Zero(n, n);
    for (int j = 0; j < n; ++j) dense(permutation[j], j) = random.below(2) ? 1.0 : -1.0;
    for (const Matrix& a : {Matrix(Matrix::Identity(n, n)), dense}) {
      BasisFactor<double> factor(n);
      const Basis basis(a);
      EXPECT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty());
      EXPECT_EQ(factor.entries(), static_cast<std::size_t>(n));
      EXPECT_EQ(factor.growth(), 1.0);
      const Vector b = random.vector(n);
      Vector x = b, y = b;
      factor.solve(x);
      factor.solve_transposed(y);
      EXPECT_EQ(a * x, b);
      EXPECT_EQ(a.transpose() * y, b);
    }
  }
}

TEST(BasisFactor, TrianglesNeedNoFill) {
  Random random(2);
  const int n = 40;
  Matrix triangle = Matrix::Zero(n, n);
  std::size_t entries = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i <= j; ++i) {
      if (i < j && random.below(4) > 0) continue;
      triangle(i, j) = i == j ? 2.0 : random.entry();
      ++entries;
    }
  const std::vector<int> rows = random.permutation(n), columns = random.permutation(n);
  for (const bool lower : {false, true}) {
    Matrix dense(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) dense(rows[i], columns[j]) = lower ? triangle(j, i) : triangle(i, j);
    BasisFactor<double> factor(n);
    const Basis basis(dense);
    EXPECT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty());
    EXPECT_EQ(factor.entries(), entries);
    expect_solves(factor, dense, random, 1e-14);
  }
}

TEST(BasisFactor, AgreesWithDenseFactors) {
  Random random(test::fuzz_seed(3));
  for (int trial = 0; trial < 400; ++trial) {
    const int n = 1 + random.below(trial < 350 ? 40 : 150);
    const Basis basis = random.basis(n, 1 + random.below(trial % 10 == 0 ? n : 8), random.uniform());
    const Matrix dense = basis.dense();
    BasisFactor<double> factor(n);
    const auto dependent = factor.factorise(basis.views(), tolerance);
    if (!regular(dense)) {
      expect_completed(factor, basis, dependent, random);
      continue;
    }
    ASSERT_TRUE(dependent.rows.empty()) << "trial " << trial;
    expect_solves(factor, dense, random, 1e-13);
    const Vector b = random.vector(n);
    Vector x = b;
    factor.solve(x);
    const Eigen::FullPivLU<Matrix> lu(dense);
    EXPECT_LE((x - lu.solve(b)).norm(), 1e-13 / lu.rcond() * x.norm() + 1e-15);
    EXPECT_LE(factor.growth(), 1e4);
  }
}

TEST(BasisFactor, DenseMatrices) {
  Random random(test::fuzz_seed(4));
  for (const int n : {2, 5, 30, 80}) {
    for (const int rank : {n, n - 1, n / 2, 1}) {
      Matrix dense(n, n);
      for (double& a : dense.reshaped()) a = random.symmetric();
      const std::vector<int> order = random.permutation(n);
      for (int k = rank; k < n; ++k) {
        dense.col(order[k]) = dense.col(order[random.below(rank)]);
        if (rank > 1) dense.col(order[k]) += random.entry() * dense.col(order[random.below(rank)]);
      }
      const Basis basis(dense);
      BasisFactor<double> factor(n);
      const auto dependent = factor.factorise(basis.views(), tolerance);
      EXPECT_EQ(static_cast<int>(dependent.rows.size()), n - rank);
      expect_completed(factor, basis, dependent, random);
    }
  }
}

TEST(BasisFactor, ManyRows) {
  Random random(test::fuzz_seed(15));
  const int n = 700;
  Basis basis;
  // Regular by its diagonal, if not by much.
  for (int j = 0; j < n; ++j) {
    basis.columns.push_back(j % 2 ? Column{{j}, {-1.0}} : random.column(n, 4));
    Column& column = basis.columns.back();
    if (std::count(column.rows.begin(), column.rows.end(), j)) continue;
    column.rows.push_back(j);
    column.values.push_back(2.5);
  }
  BasisFactor<double> factor(n);
  ASSERT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty());
  const Matrix dense = basis.dense();
  expect_solves(factor, dense, random, 1e-12);
}

TEST(BasisFactor, FollowsReplacements) {
  Random random(test::fuzz_seed(5));
  // Updates until the next factorisation, and the backward error allowed. Seen: 5e-13, 3e-11 and 2e-8; pivots here may
  // be a twentieth of the largest in their column, and the columns have no structure.
  for (const auto& [refactor, allowed] : {std::pair{20, 1e-11}, {60, 1e-9}, {1000, 1e-6}}) {
    for (int trial = 0; trial < 12; ++trial) {
      const int n = 1 + random.below(60);
      Basis basis(Matrix::Identity(n, n));
      BasisFactor<double> factor(n), fresh(n);
      ASSERT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty());
      int done = 0, refused = 0;
      for (int step = 0; step < 400; ++step) {
        const Column entering =
            random.below(3) == 0 ? Column{{random.below(n)}, {-1.0}} : random.column(n, 1 + random.below(7));
        const Vector column = Basis::vector(entering, n);
        Vector x = column;
        factor.solve_entering(x);
        ASSERT_LE(backward_error(basis.dense(), x, column), allowed) << "step " << step;
        // Any position with a pivot that a solver would take.
        const int position = random.below(n);
        if (std::abs(x[position]) < 0.05 * x.cwiseAbs().maxCoeff() + 1e-6) continue;
        Vector unrelated = random.vector(n);
        factor.solve(unrelated);  // does not disturb what is remembered
        basis.columns[position] = entering;
        const bool replaced = factor.replace(position);
        EXPECT_FALSE(replaced && factor.replace(position));  // one replacement a solve
        if (!replaced) {
          // Many updates lose digits; few do not.
          ASSERT_GT(factor.updates(), 60) << "step " << step << ", pivot " << x[position];
          ++refused;
        }
        ++done;
        if (!replaced || factor.updates() >= refactor) {
          ASSERT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty());
        }
        if (step % 10 == 0) expect_solves(factor, basis.dense(), random, allowed);
      }
      EXPECT_GT(done, 5);
      EXPECT_LE(refused, 5);
      // Replaced or from scratch, it is the same matrix.
      ASSERT_TRUE(fresh.factorise(basis.views(), tolerance).rows.empty());
      expect_solves(factor, basis.dense(), random, allowed);
      expect_solves(fresh, basis.dense(), random, 1e-12);
    }
  }
}

// The digits that the search for slight contradictions is after. Seen over ten seeds: 1e-18 after a factorisation,
// 5e-18 after updates; a double's last digit is 1e-16.
TEST(BasisFactor, LongDoubleHasItsDigits) {
  using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "long double has no more digits than double here";
  Random random(test::fuzz_seed(17));
  const int n = 40;
  Basis basis(Matrix::Identity(n, n));
  BasisFactor<long double> factor(n);
  long double fresh = 0.0, updated = 0.0;
  for (int step = 0; step < 400; ++step) {
    if (step % 40 == 0) {
      ASSERT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty()) << "step " << step;
    }
    const auto dense = basis.dense().cast<long double>().eval();
    const LongVector b = random.vector(n).cast<long double>();
    LongVector x = b, transposed = b;
    factor.solve(x);
    factor.solve_transposed(transposed);
    long double& worst = step >= 80 && factor.updates() == 0 ? fresh : updated;
    worst = std::max({worst, backward_error(dense, x, b), backward_error(dense.transpose().eval(), transposed, b)});
    const Column column = random.column(n, 5);
    LongVector entering = Basis::vector(column, n).cast<long double>();
    factor.solve_entering(entering);
    Eigen::Index position = 0;
    entering.cwiseAbs().maxCoeff(&position);
    ASSERT_TRUE(factor.replace(static_cast<int>(position))) << "step " << step;
    basis.columns[static_cast<std::size_t>(position)] = column;
  }
  EXPECT_GT(fresh, 0.0);
  EXPECT_LE(fresh, 1e-17L);
  EXPECT_LE(updated, 5e-17L);
}

TEST(BasisFactor, RefusesWhatMakesItSingular) {
  Random random(test::fuzz_seed(6));
  int refused = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + random.below(30);
    Basis basis = random.basis(n, 6, 0.5);
    if (!regular(basis.dense())) continue;
    BasisFactor<double> factor(n);
    ASSERT_TRUE(factor.factorise(basis.views(), tolerance).rows.empty());
    // A combination of all columns but the one that is to leave.
    const int position = random.below(n);
    Vector weights = random.vector(n);
    weights[position] = 0.0;
    const Vector column = basis.dense() * weights;
    Vector x = column;
    const std::size_t entries = factor.entries();
    const double growth = factor.growth();
    Vector before = random.vector(n), after = before;
    factor.solve(before);
    factor.solve_entering(x);
    EXPECT_FALSE(factor.replace(position)) << "trial " << trial << ", pivot " << x[position];
    ++refused;
    // Nothing has changed, not a bit.
    factor.solve(after);
    EXPECT_EQ(before, after);
    EXPECT_EQ(factor.entries(), entries);
    EXPECT_EQ(factor.growth(), growth);
    EXPECT_EQ(factor.updates(), 0);
    // The same column may still go elsewhere.
    Eigen::Index other = 0;
    x.cwiseAbs().maxCoeff(&other);
    ASSERT_TRUE(factor.replace(static_cast<int>(other)));
    Matrix dense = basis.dense();
    dense.col(other) = column;
    expect_solves(factor, dense, random, 1e-11);
  }
  EXPECT_GT(refused, 30);
}

TEST(BasisFactor, FindsTheRank) {
  Random random(test::fuzz_seed(7));
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + random.below(40);
    Basis basis = random.basis(n, 6, 0.4);
    if (!regular(basis.dense())) continue;
    Matrix dense = basis.dense();
    const int missing = 1 + random.below(std::min(n - 1, 5));
    const std::vector<int> order = random.permutation(n);
    for (int k = 0; k < missing; ++k) {
      // Combinations of the columns that stay: of one, of a few, of none.
      Vector column = Vector::Zero(n);
      for (int terms = random.below(4); terms > 0; --terms)
        column += random.entry() * dense.col(order[missing + random.below(n - missing)]);
      dense.col(order[k]) = column;
    }
    const Basis singular(dense);
    BasisFactor<double> factor(n);
    const auto dependent = factor.factorise(singular.views(), tolerance);
    EXPECT_EQ(static_cast<int>(dependent.positions.size()), missing) << "trial " << trial << ", n " << n;
    expect_completed(factor, singular, dependent, random);
  }
}

TEST(BasisFactor, FindsTheStructuralRank) {
  Random random(test::fuzz_seed(8));
  for (int trial = 0; trial < 100; ++trial) {
    // More columns than rows to hold them.
    const int n = 5 + random.below(30), rows = 1 + random.below(n - 3), columns = rows + 1 + random.below(n - rows);
    Basis basis;
    for (int j = 0; j < n; ++j) basis.columns.push_back(j < columns ? random.column(rows, 4) : random.column(n, 4));
    const std::vector<int> order = random.permutation(n), names = random.permutation(n);
    Basis shuffled;
    for (const int j : order) shuffled.columns.push_back(basis.columns[j]);
    for (Column& column : shuffled.columns)
      for (int& i : column.rows) i = names[i];
    BasisFactor<double> factor(n);
    const auto dependent = factor.factorise(shuffled.views(), tolerance);
    EXPECT_GE(static_cast<int>(dependent.positions.size()), columns - rows);
    Eigen::FullPivLU<Matrix> lu(shuffled.dense());
    lu.setThreshold(1e-10);
    EXPECT_EQ(static_cast<int>(dependent.positions.size()), n - lu.rank());
    expect_completed(factor, shuffled, dependent, random);
  }
}

TEST(BasisFactor, NamesTheMissingColumn) {
  // Columns 1 and 3 are the same, row 2 has only their entries and column 2 is empty.
  Matrix dense(4, 4);
  dense << 1, 2, 0, 2,  //
      0, 3, 0, 3,       //
      0, 5, 0, 5,       //
      4, 1, 0, 1;
  const Basis basis(dense);
  BasisFactor<double> factor(4);
  const auto dependent = factor.factorise(basis.views(), tolerance);
  ASSERT_EQ(dependent.positions.size(), 2u);
  EXPECT_TRUE(dependent.positions[0] == 1 || dependent.positions[1] == 3);
  EXPECT_TRUE(dependent.positions[0] == 2 || dependent.positions[1] == 2);
  Random random(9);
  expect_completed(factor, basis, dependent, random);
}

TEST(BasisFactor, ZeroColumnsAndStoredZeros) {
  Random random(10);
  const int n = 6;
  Basis basis;
  for (int j = 0; j < n; ++j) basis.columns.push_back({{0, 1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 0}});
  BasisFactor<double> factor(n);
  EXPECT_EQ(factor.factorise(basis.views(), tolerance).positions, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(factor.growth(), 0.0);
  for (int j = 0; j < n; ++j) basis.columns[j].values[(j + 2) % n] = 3.0;
  basis.columns[4].values = {0, 0, 0, 0, 0, 0};
  const auto dependent = factor.factorise(basis.views(), tolerance);
  EXPECT_EQ(dependent.positions, std::vector<int>{4});
  EXPECT_EQ(dependent.rows, std::vector<int>{0});
  expect_completed(factor, basis, dependent, random);
}

TEST(BasisFactor, DuplicatesOfColumns) {
  Random random(test::fuzz_seed(11));
  const int n = 24;
  Basis basis;
  for (int j = 0; j < n; ++j) basis.columns.push_back(j % 4 == 0 ? random.column(n, 5) : basis.columns[j - 1]);
  BasisFactor<double> factor(n);
  const auto dependent = factor.factorise(basis.views(), tolerance);
  EXPECT_EQ(dependent.positions.size(), 18u);
  for (int j = 0; j < n; j += 4) {
    const auto in_group = [j](int p) { return p / 4 == j / 4; };
    EXPECT_EQ(std::count_if(dependent.positions.begin(), dependent.positions.end(), in_group), 3);
  }
  expect_completed(factor, basis, dependent, random);
}

TEST(BasisFactor, ColumnsOfAnyScale) {
  Random random(test::fuzz_seed(12));
  for (int trial = 0; trial < 100; ++trial) {
    const int n = 2 + random.below(40);
    Basis basis = random.basis(n, 6, 0.3);
    if (!regular(basis.dense())) continue;
    const Matrix plain = basis.dense();
    std::vector<double> scale(n);
    for (int j = 0; j < n; ++j) {
      scale[j] = std::pow(10.0, 12.0 * random.symmetric());
      for (double& value : basis.columns[j].values) value *= scale[j];
    }
    BasisFactor<double> factor(n);
    ASSERT_TRUE(factor.factorise(basis.views(), tolerance, 0.0).rows.empty());
    const Vector b = random.vector(n);
    Vector x = b;
    factor.solve(x);
    for (int j = 0; j < n; ++j) x[j] *= scale[j];
    EXPECT_LE(backward_error(plain, x, b), 1e-13);
    // The scale of the incoming column does not matter either.
    for (const double size : {1e-12, 1e12}) {
      const Column entering = random.column(n, 5);
      Vector y = size * Basis::vector(entering, n);
      factor.solve_entering(y);
      for (int j = 0; j < n; ++j) y[j] *= scale[j];
      Eigen::Index position = 0;
      y.cwiseAbs().maxCoeff(&position);
      ASSERT_TRUE(factor.replace(static_cast<int>(position)));
      basis.columns[position] = entering;
      for (double& value : basis.columns[position].values) value *= size;
      scale[position] = size;
      Matrix unscaled = basis.dense();
      for (int j = 0; j < n; ++j) unscaled.col(j) /= scale[j];
      x = b;
      factor.solve(x);
      for (int j = 0; j < n; ++j) x[j] *= scale[j];
      EXPECT_LE(backward_error(unscaled, x, b), 1e-11);
    }
  }
}

TEST(BasisFactor, NoiseIsNoColumn) {
  Matrix dense = Matrix::Identity(3, 3);
  dense.col(1) *= 1e-17;
  const Basis basis(dense);
  BasisFactor<double> factor(3);
  EXPECT_EQ(factor.factorise(basis.views(), tolerance).positions, std::vector<int>{1});
  EXPECT_TRUE(factor.factorise(basis.views(), tolerance, 0.0).positions.empty());
}

TEST(BasisFactor, IllConditioned) {
  // Hilbert's matrix of order 9, condition 5e11: the residual stays at rounding, whatever the condition.
  const int n = 9;
  Matrix dense(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) dense(i, j) = 1.0 / (i + j + 1);
  const Basis basis(dense);
  BasisFactor<double> factor(n);
  ASSERT_TRUE(factor.factorise(basis.views(), 1e-14).rows.empty());
  Random random(13);
  expect_solves(factor, dense, random, 1e-15);
}

TEST(BasisFactor, TheSameBitsAgain) {
  Random random(test::fuzz_seed(14));
  BasisFactor<double> used(50);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 50;
    const Basis basis = random.basis(n, 8, 0.3), other = random.basis(n, 20, 0.1);
    const Column entering = random.column(n, 5);
    used.factorise(other.views(), tolerance);
    Vector x = Basis::vector(entering, n);
    used.solve_entering(x);
    used.replace(random.below(n));
    BasisFactor<double> fresh(n);
    const auto first = used.factorise(basis.views(), tolerance), second = fresh.factorise(basis.views(), tolerance);
    EXPECT_EQ(first.positions, second.positions);
    EXPECT_EQ(first.rows, second.rows);
    for (int step = 0; step < 30; ++step) {
      const Column column = random.column(n, 6);
      Vector a = Basis::vector(column, n), b = a;
      used.solve_entering(a);
      fresh.solve_entering(b);
      ASSERT_TRUE(same_bits(a, b));
      const int position = random.below(n);
      ASSERT_EQ(used.replace(position), fresh.replace(position));
      a = b = random.vector(n);
      used.solve_transposed(a);
      fresh.solve_transposed(b);
      ASSERT_TRUE(same_bits(a, b));
    }
    EXPECT_EQ(used.growth(), fresh.growth());
    EXPECT_EQ(used.entries(), fresh.entries());
  }
}

}  // namespace
}  // namespace pegrasp::mcp
