// SPDX-License-Identifier: Apache-2.0
// Every command that bench/studies/thesis/experiments.md names exists: commands and files of pegrasp, experiments of
// experiments.py, tests and programs; and the page has every row of experiments.toml.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

const char* const study_folder = "bench/studies/thesis/";

std::string of_study(const std::string& name) { return test::content(test::source_file(study_folder + name)); }

// What `pattern` captures first, at each place.
std::vector<std::string> captured(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> all;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) all.push_back((*it)[1].str());
  return all;
}

// Suite.Test and, of tests with parameters, Instance/Suite.Test of all tests, by their sources.
const std::set<std::string>& test_names() {
  static const std::set<std::string> found = [] {
    std::set<std::string> names;
    std::vector<std::pair<std::string, std::string>> instances;  // suite, instance
    const std::regex test_case(R"(\bTEST(?:_[PF])?\(\s*(\w+),\s*(\w+)\s*\))");
    const std::regex instance(R"(\bINSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*(\w+),)");
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(test::source_file("tests"))) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = test::content(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), test_case), end; it != end; ++it)
        names.insert((*it)[1].str() + "." + (*it)[2].str());
      for (std::sregex_iterator it(text.begin(), text.end(), instance), end; it != end; ++it)
        instances.emplace_back((*it)[2].str(), (*it)[1].str());
    }
    const std::set<std::string> plain = names;
    for (const auto& [suite, name] : instances) {
      for (const std::string& of_suite : plain) {
        if (of_suite.rfind(suite + ".", 0) != 0) continue;
        names.erase(of_suite);  // it has no other name than with its instance
        names.insert(name + "/" + of_suite);
      }
    }
    return names;
  }();
  return found;
}

bool some_test_begins_with(const std::string& begin) {
  return std::any_of(test_names().begin(), test_names().end(),
                     [&](const std::string& name) { return name.rfind(begin, 0) == 0; });
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

TEST(ExperimentsPage, TestsExist) {
  const std::vector<std::string> named = captured(of_study("experiments.md"), std::regex("`ctest -R ([^`]+)`"));
  EXPECT_GT(named.size(), 15u);
  for (const std::string& begin : named) EXPECT_TRUE(some_test_begins_with(begin)) << begin;
  EXPECT_FALSE(some_test_begins_with("NoSuchSuite"));
}

TEST(ExperimentsPage, ExperimentsExist) {
  const std::string script = of_study("experiments.py");
  const std::vector<std::string> named =
      captured(of_study("experiments.md"), std::regex(R"(`experiments\.py ([a-z_]+)`)"));
  EXPECT_GT(named.size(), 10u);
  for (const std::string& name : named) {
    EXPECT_NE(script.find("\ndef " + name + "("), std::string::npos) << name;
    EXPECT_TRUE(std::regex_search(script, std::regex("EXPERIMENTS = [^}]*\\b" + name + "\\b"))) << name;
  }
}

TEST(ExperimentsPage, CommandsAndFilesExist) {
  const std::string commands = test::content(test::source_file("docs/reference/command-line.md"));
  const std::vector<std::string> named = captured(of_study("experiments.md"), std::regex(R"(`pegrasp ([^`]+)`)"));
  EXPECT_GT(named.size(), 2u);
  for (const std::string& line : named) {
    const std::vector<std::string> words = words_of(line);
    EXPECT_NE(commands.find("`" + words[0] + "`"), std::string::npos) << line;
    if (words.size() > 1) {
      EXPECT_TRUE(fs::exists(test::source_file(words[1]))) << line;
    }
  }
}

TEST(ExperimentsPage, ProgramsExist) {
  const std::string targets = of_study("CMakeLists.txt") +
                              test::content(test::source_file("bench/studies/plate/CMakeLists.txt")) +
                              test::content(test::source_file("bench/studies/penalty/CMakeLists.txt")) +
                              test::content(test::source_file("bench/studies/ratio/CMakeLists.txt"));
  for (const std::string& name : captured(of_study("experiments.md"), std::regex(R"(`(pegrasp_\w+)[ `])")))
    EXPECT_NE(targets.find("(" + name + " "), std::string::npos) << name;
}

TEST(ExperimentsPage, HasEveryRow) {
  const std::string page = of_study("experiments.md"), rows = of_study("experiments.toml");
  const std::vector<std::string> figures = captured(rows, std::regex("\nfigure = \"([^\"]*)\""));
  const std::vector<std::string> shows = captured(rows, std::regex("\nshows = \"([^\"]*)\""));
  EXPECT_GT(figures.size(), 50u);
  ASSERT_EQ(figures.size(), shows.size());
  for (std::size_t k = 0; k < figures.size(); ++k)
    EXPECT_NE(page.find("\n| " + figures[k] + " | " + shows[k] + " | "), std::string::npos) << figures[k];
  for (const std::string& verdict : captured(rows, std::regex("\nverdict = \"([^\"]*)\""))) {
    const std::set<std::string> known{"agrees", "differs", "figure only", "not in pegrasp"};
    EXPECT_TRUE(known.count(verdict)) << verdict;
  }
}

}  // namespace
}  // namespace pegrasp
