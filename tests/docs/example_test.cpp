// SPDX-License-Identifier: Apache-2.0
// The C++ example that pages show is a program that was built and does what they say; the umbrella header has every
// header.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <regex>
#include <string>

#include "tests/files.hpp"
#include "tests/places.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;

TEST(Example, FrictionBatchCountsTheStacksThatStand) {
  const fs::path program = fs::path(test::program()).parent_path() / "pegrasp_example_friction_batch";
  if (!fs::exists(program)) GTEST_SKIP() << program << " is not here";
  const std::string command = program.string() + " " + test::source_file("examples/scenes/stack.json");
  FILE* const pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[256] = {};
  const bool read = std::fgets(line, sizeof line, pipe) != nullptr;
  EXPECT_EQ(pclose(pipe), 0);
  ASSERT_TRUE(read);
  int standing = 0, copies = 0, unresolved = 0;
  double least = 0.0;
  ASSERT_EQ(std::sscanf(line, "%d of %d stacks stand, %d are unresolved; the least friction that holds one is %lf",
                        &standing, &copies, &unresolved, &least),
            4)
      << line;
  EXPECT_EQ(copies, 1000);
  EXPECT_GT(standing, 500);
  EXPECT_LT(standing, 1000) << "without friction the top box slides off";
  EXPECT_EQ(unresolved, 0);
  EXPECT_GT(least, 0.0);
  EXPECT_LT(least, 0.5);
}

// Lines of the README's snippet are lines of the example, but for the names of the namespace that they leave out.
TEST(Example, TheReadmeShowsItsCalls) {
  const std::string readme = test::content(test::source_file("README.md"));
  const std::string example = test::content(test::source_file("examples/cpp/friction_batch.cpp"));
  const std::size_t from = readme.find("```cpp\n");
  ASSERT_NE(from, std::string::npos);
  const std::string snippet = readme.substr(from, readme.find("```\n", from + 7) - from);
  const std::regex call(R"(\bbatch[.]\w+|pegrasp::\w+)");
  int count = 0;
  for (std::sregex_iterator it(snippet.begin(), snippet.end(), call), end; it != end; ++it, ++count) {
    EXPECT_NE(example.find(it->str()), std::string::npos) << it->str();
  }
  EXPECT_GE(count, 5);
}

TEST(UmbrellaHeader, IncludesEveryHeader) {
  const fs::path folder = test::source_file("include/pegrasp");
  const std::string all = test::content(folder / "pegrasp.hpp");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "pegrasp.hpp") continue;
    EXPECT_NE(all.find("#include \"pegrasp/" + name + "\""), std::string::npos) << name;
    EXPECT_NE(test::content(test::source_file("docs/reference/cpp-api.md")).find("`" + name + "`"), std::string::npos)
        << "docs/reference/cpp-api.md does not name " << name;
  }
}

}  // namespace
}  // namespace pegrasp
