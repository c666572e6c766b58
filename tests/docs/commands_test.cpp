// SPDX-License-Identifier: Apache-2.0
// The commands that the README and the tutorials show in ```sh blocks are run, page by page and in their order. A line
// that begins with "# " after a command is part of what the command prints, and so is a line that counts trials in the
// ```text block that follows. Instead of scripts/demo.sh its map alone is made.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/files.hpp"
#include "tests/places.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

struct Command {
  std::string line;
  std::vector<std::string> prints;  // lines, spaces counted once
};

// Spaces in a row count as one.
std::string words_of(const std::string& line) {
  std::istringstream stream(line);
  std::string all, word;
  while (stream >> word) all += (all.empty() ? "" : " ") + word;
  return all;
}

std::vector<Command> commands_of(const std::string& page) {
  std::vector<Command> commands;
  std::istringstream stream(page);
  bool in_block = false, in_output = false, goes_on = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("```", 0) == 0) {
      in_block = line == "```sh";
      in_output = line == "```text";
      continue;
    }
    if (in_output && !commands.empty() && line.rfind("trials ", 0) == 0)
      commands.back().prints.push_back(words_of(line));
    if (!in_block || line.empty()) continue;
    if (line.rfind("# ", 0) == 0) {
      if (!commands.empty()) commands.back().prints.push_back(words_of(line.substr(2)));
      continue;
    }
    const std::size_t comment = line.find("  # ");
    if (comment != std::string::npos) line.resize(line.find_last_not_of(' ', comment) + 1);
    const bool ends = line.back() != '\\';
    if (!ends) line.back() = ' ';
    if (goes_on) {
      commands.back().line += line;
    } else {
      commands.push_back({line, {}});
    }
    goes_on = !ends;
  }
  return commands;
}

struct Said {
  int code;
  std::string text;  // standard output and standard error
};

Said run_in(const fs::path& folder, const std::string& line) {
  Said said{-1, {}};
  FILE* const pipe = ::popen(("cd '" + folder.string() + "' && " + line + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return said;
  std::array<char, 4096> some;
  while (std::fgets(some.data(), some.size(), pipe) != nullptr) said.text += words_of(some.data()) + "\n";
  const int status = ::pclose(pipe);
  if (WIFEXITED(status)) said.code = WEXITSTATUS(status);
  return said;
}

class DocumentationLong : public ::testing::TestWithParam<const char*> {};

TEST_P(DocumentationLong, CommandsDoWhatThePageSays) {
  const test::Folder folder;
  fs::create_directory(folder.path() / "build");
  fs::create_symlink(fs::absolute(test::program()), folder.path() / "build" / "pegrasp");
  fs::create_symlink(fs::absolute(test::source_file("examples")), folder.path() / "examples");
  fs::copy_file(test::source_file("examples/push/push.toml"),
                folder.path() / "push.toml");  // what your-own-problem.md ends with
  int count = 0;
  for (Command command : commands_of(test::content(test::source_file(GetParam())))) {
    if (command.line == "scripts/demo.sh") command.line = "build/pegrasp map examples/gear/gear.toml";
    if (command.line.rfind("scripts/", 0) == 0) continue;
    const Said said = run_in(folder.path(), command.line);
    // `run` ends with 1 when its trial was not solved, as one in why-did-this-trial-fail.md is not.
    const bool unsolved = said.code == 1 && command.line.rfind("build/pegrasp run", 0) == 0 &&
                          said.text.find("status:") != std::string::npos;
    EXPECT_TRUE(said.code == 0 || unsolved) << command.line << "\n" << said.text;
    for (const std::string& line : command.prints) {
      EXPECT_NE(said.text.find(line), std::string::npos) << command.line << "\nshould print\n"
                                                         << line << "\nnot\n"
                                                         << said.text;
    }
    ++count;
  }
  EXPECT_GT(count, 1) << "the page has no commands any more";
}

std::string page_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = fs::path(info.param).stem().string();
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Pages, DocumentationLong,
                         ::testing::Values("README.md", "docs/tutorials/first-map.md",
                                           "docs/tutorials/your-own-problem.md",
                                           "docs/tutorials/why-did-this-trial-fail.md"),
                         page_name);

}  // namespace
}  // namespace pegrasp
