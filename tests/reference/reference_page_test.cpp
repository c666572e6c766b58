// SPDX-License-Identifier: Apache-2.0
// The example of docs/reference/cpp-api.md is the code below, word for word. It compiles and does what the page says.
#include <gtest/gtest.h>

#include <string>

#include "tests/files.hpp"

// begin of the example
#include "pegrasp_reference/mcp.hpp"

using namespace pegrasp::mcp;

// Two firms share a market; each offers what is best for it, and no more than 60. x: quantities, F: minus the
// marginal profits.
Result equilibrium() {
  SparseMatrix m(2, 2);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) m.insert(i, j) = i == j ? 2.0 : 1.0;
  }
  Vector q(2);
  q << -150.0, -100.0;
  return solve(linear_problem(m, q, Vector::Zero(2), Vector::Constant(2, 60.0)), Vector::Ones(2));
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
  EXPECT_EQ(result.x[0], 60.0);
  EXPECT_NEAR(result.x[1], 20.0, 1e-9);
}

}  // namespace
}  // namespace pegrasp
