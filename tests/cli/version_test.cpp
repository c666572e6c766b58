// SPDX-License-Identifier: Apache-2.0
// Every result names the version and the revision that it comes from.
#include <gtest/gtest.h>
#include <hdf5.h>

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

TEST(CliVersion, EveryResultNamesIt) {
  Folder folder;
  const std::string stack = source_file("examples/scenes/stack.json");
  const std::string out = (folder.path() / "map").string();
  const Finished info = pegrasp_run(folder, {"info"});
  EXPECT_EQ(info.out.rfind(std::string("pegrasp ") + version::number, 0), 0u) << info.out;
  EXPECT_NE(info.out.find(version::git), std::string::npos) << info.out;
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
}

}  // namespace
}  // namespace pegrasp
