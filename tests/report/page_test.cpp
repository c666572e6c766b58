// SPDX-License-Identifier: Apache-2.0
// Pages: names of files cannot become HTML or script, and nothing is fetched. Words of a problem, typical trials.
#include <gtest/gtest.h>

#include <string>

#include "src/report/page.hpp"
#include "src/report/typical.hpp"
#include "src/report/words.hpp"
#include "tests/files.hpp"

namespace pegrasp::report {
namespace {

Json planar_data(const std::string& title, const std::string& body) {
  return {{"kind", "show"},
          {"title", title},
          {"scenes", {{{"spatial", false}, {"bodies", {{{"name", body}}}}}}},
          {"trials", Json::array()}};
}

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

TEST(ReportPage, NamesCannotEndAScriptOrBecomeHtml) {
  const std::string plain = page(planar_data("title", "name"));
  const std::string hostile =
      page(planar_data("</title><script>alert(1)</script>{{data}}", "</script><script>alert(2)"));
  EXPECT_EQ(times(hostile, "</script"), times(plain, "</script"));
  EXPECT_EQ(times(hostile, "<script"), times(plain, "<script"));
  EXPECT_NE(hostile.find("<title>&lt;/title&gt;&lt;script&gt;alert(1)"), std::string::npos);
  const Json back = Json::parse(script_json(planar_data("t", "</script><script>alert(2)")));
  EXPECT_EQ(back["scenes"][0]["bodies"][0]["name"], "</script><script>alert(2)");
}

TEST(ReportPage, FetchesNothing) {
  const std::string text = page(planar_data("title", "name"));
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  for (const char* word : {"src=\"", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
}

TEST(ReportPage, BrokenTextIsReplaced) {
  EXPECT_NE(page(planar_data("broken \xff", "name")).find("<title>broken \xef\xbf\xbd</title>"), std::string::npos);
  EXPECT_EQ(html_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
}

TEST(ReportPage, SaysWhatToInstallForScenesInSpace) {
  const std::string says = test::refusal([] { three_js("/nowhere"); });
  EXPECT_NE(says.find("install Debian's package libjs-three"), std::string::npos) << says;
}

// A body in [-1 mm, 2 mm] and slower than 3 mm/s for 0.5 s, or never touched.
TEST(ReportWords, SayWhenATrialSucceeds) {
  SceneSpec scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "part";
  Predicate within;
  within.kind = PredicateKind::pose_within;
  within.body = 0;
  within.low = {-1e-3, -1e300, -1e300};
  within.high = {2e-3, 1e300, 1e300};
  Predicate slow;
  slow.kind = PredicateKind::speed_below;
  slow.body = 0;
  slow.value = 3e-3;
  slow.duration = 0.5;
  Predicate both;
  both.kind = PredicateKind::all;
  both.count = 2;
  scene.success = {within, slow, both};
  EXPECT_EQ(
      success_words(scene),
      "\u201cpart\u201d has x at least -1 mm and at most 2 mm and \u201cpart\u201d is slower than 3 mm/s for 0.5 s");
}

// Two cells with four trials: typical is the success nearest the mean of the successes.
TEST(ReportTypical, TrialsLieNearestTheMeanOfTheirKind) {
  decide::StoredMap map;
  map.cells.resize(2);
  map.cell = {0, 0, 0, 0, 1, 1, 1, 1};
  map.sample = {0, 1, 2, 3, 0, 1, 2, 3};
  map.success = {1, 1, 1, 0, 0, 0, 0, 0};
  map.status = {0, 0, 0, 0, 0, 0, 0, 4};
  map.sampled = {{"mu", "1", {0.0, 0.4, 0.5, 0.1, 0.2, 0.3, 0.9, 0.4}}};
  const std::vector<ChosenTrial> chosen = chosen_trials(map, 1, 100);
  std::vector<std::string> found;
  for (const ChosenTrial& one : chosen) {
    found.push_back(std::to_string(one.cell) + " " + std::to_string(one.sample) + " " + one.role);
  }
  const std::vector<std::string> expected{"0 1 typical success", "0 3 typical failure", "0 0 sample 0: success",
                                          "1 1 typical failure", "1 3 unresolved",      "1 0 sample 0: failure"};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(chosen_trials(map, 0, 2).front().cell, 1);  // room for one cell of two
}

}  // namespace
}  // namespace pegrasp::report
