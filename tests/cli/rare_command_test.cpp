// SPDX-License-Identifier: Apache-2.0
// pegrasp rare as a child process: its files, its refusals, and trials that are repeated.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A disc that flies 20 ms with a speed of N(100, 10) mm/s; it fails beyond 2.8 mm, 4 standard deviations.
std::string flight_in(const Folder& folder, const std::string& success) {
  const fs::path file = folder.path() / "flight.toml";
  std::ofstream(file) << "[simulation]\nh_ms = 10\nduration_s = 0.02\n[[body]]\nname = \"disc\"\nmass_kg = 0.1\n"
                         "vx_mm_s = { distribution = \"normal\", mean = 100, sd = 10 }\n"
                         "[[body.part]]\nshape = \"disc\"\nradius_mm = 10\n[success]\n"
                      << success << '\n';
  return file.string();
}

const std::string short_way = "displacement_below_mm = 2.8\nof = \"disc\"";

TEST(RareCommand, WritesAnEstimateAndTrialsThatFailAgain) {
  const Folder folder;
  const std::string file = flight_in(folder, short_way), out = (folder.path() / "out").string();
  const Finished done =
      pegrasp_run(folder, {"rare", file, "--out", out, "--runs", "8", "--per-level", "300", "--no-plot", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto json = nlohmann::json::parse(done.out);
  EXPECT_EQ(json["status"], "estimated");
  EXPECT_LT(json["ci_low"].get<double>(), 3.17e-5);
  EXPECT_GT(json["ci_high"].get<double>(), 3.17e-5);
  EXPECT_EQ(json["worst"].size(), 10u);
  EXPECT_LT(json["worst"][0]["measure"].get<double>(), 0.0);
  for (const char* name : {"rare.json", "rare.csv", "worst.csv", "problem.toml"})
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  EXPECT_FALSE(fs::exists(fs::path(out) / "rare.journal"));
  const Finished again = pegrasp_run(
      folder, {"run", out + "/problem.toml", "--samples-from", out + "/worst.csv", "--cell", "0", "--sample", "3"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("success: false"), std::string::npos) << again.out;
  EXPECT_NE(json["worst"][3]["replay"].get<std::string>().find("--sample 3"), std::string::npos);
}

TEST(RareCommand, SaysInOneLineWhyThereIsNoEstimate) {
  const Folder folder;
  const std::string out = (folder.path() / "out").string();
  // whatever the speed, the disc is where it is along y
  const std::string file = flight_in(folder, "pose_within = \"disc\"\ny_mm = [-1, 1]");
  const Finished done = pegrasp_run(folder, {"rare", file, "--out", out, "--no-plot", "--quiet"});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.err,
            "pegrasp: no result: 100 % of the trials of level 1 have the same success or a smaller one, 1, so that "
            "nothing leads towards the failure; name another --measure, or count with pegrasp map\n");
  EXPECT_EQ(nlohmann::json::parse(test::content(fs::path(out) / "rare.json"))["status"], "atoms");
}

TEST(RareCommand, RefusesWhatItCannotSeek) {
  const Folder folder;
  const std::string file = flight_in(folder, short_way);
  for (const auto& [words, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"rare", file, "--measure", "disc.x_mm"}, "--below X or --above X"},
           {{"rare", file, "--measure", "cup.x_mm", "--above", "1"}, "no such measure"},
           {{"rare", file, "--cell", "2"}, "cells 0 to 0"},
           {{"rare", file, "--samples", "50"}, "--samples"},
           {{"rare", file, "--runs", "2"}, "--runs"}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--out", (folder.path() / "out").string()});
    const Finished done = pegrasp_run(folder, all);
    EXPECT_EQ(done.code, 2) << part;
    EXPECT_NE(done.err.find(part), std::string::npos) << done.err;
    EXPECT_FALSE(fs::exists(folder.path() / "out")) << part;
  }
}

}  // namespace
}  // namespace pegrasp
