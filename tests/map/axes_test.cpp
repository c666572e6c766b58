// SPDX-License-Identifier: Apache-2.0
// Maps with [[axis]]: the same bytes however they are simulated, and trial by trial what --set gives.
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "pegrasp/map.hpp"
#include "pegrasp/sampler.hpp"
#include "src/decide/best.hpp"
#include "src/decide/compare.hpp"
#include "src/decide/explain.hpp"
#include "src/decide/stored_map.hpp"
#include "src/formats/csv.hpp"
#include "src/map/until.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::FakeBackend;
using test::Folder;

// A puck that slides to a stop: friction is a parameter, the contact model and the radius of the disc are not, and the
// distribution of the speed differs from cell to cell.
const std::string puck = R"(
[map]
title = "A puck, \"by axes\""
samples = 6
[simulation]
duration_s = 0.4
[[axis]]
key = "body.puck.part.0.radius_mm"
values = [10, 14]
[[axis]]
key = "body.puck.support.friction"
from = 0.1
to = 0.8
count = 4
scale = "log"
[[axis]]
key = "uncertain.speed.high"
values = [300, 500]
name = "fastest"
[[axis]]
key = "simulation.contact"
values = ["peg", "standard"]
[[body]]
name = "puck"
mass_kg = 0.1
vx_mm_s = "speed"
support = { radius_mm = 7, friction = 0.3 }
part = [{ shape = "disc", radius_mm = 10 }]
[uncertain.speed]
unit = "mm_s"
distribution = "uniform"
low = 100
high = 400
[success]
displacement_below_mm = 12
of = "puck"
)";

Problem problem_of(std::vector<Override> more = {}) { return parse_problem(puck, "puck.toml", more); }

MapOptions options_of(const std::filesystem::path& out) {
  MapOptions options;
  options.out = out;
  options.chunk = 25;  // ends within cells, and holds several groups
  options.step_check = 0.5;
  return options;
}

void finish(SuccessMap map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  finish_map(map, problem, out);
}

SuccessMap simulate(const Problem& problem, const MapOptions& options, int threads = 1) {
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, problem.arithmetic, threads);
  return run_map(problem, *backend, options);
}

void expect_same_files(const std::filesystem::path& a, const std::filesystem::path& b) {
  for (const char* name : {"map.h5", "map.csv", "problem.toml"})
    EXPECT_TRUE(content(a / name) == content(b / name)) << name;
}

TEST(AxesMap, EveryTrialIsThatOfItsValues) {
  const Problem problem = problem_of();
  const Folder folder;
  SuccessMap map = simulate(problem, options_of(folder.path()));
  ASSERT_EQ(map.cells.size(), 32u);
  EXPECT_EQ(problem.group_count(), 8u) << "friction is a parameter";
  const std::unique_ptr<Backend> backend = make_backend(BackendKind::cpu, problem.arithmetic, 1);
  for (std::size_t c = 0; c < 32; ++c) {
    const std::vector<std::size_t> at = place_on(map.axes, c);
    const Problem one = problem_of({{"body.puck.part.0.radius_mm", map.axes[0].texts[at[0]]},
                                    {"body.puck.support.friction", map.axes[1].texts[at[1]]},
                                    {"uncertain.speed.high", map.axes[2].texts[at[2]]},
                                    {"simulation.contact", map.axes[3].texts[at[3]]},
                                    {"axis", "[]"}});
    const Sampler sampler(one);
    std::vector<double> parameters(6 * sampler.parameters()), values(sampler.values()), poses(6 * 3);
    std::vector<SceneOutcome> outcomes(6);
    for (int k = 0; k < 6; ++k) {
      const std::span<double> own(parameters.data() + static_cast<std::size_t>(k) * sampler.parameters(),
                                  sampler.parameters());
      sampler.draw(static_cast<int>(c), k, own, values);
    }
    StepOptions step = derive_options(one.options, one.scene, one.arithmetic);
    step.on_unresolved = OnUnresolved::stop;
    ASSERT_TRUE(backend->run(*compile_model(one.scene), step, parameters, outcomes, poses, nullptr));
    EXPECT_EQ(std::memcmp(outcomes.data(), map.outcomes.data() + 6 * c, 6 * sizeof(SceneOutcome)), 0) << c;
    EXPECT_EQ(std::memcmp(poses.data(), map.final_poses.data() + 18 * c, 18 * sizeof(double)), 0) << c;
  }
}

TEST(AxesMap, ThreadsShardsAndResumeGiveTheSameBytes) {
  const Problem problem = problem_of();
  const Folder folder;
  const auto at = [&](const char* name) { return folder.path() / name; };
  finish(simulate(problem, options_of(at("whole"))), problem, at("whole"));

  MapOptions large = options_of(at("threads"));
  large.chunk = 1000;
  finish(simulate(problem, large, 2), problem, at("threads"));
  expect_same_files(at("whole"), at("threads"));

  for (int i = 1; i <= 3; ++i) {
    MapOptions part = options_of(at("parts"));
    part.shard = {i, 3};
    simulate(problem, part);
  }
  MergedMap merged = merge_parts({at("parts")});
  take_folder(merged.map, merged.problem, at("merged"));
  finish(std::move(merged.map), merged.problem, at("merged"));
  expect_same_files(at("whole"), at("merged"));

  std::atomic<bool> stop{false};
  MapOptions stopped = options_of(at("resumed"));
  stopped.stop = &stop;
  stopped.progress = [&](std::size_t done, std::size_t) { stop = done > 100; };
  EXPECT_THROW(simulate(problem, stopped), Interrupted);
  stop = false;
  stopped.progress = nullptr;
  stopped.resume = true;
  SuccessMap resumed = simulate(problem, stopped);
  EXPECT_GT(resumed.resumed, 0u);
  finish(std::move(resumed), problem, at("resumed"));
  expect_same_files(at("whole"), at("resumed"));
}

TEST(AxesMap, SampledUntilDecidedGivesTheSameBytes) {
  const Problem problem = problem_of({{"map.samples", "120"}, {"map.until", "{ decided = 0.5 }"}});
  const Folder folder;
  const auto at = [&](const char* name) { return folder.path() / name; };
  MapOptions options = options_of(at("whole"));
  options.step_check = 0.0;
  FakeBackend fake;
  finish(run_map(problem, fake, options), problem, at("whole"));
  for (int i = 1; i <= 2; ++i) {
    MapOptions part = options;
    part.out = at("parts");
    part.chunk = 70;
    part.shard = {i, 2};
    run_map(problem, fake, part);
  }
  MergedMap merged = merge_parts({at("parts")});
  take_folder(merged.map, merged.problem, at("merged"));
  finish(std::move(merged.map), merged.problem, at("merged"));
  expect_same_files(at("whole"), at("merged"));
}

// A map of the grid alone is the map of the same places as an axis, number by number.
TEST(AxesMap, TheGridIsACaseOfAxes) {
  const std::string axis =
      "[[axis]]\nkeys = [\"body.left_finger.y_mm\", \"body.right_finger.y_mm\"]\n"
      "values = [-16, -12, -8]\nname = \"place\"\n";
  std::string text = content(test::source_file("examples/gear/gear.toml"));
  const auto grid = text.find("[grid]");
  text.replace(grid, text.find("[simulation]") - grid, axis);
  const std::vector<Override> few{{"map.samples", "7"}};
  const Problem by_axis = parse_problem(text, "gear.toml", few);
  const Problem by_grid = load_problem(test::source_file("examples/gear/gear.toml"),
                                       {few[0], {"grid.x_mm", "[0]"}, {"grid.y_mm", "[-16, -12, -8]"}});
  EXPECT_EQ(by_axis.group_count(), 1u) << "no model of its own for a cell";
  const Folder folder;
  FakeBackend fake;  // whose answers depend on every bit of the parameters
  MapOptions options;
  options.out = folder.path() / "a";
  const SuccessMap a = run_map(by_axis, fake, options);
  options.out = folder.path() / "b";
  const SuccessMap b = run_map(by_grid, fake, options);
  ASSERT_EQ(a.outcomes.size(), b.outcomes.size());
  EXPECT_EQ(std::memcmp(a.outcomes.data(), b.outcomes.data(), a.outcomes.size() * sizeof(SceneOutcome)), 0);
  EXPECT_EQ(a.values, b.values);
}

TEST(AxesMap, ResultsNameTheAxes) {
  const Problem problem = problem_of();
  const Folder folder;
  SuccessMap map = simulate(problem, options_of(folder.path()));
  const std::string summary = map_summary_json(map, problem);
  finish(std::move(map), problem, folder.path());
  const std::string csv = content(folder.path() / "map.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "radius_mm,friction,fastest,contact,samples,successes,unresolved,p,ci_low,ci_high");
  EXPECT_NE(csv.find("\n14,0.2,500,standard,6,"), std::string::npos) << csv;
  const auto json = nlohmann::json::parse(summary);
  EXPECT_EQ(json["axes"][3]["values"], (nlohmann::json{"peg", "standard"}));
  EXPECT_EQ(json["contact"], "varies");
  EXPECT_TRUE(json["tolerance_m_s"].is_null() || json["tolerance_m_s"].is_number());

  const decide::StoredMap stored = decide::read_stored_map(folder.path(), decide::Trials::all);
  ASSERT_EQ(stored.axes.size(), 4u);
  EXPECT_EQ(stored.words_of(31), "radius = 14 mm, friction = 0.8, fastest = 500, contact = standard");
  EXPECT_TRUE(stored.axes[1].logarithmic);
  EXPECT_EQ(stored.cells.size(), 32u);
  EXPECT_EQ(decide::best_cell(stored).cells.size(), 32u);
  const decide::Explanation explanation = decide::explain(stored, std::nullopt);
  EXPECT_EQ(explanation.factors.size(), 5u) << "four axes and the speed";
  EXPECT_EQ(decide::compare(stored, stored).flipped.size(), 0u);
}

}  // namespace
}  // namespace pegrasp
