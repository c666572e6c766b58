// SPDX-License-Identifier: Apache-2.0
// pegrasp plan as a child process: the same bytes by any threads and after a kill, and a plan that holds.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/child.hpp"
#include "tests/files.hpp"

namespace pegrasp {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Child;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string push = source_file("examples/needle/needle.toml");
constexpr const char* files[] = {"plans.csv", "best.toml"};

std::vector<std::string> few(const fs::path& out) {
  return {"plan", push,      "--plans", "30",        "--finalists", "4",     "--refined",  "2",         "--evaluations",
          "12",   "--fresh", "20",      "--samples", "5",           "--out", out.string(), "--no-plot", "--json"};
}
std::vector<std::string> and_also(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(PlanCommandLong, GivesTheSameBytesByAnyThreadsAndAfterAKill) {
  const Folder folder;
  const fs::path one = folder.path() / "one", two = folder.path() / "two";
  const Finished done = pegrasp_run(folder, and_also(few(one), {"--threads", "1"}));
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_FALSE(fs::exists(one / "evaluations.journal"));
  const json found = json::parse(done.out);
  EXPECT_EQ(found["drawn"], 30);
  EXPECT_EQ(found["tried"], 4);
  EXPECT_EQ(found["refined"], 2);
  EXPECT_EQ(found["fresh"]["trials"], 20);
  Child child(folder, few(two));
  const fs::path journal = two / "evaluations.journal";
  std::error_code error;
  while (child.running() && !(fs::file_size(journal, error) > 4000 && !error)) ::usleep(2000);
  child.send(SIGKILL);
  EXPECT_EQ(child.wait().signal, SIGKILL) << "it must not end before it is killed";
  const Finished again = pegrasp_run(folder, and_also(few(two), {"--resume", "--threads", "2"}));
  ASSERT_EQ(again.code, 0) << again.err;
  for (const char* name : files) EXPECT_EQ(content(one / name), content(two / name)) << name;
}

// From A to B within 0.05 mm and 3 degrees, and the reference simulator agrees.
TEST(PlanCommandLong, FindsPushesThatHoldWhateverIsUncertain) {
  const Folder folder;
  const std::string out = (folder.path() / "out").string(), best = out + "/best.toml";
  const Finished done =
      pegrasp_run(folder, {"plan", push, "--plans", "400", "--finalists", "40", "--refined", "4", "--evaluations", "60",
                           "--fresh", "500", "--out", out, "--no-plot", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const json found = json::parse(done.out);
  EXPECT_EQ(found["fresh"]["trials"], 500);
  EXPECT_GT(found["fresh"]["success_interval"][0].get<double>(), 0.95);
  const Finished run = pegrasp_run(folder, {"run", best, "--cell", "0", "--sample", "0"});
  EXPECT_NE(run.out.find("success: true"), std::string::npos) << run.out << run.err;
  const Finished check = pegrasp_run(folder, {"validate", best, "--samples", "5"});
  EXPECT_EQ(check.code, 0) << check.out << check.err;
  const Finished map = pegrasp_run(folder, {"map", best, "--out", (folder.path() / "map").string(), "--no-plot"});
  EXPECT_EQ(map.code, 0) << map.err;
}

// Without fresh trials the same plan is found, and nothing is said of them.
TEST(PlanCommandLong, LeavesOutFreshTrials) {
  const Folder folder;
  const fs::path one = folder.path() / "one", two = folder.path() / "two";
  const auto words = [&](const fs::path& out, const char* fresh) {
    return std::vector<std::string>{"plan",      push, "--plans",       "8",          "--finalists", "2",
                                    "--refined", "1",  "--evaluations", "3",          "--fresh",     fresh,
                                    "--samples", "2",  "--out",         out.string(), "--no-plot"};
  };
  const Finished without = pegrasp_run(folder, words(one, "0")), with = pegrasp_run(folder, words(two, "3"));
  ASSERT_EQ(without.code, 0) << without.err;
  ASSERT_EQ(with.code, 0) << with.err;
  for (const char* name : files) EXPECT_EQ(content(one / name), content(two / name)) << name;
  EXPECT_EQ(without.out.find("fresh"), std::string::npos) << without.out;
  EXPECT_NE(with.out.find("fresh"), std::string::npos) << with.out;
  const json none = json::parse(content(one / "plan.json")), some = json::parse(content(two / "plan.json"));
  EXPECT_EQ(none["fresh"]["trials"], 0);
  EXPECT_EQ(some["fresh"]["trials"], 3);
  EXPECT_EQ(none["best"], some["best"]);
  EXPECT_EQ(none["samples"], some["samples"]);
}

TEST(PlanCommand, RefusesInOneLine) {
  const Folder folder;
  const Finished missing =
      pegrasp_run(folder, {"plan", source_file("examples/gear/gear.toml"), "--out", (folder.path() / "o").string()});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("plan: is missing"), std::string::npos) << missing.err;
  EXPECT_FALSE(fs::exists(folder.path() / "o"));
  const Finished refused = pegrasp_run(folder, {"plan", push, "--set", "simulation.model=geometric"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("pegrasp design"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace pegrasp
