// SPDX-License-Identifier: Apache-2.0
// pegrasp map --fallback reference: what a backend leaves unresolved is simulated again, and counted.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "pegrasp_reference/engine.hpp"
#include "src/formats/csv.hpp"
#include "src/map/journal.hpp"
#include "src/reference/batch.hpp"
#include "tests/cli/child.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::FakeBackend;
using test::Finished;
using test::Folder;
using test::nine_cells;
using test::pegrasp_run;
using test::refusal;
using test::source_file;

SuccessMap run(const Problem& problem, const std::filesystem::path& out, FakeBackend& backend, Fallback fallback,
               int threads = 2, bool resume = false) {
  MapOptions options;
  options.out = out;
  options.chunk = 10;
  options.resume = resume;
  options.fallback = fallback;
  static const std::unique_ptr<ReferenceEngine> engine = make_reference_engine();
  options.reference = engine.get();
  options.threads = threads;
  options.stop = &backend.stop;
  SuccessMap map = run_map(problem, backend, options);
  map.journal.reset();  // as if the process had ended: others may use the folder
  return map;
}

SuccessMap run(const Problem& problem, const std::filesystem::path& out, Fallback fallback, int threads = 2) {
  FakeBackend backend;
  return run(problem, out, backend, fallback, threads);
}

void expect_same(const SuccessMap& a, const SuccessMap& b) {
  EXPECT_EQ(map_csv(a), map_csv(b));
  EXPECT_EQ(a.by_reference, b.by_reference);
  EXPECT_EQ(std::memcmp(a.outcomes.data(), b.outcomes.data(), a.outcomes.size() * sizeof(SceneOutcome)), 0);
  EXPECT_EQ(a.final_poses, b.final_poses);
}

TEST(Fallback, UnresolvedSamplesAreTheReferences) {
  Folder folder;
  const Problem problem = nine_cells();
  const SuccessMap plain = run(problem, folder.path(), Fallback::none);
  const SuccessMap map = run(problem, folder.path(), Fallback::reference);
  const auto scene = std::make_shared<const reference::PlanarScene>(problem.scene);
  const StepOptions step = derive_options(problem.options, problem.scene);
  const std::vector<double> base = scene_parameters(problem.scene);
  const std::size_t poses = 3 * problem.scene.bodies.size();
  int resolved = 0;
  for (std::size_t row = 0; row < map.outcomes.size(); ++row) {
    EXPECT_EQ(plain.by_reference[row], by_backend);
    if (plain.outcomes[row].status == status_ok) {
      EXPECT_EQ(map.by_reference[row], by_backend);
      EXPECT_EQ(std::memcmp(&map.outcomes[row], &plain.outcomes[row], sizeof(SceneOutcome)), 0);
      continue;
    }
    ASSERT_EQ(map.by_reference[row], resolved_by_reference);
    EXPECT_EQ(map.outcomes[row].status, status_ok);
    if (++resolved > 2) continue;  // two are enough to simulate here as well
    std::vector<double> parameters(base.size());
    std::vector<double> values(map.sampled.size());
    draw_sample(problem, base, static_cast<int>(row / 7), static_cast<int>(row % 7), parameters, values);
    SceneOutcome outcome;
    std::vector<double> pose(poses);
    ASSERT_TRUE(reference::run_reference(scene, step, parameters, {&outcome, 1}, pose, 1, nullptr));
    EXPECT_EQ(map.outcomes[row].success, outcome.success);
    EXPECT_EQ(map.outcomes[row].steps, outcome.steps);
    EXPECT_EQ(std::memcmp(pose.data(), map.final_poses.data() + row * poses, poses * sizeof(double)), 0);
  }
  EXPECT_GT(resolved, 2) << "the fake backend should leave some unresolved";
  for (const MapCell& cell : map.cells) EXPECT_EQ(cell.unresolved, 0);
  const auto summary = nlohmann::json::parse(map_summary_json(map, problem));
  EXPECT_EQ(summary["fallback"], "reference");
  EXPECT_EQ(summary["resolved_by_reference"], resolved);
  EXPECT_EQ(summary["left_by_reference"], 0);
  EXPECT_EQ(summary["unresolved"], 0);
  EXPECT_GT(summary["seconds"]["fallback"], 0.0);
  EXPECT_EQ(nlohmann::json::parse(map_summary_json(plain, problem))["fallback"], "none");
}

// The step check is the backend's alone: what only the reference simulator resolved has nothing to be compared with.
TEST(Fallback, TheStepCheckLeavesOutWhatTheReferenceResolved) {
  Folder folder;
  const Problem problem = nine_cells();
  static const std::unique_ptr<ReferenceEngine> engine = make_reference_engine();
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path();
  options.fallback = Fallback::reference;
  options.reference = engine.get();
  options.step_check = 1.0;
  const SuccessMap map = run_map(problem, backend, options);
  ASSERT_TRUE(map.step_check);
  EXPECT_EQ(map.step_check->reruns, map.outcomes.size());
  const long long asked = map_totals(map).resolved_by_reference;
  EXPECT_GT(asked, 0);
  EXPECT_EQ(map.step_check->unresolved, asked);
  EXPECT_EQ(map.step_check->half.compared, static_cast<long long>(map.outcomes.size()) - asked);
  EXPECT_EQ(map.step_check->half.flips(), 0) << "the fake backend knows no step";
}

TEST(Fallback, ThreadsAndInterruptionsDoNotShow) {
  Folder folder;
  const Problem problem = nine_cells();
  const SuccessMap whole = run(problem, folder.path() / "whole", Fallback::reference, 1);
  expect_same(whole, run(problem, folder.path() / "three", Fallback::reference, 3));
  FakeBackend stopped;
  stopped.stops_at = 3;
  EXPECT_THROW(run(problem, folder.path() / "stopped", stopped, Fallback::reference), Interrupted);
  FakeBackend resumed;
  const SuccessMap rest = run(problem, folder.path() / "stopped", resumed, Fallback::reference, 2, true);
  EXPECT_GT(rest.resumed, 0u);
  expect_same(whole, rest);
}

TEST(Fallback, IsPartOfTheJournalsHash) {
  const Problem problem = nine_cells();
  EXPECT_NE(problem_hash(problem, "cpu", Fallback::none), problem_hash(problem, "cpu", Fallback::reference));
  EXPECT_EQ(problem_hash(problem, "cpu", Fallback::reference), problem_hash(problem, "cuda", Fallback::reference));
  Folder folder;
  FakeBackend stopped;
  stopped.stops_at = 2;
  EXPECT_THROW(run(problem, folder.path(), stopped, Fallback::none), Interrupted);
  FakeBackend backend;
  EXPECT_NE(refusal([&] { run(problem, folder.path(), backend, Fallback::reference, 1, true); }).find("--fallback"),
            std::string::npos);
}

// Where the reference simulator fails as well, the backend's answer stays: here the tolerance is beyond what doubles
// can reach.
TEST(Fallback, WhatTheReferenceLeavesStaysUnresolved) {
  Folder folder;
  const Problem problem = nine_cells({{"simulation.tolerance_mm_s", "1e-17"}, {"simulation.duration_s", "0.5"}});
  const SuccessMap plain = run(problem, folder.path(), Fallback::none);
  const SuccessMap map = run(problem, folder.path(), Fallback::reference);
  long left = 0;
  for (std::size_t row = 0; row < map.outcomes.size(); ++row) {
    if (map.by_reference[row] != left_by_reference) continue;
    ++left;
    EXPECT_EQ(std::memcmp(&map.outcomes[row], &plain.outcomes[row], sizeof(SceneOutcome)), 0);
  }
  EXPECT_GT(left, 0);
  EXPECT_EQ(nlohmann::json::parse(map_summary_json(map, problem))["left_by_reference"], left);
}

TEST(Fallback, OnlyPairModesHaveOne) {
  Folder folder;
  const std::string says = refusal([&] {
    run(nine_cells({{"simulation.contact", "\"standard\""}}), folder.path() / "out", Fallback::reference);
  });
  EXPECT_NE(says.find("--fallback reference: it has pair modes alone"), std::string::npos) << says;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

// A solver that gives up early leaves trials unresolved; the reference simulator takes them all.
TEST(Fallback, OnTheCommandLine) {
  Folder folder;
  const auto map = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"map",        source_file("examples/gear/gear.toml"),
                                   "--out",      (folder.path() / name).string(),
                                   "--samples",  "3",
                                   "--set",      "grid.x_mm=[-3, 3]",
                                   "--set",      "grid.y_mm=[-14, -10]",
                                   "--set",      "simulation.max_iterations=6",
                                   "--solver",   "aj",
                                   "--duration", "0.3",
                                   "--no-plot"};
    words.insert(words.end(), more.begin(), more.end());
    return pegrasp_run(folder, words);
  };
  const Finished none = map("none", {"--json"});
  ASSERT_EQ(none.code, 0) << none.err;
  const auto before = nlohmann::json::parse(none.out);
  EXPECT_GT(before["unresolved"], 0);
  const Finished json = map("one", {"--json", "--fallback", "reference", "--threads", "1"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto after = nlohmann::json::parse(json.out);
  EXPECT_EQ(after["unresolved"], 0);
  EXPECT_EQ(after["resolved_by_reference"], before["unresolved"]);
  const Finished text = map("two", {"--fallback", "reference", "--threads", "2"});
  EXPECT_NE(text.out.find("fallback    the reference simulator resolved"), std::string::npos) << text.out;
  EXPECT_EQ(content(folder.path() / "one" / "map.csv"), content(folder.path() / "two" / "map.csv"));
  EXPECT_EQ(map("three", {"--fallback", "refrence"}).code, 2);
}

}  // namespace
}  // namespace pegrasp
