// SPDX-License-Identifier: Apache-2.0
// Problems captured from running scenes: there are some of every family, and they are finite.
#include <gtest/gtest.h>

#include <map>

#include "reference/problems/contact_sets.hpp"
#include "reference/steps.hpp"

namespace pegrasp::reference {
namespace {

TEST(ContactProblems, EveryFamilyIsThere) {
  test::CaptureOptions options;
  options.boxes = 1;
  options.steps = {0.004, 0.016};
  const auto problems = test::captured_problems(options);
  std::map<std::string, int> count;
  std::map<std::string, Eigen::Index> largest;
  for (const test::CapturedProblem& p : problems) {
    ++count[p.family];
    largest[p.family] = std::max(largest[p.family], p.formulated.start.size());
    EXPECT_TRUE(p.formulated.problem.linear);
    mcp::Vector f;
    ASSERT_TRUE(p.formulated.problem.evaluate(p.formulated.start, f, nullptr));
    EXPECT_TRUE(f.allFinite()) << p.name;
  }
  EXPECT_EQ(count.size(), 10u);
  for (const auto& [family, n] : count) {
    EXPECT_GE(n, 4) << family;
    std::cout << family << ": " << n << " problems of at most " << largest[family] << " rows\n";
  }
}

}  // namespace
}  // namespace pegrasp::reference
