// SPDX-License-Identifier: Apache-2.0
// pegrasp optimise as a child process: a puck whose best speed is known, and refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// A puck slides d = v^2 / (2 mu g), and is to stop between d1 = 40 and d2 = 60 mm, so mu must lie between
// v^2 / (2 g d2) and v^2 / (2 g d1). That grows with v until the latter is the largest mu, 0.4: the best speed is
// sqrt(0.8 g d1) = 560.3 mm/s, and succeeds for mu from 0.4 d1 / d2 on: two thirds of 0.2 to 0.4.
const char* const puck = R"([map]
samples = 400
[simulation]
h_ms = 2
duration_s = 1
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = 400
support = { radius_mm = 7, friction = { distribution = "uniform", low = 0.2, high = 0.4 } }
[[body.part]]
shape = "disc"
radius_mm = 10
[success]
pose_within = "puck"
x_mm = [40, 60]
)";
const char* const speed = R"([[design]]
name = "speed"
key = "body.puck.vx_mm_s"
low = 100
high = 900
)";
const char* const success = "[objective]\nkind = \"success\"\nof = \"p\"\n";

std::string file_in(const Folder& folder, const std::string& text) {
  const fs::path file = folder.path() / "puck.toml";
  std::ofstream(file) << text;
  return file.string();
}

TEST(OptimiseCommandLong, FindsTheBestSpeedWhateverTheThreads) {
  const Folder folder;
  const std::string file = file_in(folder, std::string(puck) + speed + success);
  const auto run = [&](const char* name, const char* threads) {
    return pegrasp_run(folder, {"optimise", file, "--out", (folder.path() / name).string(), "--threads", threads,
                                "--no-plot", "--json"});
  };
  const Finished one = run("one", "1"), two = run("two", "2");
  ASSERT_EQ(one.code, 0) << one.err;
  ASSERT_EQ(two.code, 0) << two.err;
  const json found = json::parse(one.out);
  EXPECT_TRUE(found["converged"]);
  EXPECT_NEAR(found["parameters"][0]["optimum"].get<double>(), 560.3, 6.0);
  // Of 400 draws: three standard deviations are 0.071.
  EXPECT_NEAR(found["optimum"]["p"].get<double>(), 2.0 / 3.0, 0.071);
  EXPECT_NEAR(found["optimum"]["objective"].get<double>(), 1.0 - found["optimum"]["p"].get<double>(), 1e-15);
  EXPECT_EQ(found["evaluations"], found["values"].size());
  for (const char* name : {"evaluations.csv", "optimum.toml"})
    EXPECT_EQ(content(folder.path() / "one" / name), content(folder.path() / "two" / name)) << name;
  EXPECT_FALSE(fs::exists(folder.path() / "one" / "evaluations.journal"));
  const Finished map = pegrasp_run(folder, {"map", (folder.path() / "one" / "optimum.toml").string(), "--out",
                                            (folder.path() / "map").string(), "--no-plot"});
  EXPECT_EQ(map.code, 0) << map.err;
  const json summary = json::parse(content(folder.path() / "map" / "summary.json"));
  EXPECT_NE(summary.dump().find(json(found["optimum"]["p"]).dump()), std::string::npos);
}

class StoppedSearchLong : public testing::TestWithParam<int> {};  // the signal

TEST_P(StoppedSearchLong, GoesOnToTheSameBytes) {
  const Folder folder;
  const std::string file = file_in(folder, std::string(puck) + speed + success);
  const fs::path whole = folder.path() / "whole", cut = folder.path() / "cut";
  const auto run = [&](const fs::path& out, bool resume) {
    std::vector<std::string> words{"optimise", file, "--out", out.string(), "--no-plot"};
    if (resume) words.emplace_back("--resume");
    return words;
  };
  ASSERT_EQ(pegrasp_run(folder, run(whole, false)).code, 0);
  {
    const test::Child child(folder, run(cut, false));
    child.wait_until_it_catches(SIGINT);
    const fs::path journal = cut / "evaluations.journal";
    std::error_code error;
    while (child.running() && (!fs::exists(journal, error) || fs::file_size(journal, error) < 400)) ::usleep(500);
    child.send(GetParam());
    const Finished stopped = child.wait();
    if (GetParam() == SIGINT) {
      ASSERT_EQ(stopped.code, 130) << stopped.err;
      EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err;
    }
    EXPECT_FALSE(fs::exists(cut / "optimum.toml"));
  }
  const Finished rest = pegrasp_run(folder, run(cut, true));
  ASSERT_EQ(rest.code, 0) << rest.err;
  for (const char* name : {"evaluations.csv", "optimum.toml", "optimise.json"})
    EXPECT_EQ(content(whole / name), content(cut / name)) << name;
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedSearchLong, testing::Values(SIGINT, SIGKILL));

TEST(OptimiseCommand, RefusesInOneLine) {
  const Folder folder;
  const auto refused = [&](const std::string& text) {
    const Finished done = pegrasp_run(folder, {"optimise", file_in(folder, text), "--out", "o", "--no-plot"});
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_FALSE(fs::exists("o/optimum.toml"));
    EXPECT_NE(done.err.find("puck.toml"), std::string::npos) << done.err;
    return done.err;
  };
  const std::string start = puck, with = start + speed;
  EXPECT_NE(refused(start + success).find("design: is missing"), std::string::npos);
  EXPECT_NE(refused(with).find("objective: is missing"), std::string::npos);
  EXPECT_NE(refused(with + "[objective]\nkind = \"speed\"\n").find("objective.kind"), std::string::npos);
  EXPECT_NE(refused(with + success + "starts_m = 3\n").find("starts_m"), std::string::npos);
  EXPECT_NE(refused(start.substr(0, start.find("[success]")) + speed + success).find("needs [success]"),
            std::string::npos);
  EXPECT_NE(refused(with + "start = 1000\n" + success).find("between low and high"), std::string::npos);
  EXPECT_NE(refused(with + "[objective]\nkind = \"field\"\nbody = \"puck\"\nfield_per_s = [[0, 1], [1, 0]]\n"
                           "starts_mm = [[1, 0]]\n")
                .find("no body oscillates"),
            std::string::npos);
}

// A field follows trials step by step, which no GPU does.
TEST(OptimiseCommand, RefusesAGpuForAField) {
  const Folder folder;
  const std::string field =
      "[objective]\nkind = \"field\"\nbody = \"puck\"\nfield_per_s = [[0, 1], [1, 0]]\n"
      "starts_mm = [[1, 0]]\nperiod_s = 0.1\n";
  const std::string file = file_in(folder, std::string(puck) + speed + field);
  const Finished done = pegrasp_run(folder, {"optimise", file, "--backend", "cuda", "--out", "o", "--no-plot"});
  EXPECT_EQ(done.code, 2) << done.err;
  EXPECT_NE(done.err.find("--backend cuda: objective kind \"field\" follows trials"), std::string::npos) << done.err;
}

}  // namespace
}  // namespace pegrasp
