// SPDX-License-Identifier: Apache-2.0
// The README's problem is the one in examples/puck/, which the reader takes.
#include <gtest/gtest.h>

#include <string>

#include "pegrasp/problem.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

TEST(Readme, ProblemIsTheExample) {
  const std::string readme = test::content(test::source_file("README.md"));
  const std::string fence = "```toml\n";
  const std::size_t begin = readme.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t from = begin + fence.size();
  const std::string example = test::content(test::source_file("examples/puck/puck.toml"));
  EXPECT_EQ(readme.substr(from, readme.find("```", from) - from), example);
  const Problem problem = parse_problem(example, "examples/puck/puck.toml");
  EXPECT_EQ(problem.scene.success.size(), 1u);
}

}  // namespace
}  // namespace pegrasp
