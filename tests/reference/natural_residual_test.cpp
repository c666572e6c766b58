// SPDX-License-Identifier: Apache-2.0
// The measure by which every answer is assessed.
#include <gtest/gtest.h>

#include <cmath>

#include "pegrasp_reference/mcp.hpp"

namespace pegrasp::mcp {
namespace {

Vector one(double a) { return Vector::Constant(1, a); }

TEST(NaturalResidual, VanishesAtEachKindOfSolution) {
  EXPECT_EQ(natural_residual(one(0.0), one(3.0), one(0.0), one(1.0)), 0.0);   // at the lower bound, F > 0
  EXPECT_EQ(natural_residual(one(1.0), one(-3.0), one(0.0), one(1.0)), 0.0);  // at the upper bound, F < 0
  EXPECT_EQ(natural_residual(one(0.5), one(0.0), one(0.0), one(1.0)), 0.0);   // in between, F = 0
  EXPECT_EQ(natural_residual(one(2.0), one(2.0), one(2.0), one(2.0)), 0.0);   // fixed: any F
}

TEST(NaturalResidual, MeasuresWhatIsMissing) {
  EXPECT_DOUBLE_EQ(natural_residual(one(0.0), one(-0.25), one(0.0), one(1.0)), 0.25);
  EXPECT_DOUBLE_EQ(natural_residual(one(0.5), one(0.1), one(0.0), one(1.0)), 0.1);
  EXPECT_DOUBLE_EQ(natural_residual(one(0.5), one(9.0), one(0.0), one(1.0)), 0.5);  // as far as the bound
  EXPECT_DOUBLE_EQ(natural_residual(one(0.5), one(9.0), one(-infinity), one(infinity)), 9.0);
}

TEST(NaturalResidual, DoesNotCancelWhereXIsLarge) {
  EXPECT_EQ(natural_residual(one(1e20), one(1.5), one(-infinity), one(infinity)), 1.5);
  EXPECT_EQ(natural_residual(one(1e20), one(1.5), one(0.0), one(infinity)), 1.5);
}

TEST(NaturalResidual, CountsNanAsInfinite) {
  EXPECT_EQ(natural_residual(one(std::nan("")), one(0.0), one(0.0), one(1.0)), infinity);
  EXPECT_EQ(natural_residual(one(0.0), one(std::nan("")), one(-infinity), one(infinity)), infinity);
}

}  // namespace
}  // namespace pegrasp::mcp
