// SPDX-License-Identifier: Apache-2.0
// Explanations of maps: which numbers are parameters, curves, and failures by reason.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "kernels/sampling/philox.hpp"
#include "src/decide/explain.hpp"
#include "tests/decide/stored.hpp"
#include "tests/files.hpp"

namespace pegrasp::decide {
namespace {

using test::refusal;
using test::stored_map;

void add_column(StoredMap& map, const std::string& name, const std::string& unit, std::uint32_t stream, bool constant) {
  StoredColumn column{name, unit, {}};
  for (std::size_t t = 0; t < map.success.size(); ++t) {
    DrawKey key;
    key.cell = static_cast<std::uint32_t>(t);
    key.stream = stream;
    column.values.push_back(constant ? 0.5 : unit_open(random_words(key).first));
  }
  map.sampled.push_back(std::move(column));
}

// Success where x is 1 and the friction is above a half.
StoredMap grasps(int samples = 2000) {
  StoredMap map = stored_map(2, 1, samples);
  add_column(map, "friction", "1", 1, false);
  add_column(map, "mass", "kg", 2, false);
  add_column(map, "width", "m", 3, true);
  add_column(map, "friction.group", "1", 4, false);
  std::uint32_t stream = 5;
  for (const char* end : {"radius", "turn", "x1", "y1", "load1", "load3"})
    add_column(map, std::string("gear.support.") + end, "m", stream++, false);
  for (std::size_t t = 0; t < map.success.size(); ++t)
    if (map.cell[t] == 1 && map.sampled[0].values[t] > 0.5) test::succeed(map, t);
  map.problem_toml = "[map]\n";
  return map;
}

std::size_t place(const Explanation& found, const std::string& name) {
  for (std::size_t i = 0; i < found.factors.size(); ++i)
    if (found.factors[i].name == name) return i;
  ADD_FAILURE() << "no " << name;
  return 0;
}

TEST(Explain, WhatDecidesAndWhatDoesNot) {
  const Explanation found = explain(grasps(), {});
  std::vector<std::string> names;
  for (const Factor& factor : found.factors) names.push_back(factor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"x", "friction", "mass", "gear.support.radius", "gear.support.turn",
                                             "gear.support.load1"}));
  EXPECT_EQ(found.left_out,
            (std::vector<std::string>{"friction.group", "gear.support.x1", "gear.support.y1", "gear.support.load3"}));
  // p = 1/4, V = 3/16; E[Y|x] is 0 or 1/2, so V_x = 1/16, V_friction the same, and 1/16 together.
  const SobolIndices& indices = found.indices;
  EXPECT_NEAR(indices.first[place(found, "x")].value, 1.0 / 3.0, 0.06);
  EXPECT_NEAR(indices.first[place(found, "friction")].value, 1.0 / 3.0, 0.06);
  EXPECT_NEAR(indices.total[place(found, "x")].value, 2.0 / 3.0, 0.1);
  EXPECT_NEAR(indices.first[place(found, "mass")].value, 0.0, 0.06);
}

// The numbers of grasps are names: every second of 200 holds the part, so which grasp it is decides all, and nothing of
// that shows where neighbours share a bin.
TEST(Explain, GraspsAreToldApartHoweverManyThereAre) {
  StoredMap map = stored_map(200, 1, 20);
  map.axes = {map.axes[0]};
  map.axes[0].unit = "1";
  add_column(map, "friction", "1", 1, false);
  for (std::size_t t = 0; t < map.success.size(); ++t)
    if (map.cell[t] % 2 == 0) test::succeed(map, t);
  map.problem_toml = "[map]\n";
  map.axes[0].name = "grasp";
  const Explanation named = explain(map, {});
  EXPECT_TRUE(named.factors[0].nominal);
  EXPECT_NEAR(named.indices.first[0].value, 1.0, 1e-3);
  EXPECT_TRUE(nlohmann::json::parse(explain_json(map, named))["parameters"][0]["nominal"]);
  map.axes[0].name = "distance";
  const Explanation ordered = explain(map, {});
  EXPECT_FALSE(ordered.factors[0].nominal);
  EXPECT_LT(ordered.indices.first[0].value, 0.3);
}

TEST(Explain, OneCellAlone) {
  const Explanation found = explain(grasps(), 1);
  EXPECT_EQ(found.trials, 2000);
  EXPECT_EQ(found.factors.front().name, "friction") << "the place does not vary";
  EXPECT_NEAR(found.indices.first[0].value, 1.0, 0.05);
  const std::vector<CurvePoint>& curve = found.curves[0];
  EXPECT_EQ(curve.front().p, 0.0);
  EXPECT_EQ(curve.back().p, 1.0);
  EXPECT_EQ(curve.back().interval.low, wilson_interval(curve.back().trials, curve.back().trials).low);
  long long trials = 0;
  for (const CurvePoint& point : curve) trials += point.trials;
  EXPECT_EQ(trials, 2000);
}

TEST(Explain, FailuresByReasonWithATypicalOne) {
  StoredMap map = grasps(100);
  map.status[0] = 4;
  map.contacts_max[1] = 0;
  map.stopped_still[2] = 0;
  map.stopped_still[3] = 0;
  map.slip_margin_end.assign(map.success.size(), 1.0);
  map.slip_margin_end[3] = 0.0;
  const Explanation found = explain(map, {});
  EXPECT_FALSE(found.drops_known) << "its problem is no problem";
  std::map<FailureReason, long long> counts;
  for (const FailureGroup& group : found.failures) counts[group.reason] = group.trials;
  EXPECT_EQ(counts[FailureReason::unresolved], 1);
  EXPECT_EQ(counts[FailureReason::never_touched], 1);
  EXPECT_EQ(counts[FailureReason::moving], 1);
  EXPECT_EQ(counts[FailureReason::slipped], 1);
  EXPECT_EQ(counts[FailureReason::jammed], 200 - found.successes - 4);
  EXPECT_EQ(found.failures.front().reason, FailureReason::jammed) << "the most frequent first";
  const std::string csv = failures_csv(map, found);
  EXPECT_NE(csv.find("\nunresolved,1,0,0,pegrasp run out/made/problem.toml --cell 0 --sample 0\n"), std::string::npos)
      << csv;
}

TEST(Explain, OutputsAreRead) {
  const StoredMap map = grasps();
  const Explanation found = explain(map, {});
  const auto json = nlohmann::json::parse(explain_json(map, found));
  EXPECT_EQ(json["kind"], "explain");
  EXPECT_EQ(json["parameters"].size(), 6u);
  EXPECT_GT(json["parameters"][0]["total"]["value"], json["parameters"][5]["total"]["value"]);
  EXPECT_EQ(json["strongest_pair"]["parameters"], (nlohmann::json{"x", "friction"}));
  EXPECT_NE(explain_csv(found).find("\nsecond,x,friction,"), std::string::npos);
  EXPECT_NE(curves_csv(found).find("\nmass,kg,"), std::string::npos);
  const std::string text = explain_text(map, found);
  EXPECT_NE(text.find("x and friction interact most"), std::string::npos) << text;
  EXPECT_NE(text.find("left out"), std::string::npos) << text;
}

TEST(Explain, WhatCannotBeExplainedIsRefused) {
  StoredMap all_fail = stored_map(2, 1, 100);
  EXPECT_NE(refusal([&] { explain(all_fail, {}); }).find("all resolved trials fail"), std::string::npos);
  StoredMap few = stored_map(2, 1, 10);
  EXPECT_NE(refusal([&] { explain(few, {}); }).find("20 resolved trials explain nothing"), std::string::npos);
  const StoredMap map = grasps();
  EXPECT_NE(refusal([&] { explain(map, 2); }).find("has cells 0 to 1"), std::string::npos);
  StoredMap constant = stored_map(1, 1, 100);
  test::succeed(constant, 3);
  EXPECT_NE(refusal([&] { explain(constant, {}); }).find("nothing varies"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp::decide
