// SPDX-License-Identifier: Apache-2.0
// docs/problem-file.md against the reader: its example is read, and it names every key.
#include <gtest/gtest.h>

#include <regex>

#include "problem/keys.hpp"
#include "problem/units.hpp"
#include "same_problem.hpp"

namespace pegrasp {
namespace {

std::string reference() { return test::content(test::source_file("docs/problem-file.md")); }

TEST(ProblemFileReference, FirstExampleIsAProblem) {
  const std::string text = reference();
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const Problem p = parse_problem(text.substr(begin, text.find("```", begin) - begin), "docs/problem-file.md");
  ASSERT_EQ(p.uncertain.size(), 2u);
  EXPECT_EQ(p.uncertain[0].name, "table");
  EXPECT_EQ(p.uncertain[1].name, "puck.vx");
  EXPECT_EQ(p.scene.success.size(), 1u);
}

TEST(ProblemFileReference, NamesEveryKey) {
  const std::string text = reference();
  using namespace keys;
  for (const KeyList& list : {root, map, grid, axis, simulation, gravity, body, support, part, keyframe, no_contact,
                              friction, actuator, group, uncertain, value, distribution, group_member, predicate}) {
    for (const std::string& key : list) {
      // a key that may end in several units is named with one of them
      EXPECT_TRUE(std::regex_search(text, std::regex("[`.]" + key_base(key) + "(_[a-z_0-9]+)?(`| =)"))) << key;
    }
  }
}

}  // namespace
}  // namespace pegrasp
