// SPDX-License-Identifier: Apache-2.0
// Variants, uncertain sizes and tilted gravity on the command line: check, map, run, explain, compare, rows, and bad
// input.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "src/decide/stored_map.hpp"
#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A part that slides over the table, round or not.
std::string sliding_part(const Folder& folder) {
  const std::string file = folder.path() / "part.toml";
  std::ofstream(file, std::ios::binary) << R"(
[map]
samples = 80
[simulation]
duration_s = 0.1
[gravity]
y_m_s2 = -9.81
tilt_deg = { distribution = "uniform", low = -10, high = 10 }
[[friction]]
between = ["part", "floor"]
mu = 0.2
[[body]]
name = "floor"
kind = "fixed"
part = [{ shape = "half_plane", normal = [0, 1] }]
[[body]]
name = "part"
mass_kg = 0.1
scale = { distribution = "uniform", low = 0.9, high = 1.1 }
y_mm = 11
vx_mm_s = { distribution = "uniform", low = 0, high = 300 }
[[body.variants]]
name = "block"
weight = 3
part = [{ shape = "box", width_mm = 20, height_mm = 20 }]
[[body.variants]]
name = "ring"
part = [{ shape = "disc", radius_mm = 10 }]
[success]
displacement_below_mm = 9
of = "part"
)";
  return file;
}

TEST(OwnScenesCommand, CheckNamesVariantsAndSizes) {
  const Folder folder;
  const Finished check = pegrasp_run(folder, {"check", sliding_part(folder)});
  EXPECT_EQ(check.code, 0) << check.err;
  for (const char* line : {"# variants of part, one drawn for each trial: block (75 %), ring (25 %)\n",
                           "# scale of part: varies about 1 1\n", "# the direction of gravity varies\n"})
    EXPECT_NE(check.out.find(line), std::string::npos) << line << check.out;
}

TEST(OwnScenesCommand, AMapIsExplainedComparedAndRunAgain) {
  const Folder folder;
  const std::string problem = sliding_part(folder), out = folder.path() / "out", few = folder.path() / "few";
  const Finished map =
      pegrasp_run(folder, {"map", problem, "--out", out, "--step-check", "0.1", "--quiet", "--no-plot"});
  ASSERT_EQ(map.code, 0) << map.err;
  const decide::StoredMap stored = decide::read_stored_map(out, decide::Trials::all);
  for (const std::size_t trial : {3u, 40u}) {
    const Finished run =
        pegrasp_run(folder, {"run", problem, "--cell", "0", "--sample", std::to_string(trial), "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out)["success"].get<bool>() ? 1 : 0, stored.success[trial]);
  }
  const Finished explain = pegrasp_run(folder, {"explain", out, "--no-plot"});
  EXPECT_EQ(explain.code, 0) << explain.err;
  for (const char* factor : {"part.variant", "part.scale", "gravity"})
    EXPECT_NE(explain.out.find(factor), std::string::npos) << factor << explain.out;
  const Finished compare =
      pegrasp_run(folder, {"compare", problem, problem, "--samples", "20", "--out", few, "--no-plot"});
  EXPECT_EQ(compare.code, 0) << compare.err;
}

TEST(OwnScenesCommand, RowsGiveSizes) {
  const Folder folder;
  const std::string problem = sliding_part(folder), rows = folder.path() / "rows.csv", out = folder.path() / "out";
  std::ofstream(rows) << "body.part.scale,gravity.tilt_deg\n0.95,0\n1.05,3\n1.1,-2\n";
  const Finished map = pegrasp_run(folder, {"map", problem, "--samples-from", rows, "--out", out, "--quiet"});
  ASSERT_EQ(map.code, 0) << map.err;
  const std::string text = content(std::filesystem::path(out) / "rows_out.csv");
  EXPECT_EQ(text.substr(0, text.find(",success")), "cell,sample,body.part.scale,gravity.tilt_deg,part.variant");
  std::ofstream(rows) << "body.part.scale\n0.95\n-1\n";
  const Finished wrong = pegrasp_run(folder, {"map", problem, "--samples-from", rows, "--out", out + "2", "--quiet"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("line 3"), std::string::npos) << wrong.err;
}

TEST(OwnScenesCommand, WrongOnesEndWithCodeTwo) {
  const Folder folder;
  const std::string problem = sliding_part(folder);
  for (const char* set :
       {"body.part.variant=disc", "body.part.scale=0", "body.part.scale=-1", "body.part.variants.ring.scale_x=2"}) {
    const Finished check = pegrasp_run(folder, {"check", problem, "--set", set});
    EXPECT_EQ(check.code, 2) << set;
    EXPECT_EQ(std::count(check.err.begin(), check.err.end(), '\n'), 1) << check.err;
  }
}

}  // namespace
}  // namespace pegrasp
