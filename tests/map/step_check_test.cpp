// SPDX-License-Identifier: Apache-2.0
// The step check of a map, with a backend whose answer is known: counts, chunks, parts, interruptions, files.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "src/formats/csv.hpp"
#include "src/map/journal.hpp"
#include "src/map/reruns.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Folder;
using test::nine_cells;
using test::refusal;

constexpr std::size_t trials = 360;

Problem problem_of(std::vector<Override> more = {}) {
  more.insert(more.begin(), {"map.samples", "40"});
  return nine_cells(more);
}

// Answers from each scene's parameters, the step and the start of the solver alone.
class KnownBackend final : public Backend {
 public:
  static SceneOutcome answer(std::span<const double> parameters, const StepOptions& options) {
    std::uint64_t hash = 1469598103934665603ull;
    for (const double number : parameters) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &number, sizeof bits);
      hash = (hash ^ bits) * 1099511628211ull;
      hash ^= hash >> 29;
    }
    SceneOutcome o;
    const bool half = options.h < 0.004;  // nine_cells() has 5 ms
    const bool unresolved = half ? hash % 13 == 0 : !options.warm_start ? hash % 17 == 0 : hash % 11 == 0;
    o.status = unresolved ? status_too_deep : status_ok;
    o.success = hash % 3 == 0 ? 1 : 0;
    if (half && hash % 5 == 0) o.success = 0;
    if (half && hash % 19 == 0) o.success = 1;
    if (!options.warm_start && hash % 7 == 0) o.success = 1 - o.success;
    o.steps = static_cast<int>(std::round(options.duration / options.h));
    return o;
  }

  std::string name() const override { return "known"; }
  std::string device() const override { return "no device"; }
  bool run(const Model&, const StepOptions& options, std::span<const double> parameters,
           std::span<SceneOutcome> outcomes, std::span<double> final_poses, const std::atomic<bool>*) override {
    ++calls;
    const std::size_t stride = parameters.size() / outcomes.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      outcomes[i] = answer(parameters.subspan(i * stride, stride), options);
    std::fill(final_poses.begin(), final_poses.end(), options.h);
    scenes += outcomes.size();
    if (calls == stops_at) stop.store(true);
    return true;
  }

  int calls = 0, stops_at = 0;
  std::size_t scenes = 0;
  std::atomic<bool> stop{false};
};

struct Asked {
  double share = 0.02;
  std::size_t chunk = 50;
  bool resume = false;
  Shard shard = {};
};

SuccessMap run(const Problem& problem, const std::filesystem::path& out, KnownBackend& backend, const Asked& asked) {
  MapOptions options;
  options.out = out;
  options.step_check = asked.share;
  options.chunk = asked.chunk;
  options.resume = asked.resume;
  options.shard = asked.shard;
  options.stop = &backend.stop;
  SuccessMap map = run_map(problem, backend, options);
  map.journal->wait();
  map.journal.reset();  // as if the process had ended: others may use the folder
  return map;
}

SuccessMap run(const Problem& problem, const std::filesystem::path& out, const Asked& asked = {}) {
  KnownBackend backend;
  return run(problem, out, backend, asked);
}

std::string h5_of(const SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  return content(out / "map.h5");
}

TEST(StepCheck, CountsWhatTheRerunTrialsGive) {
  const Problem problem = problem_of();
  Folder folder;
  KnownBackend backend;
  const SuccessMap map = run(problem, folder.path(), backend, {});
  ASSERT_TRUE(map.step_check);
  const StepCheck& check = *map.step_check;
  EXPECT_EQ(check.reruns, 200u);
  EXPECT_EQ(backend.scenes, trials + 2 * 200);
  EXPECT_EQ(check.half_step, 0.0025);

  StepOptions full = derive_options(problem.options, problem.scene), cold = full;
  cold.warm_start = false;
  StepOptions half = full;
  half.h = 0.0025;
  const std::vector<double> base = scene_parameters(problem.scene);
  std::vector<double> parameters(base.size()), values(map.sampled.size());
  StepCheck expected;
  OutcomeChanges of_cold;
  std::vector<CheckedCell> cells(9);
  std::set<std::size_t> flipped;
  for (std::size_t k = 0; k < 200; ++k) {
    const std::size_t trial = rerun_trial(k, 200, trials, problem.seed);
    draw_sample(problem, base, static_cast<int>(trial / 40), static_cast<int>(trial % 40), parameters, values);
    const SceneOutcome a = KnownBackend::answer(parameters, full), b = KnownBackend::answer(parameters, half),
                       c = KnownBackend::answer(parameters, cold);
    CheckedCell& cell = cells[trial / 40];
    ++cell.reruns;
    cell.unresolved += a.status != 0 || b.status != 0 ? 1 : 0;
    if (a.status != 0) {
      ++expected.unresolved;
      continue;
    }
    const auto count = [&](const SceneOutcome& again, OutcomeChanges& changes, int& gained, int& lost) {
      if (again.status != 0) {
        ++changes.unresolved;
        return;
      }
      ++changes.compared;
      if (again.success == a.success) return;
      flipped.insert(trial);
      ++(again.success == 1 ? changes.gained : changes.lost);
      ++(again.success == 1 ? gained : lost);
    };
    count(b, expected.half, cell.gained, cell.lost);
    count(c, of_cold, cell.cold_flips, cell.cold_flips);
  }
  EXPECT_EQ(check.unresolved, expected.unresolved);
  EXPECT_EQ(check.half.compared, expected.half.compared);
  EXPECT_EQ(check.half.gained, expected.half.gained);
  EXPECT_EQ(check.half.lost, expected.half.lost);
  EXPECT_EQ(check.half.unresolved, expected.half.unresolved);
  ASSERT_TRUE(check.cold);
  EXPECT_EQ(check.cold->compared, of_cold.compared);
  EXPECT_EQ(check.cold->gained, of_cold.gained);
  EXPECT_EQ(check.cold->lost, of_cold.lost);
  EXPECT_EQ(check.cold->unresolved, of_cold.unresolved);
  for (const long long some : {check.unresolved, check.half.gained, check.half.lost, check.half.unresolved,
                               check.cold->gained, check.cold->lost, check.cold->unresolved}) {
    EXPECT_GT(some, 0) << "the backend should give some of everything";
  }
  EXPECT_DOUBLE_EQ(check.bias,
                   static_cast<double>(check.half.gained - check.half.lost) / static_cast<double>(check.half.compared));
  EXPECT_EQ(check.bias_interval.low, change_interval(check.half.gained, check.half.lost, check.half.compared).low);
  const MapTotals totals = map_totals(map);
  const Interval rate = wilson_interval(totals.successes, static_cast<long long>(trials) - totals.unresolved);
  EXPECT_DOUBLE_EQ(check.sampling_error, 0.5 * (rate.high - rate.low));
  for (std::size_t c = 0; c < 9; ++c) {
    EXPECT_EQ(check.cells[c].reruns, cells[c].reruns);
    EXPECT_NEAR(cells[c].reruns, 200.0 / 9.0, 2.0) << "spread evenly";
    EXPECT_EQ(check.cells[c].gained, cells[c].gained);
    EXPECT_EQ(check.cells[c].lost, cells[c].lost);
    EXPECT_EQ(check.cells[c].unresolved, cells[c].unresolved);
    EXPECT_EQ(check.cells[c].cold_flips, cells[c].cold_flips);
  }
  std::set<std::size_t> listed;
  for (const FlippedTrial& trial : check.flipped) listed.insert(trial.trial);
  EXPECT_EQ(listed, flipped);
}

TEST(StepCheck, ChangesNothingElse) {
  const Problem problem = problem_of();
  Folder folder;
  const SuccessMap plain = run(problem, folder.path() / "plain", {.share = 0.0}),
                   checked = run(problem, folder.path() / "checked");
  EXPECT_FALSE(plain.step_check);
  EXPECT_EQ(map_csv(plain), map_csv(checked));
  EXPECT_EQ(std::memcmp(plain.outcomes.data(), checked.outcomes.data(), trials * sizeof(SceneOutcome)), 0);
  EXPECT_EQ(plain.final_poses, checked.final_poses);
  const std::string without = h5_of(plain, problem, folder.path() / "plain");
  EXPECT_EQ(without.find("step_check"), std::string::npos);
  EXPECT_NE(h5_of(checked, problem, folder.path() / "checked").find("step_check"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(map_summary_json(plain, problem))["step_check"].is_null());
}

TEST(StepCheck, NeitherChunksNorPartsNorInterruptionsShow) {
  const Problem problem = problem_of();
  Folder folder;
  const std::string whole = h5_of(run(problem, folder.path() / "whole"), problem, folder.path() / "whole");
  for (const std::size_t chunk : {1, 7, 1000}) {
    EXPECT_TRUE(h5_of(run(problem, folder.path() / "c", {.chunk = chunk}), problem, folder.path() / "c") == whole);
  }
  // Eight calls for the samples, then two for each chunk of reruns.
  for (int calls = 1; calls <= 16; ++calls) {
    SCOPED_TRACE(calls);
    const std::filesystem::path out = folder.path() / std::to_string(calls);
    KnownBackend first, second;
    first.stops_at = calls;
    EXPECT_THROW(run(problem, out, first, {}), Interrupted);
    const SuccessMap map = run(problem, out, second, {.chunk = 30, .resume = true});
    EXPECT_EQ(first.scenes + second.scenes, trials + 2 * 200) << "nothing is simulated twice";
    EXPECT_TRUE(h5_of(map, problem, out) == whole);
  }
  const std::filesystem::path out = folder.path() / "parts";
  for (const int part : {3, 1, 2}) {
    const SuccessMap map = run(problem, out, {.shard = {part, 3}});
    EXPECT_FALSE(map.step_check);
    EXPECT_NEAR(static_cast<double>(map.rerun.size()), 200.0 / 3.0, 2.0);
  }
  MergedMap merged = merge_parts({out});
  take_folder(merged.map, merged.problem, out);
  EXPECT_TRUE(h5_of(merged.map, merged.problem, out) == whole);
}

TEST(StepCheck, PartsWithAnotherCheckOrAnUnfinishedOneAreNotJoined) {
  const Problem problem = problem_of();
  Folder folder;
  run(problem, folder.path(), {.shard = {1, 2}});
  run(problem, folder.path(), {.share = 0.0, .shard = {2, 2}});
  std::string said = refusal([&] { merge_parts({folder.path()}); });
  EXPECT_NE(said.find("were simulated with different --step-check"), std::string::npos) << said;
  KnownBackend stopped;
  stopped.stops_at = 5;  // four for the part's 180 samples
  EXPECT_THROW(run(problem, folder.path(), stopped, {.shard = {2, 2}}), Interrupted);
  said = refusal([&] { merge_parts({folder.path()}); });
  EXPECT_NE(said.find("samples of the step check: repeat the command that wrote it with --resume"), std::string::npos)
      << said;
  run(problem, folder.path(), {.resume = true, .shard = {2, 2}});
  EXPECT_EQ(refusal([&] { merge_parts({folder.path()}); }), "");
}

TEST(StepCheck, AJournalOfAnotherCheckIsNotResumed) {
  const Problem problem = problem_of();
  Folder folder;
  KnownBackend stopped;
  stopped.stops_at = 2;
  EXPECT_THROW(run(problem, folder.path(), stopped, {}), Interrupted);
  for (const double share : {0.0, 0.9}) {
    const std::string said = refusal([&] { run(problem, folder.path(), {.share = share, .resume = true}); });
    EXPECT_NE(said.find("--step-check"), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

// Every damage to the records of the check is noticed, and what it hits is simulated again.
TEST(StepCheck, DamagedRecordsAreSimulatedAgain) {
  const Problem problem = problem_of();
  Folder folder;
  const std::string whole = h5_of(run(problem, folder.path()), problem, folder.path());
  const std::string journal = content(journal_path(folder.path()));
  const std::size_t begin = journal.size() - 200 * sizeof(Rerun) - 4 * 24;
  for (std::size_t at = begin; at < journal.size(); at += 97) {
    SCOPED_TRACE(at);
    std::string damaged = journal;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(journal_path(folder.path()), std::ios::binary) << (at % 2 ? damaged : journal.substr(0, at));
    KnownBackend backend;
    const SuccessMap map = run(problem, folder.path(), backend, {.resume = true});
    EXPECT_GT(backend.scenes, 0u);
    EXPECT_LE(backend.scenes, 400u);
    EXPECT_TRUE(h5_of(map, problem, folder.path()) == whole);
  }
}

TEST(StepCheck, ProgressCountsEveryRun) {
  Folder folder;
  KnownBackend backend;
  MapOptions options;
  options.out = folder.path();
  options.step_check = 0.02;
  options.chunk = 150;
  std::vector<std::size_t> seen;
  options.progress = [&](std::size_t done, std::size_t total) {
    EXPECT_EQ(total, trials + 400);
    seen.push_back(done);
  };
  run_map(problem_of(), backend, options);
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 150, 300, 360, 660, 760}));
}

// A problem that starts cold anyhow has nothing more to say about it.
TEST(StepCheck, WithoutWarmStartThereIsNoColdStart) {
  Folder folder;
  KnownBackend backend;
  const Problem problem = problem_of({{"simulation.warm_start", "false"}});
  const SuccessMap map = run(problem, folder.path(), backend, {});
  EXPECT_EQ(backend.scenes, trials + 200);
  ASSERT_TRUE(map.step_check);
  EXPECT_FALSE(map.step_check->cold);
  EXPECT_TRUE(nlohmann::json::parse(map_summary_json(map, problem))["step_check"]["cold_start"].is_null());
}

// Both simulate the same time, also where the time limit is no multiple of the step.
TEST(StepCheck, HalfTheStepIsTwiceTheSteps) {
  const Problem problem = nine_cells();
  for (const double h : {0.005, 0.003, 0.1, 0.3, 1.0 / 3.0, 1e-6}) {
    for (const double duration : {1.0, 0.7, 0.45, 1.0 / 3.0, 123.456}) {
      if (duration < 0.5 * h) continue;
      StepOptions options;
      options.h = h;
      options.duration = duration;
      const auto steps = [](const StepOptions& o) {  // as the kernels end a scene
        double k = std::floor(o.duration / o.h);
        k = std::max(1.0, k - 2.0);
        while (!((k + 0.5) * o.h > o.duration)) k += 1.0;
        return k;
      };
      const StepOptions half = at_half_step(options, problem.scene, Arithmetic::strict);
      EXPECT_EQ(half.h, 0.5 * h);
      EXPECT_EQ(steps(half), 2.0 * steps(options)) << h << " " << duration;
    }
  }
}

StepCheck checked(long long gained, long long lost, long long compared, double sampling_error) {
  StepCheck check;
  check.half = {compared, gained, lost, 0};
  check.bias = static_cast<double>(gained - lost) / static_cast<double>(compared);
  check.bias_interval = change_interval(gained, lost, compared);
  check.sampling_error = sampling_error;
  return check;
}

TEST(StepCheck, WarnsWhereTheErrorIsLargerThanTheSamplingError) {
  EXPECT_TRUE(checked(0, 30, 2000, 0.0097).exceeds_sampling_error());
  EXPECT_TRUE(checked(0, 30, 2000, 0.0097).is_significant());
  EXPECT_TRUE(checked(30, 0, 2000, 0.0097).exceeds_sampling_error()) << "either way";
  EXPECT_FALSE(checked(0, 30, 2000, 0.04).exceeds_sampling_error()) << "few samples leave more open";
  EXPECT_FALSE(checked(15, 15, 2000, 0.001).exceeds_sampling_error()) << "outcomes change, the rate does not";
  EXPECT_FALSE(checked(15, 17, 2000, 0.001).exceeds_sampling_error()) << "no more than chance";
  EXPECT_TRUE(checked(0, 1, 200, 0.0097).exceeds_sampling_error());
  EXPECT_FALSE(checked(0, 1, 200, 0.0097).is_significant());
  EXPECT_FALSE(checked(0, 0, 200, 0.0097).exceeds_sampling_error());
}

TEST(StepCheck, TheSummarySaysWhatTheCheckFound) {
  const Problem problem = problem_of();
  Folder folder;
  const SuccessMap map = run(problem, folder.path());
  const StepCheck& check = *map.step_check;
  const auto said = nlohmann::json::parse(map_summary_json(map, problem))["step_check"];
  EXPECT_EQ(said["trials"], 200);
  EXPECT_EQ(said["unresolved"], check.unresolved);
  EXPECT_EQ(said["half_step_s"], 0.0025);
  EXPECT_EQ(said["half_step"]["compared"], check.half.compared);
  EXPECT_EQ(said["half_step"]["failed_then_succeeded"], check.half.gained);
  EXPECT_EQ(said["half_step"]["succeeded_then_failed"], check.half.lost);
  EXPECT_EQ(said["half_step"]["unresolved"], check.half.unresolved);
  EXPECT_EQ(said["bias"], check.bias);
  EXPECT_EQ(said["bias_ci_low"], check.bias_interval.low);
  EXPECT_EQ(said["cold_start"]["compared"], check.cold->compared);
  EXPECT_EQ(said["warning"].is_null(), !check.exceeds_sampling_error());
  long long gained = 0, lost = 0;
  for (const auto& cell : said["cells_with_flips"]) {
    gained += cell["failed_then_succeeded"].get<int>();
    lost += cell["succeeded_then_failed"].get<int>();
    EXPECT_TRUE(cell.contains("x_mm") && cell.contains("y_mm"));
  }
  EXPECT_EQ(gained, check.half.gained);
  EXPECT_EQ(lost, check.half.lost);
}

}  // namespace
}  // namespace pegrasp
