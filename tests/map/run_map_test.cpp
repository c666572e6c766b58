// SPDX-License-Identifier: Apache-2.0
// The map job with a backend that answers from parameters alone: counting, chunks, interruptions, the journal.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <set>

#include "src/formats/csv.hpp"
#include "src/map/journal.hpp"
#include "tests/file_limit.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::FakeBackend;
using test::Folder;
using test::nine_cells;
using test::refusal;

constexpr std::size_t trials = 63;

SuccessMap run(const Problem& problem, const std::filesystem::path& out, FakeBackend& backend, std::size_t chunk = 10,
               bool resume = false, bool counts_only = false) {
  MapOptions options;
  options.counts_only = counts_only;
  options.out = out;
  options.chunk = chunk;
  options.resume = resume;
  options.stop = &backend.stop;
  SuccessMap map = run_map(problem, backend, options);
  map.journal.reset();  // as if the process had ended: others may use the folder
  return map;
}

SuccessMap run(const Problem& problem, const std::filesystem::path& out, std::size_t chunk = 10, bool resume = false) {
  FakeBackend backend;
  return run(problem, out, backend, chunk, resume);
}

void put(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

// Everything that comes out, bit by bit.
void expect_same(const SuccessMap& a, const SuccessMap& b) {
  EXPECT_EQ(map_csv(a), map_csv(b));
  EXPECT_EQ(a.redrawn, b.redrawn);
  ASSERT_EQ(a.outcomes.size(), b.outcomes.size());
  EXPECT_EQ(std::memcmp(a.outcomes.data(), b.outcomes.data(), a.outcomes.size() * sizeof(SceneOutcome)), 0);
  EXPECT_EQ(std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(double)), 0);
  EXPECT_EQ(std::memcmp(a.final_poses.data(), b.final_poses.data(), a.final_poses.size() * sizeof(double)), 0);
}

// The journal of a run that was stopped after `calls` chunks of ten.
std::string interrupted_journal(const Folder& folder, const Problem& problem, int calls) {
  const std::filesystem::path out = folder.path() / "interrupted";
  FakeBackend backend;
  backend.stops_at = calls;
  EXPECT_THROW(run(problem, out, backend), Interrupted);
  const std::string bytes = content(journal_path(out));
  std::filesystem::remove_all(out);
  return bytes;
}

// One without records.
std::string begun_journal(const Folder& folder, const Problem& problem) {
  const std::filesystem::path out = folder.path() / "begun";
  SuccessMap map = run(problem, out);
  map.journal.reset();
  const JournalShape shape{trials, map.sampled.size(), map.final_poses.size() / trials};
  {
    const Journal begun(
        journal_path(out),
        {problem_hash(problem, "fake"), shape, {0, trials}, {}, "fake", "no device", problem.resolved_toml}, false,
        map);
  }
  const std::string bytes = content(journal_path(out));
  std::filesystem::remove_all(out);
  return bytes;
}

TEST(RunMap, CountsCellsAndUnresolvedSamplesWidenTheInterval) {
  Folder folder;
  const SuccessMap map = run(nine_cells(), folder.path());
  ASSERT_EQ(map.cells.size(), 9u);
  ASSERT_EQ(map.outcomes.size(), trials);
  int unresolved_in_all = 0;
  for (std::size_t c = 0; c < map.cells.size(); ++c) {
    const MapCell& cell = map.cells[c];
    int successes = 0, unresolved = 0;
    for (std::size_t k = 0; k < 7; ++k) {
      const SceneOutcome& o = map.outcomes[7 * c + k];
      unresolved += o.status != 0 ? 1 : 0;
      successes += o.status == 0 && o.success != 0 ? 1 : 0;
    }
    EXPECT_EQ(cell.samples, 7);
    EXPECT_EQ(cell.successes, successes);
    EXPECT_EQ(cell.unresolved, unresolved);
    EXPECT_DOUBLE_EQ(cell.p, static_cast<double>(successes) / (7 - unresolved));
    EXPECT_EQ(cell.ci_low, wilson_interval(successes, 7).low);
    EXPECT_EQ(cell.ci_high, wilson_interval(successes + unresolved, 7).high);
    EXPECT_NEAR(cell.x, 1e-3 * (-5.0 + 5.0 * static_cast<double>(c % 3)), 1e-15);
    EXPECT_NEAR(cell.y, 1e-3 * (-16.0 + 4.0 * static_cast<double>(c / 3)), 1e-15);
    unresolved_in_all += unresolved;
  }
  const MapTotals totals = map_totals(map);
  EXPECT_EQ(totals.unresolved, unresolved_in_all);
  EXPECT_EQ(totals.reasons.not_converged, unresolved_in_all);
  EXPECT_EQ(totals.reasons.capacity + totals.reasons.non_finite + totals.reasons.too_deep, 0);
  EXPECT_GT(unresolved_in_all, 0) << "the fake backend should leave some unresolved";
}

TEST(RunMap, ChunksDoNotShow) {
  const Problem problem = nine_cells();
  Folder folder;
  const SuccessMap whole = run(problem, folder.path(), trials);
  for (const std::size_t chunk : {1, 2, 10, 62, 64, 100000}) {
    SCOPED_TRACE(chunk);
    expect_same(whole, run(problem, folder.path(), chunk));
  }
}

TEST(RunMap, ProgressEndsAtTheTotal) {
  Folder folder;
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path();
  options.chunk = 10;
  std::vector<std::size_t> seen;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, trials);
    seen.push_back(done);
  };
  run_map(nine_cells(), backend, options);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 10, 20, 30, 40, 50, 60, 63}));
}

TEST(RunMap, GoesOnAfterEveryInterruption) {
  const Problem problem = nine_cells();
  Folder folder;
  const SuccessMap reference = run(problem, folder.path() / "reference");
  for (int calls = 1; calls <= 7; ++calls) {
    SCOPED_TRACE(calls);
    const std::filesystem::path out = folder.path() / std::to_string(calls);
    FakeBackend first;
    first.stops_at = calls;
    EXPECT_THROW(run(problem, out, first), Interrupted);
    for (const auto& entry : std::filesystem::directory_iterator(out)) EXPECT_EQ(entry.path(), journal_path(out));
    FakeBackend second;
    const SuccessMap map = run(problem, out, second, 17, true);
    EXPECT_EQ(map.resumed, first.scenes);
    EXPECT_EQ(first.scenes + second.scenes, trials);
    expect_same(reference, map);
  }
}

TEST(RunMap, GoesOnWithCountsAfterEveryInterruption) {
  const Problem problem = nine_cells();
  Folder folder;
  const SuccessMap reference = run(problem, folder.path() / "reference");
  for (int calls = 1; calls <= 7; ++calls) {
    SCOPED_TRACE(calls);
    const std::filesystem::path out = folder.path() / std::to_string(calls);
    FakeBackend first;
    first.stops_at = calls;
    EXPECT_THROW(run(problem, out, first, 10, false, true), Interrupted);
    FakeBackend second;
    const SuccessMap map = run(problem, out, second, 17, true, true);
    EXPECT_EQ(map.resumed, first.scenes);
    EXPECT_EQ(first.scenes + second.scenes, trials);
    EXPECT_EQ(map_csv(map), map_csv(reference));
    EXPECT_TRUE(map.outcomes.empty());
  }
}

// Killed while it wrote or drew: nothing is simulated again.
TEST(RunMap, AWholeJournalLeavesOnlyWritingToDo) {
  const Problem problem = nine_cells();
  Folder folder;
  const SuccessMap first = run(problem, folder.path());
  write_map(first, problem, folder.path());
  ASSERT_TRUE(std::filesystem::exists(journal_path(folder.path())));
  FakeBackend backend;
  SuccessMap second = run(problem, folder.path(), backend, 10, true);
  EXPECT_EQ(backend.calls, 0);
  EXPECT_EQ(second.resumed, trials);
  expect_same(first, second);
  write_map(second, problem, folder.path());
  finish_map(second, problem, folder.path());
  EXPECT_FALSE(std::filesystem::exists(journal_path(folder.path())));
}

// The disk is full when the last record is written, beside the results: they are not shown, whoever asks how often, and
// the run goes on from what was recorded before.
TEST(RunMap, ALastRecordThatFailsLeavesNoResults) {
  const Problem problem = nine_cells({{"map.samples", "70"}});
  Folder folder;
  FakeBackend reference_backend;
  const SuccessMap reference = run(problem, folder.path() / "reference", reference_backend, 600);
  const std::uintmax_t whole = std::filesystem::file_size(journal_path(folder.path() / "reference"));
  const std::filesystem::path out = folder.path() / "full";
  {
    FakeBackend backend;
    MapOptions options;
    options.out = out;
    options.chunk = 600;
    SuccessMap map;
    {
      test::FileLimit limit(whole - 100);
      map = run_map(problem, backend, options);
      EXPECT_THROW(map.journal->wait(), InputError);
    }
    for (int attempt = 0; attempt < 2; ++attempt) {
      EXPECT_NE(refusal([&] { write_map(map, problem, out); }).find(journal_path(out).string() + ": cannot"),
                std::string::npos)
          << attempt;
      for (const char* name : {"map.h5", "map.csv", "problem.toml"}) EXPECT_FALSE(std::filesystem::exists(out / name));
    }
  }
  FakeBackend backend;
  MapOptions options;
  options.out = out;
  options.chunk = 600;
  options.resume = true;
  SuccessMap map = run_map(problem, backend, options);
  EXPECT_EQ(map.resumed, 600u);
  EXPECT_EQ(backend.calls, 1);
  write_map(map, problem, out);
  finish_map(map, problem, out);
  expect_same(reference, map);
}

TEST(RunMap, TheFolderIsTakenUntilTheMapIsFinished) {
  const Problem problem = nine_cells();
  Folder folder;
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path();
  SuccessMap map = run_map(problem, backend, options);
  write_map(map, problem, folder.path());
  EXPECT_NE(refusal([&] { run(problem, folder.path()); }).find("another run is writing into this folder"),
            std::string::npos);
  finish_map(map, problem, folder.path());
  EXPECT_EQ(refusal([&] { run(problem, folder.path()); }), "");
}

TEST(RunMap, WhatAKilledRunLeftHalfWrittenIsRemoved) {
  Folder folder;
  for (const char* name :
       {"map.h5.123.tmp", "map.csv.9.tmp", "summary.json.4711.tmp", "problem.toml.1.tmp", "map.png.77.tmp.png"}) {
    put(folder.path() / name, "half");
  }
  const std::set<std::string> others{"map.csv.tmp", "map.csv.x1.tmp", "my.csv.12.tmp", "map.h5.12.tmp.bak"};
  for (const std::string& name : others) put(folder.path() / name, "somebody else's");
  run(nine_cells(), folder.path());
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) left.insert(entry.path().filename());
  left.erase("samples.journal");
  EXPECT_EQ(left, others);
}

TEST(RunMap, AFaultOfTheBackendKeepsTheJournal) {
  const Problem problem = nine_cells();
  Folder folder;
  FakeBackend backend;
  backend.fails_at = 4;
  EXPECT_THROW(run(problem, folder.path(), backend), std::runtime_error);
  EXPECT_EQ(run(problem, folder.path(), 10, true).resumed, 30u);
}

TEST(Journal, ATornTailIsSimulatedAgain) {
  const Problem problem = nine_cells();
  Folder folder;
  const SuccessMap reference = run(problem, folder.path());
  const std::string whole = interrupted_journal(folder, problem, 5);
  ASSERT_GT(whole.size(), 1000u);
  std::size_t most = 0;
  for (std::size_t length = 0; length <= whole.size(); length += length < 200 ? 1 : 997) {
    SCOPED_TRACE(length);
    put(journal_path(folder.path()), whole.substr(0, length));
    const SuccessMap map = run(problem, folder.path(), 10, true);
    EXPECT_EQ(map.resumed % 10, 0u);
    most = std::max(most, map.resumed);
    expect_same(reference, map);
  }
  EXPECT_GE(most, 30u);
}

TEST(Journal, AfterATornTailTheJournalIsSoundAgain) {
  const Problem problem = nine_cells();
  Folder folder;
  const std::string whole = interrupted_journal(folder, problem, 5);
  put(journal_path(folder.path()), whole.substr(0, whole.size() - 5));
  FakeBackend backend;
  backend.stops_at = 1;
  EXPECT_THROW(run(problem, folder.path(), backend, 10, true), Interrupted);
  EXPECT_TRUE(content(journal_path(folder.path())) == whole);
}

TEST(Journal, ADamagedRecordAndAllAfterItAreSimulatedAgain) {
  const Problem problem = nine_cells();
  Folder folder;
  const SuccessMap reference = run(problem, folder.path());
  const std::string whole = interrupted_journal(folder, problem, 5);
  const std::size_t header = begun_journal(folder, problem).size();
  for (std::size_t at = header; at < whole.size(); at += at < header + 30 ? 1 : 613) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    put(journal_path(folder.path()), damaged);
    const SuccessMap map = run(problem, folder.path(), 10, true);
    EXPECT_LT(map.resumed, 50u);
    expect_same(reference, map);
  }
}

TEST(Journal, OfAnotherProblemIsRefusedAndKept) {
  Folder folder;
  const std::string other = interrupted_journal(folder, nine_cells({{"map.seed", "2"}}), 2);
  put(journal_path(folder.path()), other);
  const std::string said = refusal([&] { run(nine_cells(), folder.path(), 10, true); });
  EXPECT_NE(said.find("is the journal of another problem, version, --shard, --fallback, --step-check, --counts-only or "
                      "(with --fast) "
                      "backend; delete it, or run without --resume"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find('\n'), std::string::npos);
  EXPECT_TRUE(content(journal_path(folder.path())) == other);
  put(journal_path(folder.path()), std::string(4096, 'x'));
  EXPECT_FALSE(refusal([&] { run(nine_cells(), folder.path(), 10, true); }).empty());
}

// Strict results are the same on all backends, fast ones are not.
TEST(Journal, KnowsTheBackendWhereArithmeticIsFast) {
  const Problem strict = nine_cells();
  const Problem fast = nine_cells({{"simulation.arithmetic", "fast"}});
  EXPECT_EQ(problem_hash(strict, "cpu"), problem_hash(strict, "cuda"));
  EXPECT_NE(problem_hash(fast, "cpu"), problem_hash(fast, "cuda"));
  EXPECT_NE(problem_hash(fast, "cpu"), problem_hash(strict, "cpu"));
}

TEST(Journal, WithoutResumeIsWrittenOver) {
  Folder folder;
  put(journal_path(folder.path()), interrupted_journal(folder, nine_cells(), 5));
  FakeBackend backend;
  EXPECT_EQ(run(nine_cells(), folder.path(), backend).resumed, 0u);
  EXPECT_EQ(backend.scenes, trials);
}

TEST(Journal, ResumeWithoutOneStartsFromTheFirstTrial) {
  Folder folder;
  EXPECT_EQ(run(nine_cells(), folder.path(), 10, true).resumed, 0u);
}

TEST(Journal, OneRunAFolder) {
  const Problem problem = nine_cells();
  Folder folder;
  SuccessMap map = run(problem, folder.path());
  const Journal open(journal_path(folder.path()),
                     {problem_hash(problem, "cpu"), {trials, map.sampled.size(), 9}, {0, trials}, {}, "", "", ""},
                     false, map);
  const std::string said = refusal([&] { run(problem, folder.path()); });
  EXPECT_NE(said.find("another run is writing into this folder"), std::string::npos) << said;
}

TEST(RunMap, FoldersThatCannotBeUsedAreReportedInOneLine) {
  Folder folder;
  put(folder.path() / "file", "x");
  for (const std::filesystem::path& bad : {folder.path() / "file", folder.path() / "file" / "below"}) {
    FakeBackend backend;
    MapOptions options;
    options.out = bad;
    const std::string said = refusal([&] { run_map(nine_cells(), backend, options); });
    EXPECT_EQ(said.rfind(bad.string(), 0), 0u) << said;
    EXPECT_NE(said.find("choose another --out"), std::string::npos) << said;
    EXPECT_EQ(backend.calls, 0);
  }
}

TEST(RunMap, MoreSamplesThanMemoryHoldsAreRefused) {
  Folder folder;
  Problem problem = nine_cells();
  problem.samples = 2000000000;
  EXPECT_NE(refusal([&] { run(problem, folder.path()); }).find("map.samples: 18000000000 samples in all need"),
            std::string::npos);
  EXPECT_EQ(folder.files(), 0u);
}

}  // namespace
}  // namespace pegrasp
