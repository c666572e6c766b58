// SPDX-License-Identifier: Apache-2.0
// Parts of a map, simulated apart and joined: the bytes of one run, or one line that says what is missing.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "src/map/journal.hpp"
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

void run_part(const Problem& problem, const std::filesystem::path& out, const Shard& shard, bool resume = false,
              int stops_at = 0) {
  FakeBackend backend;
  backend.stops_at = stops_at;
  MapOptions options;
  options.out = out;
  options.shard = shard;
  options.chunk = 5;
  options.resume = resume;
  options.stop = &backend.stop;
  const SuccessMap map = run_map(problem, backend, options);
  EXPECT_EQ(map.outcomes.size(), shard_range(shard, trials).count);
  EXPECT_TRUE(map.cells.empty());
}

void run_parts(const Problem& problem, const std::filesystem::path& out, int count) {
  for (int i = count; i >= 1; --i) run_part(problem, out, {i, count});
}

// What is written for a map: every file but the summary, which has the times.
struct Written {
  std::string h5, csv, toml;
  bool operator==(const Written&) const = default;
};

Written written(SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  finish_map(map, problem, out);
  return {content(out / "map.h5"), content(out / "map.csv"), content(out / "problem.toml")};
}

Written of_one_run(const Problem& problem, const std::filesystem::path& out) {
  FakeBackend backend;
  MapOptions options;
  options.out = out;
  SuccessMap map = run_map(problem, backend, options);
  return written(map, problem, out);
}

Written of_parts(const std::vector<std::filesystem::path>& places, const std::filesystem::path& out) {
  MergedMap merged = merge_parts(places);
  EXPECT_EQ(merged.map.resumed, trials);
  take_folder(merged.map, merged.problem, out);
  return written(merged.map, merged.problem, out);
}

std::string complaint(const std::vector<std::filesystem::path>& places) {
  const std::string said = refusal([&] { merge_parts(places); });
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  return said;
}

TEST(MergeParts, RangesTileTheSamples) {
  for (const std::size_t total :
       {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{1000000007}, SIZE_MAX / 2}) {
    for (const int count : {1, 2, 3, 7, 64, 1000}) {
      std::size_t next = 0;
      for (int i = 1; i <= count; ++i) {
        const SampleRange range = shard_range({i, count}, total);
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.count, total / static_cast<std::size_t>(count) + 1);
        EXPECT_GE(range.count, total / static_cast<std::size_t>(count));
        next = range.end();
      }
      EXPECT_EQ(next, total);
    }
  }
}

TEST(MergeParts, GiveTheBytesOfOneRun) {
  const Problem problem = nine_cells();
  Folder folder;
  const Written one = of_one_run(problem, folder.path() / "one");
  ASSERT_GT(one.h5.size(), 1000u);
  for (const int count : {2, 3, 8, 63, 70}) {
    SCOPED_TRACE(count);
    const std::filesystem::path out = folder.path() / std::to_string(count);
    run_parts(problem, out, count);
    EXPECT_TRUE(of_parts({out}, out) == one);
    EXPECT_FALSE(std::filesystem::exists(journal_path(out)));
  }
}

TEST(MergeParts, KeepTheReasonsOfUnresolvedSamples) {
  const Problem problem = nine_cells();
  Folder folder;
  run_parts(problem, folder.path() / "parts", 3);
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path() / "one";
  const MapTotals one = map_totals(run_map(problem, backend, options));
  const MergedMap merged = merge_parts({folder.path() / "parts"});
  const MapTotals all = map_totals(merged.map);
  EXPECT_GT(all.unresolved, 0);
  EXPECT_EQ(all.unresolved, one.unresolved);
  EXPECT_EQ(all.reasons.not_converged, one.reasons.not_converged);
  EXPECT_EQ(all.reasons.not_converged, all.unresolved);
  const std::string summary = map_summary_json(merged.map, merged.problem);
  EXPECT_NE(summary.find("\"unresolved_by_reason\""), std::string::npos);
}

TEST(MergeParts, OfAnySizeAndFromAnyPlace) {
  const Problem problem = nine_cells();
  Folder folder;
  const std::filesystem::path a = folder.path() / "a", b = folder.path() / "b", moved = folder.path() / "renamed";
  run_part(problem, a, {1, 2});
  run_part(problem, b, {4, 4});
  run_part(problem, b, {3, 4});
  std::filesystem::rename(part_path(b, {3, 4}), moved);
  EXPECT_TRUE(of_parts({moved, b, a}, folder.path() / "out") == of_one_run(problem, folder.path() / "one"));
}

TEST(MergeParts, APartGoesOnWhereItStopped) {
  const Problem problem = nine_cells();
  Folder folder;
  const std::filesystem::path out = folder.path() / "out";
  run_part(problem, out, {1, 2});
  EXPECT_THROW(run_part(problem, out, {2, 2}, false, 3), Interrupted);
  EXPECT_EQ(complaint({out}), "the parts do not make a map: " + part_path(out, {2, 2}).string() +
                                  " holds 15 of 32 samples: repeat the command that wrote it with --resume");
  run_part(problem, out, {2, 2}, true);
  run_part(problem, out, {1, 2}, true);  // complete: nothing to do
  EXPECT_TRUE(of_parts({out}, out) == of_one_run(problem, folder.path() / "one"));
}

TEST(MergeParts, WhatIsMissingOrThereTwiceIsNamed) {
  const Problem problem = nine_cells();
  Folder folder;
  const std::filesystem::path out = folder.path() / "out", other = folder.path() / "other";
  run_parts(problem, out, 4);
  std::filesystem::remove(part_path(out, {2, 4}));
  std::filesystem::remove(part_path(out, {4, 4}));
  EXPECT_EQ(
      complaint({out}),
      "the parts do not make a map: samples 15 to 30 are in no part: simulate them with --shard 2/4; samples 47 to 62 "
      "are in no part: simulate them with --shard 4/4");
  run_part(problem, other, {1, 4});
  run_part(problem, other, {3, 3});
  const std::string said = complaint({out, other});
  EXPECT_NE(said.find(part_path(other, {1, 4}).string() + " and " + part_path(out, {1, 4}).string() +
                      " both hold samples 0 to 14: leave one out"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("both hold samples 42 to 46"), std::string::npos) << said;
  EXPECT_NE(said.find("samples 15 to 30 are in no part"), std::string::npos) << said;
}

TEST(MergeParts, OfAnotherMapAreRefused) {
  Folder folder;
  run_part(nine_cells(), folder.path(), {1, 2});
  for (const Override& change : {Override{"map.seed", "2"}, Override{"map.samples", "8"}}) {
    FakeBackend backend;
    MapOptions options;
    options.out = folder.path() / change.key;
    options.shard = {2, 2};
    run_map(nine_cells({change}), backend, options);
    const std::string said = complaint({folder.path(), options.out});
    EXPECT_NE(said.find("parts of different maps"), std::string::npos) << said;
    EXPECT_NE(said.find(part_path(options.out, {2, 2}).string()), std::string::npos) << said;
  }
}

TEST(MergeParts, DamageIsNoticed) {
  const Problem problem = nine_cells();
  Folder folder;
  const std::filesystem::path file = part_path(folder.path(), {1, 2});
  run_parts(problem, folder.path(), 2);
  const std::string whole = content(file);
  for (std::size_t at = 0; at < whole.size(); at += at < 120 ? 1 : 331) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    std::ofstream(file, std::ios::binary) << damaged;
    EXPECT_NE(complaint({folder.path()}).find(file.string()), std::string::npos);
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{20}, std::size_t{100}, whole.size() - 1}) {
    std::ofstream(file, std::ios::binary) << whole.substr(0, length);
    EXPECT_NE(complaint({folder.path()}).find(file.string()), std::string::npos) << length;
  }
  std::ofstream(file, std::ios::binary) << whole;
  EXPECT_EQ(complaint({folder.path()}), "");
}

// Files whose checksums are right and whose numbers are not of their problem: as no run writes them.
TEST(MergeParts, WhatAPartSaysIsNotTakenOnTrust) {
  const Problem problem = nine_cells();
  Folder folder;
  MapOptions options;
  options.out = folder.path() / "one";
  FakeBackend backend;
  SuccessMap map = run_map(problem, backend, options);
  map.journal.reset();
  const JournalShape shape{trials, map.sampled.size(), map.poses()};
  const JournalOrigin honest{problem_hash(problem, "fake"), shape, {0, trials}, {}, "fake", "no device",
                             problem.resolved_toml};
  const std::filesystem::path file = part_path(folder.path(), {1, 1});
  const auto write = [&](const JournalOrigin& origin) { const Journal journal(file, origin, false, map); };
  write(honest);
  EXPECT_NE(complaint({folder.path()}).find("holds 0 of 63 samples"), std::string::npos);
  for (const SampleRange range :
       {SampleRange{0, 64}, SampleRange{1, 63}, SampleRange{64, 0}, SampleRange{std::size_t{1} << 50, 3}}) {
    JournalOrigin origin = honest;
    origin.range = range;
    write(origin);
    EXPECT_NE(complaint({folder.path()}).find("do not belong to its problem"), std::string::npos) << range.first;
  }
  for (JournalShape other :
       {JournalShape{trials + 1, shape.values, shape.poses}, JournalShape{trials, shape.values + 400, shape.poses},
        JournalShape{trials, shape.values, shape.poses - 1}}) {
    JournalOrigin origin = honest;
    origin.shape = other;
    write(origin);
    EXPECT_NE(complaint({folder.path()}).find("do not belong to its problem"), std::string::npos) << other.values;
  }
  JournalOrigin origin = honest;
  origin.range = {std::size_t(-3), 3};
  write(origin);
  EXPECT_NE(complaint({folder.path()}).find("not a part of a map of this version"), std::string::npos);
  origin = honest;
  origin.hash ^= 1;
  write(origin);
  EXPECT_NE(complaint({folder.path()}).find("another version of pegrasp"), std::string::npos);
}

TEST(MergeParts, AGapOfManyShardsIsOneLineToRead) {
  const Problem problem = nine_cells();
  Folder folder;
  run_part(problem, folder.path(), {2, 50});
  const std::string said = complaint({folder.path()});
  EXPECT_NE(said.find("--shard 1/50; samples 2 to 62 are in no part: simulate them with --shard 3/50 to 50/50"),
            std::string::npos)
      << said;
}

TEST(MergeParts, PlacesWithoutParts) {
  Folder folder;
  EXPECT_NE(complaint({folder.path()}).find(": has no parts; "), std::string::npos);
  EXPECT_NE(complaint({folder.path() / "none"}).find("cannot be read"), std::string::npos);
  EXPECT_NE(complaint({}).find("no parts"), std::string::npos);
}

TEST(MergeParts, APartThatIsBeingWrittenIsNotRead) {
  const Problem problem = nine_cells();
  Folder folder;
  run_parts(problem, folder.path(), 2);
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path();
  options.shard = {2, 2};
  const SuccessMap held = run_map(problem, backend, options);
  EXPECT_NE(complaint({folder.path()}).find(part_path(folder.path(), {2, 2}).string() + ": a run is still writing it"),
            std::string::npos);
}

// A join holds no samples: it reads the parts twice, and says so if they are not the same any more.
TEST(MergeParts, PartsThatChangeMeanwhile) {
  const Problem problem = nine_cells();
  Folder folder;
  run_parts(problem, folder.path(), 3);
  const auto refused = [&](const MergedMap& merged) {
    const std::string said = refusal([&] { write_map(merged.map, merged.problem, folder.path()); });
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "map.h5"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "map.csv"));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
    }
    return said;
  };
  const std::filesystem::path second = part_path(folder.path(), {2, 3});
  const MergedMap torn = merge_parts({folder.path()});
  EXPECT_TRUE(torn.map.outcomes.empty());
  const std::string whole = content(second);
  std::filesystem::resize_file(second, whole.size() - 1);
  EXPECT_NE(refused(torn).find(second.string() + ": changed while the parts were joined"), std::string::npos);
  std::filesystem::remove(second);
  EXPECT_NE(refused(torn).find(second.string() + ": cannot be read"), std::string::npos);
  std::filesystem::copy_file(part_path(folder.path(), {1, 3}), second);
  EXPECT_NE(refused(torn).find(second.string() + ": changed while it was read"), std::string::npos);
  std::ofstream(second, std::ios::binary) << whole;
  write_map(torn.map, torn.problem, folder.path());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "map.h5"));
}

TEST(MergeParts, MayBeStopped) {
  const Problem problem = nine_cells();
  Folder folder;
  run_parts(problem, folder.path(), 2);
  std::atomic<bool> stop{true};
  EXPECT_THROW(merge_parts({folder.path()}, &stop), Interrupted);
  stop = false;
  const MergedMap merged = merge_parts({folder.path()}, &stop);
  stop = true;
  EXPECT_THROW(write_map(merged.map, merged.problem, folder.path()), Interrupted);
  EXPECT_EQ(folder.files(), 2u) << "nothing but the parts";
}

// What a killed join leaves is a folder in which a run of the whole map may begin, or another join.
TEST(MergeParts, AMapResumesAfterAKilledJoin) {
  const Problem problem = nine_cells();
  Folder folder;
  run_parts(problem, folder.path(), 2);
  {
    MergedMap killed = merge_parts({folder.path()});
    take_folder(killed.map, killed.problem, folder.path());
  }
  ASSERT_TRUE(std::filesystem::exists(journal_path(folder.path())));
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path();
  options.resume = true;
  EXPECT_EQ(run_map(problem, backend, options).outcomes.size(), trials);
}

TEST(MergeParts, AnInterruptedRunInTheFolderIsNotWrittenOver) {
  const Problem problem = nine_cells();
  Folder folder;
  run_parts(problem, folder.path(), 2);
  FakeBackend backend;
  backend.stops_at = 1;
  MapOptions options;
  options.out = folder.path();
  options.stop = &backend.stop;
  options.chunk = 10;
  EXPECT_THROW(run_map(problem, backend, options), Interrupted);
  MergedMap merged = merge_parts({folder.path()});
  EXPECT_NE(refusal([&] { take_folder(merged.map, merged.problem, folder.path()); }).find("an interrupted run"),
            std::string::npos);
  // A merge that was killed leaves a journal without samples: the next one may go on.
  std::filesystem::remove(journal_path(folder.path()));
  take_folder(merged.map, merged.problem, folder.path());
  MergedMap again = merge_parts({folder.path()});
  EXPECT_NE(refusal([&] { take_folder(again.map, again.problem, folder.path()); }).find("another run"),
            std::string::npos);
  merged.map.journal.reset();
  EXPECT_EQ(refusal([&] { take_folder(again.map, again.problem, folder.path()); }), "");
}

}  // namespace
}  // namespace pegrasp
