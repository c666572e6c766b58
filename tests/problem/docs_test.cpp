// SPDX-License-Identifier: Apache-2.0
// docs/reference/problem-file.md against the reader: its example is read, and it names every key.
#include <gtest/gtest.h>

#include <cctype>
#include <set>

#include "src/problem/keys.hpp"
#include "src/text/units.hpp"
#include "tests/problem/same_problem.hpp"

namespace pegrasp {
namespace {

std::string reference() { return test::content(test::source_file("docs/reference/problem-file.md")); }

TEST(ProblemFileReference, FirstExampleIsAProblem) {
  const std::string text = reference();
  const std::string fence = "```toml\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const Problem p =
      parse_problem(text.substr(begin, text.find("```", begin) - begin), "docs/reference/problem-file.md");
  ASSERT_EQ(p.uncertain.size(), 2u);
  EXPECT_EQ(p.uncertain[0].name, "table");
  EXPECT_EQ(p.uncertain[1].name, "puck.vx");
  EXPECT_EQ(p.scene.success.size(), 1u);
}

// The words of a page's code (between backticks) and of its headings, without units: "h_ms" counts as "h".
std::set<std::string> key_words(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  bool code = false;
  bool heading = false;
  char before = '\n';
  for (const char c : text + "\n") {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (letter && (code || heading)) word += c;
    if (!letter && !word.empty()) {
      words.insert(key_base(word));
      word.clear();
    }
    if (c == '`') code = !code;
    if (before == '\n') heading = c == '#';
    before = c;
  }
  return words;
}

TEST(ProblemFileReference, NamesEveryKey) {
  const std::set<std::string> words = key_words(reference());
  using namespace keys;
  for (const KeyList& list :
       {root,     map,   refine,       grid,    axis,  map_axis,     simulation, gravity,          spatial_gravity,
        space,    body,  spatial_body, support, part,  spatial_part, keyframe,   spatial_keyframe, no_contact,
        friction, joint, actuator,     program, group, uncertain,    value,      distribution,     group_member,
        predicate}) {
    for (const std::string& key : list) EXPECT_TRUE(words.count(key_base(key))) << key;
  }
}

}  // namespace
}  // namespace pegrasp
