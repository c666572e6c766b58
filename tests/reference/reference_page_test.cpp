// SPDX-License-Identifier: Apache-2.0
// The example of docs/reference/cpp-api.md is the code below, word for word. It compiles and does what the page says.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/files.hpp"

// begin of the example
#include "pegrasp_reference/mcp.hpp"

using namespace pegrasp::mcp;

// Two firms: each offers what is best for it, and no more than 60. x: quantities, F: minus the marginal profits.
bool minus_marginal_profits(const Vector& x, Vector& f, SparseMatrix* jacobian) {
  const double total = x[0] + x[1];
  f.resize(2);
  for (int i = 0; i < 2; ++i) f[i] = 0.01 * total * total + 0.02 * total * x[i] - (i == 0 ? 80.0 : 40.0);
  if (jacobian) {
    *jacobian = SparseMatrix(2, 2);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        jacobian->insert(i, j) = 0.02 * total + 0.02 * x[i] + (i == j ? 0.02 * total : 0.0);
      }
    }
    jacobian->makeCompressed();
  }
  return true;  // false where F is not defined
}

Problem duopoly() {
  Problem p;
  p.lower = Vector::Zero(2);
  p.upper = Vector::Constant(2, 60.0);
  p.evaluate = minus_marginal_profits;
  return p;
}

Result equilibrium() {
  Options options;
  options.tolerance = 1e-12;
  return solve(duopoly(), Vector::Ones(2), options);
}
// end of the example

namespace pegrasp {
namespace {

TEST(ReferencePage, ExampleIsThisCode) {
  const std::string here = test::content(test::source_file("tests/reference/reference_page_test.cpp"));
  const std::string from = "// begin of the example\n", to = "// end of the example\n";
  const std::size_t begin = here.find(from) + from.size();
  const std::string example = here.substr(begin, here.find("\n" + to, begin) + 1 - begin);
  const std::string page = test::content(test::source_file("docs/reference/cpp-api.md"));
  EXPECT_NE(page.find("```cpp\n" + example + "```\n"), std::string::npos);
}

TEST(ReferencePage, ExampleIsSolved) {
  const Result result = equilibrium();
  ASSERT_EQ(result.status, Status::solved) << result.message;
  EXPECT_LE(result.residual, 1e-12);
  // 0.01 t^2 + 0.02 t x_i = 80, 40, and their sum 0.04 t^2 = 120.
  const double t = std::sqrt(3000.0);
  EXPECT_NEAR(result.x[0], (80.0 - 0.01 * t * t) / (0.02 * t), 1e-9);
  EXPECT_NEAR(result.x[1], (40.0 - 0.01 * t * t) / (0.02 * t), 1e-9);
}

}  // namespace
}  // namespace pegrasp
