// SPDX-License-Identifier: Apache-2.0
// pegrasp compare, explain, best and map --until, end to end.
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "src/text/revision.hpp"
#include "tests/cli/child.hpp"
#include "tests/results/has_matplotlib.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string puck = source_file("examples/puck/puck.toml");

void put(const std::filesystem::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

// The puck with friction up to 0.5 in place of 0.6: it slides farther in every trial.
std::string slippery_puck(const Folder& folder) {
  std::string text = content(puck);
  const auto at = text.find("high = 0.6");
  EXPECT_NE(at, std::string::npos);
  const std::filesystem::path file = folder.path() / "slippery.toml";
  put(file, text.replace(at, 10, "high = 0.5"));
  return file.string();
}

Finished map_of(const Folder& folder, const std::string& problem, const std::filesystem::path& out,
                std::vector<std::string> more = {}) {
  std::vector<std::string> words{"map", problem, "--out", out.string(), "--no-plot", "--no-step-check", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return pegrasp_run(folder, words);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& line, char between) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; std::getline(stream, word, between);) words.push_back(word);
  return words;
}

// Whether a command of flips.csv ends in success.
bool succeeds(const Folder& folder, const std::string& command) {
  std::vector<std::string> words = words_of(command, ' ');
  EXPECT_EQ(words.front(), "pegrasp") << command;
  words.erase(words.begin());
  words.emplace_back("--json");
  const Finished done = pegrasp_run(folder, words);
  EXPECT_EQ(done.code, 0) << done.err;
  return nlohmann::json::parse(done.out)["success"].get<bool>();
}

// Less friction can only lose trials, the commands show what the table says, and maps made apart compare the same.
TEST(CliCompare, TwoProblemsOnCommonRandomNumbers) {
  Folder folder;
  const std::string slippery = slippery_puck(folder);
  const std::filesystem::path out = folder.path() / "c";
  const Finished done = pegrasp_run(
      folder, {"compare", puck, slippery, "--samples", "400", "--out", out.string(), "--no-plot", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto found = nlohmann::json::parse(done.out);
  EXPECT_EQ(found["all"]["pairs"], 400);
  EXPECT_EQ(found["all"]["failed_then_succeeded"], 0);
  const int lost = found["all"]["succeeded_then_failed"];
  EXPECT_GT(lost, 5);
  EXPECT_LT(found["all"]["ci_high"], 0.0);
  EXPECT_EQ(found["flipped"], lost);
  EXPECT_EQ(done.out, content(out / "compare.json"));
  const std::vector<std::string> flips = lines_of(content(out / "flips.csv"));
  ASSERT_EQ(flips.size(), static_cast<std::size_t>(lost) + 1);
  for (const std::size_t row : {std::size_t{1}, flips.size() - 1}) {
    const std::vector<std::string> cells = words_of(flips[row], ',');
    ASSERT_EQ(cells.size(), 8u);
    EXPECT_TRUE(succeeds(folder, cells[6])) << flips[row];
    EXPECT_FALSE(succeeds(folder, cells[7])) << flips[row];
  }
  ASSERT_EQ(map_of(folder, puck, folder.path() / "pa", {"--samples", "400"}).code, 0);
  ASSERT_EQ(map_of(folder, slippery, folder.path() / "pb", {"--samples", "400", "--threads", "2"}).code, 0);
  const Finished apart =
      pegrasp_run(folder, {"compare", (folder.path() / "pa").string(), (folder.path() / "pb").string(), "--out",
                           (folder.path() / "d").string(), "--no-plot"});
  ASSERT_EQ(apart.code, 0) << apart.err;
  EXPECT_EQ(content(folder.path() / "d" / "compare.csv"), content(out / "compare.csv"));
  EXPECT_NE(apart.out.find("McNemar     0 trials fail in A and succeed in B"), std::string::npos) << apart.out;
  // Nothing is simulated twice: with --resume both maps are taken as they are.
  const auto before = std::filesystem::last_write_time(out / "a" / "map.h5");
  const Finished again = pegrasp_run(folder, {"compare", puck, slippery, "--samples", "400", "--out", out.string(),
                                              "--no-plot", "--resume", "--quiet"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(again.out.empty());
  EXPECT_EQ(std::filesystem::last_write_time(out / "a" / "map.h5"), before);
}

// Words of a command line, and what the one line of its refusal says; nothing is written then.
using Refusals = std::vector<std::pair<std::vector<std::string>, std::string>>;

void expect_refused(const Folder& folder, const Refusals& refusals) {
  const std::filesystem::path out = folder.path() / "result";
  for (const auto& [words, says] : refusals) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--out", out.string()});
    const Finished done = pegrasp_run(folder, all);
    EXPECT_EQ(done.code, 2) << says;
    EXPECT_NE(done.err.find(says), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << "nothing half written: " << says;
  }
}

TEST(CliCompare, WhatDoesNotPairIsRefusedInOneLine) {
  Folder folder;
  const auto at = [&folder](const char* name) { return (folder.path() / name).string(); };
  ASSERT_EQ(map_of(folder, puck, at("good"), {"--samples", "60"}).code, 0);
  ASSERT_EQ(map_of(folder, puck, at("seed"), {"--samples", "60", "--seed", "2"}).code, 0);
  ASSERT_EQ(map_of(folder, puck, at("more"), {"--samples", "61"}).code, 0);
  ASSERT_EQ(map_of(folder, puck, at("until"), {"--samples", "600", "--until", "half_width=0.2"}).code, 0);
  expect_refused(
      folder,
      {{{"compare", at("good")}, "b is required"},
       {{"compare", at("good"), at("seed")}, "the seeds are 1 and 2; simulate one again with --seed of the other"},
       {{"compare", at("good"), at("more")}, "60 and 61 samples per cell"},
       {{"compare", at("good"), at("until")}, "map.until"},
       {{"compare", at("good"), puck}, "one is a problem and the other a folder"},
       {{"compare", at("good"), at("good"), "--samples", "5"}, "go with two problems"},
       {{"compare", puck, at("nofile.toml")}, "nofile.toml: no such file"},
       {{"compare", puck, puck, "--set", "map.until.half_width=0.3", "--samples", "500"}, "map.until: trials of cells"},
       {{"compare", puck, source_file("examples/gear/gear.toml")}, "the cells of their grids are not the same"}});
}

TEST(CliDecide, BrokenResultsAreRefusedInOneLine) {
  Folder folder;
  const auto at = [&folder](const char* name) { return (folder.path() / name).string(); };
  ASSERT_EQ(map_of(folder, puck, at("good"), {"--samples", "60"}).code, 0);
  std::filesystem::create_directory(at("empty"));
  std::filesystem::copy(at("good"), at("damaged"));
  put(folder.path() / "damaged" / "map.h5", content(folder.path() / "good" / "map.h5").substr(0, 900));
  std::filesystem::copy(at("good"), at("running"));
  put(folder.path() / "running" / "samples.journal", "x");
  std::filesystem::copy(at("good"), at("counts"));
  const hid_t file = H5Fopen((folder.path() / "counts" / "map.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  H5Ldelete(file, "samples_table", H5P_DEFAULT);
  H5Fclose(file);
  std::filesystem::create_directory(at("pipe"));
  ASSERT_EQ(::mkfifo((folder.path() / "pipe" / "map.h5").c_str(), 0600), 0);
  expect_refused(
      folder,
      {{{"compare", at("good"), at("empty")}, "empty: has no map.h5; give the folder of a finished pegrasp map"},
       {{"compare", at("good"), at("damaged")}, "map.h5: is no HDF5 file; it is damaged"},
       {{"compare", at("running"), at("good")}, "holds an interrupted run; finish it"},
       {{"compare", at("counts"), at("good")}, "holds no trials, only counts; simulate it again with pegrasp map"},
       {{"explain", at("nothing")}, "nothing: there is no such folder; give the output folder of a finished"},
       {{"explain", puck}, "is no folder; give the output folder"},
       {{"explain", at("counts")}, "holds no trials, only counts; simulate it again"},
       {{"explain", at("good"), "--cell", "1"}, "--cell: "},
       {{"explain", at("good"), "--cell", "-1"}, "--cell: -1 must be a whole number"},
       {{"best", at("damaged")}, "map.h5: is no HDF5 file"},
       {{"best", at("pipe")}, "map.h5: is a pipe: name a file"},
       {{"best", at("empty")}, "has no map.h5"}});
}

// What controls a terminal is shown, not obeyed.
TEST(CliDecide, TitlesArePrinted) {
  Folder folder;
  const std::string out = (folder.path() / "out").string();
  ASSERT_EQ(map_of(folder, puck, out, {"--samples", "60", "--set", "map.title=\"a\\u001b[31mb\""}).code, 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"best", out}, {"explain", out}, {"compare", out, out}}) {
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.out.find("a\\x1b[31mb"), std::string::npos) << done.out;
    EXPECT_EQ(done.out.find('\x1b'), std::string::npos) << words[0];
  }
}

TEST(CliUntil, WhatCannotBeMetIsRefusedInOneLine) {
  Folder folder;
  expect_refused(
      folder,
      {{{"map", puck, "--until", "soon"}, "--until soon: is neither half_width=WIDTH nor decided=THRESHOLD"},
       {{"map", puck, "--until", "decided=1"}, "must be less than 1"},
       {{"map", puck, "--until", "half_width=0"}, "must be greater than 0"},
       {{"map", puck, "--until", "decided=0.95", "--samples", "30"}, "30 samples cannot meet it, even if all succeed"},
       {{"map", puck, "--until", "decided=0.5", "--step-check", "0.1"}, "--step-check: goes with a fixed number"},
       {{"map", puck, "--set", "map.until={}"}, "map.until: says nothing; give half_width, or decided, or both"}});
}

// The puck stays if v^2 < 2 mu g d: both parameters decide, and what they do together is the rest of the variance.
TEST(CliExplain, ThePuckByItsFormula) {
  Folder folder;
  ASSERT_EQ(map_of(folder, puck, folder.path() / "m", {"--samples", "4000"}).code, 0);
  const Finished done = pegrasp_run(folder, {"explain", (folder.path() / "m").string(), "--json", "--no-plot"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto found = nlohmann::json::parse(done.out);
  // By midpoints: shares of the variance of the indicator.
  constexpr int n = 400;
  std::vector<double> of_speed(n, 0.0), of_friction(n, 0.0);
  double p = 0.0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double v = 0.1 + 0.3 * (i + 0.5) / n, mu = 0.1 + 0.5 * (j + 0.5) / n;
      const double stays = v * v < 2.0 * mu * 9.81 * 0.01 ? 1.0 : 0.0;
      of_speed[static_cast<std::size_t>(i)] += stays / n;
      of_friction[static_cast<std::size_t>(j)] += stays / n;
      p += stays / n / n;
    }
  }
  const auto share = [&](const std::vector<double>& means) {
    double sum = 0.0;
    for (const double mean : means) sum += (mean - p) * (mean - p) / n;
    return sum / (p * (1.0 - p));
  };
  ASSERT_EQ(found["parameters"].size(), 2u) << done.out;
  for (const auto& parameter : found["parameters"]) {
    const bool speed = parameter["unit"] == "m/s";
    const double own = share(speed ? of_speed : of_friction), other = share(speed ? of_friction : of_speed);
    EXPECT_NEAR(parameter["first"]["value"].get<double>(), own, 0.04) << parameter["name"];
    EXPECT_NEAR(parameter["total"]["value"].get<double>(), 1.0 - other, 0.12) << parameter["name"];
  }
  const std::filesystem::path out = folder.path() / "m";
  for (const char* name : {"explain.csv", "explain_curves.csv", "explain_failures.csv", "explain.json"})
    EXPECT_FALSE(content(out / name).empty()) << name;
  const Finished best = pegrasp_run(folder, {"best", out.string(), "--no-plot"});
  ASSERT_EQ(best.code, 0) << best.err;
  EXPECT_NE(best.out.find("best        cell 0 "), std::string::npos) << best.out;
  EXPECT_NE(best.out.find("no cell is better with probability 1.000"), std::string::npos) << best.out;
  // A new map takes away what was said of the old one.
  ASSERT_EQ(map_of(folder, puck, out, {"--samples", "100"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(out / "explain.json"));
  EXPECT_FALSE(std::filesystem::exists(out / "best.csv"));
}

TEST(CliDecideLong, PicturesAreDrawn) {
  Folder folder;
  const std::string slippery = slippery_puck(folder), a = (folder.path() / "a").string(),
                    b = (folder.path() / "b").string();
  ASSERT_EQ(map_of(folder, puck, a, {"--samples", "200"}).code, 0);
  ASSERT_EQ(map_of(folder, slippery, b, {"--samples", "200"}).code, 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare", a, b}, {"explain", a}, {"best", a}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--out", (folder.path() / "pictures").string()});
    const Finished done = pegrasp_run(folder, all);
    ASSERT_EQ(done.code, 0) << done.err;
    const std::filesystem::path picture = folder.path() / "pictures" / (words.front() + ".png");
    EXPECT_EQ(std::filesystem::exists(picture), test::has_matplotlib()) << done.err;
    if (!test::has_matplotlib()) continue;
    EXPECT_NE(content(picture).find(std::string("tEXtSoftware") + '\0' + version_text()), std::string::npos);
  }
}

// Cells of the gear, in one piece, in parts, and interrupted.
TEST(CliUntil, SameBytesForThreadsShardsAndResume) {
  Folder folder;
  const auto gear = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"map",       source_file("examples/gear/gear.toml"),
                                   "--out",     (folder.path() / name).string(),
                                   "--samples", "120",
                                   "--until",   "decided=0.8",
                                   "--until",   "half_width=0.25",
                                   "--set",     "grid.x_mm=[-6, 0]",
                                   "--set",     "grid.y_mm=[-15, -9]",
                                   "--no-plot", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
  };
  const auto h5 = [&](const std::string& name) { return content(folder.path() / name / "map.h5"); };
  gear("one", {"--threads", "1"});
  gear("two", {"--threads", "2"});
  EXPECT_TRUE(h5("one") == h5("two"));
  for (const std::string shard : {"1/3", "2/3", "3/3"}) gear("parts", {"--shard", shard});
  const Finished merged = pegrasp_run(folder, {"merge", (folder.path() / "parts").string(), "--no-plot", "--quiet"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_TRUE(h5("one") == h5("parts"));
  EXPECT_EQ(content(folder.path() / "one" / "map.csv"), content(folder.path() / "parts" / "map.csv"));
  const auto summary = nlohmann::json::parse(content(folder.path() / "one" / "summary.json"));
  EXPECT_EQ(summary["interval"], "confidence sequence");
  EXPECT_EQ(summary["until"]["decided"], 0.8);
  int cells = 0;
  for (const auto& [name, count] : summary["until"]["cells"].items()) cells += count.get<int>();
  EXPECT_EQ(cells, 4);
  // The resolved problem gives the map again.
  const Finished again = map_of(folder, (folder.path() / "one" / "problem.toml").string(), folder.path() / "again");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(h5("again") == h5("one"));
}

}  // namespace
}  // namespace pegrasp
