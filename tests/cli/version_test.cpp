// SPDX-License-Identifier: Apache-2.0
// Every result names the version and the revision that it comes from.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pegrasp/version.hpp"
#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using nlohmann::json;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

void expect_named(const std::string& text, const std::string& what) {
  SCOPED_TRACE(what);
  const json out = json::parse(text, nullptr, false);
  ASSERT_FALSE(out.is_discarded()) << text;
  EXPECT_EQ(out["version"], version::number);
  EXPECT_EQ(out["git"], version::git);
}

std::string text_attribute(const std::string& file, const char* name) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(id, name, H5P_DEFAULT);
  if (attribute < 0) {
    H5Fclose(id);
    return "absent";
  }
  const hid_t type = H5Aget_type(attribute);
  std::string text;
  if (H5Tis_variable_str(type) > 0) {
    char* value = nullptr;
    H5Aread(attribute, type, &value);
    if (value != nullptr) text = value;
    H5free_memory(value);
  } else {
    text.resize(H5Tget_size(type));
    H5Aread(attribute, type, text.data());
    text = text.c_str();
  }
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(id);
  return text;
}

// "pegrasp 0.3.0 (3f2a91c)".
std::string made_by() {
  const std::string git = version::git;
  return std::string("pegrasp ") + version::number + (git.empty() ? "" : " (" + git + ")");
}

TEST(CliVersion, EveryResultNamesIt) {
  Folder folder;
  const std::string stack = source_file("examples/scenes/stack.json");
  const std::string out = (folder.path() / "map").string();
  const Finished info = pegrasp_run(folder, {"info"});
  EXPECT_EQ(info.out.rfind(made_by() + "\n", 0), 0u) << info.out;
  EXPECT_EQ(pegrasp_run(folder, {"--version"}).out, made_by() + "\n");
  expect_named(pegrasp_run(folder, {"info", "--json"}).out, "info");
  expect_named(pegrasp_run(folder, {"run", stack, "--t-end", "0.1", "--json"}).out, "run");
  expect_named(pegrasp_run(folder, {"run", stack, "--t-end", "0.1", "--steps", "--json"}).out, "run --steps");
  expect_named(pegrasp_run(folder, {"run", stack, "--t-end", "0.1", "--step", "2", "--json"}).out, "run --step");
  const Finished map = pegrasp_run(
      folder, {"map", source_file("examples/puck/puck.toml"), "--samples", "3", "--out", out, "--json", "--no-plot"});
  expect_named(map.out, "map");
  expect_named(content(out + "/summary.json"), "summary.json");
  EXPECT_EQ(text_attribute(out + "/map.h5", "version"), version::number);
  EXPECT_EQ(text_attribute(out + "/map.h5", "git"), version::git);
  EXPECT_EQ(content(out + "/problem.toml").rfind("# " + made_by() + "\n", 0), 0u) << content(out + "/problem.toml");
  expect_named(pegrasp_run(folder, {"map", source_file("examples/puck/puck.toml"), "--samples", "4", "--out",
                                    out + "-parts", "--json", "--shard", "1/2"})
                   .out,
               "map --shard");
}

TEST(CliVersion, WhatIsDecidedNamesIt) {
  Folder folder;
  const std::string out = (folder.path() / "map").string();
  const std::vector<std::string> job{
      "map", source_file("examples/puck/puck.toml"), "--samples", "100", "--out", out, "--no-plot", "--no-step-check"};
  const std::string line = "\nmade by     " + made_by() + "\nwritten to  ";
  const Finished map = pegrasp_run(folder, job);
  EXPECT_NE(map.out.find(line), std::string::npos) << map.out;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", out, out}, {"explain", out}, {"best", out}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--out", (folder.path() / "decided").string(), "--no-plot"});
    const Finished text = pegrasp_run(folder, all);
    EXPECT_NE(text.out.find(line), std::string::npos) << text.out << text.err;
    expect_named(content(folder.path() / "decided" / (words.front() + ".json")), words.front());
  }
}

// A map that another version has finished is taken as it is: its problem differs in the first line alone.
TEST(CliVersion, CompareGoesOnWithMapsOfOtherVersions) {
  const std::string puck = source_file("examples/puck/puck.toml");
  Folder folder;
  const std::filesystem::path out = folder.path() / "c";
  const std::vector<std::string> job{"compare", puck,         puck,        "--samples", "20",
                                     "--out",   out.string(), "--no-plot", "--quiet",   "--resume"};
  ASSERT_EQ(pegrasp_run(folder, job).code, 0);
  const std::string today = content(out / "a" / "problem.toml");
  const std::string problem = today.substr(today.find('\n') + 1);
  const auto written = std::filesystem::last_write_time(out / "a" / "map.h5");
  for (const std::string& first : {std::string("# pegrasp 0.2.0 (1234567)\n"), std::string()}) {
    std::ofstream(out / "a" / "problem.toml", std::ios::binary) << first << problem;
    ASSERT_EQ(pegrasp_run(folder, job).code, 0);
    EXPECT_EQ(std::filesystem::last_write_time(out / "a" / "map.h5"), written) << first;
  }
  std::ofstream(out / "a" / "problem.toml", std::ios::binary) << "# another problem\n" << problem;
  ASSERT_EQ(pegrasp_run(folder, job).code, 0);
  EXPECT_NE(std::filesystem::last_write_time(out / "a" / "map.h5"), written);
}

}  // namespace
}  // namespace pegrasp
