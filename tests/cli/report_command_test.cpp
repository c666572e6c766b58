// SPDX-License-Identifier: Apache-2.0
// pegrasp replay, show, report and run --record, end to end; what a browser makes of the pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/child.hpp"
#include "tests/report/browser.hpp"
#include "tests/results/has_matplotlib.hpp"

namespace pegrasp {
namespace {

using nlohmann::json;
using test::browse;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string squeeze = source_file("examples/scenes/gear_squeeze.json");
const std::string gear = source_file("examples/gear/gear.toml");
const std::string no_chromium = "there is no Chromium (scripts/install_deps.sh --dev)";

bool has_three() { return std::filesystem::exists("/usr/share/javascript/three/three.min.js"); }
bool has_program(const std::string& name) { return std::system(("command -v " + name + " >/dev/null").c_str()) == 0; }

// The data of a page.
json data_of(const std::filesystem::path& page) {
  const std::string text = content(page), open = "id=\"data\">";
  const auto begin = text.find(open);
  EXPECT_NE(begin, std::string::npos) << page;
  if (begin == std::string::npos) return {};
  return json::parse(text.substr(begin + open.size(), text.find("</script>", begin) - begin - open.size()));
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().front() != '.') names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(CliReplay, PageHoldsTheTrialThatRunSimulates) {
  Folder folder;
  const std::string page = (folder.path() / "a.html").string(), recorded = (folder.path() / "b.html").string();
  const Finished replay = pegrasp_run(folder, {"replay", squeeze, "--t-end", "0.1", "--html", page});
  ASSERT_EQ(replay.code, 0) << replay.err;
  const Finished run = pegrasp_run(folder, {"run", squeeze, "--t-end", "0.1", "--record", recorded, "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(content(page), content(recorded));
  const json data = data_of(page);
  EXPECT_EQ(data["trials"][0]["steps"], json::parse(run.out)["steps"]);
  EXPECT_LT(data["trials"][0]["position_error"].get<double>(), 1e-5);
  EXPECT_LT(data["trials"][0]["angle_error"].get<double>(), 1e-4);
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"a.html", "b.html"}));
}

struct RefusedReplay {
  const char* name;
  std::vector<std::string> words;
  const char* says;
};
class CliReplayRefuses : public testing::TestWithParam<RefusedReplay> {};
TEST_P(CliReplayRefuses, InOneLine) {
  Folder folder;
  std::vector<std::string> words = GetParam().words;
  for (std::string& word : words) {
    if (word == "PAGE") word = (folder.path() / "page.html").string();
    if (word == "PNG") word = (folder.path() / "picture.png").string();
  }
  const Finished done = pegrasp_run(folder, words);
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find(GetParam().says), std::string::npos) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{});
}
INSTANTIATE_TEST_SUITE_P(
    Words, CliReplayRefuses,
    testing::Values(RefusedReplay{"NoTarget", {"replay", squeeze}, "--html FILE"},
                    RefusedReplay{"TimeOfNoPicture", {"replay", squeeze, "--html", "PAGE", "--at", "0.1"}, "add --png"},
                    RefusedReplay{"TimeAfterTheEnd",
                                  {"replay", squeeze, "--t-end", "0.05", "--png", "PNG", "--at", "9"},
                                  "the trial ends at"},
                    RefusedReplay{"NoCell", {"replay", gear, "--html", "PAGE"}, "--cell"},
                    RefusedReplay{"NoScene", {"show", "/none.json", "--html", "PAGE"}, "/none.json"},
                    RefusedReplay{"NoMap", {"report", source_file("examples/gear")}, "map.h5"}),
    [](const auto& info) { return std::string(info.param.name); });

// A replayed map folder shows the trial of its problem; --png draws it.
TEST(CliReplayLong, DrawsAPicture) {
  if (!test::has_matplotlib()) GTEST_SKIP() << "there is no matplotlib";
  Folder folder;
  const std::string picture = (folder.path() / "a.png").string();
  const Finished done = pegrasp_run(folder, {"replay", squeeze, "--t-end", "0.1", "--png", picture, "--at", "0.05"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(content(picture).substr(1, 3), "PNG");
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"a.png"});
}

TEST(CliReplayLong, MakesAFilmOrSaysWhatToInstall) {
  if (!test::has_matplotlib()) GTEST_SKIP() << "there is no matplotlib";
  Folder folder;
  const std::string film = (folder.path() / "a.mp4").string();
  const Finished done = pegrasp_run(folder, {"replay", squeeze, "--t-end", "0.1", "--mp4", film});
  if (has_program("ffmpeg")) {
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(content(film).substr(4, 4), "ftyp");
  } else {
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find("install Debian's package ffmpeg"), std::string::npos) << done.err;
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{});
  }
}

TEST(CliShow, DrawsTheGraspsOfAProblem) {
  if (!has_three()) GTEST_SKIP() << "there is no three.js (scripts/install_deps.sh)";
  Folder folder;
  const std::string page = (folder.path() / "a.html").string();
  const Finished done = pegrasp_run(folder, {"show", source_file("examples/evaluate/block.toml"), "--html", page});
  ASSERT_EQ(done.code, 0) << done.err;
  const json data = data_of(page);
  ASSERT_FALSE(data["glyphs"].empty());
  for (const json& glyph : data["glyphs"]) EXPECT_EQ(glyph["lines"].size(), 4u);
}

// What every page must be: no error of the console, and no request to a network.
void expect_quiet(const json& seen) {
  ASSERT_FALSE(seen.contains("failed")) << seen;
  EXPECT_TRUE(seen["errors"].empty()) << seen["errors"];
  EXPECT_TRUE(seen["requests"].empty()) << seen["requests"];
}

const std::string step_of_player = "eval:document.querySelector('.player').dataset.step";
const std::string trial_of_player = "eval:document.querySelector('.player').dataset.trial";
const std::string bodies_of_player = "eval:Number(document.querySelector('.player').dataset.bodies)";

// Names that end scripts and elements are shown as they are.
TEST(CliReplayLong, BrowserShowsHostileNamesAsText) {
  Folder folder;
  const std::string name = "</script><img src=x onerror=alert(1)>";
  json scene = json::parse(content(squeeze));
  scene["name"] = name;
  std::ofstream(folder.path() / "scene.json") << scene.dump();
  const std::string page = (folder.path() / "a.html").string();
  const Finished done =
      pegrasp_run(folder, {"replay", (folder.path() / "scene.json").string(), "--t-end", "0.05", "--html", page});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto seen =
      browse(page, {"eval:document.querySelector('h1').textContent", bodies_of_player,
                    "eval:document.querySelectorAll('g.body').length", "eval:document.querySelectorAll('img').length"});
  if (!seen) GTEST_SKIP() << no_chromium;
  expect_quiet(*seen);
  const auto bodies = scene["bodies"].size();
  EXPECT_EQ((*seen)["values"], (json{name, bodies, bodies, 0}));
}

// Colours of a picture in cells of a grid, 0 to 255, loosely: of another version of the browser they may differ by a
// few, of a picture that is wrong by far more.
void expect_tones(const json& tones, const std::vector<int>& expected) {
  ASSERT_EQ(tones.size(), expected.size()) << tones;
  double sum = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) sum += std::fabs(tones[i].get<double>() - expected[i]);
  EXPECT_LT(sum / static_cast<double>(expected.size()), 12.0) << tones;
}

// Of a map and of trials that were looked at.
const std::vector<int> tones_of_gear_map{160, 143, 164, 85,  38,  105, 84,  40,  107, 97,  75,  115,
                                         173, 151, 151, 192, 174, 70,  198, 198, 71,  142, 110, 90,
                                         202, 188, 208, 179, 160, 182, 190, 169, 189, 191, 169, 197};
const std::vector<int> tones_of_gear{254, 254, 254, 249, 239, 217, 247, 232, 200, 254, 254, 254,
                                     228, 241, 249, 206, 229, 239, 186, 222, 205, 215, 238, 232,
                                     235, 245, 250, 219, 238, 249, 203, 234, 226, 224, 242, 237};
const std::vector<int> tones_of_lift{254, 254, 254, 198, 218, 228, 185, 208, 225, 255, 255, 255,
                                     219, 219, 225, 184, 189, 189, 196, 193, 185, 215, 215, 221,
                                     196, 196, 206, 190, 178, 160, 194, 190, 189, 196, 196, 206};

// Makes a map in the folder m, and the page about it.
void make_report(const Folder& folder, const std::string& problem, const std::vector<std::string>& more) {
  std::vector<std::string> words{"map", problem, "--out", (folder.path() / "m").string(), "--no-plot", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const Finished map = pegrasp_run(folder, words);
  ASSERT_EQ(map.code, 0) << map.err;
  const Finished done = pegrasp_run(folder, {"report", (folder.path() / "m").string(), "--quiet"});
  ASSERT_EQ(done.code, 0) << done.err;
}

const std::string cells_on_page = "eval:document.querySelectorAll('.cell').length";
const std::string readout = "eval:document.querySelector('.readout').textContent";

// The trials on a page are those of the map: the outcome of each is what the map has counted.
TEST(CliReportLong, TrialsEndAsTheMapSays) {
  Folder folder;
  make_report(folder, gear, {"--samples", "3"});
  const std::filesystem::path page = folder.path() / "m" / "report.html";
  const json data = data_of(page);
  ASSERT_EQ(data["map"]["cells"]["p"].size(), 441u);
  EXPECT_LT(std::filesystem::file_size(page), 5'000'000u);
  int successes = 0;
  for (const json& trial : data["trials"]) {
    if (!trial.contains("cell")) continue;
    const bool success = trial["role"] == "typical success";
    successes += success ? 1 : 0;
    EXPECT_EQ(trial["success"], success) << trial["label"];
    const int counted = data["map"]["cells"]["successes"][trial["cell"].get<std::size_t>()];
    EXPECT_TRUE(success ? counted > 0 : counted < 3) << trial["label"];
  }
  EXPECT_GT(successes, 50);
  const std::string first = content(page);
  const Finished again = pegrasp_run(folder, {"report", (folder.path() / "m").string(), "--quiet"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(content(page), first);
}

// A click on a cell plays its trial; keys move over the map.
TEST(CliReportLong, BrowserPlaysThePlanarMap) {
  Folder folder;
  make_report(folder, gear, {"--samples", "3", "--no-step-check"});
  const std::filesystem::path page = folder.path() / "m" / "report.html";
  const auto seen =
      browse(page, {cells_on_page, trial_of_player, "tones:.map", "tones:.stage", "click:[data-cell='0']",
                    trial_of_player, bodies_of_player, "eval:document.querySelectorAll('.player g.body').length",
                    "press:ArrowUp", readout, "press:Enter", trial_of_player, "wait:1", step_of_player});
  if (!seen) GTEST_SKIP() << no_chromium;
  expect_quiet(*seen);
  const json& values = (*seen)["values"];
  EXPECT_EQ(values[0], 441);
  EXPECT_NE(values[4], values[1]) << "the click has changed nothing";
  EXPECT_EQ(values[5], 3);
  EXPECT_EQ(values[6], 3);
  EXPECT_EQ(values[7].get<std::string>().rfind("Cell 21, ", 0), 0u) << values[7];
  EXPECT_NE(values[8], values[4]);
  EXPECT_GT(std::stod(values[9].get<std::string>()), 0.0);
  expect_tones(values[2], tones_of_gear_map);
  expect_tones(values[3], tones_of_gear);
}

TEST(CliReportLong, BrowserPlaysTheMapInSpace) {
  if (!has_three()) GTEST_SKIP() << "there is no three.js (scripts/install_deps.sh)";
  Folder folder;
  make_report(folder, source_file("examples/lift/lift.toml"), {"--samples", "2", "--no-step-check"});
  const std::filesystem::path page = folder.path() / "m" / "report.html";
  const auto seen = browse(page, {cells_on_page, "tones:.stage", "click:[data-cell='60']", "wait:1", bodies_of_player,
                                  trial_of_player, step_of_player});
  if (!seen) GTEST_SKIP() << no_chromium;
  expect_quiet(*seen);
  const json& values = (*seen)["values"];
  EXPECT_EQ(values[0], 121);
  EXPECT_EQ(values[2], 5);
  EXPECT_GT(std::stod(values[4].get<std::string>()), 0.0);
  expect_tones(values[1], tones_of_lift);
}

// Without WebGL a scene in 3D is a line that says so, and all else works.
TEST(CliReportLong, BrowserWithoutWebGLSaysSo) {
  if (!has_three()) GTEST_SKIP() << "there is no three.js (scripts/install_deps.sh)";
  Folder folder;
  make_report(folder, source_file("examples/evaluate/block.toml"), {"--samples", "4", "--no-step-check"});
  const std::filesystem::path page = folder.path() / "m" / "report.html";
  const std::string dots = "eval:document.querySelectorAll('circle.dot').length";
  const std::string alert = "eval:document.querySelector('.player [role=alert]')?.textContent.slice(0, 27)";
  const std::vector<std::string> steps{alert,
                                       "eval:document.querySelectorAll('tbody button').length",
                                       dots,
                                       "click:tbody button",
                                       step_of_player,
                                       "eval:document.querySelector('.player .command').textContent",
                                       "eval:document.body.textContent.includes('which grasp')"};
  std::vector<std::string> without{"--no-webgl"};
  without.insert(without.end(), steps.begin(), steps.end());
  const auto seen = browse(page, without), other = browse(page, steps);
  if (!seen || !other) GTEST_SKIP() << no_chromium;
  expect_quiet(*seen);
  expect_quiet(*other);
  const json data = data_of(page);
  const json& values = (*seen)["values"];
  EXPECT_EQ(values[0], "This browser has no WebGL, ");
  EXPECT_EQ((*other)["values"][0], nullptr);
  EXPECT_EQ(values[1], data["grasps"].size());
  EXPECT_EQ(values[2], 6 * data["grasps"].size()) << "the openings are equal, all else differs";
  EXPECT_FALSE(values[3].get<std::string>().empty());
  EXPECT_NE(values[4].get<std::string>().find("pegrasp replay"), std::string::npos);
  EXPECT_EQ(values[5], true);
}

// One axis is a curve, three are multiples, grasps are a list.
struct ShownMap {
  const char* name;
  const char* example;
  const char* more;  // at the end of the problem
  const char* shows;
  std::size_t pictures;
};
class CliReportLongShows : public testing::TestWithParam<ShownMap> {};
TEST_P(CliReportLongShows, EveryCell) {
  Folder folder;
  const ShownMap& map = GetParam();
  if (map.shows == std::string("tbody button") && !has_three()) GTEST_SKIP() << "there is no three.js";
  std::string problem = source_file(map.example);
  if (*map.more != '\0') {
    std::ofstream(folder.path() / "more.toml") << content(problem) << map.more;
    problem = (folder.path() / "more.toml").string();
  }
  make_report(folder, problem, {"--samples", "2", "--no-step-check"});
  const std::filesystem::path page = folder.path() / "m" / "report.html";
  const auto seen = browse(page, {"eval:document.querySelectorAll('" + std::string(map.shows) + "').length",
                                  "eval:document.querySelectorAll('svg.heat').length"});
  if (!seen) GTEST_SKIP() << no_chromium;
  expect_quiet(*seen);
  EXPECT_EQ((*seen)["values"][0], data_of(page)["map"]["cells"]["p"].size());
  EXPECT_EQ((*seen)["values"][1], map.pictures);
}
INSTANTIATE_TEST_SUITE_P(
    Maps, CliReportLongShows,
    testing::Values(ShownMap{"Curve", "examples/puck/puck.toml",
                             "\n[[axis]]\nkey = \"success.displacement_below_mm\"\nvalues = [2, 5, 10, 20]\n", ".cell",
                             1},
                    ShownMap{"Multiples", "examples/sweep/sweep.toml", "", ".cell", 2},
                    ShownMap{"Grasps", "examples/evaluate/block.toml", "", "tbody button", 0}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace pegrasp
