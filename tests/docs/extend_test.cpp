// SPDX-License-Identifier: Apache-2.0
// The checklists of CONTRIBUTING.md against the code: their paths exist, the files they name know the choice they are
// about, and every choice is in the page of keys.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "pegrasp/grasps.hpp"
#include "pegrasp/names.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

std::string page() { return test::content(test::source_file("CONTRIBUTING.md")); }
std::string keys_page() { return test::content(test::source_file("docs/reference/problem-file.md")); }

std::vector<std::string> all(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.push_back((*it)[1].str());
  return found;
}

// Enumerators of an enum of a public header, without comments.
std::vector<std::string> enumerators(const std::string& header, const std::string& name) {
  std::string text = test::content(test::source_file("include/pegrasp/" + header));
  text = std::regex_replace(text, std::regex("//[^\n]*"), "");
  const std::size_t from = text.find('{', text.find("enum class " + name));
  const std::string body = text.substr(from + 1, text.find('}', from) - from - 1);
  return all(body, std::regex(R"((\w+)\s*(?:=\s*\d+\s*)?(?:,|$|\s+$))"));
}

// Of the page's section with this heading.
std::string section(const std::string& heading) {
  const std::string text = page();
  const std::size_t from = text.find("\n### " + heading + "\n");
  EXPECT_NE(from, std::string::npos) << heading;
  return text.substr(from, text.find("\n### ", from + 4) - from);
}

std::set<std::string> paths(const std::string& text) {
  const auto found = all(text, std::regex(R"(`((?:include|kernels|src|tests|docs|scripts|bench)/[A-Za-z0-9_./-]+)`)"));
  return {found.begin(), found.end()};
}

// Path and text of the files of kernels/, src/ and bench/, without studies.
const std::map<std::string, std::string>& sources() {
  static const std::map<std::string, std::string> found = [] {
    std::map<std::string, std::string> texts;
    for (const char* folder : {"kernels", "src", "bench"}) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_file(folder))) {
        const std::string path = std::filesystem::relative(entry.path(), test::source_dir()).string();
        if (!entry.is_regular_file() || path.starts_with("bench/studies/")) continue;
        texts.emplace(path, test::content(entry.path()));
      }
    }
    return texts;
  }();
  return found;
}

TEST(ExtendPage, PathsExist) {
  const std::set<std::string> named = paths(page());
  EXPECT_GT(named.size(), 60u);
  for (const std::string& path : named) EXPECT_TRUE(std::filesystem::exists(test::source_file(path))) << path;
}

// A file of kernels/ or src/ that switches over the kind and that the checklist leaves out would be forgotten.
TEST(ExtendPage, ChecklistsAreComplete) {
  const std::map<std::string, std::string> kinds{{"DistributionKind::", "A distribution"},
                                                 {"PredicateKind::", "A success predicate"},
                                                 {"SolidKind::", "A shape"},
                                                 {"SolverKind::", "A solver"},
                                                 {"ContactModel::", "A contact model"},
                                                 {"GraspFormat::", "A file format"}};
  // They ask for one kind alone, whose part in them no other can have.
  const std::set<std::string> elsewhere{"src/problem/read_support.cpp",
                                        "src/sampling/groups.cpp",  // distributions of tripods; mixtures
                                        "src/rare/rare.cpp",
                                        "src/rare/scores.cpp",            // the same of rare failures
                                        "src/problem/uncertainties.hpp",  // declares what its source defines
                                        "src/problem/problem.cpp",        // a choice among variants
                                        "src/problem/add_protocol.cpp",   // makes the success of a protocol
                                        "bench/cases.hpp",
                                        "bench/measure.hpp"};  // what is measured by default
  for (const auto& [kind, heading] : kinds) {
    const std::set<std::string> named = paths(section(heading));
    for (const auto& [path, text] : sources()) {
      if (text.find(kind) == std::string::npos) continue;
      EXPECT_TRUE(named.count(path) || elsewhere.count(path))
          << path << " has " << kind << ", " << heading << " not it";
    }
  }
}

// The compiler names every switch that lacks a new predicate, but no comparison.
TEST(ExtendPage, NothingAsksForOnePredicate) {
  const std::regex comparison(R"(([=!]=\s*PredicateKind::\w+))");
  for (const auto& [path, text] : sources())
    EXPECT_TRUE(all(text, comparison).empty()) << path << ": switch over the kind, or ask properties() or time_of()";
}

TEST(GraspFilesReference, NamesEveryFormat) {
  const std::string text = test::content(test::source_file("docs/reference/grasp-files.md"));
  for (const std::string& name : grasp_format_names())
    EXPECT_NE(text.find("`" + name + "`"), std::string::npos) << name;
}

TEST(ProblemFileReference, NamesEveryChoice) {
  const std::string text = keys_page();
  const auto named = [&](const std::string& name) { return text.find("`" + name + "`") != std::string::npos; };
  for (const auto& names :
       {contact_names(), solver_names(), arithmetic_names(), strategy_names(), joint_names(), actuator_names()}) {
    for (const std::string& name : names) EXPECT_TRUE(named(name)) << name;
  }
  EXPECT_EQ(enumerators("options.hpp", "SolverKind").size(), solver_names().size());
  EXPECT_EQ(enumerators("options.hpp", "ContactModel").size(), contact_names().size());
  EXPECT_EQ(enumerators("grasps.hpp", "GraspFormat"), grasp_format_names());
  for (const std::string& name : enumerators("kinds.hpp", "DistributionKind")) {
    if (name == "mixture") continue;  // `groups` make mixtures
    EXPECT_TRUE(named(name)) << name;
  }
  EXPECT_TRUE(named("groups"));
  for (const std::string& name : enumerators("kinds.hpp", "PredicateKind")) {
    const std::string key = name == "negate" ? "not" : name;
    EXPECT_TRUE(std::regex_search(text, std::regex("`" + key + "(_mm|_mm_s|_deg|_n)?( = [^`]*)?`"))) << name;
  }
}

}  // namespace
}  // namespace pegrasp
