// SPDX-License-Identifier: Apache-2.0
// Maps whose cells are sampled until their intervals suffice: the rule, and the same bytes whatever happens on the way.
#include <gtest/gtest.h>

#include <set>

#include "src/formats/csv.hpp"
#include "src/map/journal.hpp"
#include "src/map/until.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::FakeBackend;
using test::Folder;
using test::nine_cells;
using test::refusal;

// About a quarter of the fake trials succeed and a seventh is unresolved.
Problem narrow_cells(const std::string& samples = "400") {
  return nine_cells({{"map.samples", samples}, {"map.until.half_width", "0.16"}});
}

SceneOutcome outcome(int success, bool resolved = true) {
  SceneOutcome o;
  o.success = success;
  o.status = resolved ? status_ok : status_not_converged;
  return o;
}

TEST(Until, TheRuleInItsOrder) {
  const Until both{0.2, 0.5};
  EXPECT_EQ(end_of(both, 100, 30, 0, 30), CellEnd::above);
  EXPECT_EQ(end_of(both, 100, 0, 0, 30), CellEnd::below);
  EXPECT_EQ(end_of(both, 100, 48, 0, 96), CellEnd::narrow);
  EXPECT_EQ(end_of(both, 100, 10, 0, 20), CellEnd::fixed);
  EXPECT_EQ(end_of(both, 20, 10, 0, 20), CellEnd::budget);
  EXPECT_EQ(end_of({0.0, 0.5}, 1000, 480, 0, 960), CellEnd::fixed) << "nobody asked for a narrow interval";
  // Unresolved trials are failures below and successes above: they decide nothing.
  EXPECT_EQ(end_of(both, 1000, 0, 300, 300), CellEnd::fixed);
  const Interval wide = interval_until(10, 20, 60);
  EXPECT_EQ(wide.low, anytime_interval(10, 60).low);
  EXPECT_EQ(wide.high, anytime_interval(30, 60).high);
}

// Cells of one, a half and nothing: the first and last end after one round, the other takes its budget.
TEST(Until, CellsEndByThemselves) {
  const Problem problem = nine_cells({{"map.samples", "100"}, {"map.until.decided", "0.5"}});
  UntilPlan plan(problem, {200, 300});  // cells 2, 3, 4
  std::set<std::size_t> seen;
  while (!plan.done()) {
    std::vector<SceneOutcome> outcomes;
    for (std::size_t i = plan.counted(); i < plan.planned(); ++i) {
      const std::size_t cell = plan.number(i) / 100;
      EXPECT_TRUE(seen.insert(plan.number(i)).second) << "a sample is taken once";
      EXPECT_TRUE(cell >= 2 && cell <= 4);
      outcomes.push_back(outcome(cell == 2 ? 1 : cell == 3 ? static_cast<int>(plan.number(i) % 2) : 0));
    }
    plan.count(outcomes);
  }
  EXPECT_EQ(plan.counted(), 16u + 100u + 16u);
  for (std::size_t k = 0; k < 100; ++k) EXPECT_TRUE(seen.count(300 + k)) << k;
}

// 0.95^n = 0.05 B(n + 1/2, 1/2) / pi for n between 115 and 116.
TEST(Until, WhatNoCellCanMeetIsRefused) {
  const auto asked = [](const char* samples, const char* key, const char* value) {
    return refusal([&] { must_be_reachable(nine_cells({{"map.samples", samples}, {key, value}})); });
  };
  EXPECT_EQ(
      asked("30", "map.until.decided", "0.95"),
      "map.until: 30 samples cannot meet it, even if all succeed; give --samples (map.samples) of 116 or, better, "
      "ten times that");
  EXPECT_EQ(asked("116", "map.until.decided", "0.95"), "");
  EXPECT_NE(asked("30", "map.until.half_width", "0.01"), "");
  EXPECT_EQ(asked("3000", "map.until.half_width", "0.01"), "");
  EXPECT_NE(asked("100000000", "map.until.half_width", "1e-9").find("ask for less"), std::string::npos);
}

// Everything that is written but the summary, which has the times.
struct Files {
  std::string h5, csv, toml;
  bool operator==(const Files&) const = default;
};

Files files_of(SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  finish_map(map, problem, out);
  return {content(out / "map.h5"), content(out / "map.csv"), content(out / "problem.toml")};
}

SuccessMap run(const Problem& problem, const std::filesystem::path& out, std::size_t chunk, FakeBackend& backend,
               bool resume = false, const Shard& shard = {}, int threads = 1) {
  MapOptions options;
  options.out = out;
  options.chunk = chunk;
  options.resume = resume;
  options.shard = shard;
  options.threads = threads;
  options.stop = &backend.stop;
  options.step_check = 0.02;  // a map of unknown size has none
  return run_map(problem, backend, options);
}

Files one_run(const Problem& problem, const std::filesystem::path& out, std::size_t chunk = 50, int threads = 1) {
  FakeBackend backend;
  SuccessMap map = run(problem, out, chunk, backend, false, {}, threads);
  return files_of(map, problem, out);
}

TEST(Until, TheMapHasEachCellsSamplesAndInterval) {
  Folder folder;
  const Problem problem = narrow_cells();
  FakeBackend backend;
  SuccessMap map = run(problem, folder.path(), 33, backend);
  ASSERT_EQ(map.starts.size(), 10u);
  EXPECT_EQ(map.outcomes.size(), map.starts.back());
  EXPECT_FALSE(map.step_check);
  std::set<int> sizes;
  for (std::size_t c = 0; c < 9; ++c) {
    const MapCell& cell = map.cells[c];
    int successes = 0, unresolved = 0;
    for (std::size_t row = map.starts[c]; row < map.starts[c + 1]; ++row) {
      unresolved += map.outcomes[row].status != 0 ? 1 : 0;
      successes += map.outcomes[row].status == 0 ? map.outcomes[row].success : 0;
      EXPECT_EQ(place_of(map, row).cell, c);
      EXPECT_EQ(place_of(map, row).sample, row - map.starts[c]);
    }
    EXPECT_EQ(cell.samples, static_cast<int>(map.starts[c + 1] - map.starts[c]));
    EXPECT_EQ(cell.successes, successes);
    EXPECT_EQ(cell.unresolved, unresolved);
    EXPECT_EQ(cell.ci_low, anytime_interval(successes, cell.samples).low);
    EXPECT_EQ(cell.ci_high, anytime_interval(successes + unresolved, cell.samples).high);
    EXPECT_EQ(cell.end, cell.ci_high - cell.ci_low <= 0.32 ? CellEnd::narrow : CellEnd::budget);
    sizes.insert(cell.samples);
  }
  EXPECT_GT(sizes.size(), 1u) << "cells take what they need";
  EXPECT_EQ(map_totals(map).trials, map.outcomes.size());
  // The samples are those of a map with a fixed number.
  FakeBackend same;
  MapOptions options;
  options.out = folder.path() / "fixed";
  const SuccessMap fixed = run_map(nine_cells({{"map.samples", "400"}}), same, options);
  for (std::size_t row = 0; row < map.outcomes.size(); ++row) {
    const TrialPlace at = place_of(map, row);
    const std::size_t there = 400 * at.cell + at.sample;
    ASSERT_EQ(map.outcomes[row].steps, fixed.outcomes[there].steps);
    ASSERT_EQ(map.values[row * map.sampled.size()], fixed.values[there * map.sampled.size()]);
  }
  const std::string csv = map_csv(map);
  EXPECT_EQ(csv.rfind("x_mm,y_mm,samples,successes,unresolved,p,ci_low,ci_high,interval,ended\n", 0), 0u) << csv;
  EXPECT_NE(csv.find(",sequence,narrow\n"), std::string::npos) << csv;
}

TEST(Until, SameBytesForAnyChunksAndThreads) {
  Folder folder;
  const Problem problem = narrow_cells();
  const Files once = one_run(problem, folder.path() / "1");
  for (const std::size_t chunk : {1, 7, 100000})
    EXPECT_TRUE(one_run(problem, folder.path() / "again", chunk, 3) == once) << chunk;
}

TEST(Until, SameBytesAfterAnyInterruption) {
  Folder folder;
  const Problem problem = narrow_cells();
  const Files once = one_run(problem, folder.path() / "1");
  for (int stops_at = 1; stops_at <= 12; stops_at += 3) {
    const std::filesystem::path out = folder.path() / std::to_string(stops_at);
    FakeBackend stopped, rest;
    stopped.stops_at = stops_at;
    EXPECT_THROW(run(problem, out, 40, stopped), Interrupted);
    SuccessMap map = run(problem, out, 61, rest, true);
    EXPECT_GT(map.resumed, 0u);
    EXPECT_TRUE(files_of(map, problem, out) == once) << stops_at;
  }
}

TEST(Until, SameBytesFromAnyShards) {
  Folder folder;
  const Problem problem = narrow_cells();
  const Files once = one_run(problem, folder.path() / "1");
  for (const int count : {2, 4, 12}) {  // of nine cells
    const std::filesystem::path out = folder.path() / ("of" + std::to_string(count));
    for (int i = count; i >= 1; --i) {
      FakeBackend backend;
      run(problem, out, 23, backend, false, {i, count});
    }
    MergedMap merged = merge_parts({out});
    take_folder(merged.map, merged.problem, out);
    EXPECT_TRUE(files_of(merged.map, merged.problem, out) == once) << count;
  }
}

TEST(Until, PartsThatAreMissingOrNotFinishedAreNamed) {
  Folder folder;
  const Problem problem = narrow_cells();
  FakeBackend first, second;
  run(problem, folder.path(), 23, first, false, {1, 2});
  EXPECT_NE(refusal([&] { merge_parts({folder.path()}); }).find("simulate them with --shard 2/2"), std::string::npos);
  second.stops_at = 3;
  EXPECT_THROW(run(problem, folder.path(), 23, second, false, {2, 2}), Interrupted);
  EXPECT_NE(refusal([&] { merge_parts({folder.path()}); }).find("repeat the command that wrote it with --resume"),
            std::string::npos);
}

}  // namespace
}  // namespace pegrasp
