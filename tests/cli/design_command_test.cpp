// SPDX-License-Identifier: Apache-2.0
// pegrasp design as a child process: its files and its refusals.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A disc of 5 mm above a hole, whose width is the design.
std::string hole_in(const Folder& folder) {
  const fs::path file = folder.path() / "hole.toml";
  std::ofstream(file) << R"([map]
samples = 4
[simulation]
h_ms = 2
duration_s = 0.4
[gravity]
y_m_s2 = -9.81
[[body]]
name = "disc"
mass_kg = 0.01
x_mm = { distribution = "uniform", low = -1, high = 1 }
y_mm = 8
part = [{ shape = "disc", radius_mm = 5 }]
[[body]]
name = "left"
kind = "fixed"
part = [{ shape = "polygon", vertices_mm = [[-6, 0], [-60, 0], [-60, -30], [-6, -30]] }]
[[body]]
name = "right"
kind = "fixed"
part = [{ shape = "polygon", vertices_mm = [[6, -30], [60, -30], [60, 0], [6, 0]] }]
[[body]]
name = "sides"
kind = "fixed"
part = [
  { shape = "half_plane", normal = [1, 0], offset_mm = -50 },
  { shape = "half_plane", normal = [-1, 0], offset_mm = -50 },
]
[success]
pose_within = "disc"
y_mm = [-2000, -30]
x_mm = [-20, 20]
[[design]]
name = "right"
start = 6
low = -3
high = 7
keys = ["body.right.part.0.vertices_mm.0.0", "body.right.part.0.vertices_mm.3.0"]
)";
  return file.string();
}

TEST(DesignCommand, WritesWhatEachLevelRefusesAndADesignThatPasses) {
  const Folder folder;
  const std::string out = (folder.path() / "out").string();
  const Finished done = pegrasp_run(
      folder, {"design", hole_in(folder), "--designs", "12", "--naive", "--out", out, "--no-plot", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["designs"], 12);
  EXPECT_EQ(json["table"].size(), 3u);
  EXPECT_EQ(json["table"][2]["level"], "total");
  EXPECT_TRUE(json["contradictions"].empty());
  const auto passed = json["passed"].size();
  EXPECT_GT(passed, 0u);
  EXPECT_GT(json["levels"][0]["refused"], 0);
  EXPECT_EQ(json["levels"][0]["refused"].get<std::size_t>() + json["levels"][1]["refused"].get<std::size_t>() + passed,
            12u);
  for (const char* name : {"summary.json", "designs.csv", "passed.toml"})
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  EXPECT_FALSE(fs::exists(fs::path(out) / "evaluations.journal"));
  const Finished again = pegrasp_run(folder, {"run", out + "/passed.toml", "--cell", "0", "--sample", "1"});
  EXPECT_NE(again.out.find("success: true"), std::string::npos) << again.out << again.err;
}

TEST(DesignCommand, RefusesInOneLine) {
  const Folder folder;
  const std::string file = hole_in(folder);
  const Finished level = pegrasp_run(folder, {"design", file, "--levels", "geometric,dynamic,compliant"});
  EXPECT_EQ(level.code, 2);
  EXPECT_NE(level.err.find("needs parts that have a shell"), std::string::npos) << level.err;
  const Finished goal = pegrasp_run(folder, {"design", file, "--set", "success={displacement_below_mm=3,of=\"disc\"}",
                                             "--out", (folder.path() / "o").string()});
  EXPECT_EQ(goal.code, 2);
  EXPECT_NE(goal.err.find("--levels geometric needs [success]"), std::string::npos) << goal.err;
}

}  // namespace
}  // namespace pegrasp
