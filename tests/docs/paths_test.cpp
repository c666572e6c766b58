// SPDX-License-Identifier: Apache-2.0
// Every path of this repository that README, CONTRIBUTING, the pages in docs/ and those of the studies name exists,
// and so does every page they link to.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

const fs::path root = test::source_dir();

std::vector<fs::path> pages() {
  std::vector<fs::path> all{root / "README.md", root / "CONTRIBUTING.md"};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "bench" / "studies")) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  }
  return all;
}

std::set<std::string> found(const std::string& text, const std::regex& pattern) {
  std::set<std::string> all;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) all.insert((*it)[1].str());
  return all;
}

// A path with a pattern or a placeholder in it (*, {, <) stands for several: its folder must exist.
bool exists(const std::string& path) {
  const std::size_t wild = path.find_first_of("*{<");
  if (wild == std::string::npos) return fs::exists(root / path);
  return fs::is_directory(root / path.substr(0, path.find_last_of('/', wild)));
}

TEST(Documentation, NamesPathsThatExist) {
  const std::regex named(
      R"((?:^|[^A-Za-z0-9_./-])((?:src|kernels|include|tests|bench|scripts|examples|docs|\.ci)/[A-Za-z0-9_./*{<,-]*[A-Za-z0-9_/*{<]))");
  int count = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& path : found(test::content(page), named)) {
      EXPECT_TRUE(exists(path)) << fs::relative(page, root) << " names " << path;
      ++count;
    }
  }
  EXPECT_GT(count, 100) << "the pattern finds nothing any more";
}

TEST(Documentation, LinksLeadSomewhere) {
  const std::regex link(R"(\]\(([^)#]+)(?:#[^)]*)?\))");
  for (const fs::path& page : pages()) {
    for (const std::string& target : found(test::content(page), link)) {
      if (target.find("://") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(page.parent_path() / target)) << fs::relative(page, root) << " links to " << target;
    }
  }
}

}  // namespace
}  // namespace pegrasp
