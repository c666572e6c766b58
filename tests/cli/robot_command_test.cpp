// SPDX-License-Identifier: Apache-2.0
// pegrasp run with meshes and robots: the example runs, and what is wrong with a file is one line and exit code 2.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/formats/urdf_file.hpp"
#include "tests/cli/child.hpp"
#include "tests/scene/mesh_shapes.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;

struct CliRobot : testing::Test {
  Folder folder;
  void SetUp() override {
    if (!reads_urdf()) GTEST_SKIP() << "built without TinyXML-2";
  }
  // Runs the arm's scene with this robot beside it.
  void expect_refusal(const std::string& urdf, const std::string& words) {
    test::written(folder.path() / "arm.urdf", urdf);
    const auto scene =
        test::written(folder.path() / "arm.json", test::content(test::source_file("examples/arm/arm.json")));
    const Finished done = pegrasp_run(folder, {"run", scene.string()});
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_NE(done.err.find("arm.urdf:"), std::string::npos) << done.err;
    EXPECT_NE(done.err.find(words), std::string::npos) << done.err;
  }
};

TEST_F(CliRobot, TheExampleRuns) {
  const Finished done =
      pegrasp_run(folder, {"run", test::source_file("examples/arm/arm.json"), "--h", "0.01", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["unresolved_steps"], 0);
}

TEST_F(CliRobot, WhatIsWrongIsOneLine) {
  const std::string arm = test::content(test::source_file("examples/arm/arm.urdf"));
  expect_refusal(arm, "palm.stl: no such file: check the path");
  std::string odd = arm;
  expect_refusal(odd.replace(odd.find("type=\"fixed\""), 12, "type=\"ball\""), "is not simulated");
  std::filesystem::create_directory(folder.path() / "meshes");
  test::written(folder.path() / "meshes" / "palm.stl", "solid palm\nendsolid\n");
  expect_refusal(arm, "palm.stl: has no faces");
  test::written(folder.path() / "meshes" / "finger.obj", test::l_shape_obj());
  test::written(folder.path() / "meshes" / "palm.stl", test::binary_stl(test::box_triangles({0, 0, 0}, {1, 1, 1})));
  expect_refusal(arm, "V-HACD or CoACD");
}

}  // namespace
}  // namespace pegrasp
