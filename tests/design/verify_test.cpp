// SPDX-License-Identifier: Apache-2.0
// Designs of a hole through which a disc falls, or not: verdicts that are known, by each level and in one go.
#include "src/design/verify.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "pegrasp/map.hpp"
#include "tests/files.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp::design {
namespace {

// A disc of 5 mm falls into a hole that two posts leave; the axis has it start beside the middle.
const char* const hole = R"(
[map]
samples = 20
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
part = [{ shape = "half_plane", normal = [1, 0], offset_mm = -50 }, { shape = "half_plane", normal = [-1, 0], offset_mm = -50 }]
[success]
all = [{ pose_within = "disc", y_mm = [-2000, -30] }]
[[axis]]
key = "body.disc.x_mm"
values = [-2, 0, 2]
[[design]]
name = "width"
start = 12
low = 4
high = 14
moves = [
  { key = "body.left.part.0.vertices_mm.0.0", factor = -0.5 },
  { key = "body.left.part.0.vertices_mm.3.0", factor = -0.5 },
  { key = "body.right.part.0.vertices_mm.0.0", factor = 0.5 },
  { key = "body.right.part.0.vertices_mm.3.0", factor = 0.5 },
]
)";

const std::filesystem::path folder =
    std::filesystem::path(testing::TempDir()) / ("verify_designs_" + std::to_string(getpid()));

DesignOptions options_of(int designs, bool naive) {
  DesignOptions options;
  options.designs = designs;
  options.naive = naive;
  options.folder = folder;
  return options;
}

DesignResult verified(const DesignOptions& options, const std::string& text = hole) {
  const RowEvaluator rows(text, "hole.toml");
  const auto backend = test::make_backend_under_test(1);
  RowLog log(rows, *backend, log_options(options));
  DesignResult result = verify_designs(rows, *backend, log, options);
  log.finish();
  return result;
}

TEST(VerifyDesigns, MovesPartsByTheDesign) {
  const RowEvaluator rows(hole, "hole.toml");
  EXPECT_EQ(rows.start(), std::vector<double>{12.0});
  const auto at = [&](double width, std::size_t body) {
    return rows.problem_at({{width}, {}}).scene.bodies[body].planar().parts[0].corners[0].centre.x;
  };
  EXPECT_DOUBLE_EQ(at(12.0, 1), -6e-3);
  EXPECT_DOUBLE_EQ(at(10.0, 1), -5e-3);
  EXPECT_DOUBLE_EQ(at(13.0, 2), 6.5e-3);
  EXPECT_NE(rows.toml_at({{13.0}, {}}).find("start = 13"), std::string::npos);
}

// The disc passes a hole of more than 10 mm. The geometric level refuses one below 10 - 2 * 0.93 mm at the latest.
TEST(VerifyDesigns, AHoleIsWideEnoughOrNot) {
  const DesignOptions options = options_of(30, true);
  const DesignResult result = verified(options);
  ASSERT_EQ(result.designs.size(), 30u);
  EXPECT_EQ(result.grid, 3);
  EXPECT_EQ(result.random, 20);
  int passed = 0, refused_by_geometry = 0;
  for (const DesignRecord& record : result.designs) {
    const double width = record.values[0];
    EXPECT_GE(width, 4.0);
    EXPECT_LE(width, 14.0);
    EXPECT_EQ(record.refused_by == 2, width > 10.0) << width;
    EXPECT_EQ(record.of(Level::dynamic).passed, width > 10.0) << width;
    if (width < 8.0) {
      EXPECT_EQ(record.refused_by, 0u) << width;
    }
    if (width > 10.0) {
      EXPECT_TRUE(record.of(Level::geometric).passed) << width;
    }
    passed += record.refused_by == 2 ? 1 : 0;
    refused_by_geometry += record.refused_by == 0 ? 1 : 0;
    EXPECT_EQ(record.of(Level::dynamic).trials, width > 10.0 ? 23 : 1) << width;
    EXPECT_EQ(record.of(Level::dynamic).random, width > 10.0 ? 20 : 0) << width;
    EXPECT_EQ(record.of(Level::dynamic).first_failing, width > 10.0 ? -1 : 0) << width;
  }
  EXPECT_GT(passed, 3);
  EXPECT_GT(refused_by_geometry, 3);
  const DesignTotals totals = totals_of(result, options);
  EXPECT_EQ(totals.passed.size(), static_cast<std::size_t>(passed));
  EXPECT_TRUE(totals.contradictions.empty());
  EXPECT_EQ(totals.naive_trials, 23u * static_cast<std::size_t>(passed) + 30u - static_cast<std::size_t>(passed));
  EXPECT_EQ(totals.trials[1], totals.naive_trials - static_cast<std::size_t>(refused_by_geometry));
  const std::string csv = designs_csv(result, options);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "design,width,refused_by,first_failing,unresolved,geometric_s,dynamic_trials,dynamic_s,naive_passed");
}

TEST(VerifyDesigns, LevelsAloneAndTheDesignOfTheFile) {
  DesignOptions options = options_of(0, false);
  options.levels = {Level::dynamic};
  const DesignResult result = verified(options);
  ASSERT_EQ(result.designs.size(), 1u);
  EXPECT_EQ(result.designs[0].values, std::vector<double>{12.0});
  EXPECT_FALSE(result.designs[0].of(Level::geometric).tried);
  EXPECT_TRUE(result.designs[0].of(Level::dynamic).passed);
  options.levels = {Level::geometric};
  EXPECT_TRUE(verified(options).designs[0].of(Level::geometric).passed);
}

// Stopped after any number of designs, it goes on to the same verdicts, and to the seconds of those it had.
TEST(VerifyDesigns, ResumesWhatItHas) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  std::atomic<bool> stop{false};
  DesignOptions options = options_of(8, false);
  options.stop = &stop;
  options.progress = [&](std::size_t done, std::size_t) { stop = done == 5; };
  EXPECT_THROW(verified(options), Interrupted);
  stop = false;
  options.progress = nullptr;
  options.resume = true;
  const DesignResult rest = verified(options);
  EXPECT_GE(rest.resumed, 5u);
  EXPECT_FALSE(std::filesystem::exists(folder / "evaluations.journal"));
  options.resume = false;
  const DesignResult whole = verified(options);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(rest.designs[i].values, whole.designs[i].values);
    EXPECT_EQ(rest.designs[i].refused_by, whole.designs[i].refused_by);
    EXPECT_EQ(rest.designs[i].of(Level::dynamic).trials, whole.designs[i].of(Level::dynamic).trials);
  }
}

// A disc that rests on a floor of rubber. Rigid, it lies at its radius whatever the rubber is; on the shell it lies
// m g / K lower, 0.098 mm at 1000 N/m.
constexpr const char* rubber = R"(
[map]
samples = 2
[simulation]
h_ms = 2
duration_s = 0.5
[gravity]
y_m_s2 = -9.81
[[body]]
name = "disc"
mass_kg = 0.01
y_mm = 5
part = [{ shape = "disc", radius_mm = 5 }]
[[body]]
name = "floor"
kind = "fixed"
part = [{ shape = "half_plane", normal = [0, 1] }]
shell = { thickness_mm = 3, stiffness_n_per_m = 1000, damping_n_s_per_m = 4 }
[success]
pose_within = "disc"
y_mm = [4.8, 5.001]
[[design]]
name = "stiffness"
key = "body.floor.shell.stiffness_n_per_m"
low = 100
high = 1000
)";

TEST(VerifyDesigns, TheDynamicLevelIsRigidBeforeTheCompliantOne) {
  DesignOptions options = options_of(12, true);
  options.levels = {Level::dynamic, Level::compliant};
  const DesignResult result = verified(options, rubber);
  int refused = 0;
  for (const DesignRecord& record : result.designs) {
    const bool stiff = 0.01 * 9.81 / record.values[0] < 0.2e-3;
    EXPECT_TRUE(record.of(Level::dynamic).passed) << record.values[0];
    EXPECT_EQ(record.of(Level::compliant).passed, stiff) << record.values[0];
    EXPECT_EQ(record.refused_by, stiff ? 2u : 1u) << record.values[0];
    refused += stiff ? 0 : 1;
  }
  EXPECT_GT(refused, 2);
  EXPECT_LT(refused, 10);
  const std::string csv = designs_csv(result, options);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "design,stiffness,refused_by,first_failing,unresolved,geometric_s,dynamic_trials,dynamic_s,"
            "compliant_trials,compliant_s,naive_passed");
  // Without that level the shells act in the dynamic one.
  options.levels = {Level::dynamic};
  const DesignResult dynamic = verified(options, rubber);
  for (std::size_t i = 0; i < dynamic.designs.size(); ++i)
    EXPECT_EQ(dynamic.designs[i].of(Level::dynamic).passed, result.designs[i].of(Level::compliant).passed);
}

TEST(VerifyDesigns, SaysInOneLineWhatCannotBe) {
  DesignOptions soft = options_of(0, false);
  soft.levels = {Level::compliant};
  EXPECT_NE(test::refusal([&] { verified(soft); }).find("needs parts that have a shell"), std::string::npos);
  EXPECT_NE(test::refusal([] { levels_from("compliant,dynamic"); }).find("from cheap to dear"), std::string::npos);
  EXPECT_NE(test::refusal([] { levels_from("dynamic,geometric"); }).find("from cheap to dear"), std::string::npos);
  EXPECT_NE(test::refusal([] { levels_from("kinematic"); }).find("is no level"), std::string::npos);
  std::string text = hole;
  text.replace(text.find("high = 14"), 9, "scale = 1");
  EXPECT_NE(test::refusal([&] { verified(options_of(3, false), text); }).find("give both"), std::string::npos);
  text = hole;
  text.replace(text.find("{ pose_within"), 1, "{ relative_to = \"left\",");
  EXPECT_NE(test::refusal([&] { verified(options_of(3, false), text); }).find("one pose_within"), std::string::npos);
  text = hole;
  text.replace(text.find("vertices_mm.0.0"), 15, "vertices_mm.7.0");
  EXPECT_NE(test::refusal([&] { RowEvaluator(text, "hole.toml"); }).find("correct the key"), std::string::npos);
}

}  // namespace
}  // namespace pegrasp::design
