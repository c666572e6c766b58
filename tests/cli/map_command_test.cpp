// SPDX-License-Identifier: Apache-2.0
// pegrasp map, end to end: same bytes whatever happens on the way.
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/cli/child.hpp"
#include "tests/results/has_matplotlib.hpp"

namespace pegrasp {
namespace {

using test::Child;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

// A fifth of the gear's map across, enough trials for several journal records.
std::vector<std::string> job(const std::filesystem::path& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"map",       source_file("examples/gear/gear.toml"),
                                 "--out",     out.string(),
                                 "--no-plot", "--no-step-check",
                                 "--backend", "cpu",
                                 "--samples", "12",
                                 "--set",     "grid.x_mm=[-8, -4, 0, 4, 8]",
                                 "--set",     "grid.y_mm=[-18, -15, -12, -9, -6]"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::set<std::string> names(const std::filesystem::path& folder) {
  std::set<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) all.insert(entry.path().filename().string());
  return all;
}

const std::set<std::string> finished_files{"map.csv", "map.h5", "problem.toml", "summary.json"};

// Starts the job and sends `signal` once its journal holds at least one record. True when it came in time.
bool interrupt(const Folder& folder, const std::filesystem::path& out, int signal, Finished& done) {
  const Child child(folder, job(out, {"--threads", "1", "--quiet"}));
  std::error_code error;
  while (child.running()) {
    const auto size = std::filesystem::file_size(out / "samples.journal", error);
    if (!error && size > 8000) break;  // the header has the problem in it, some 4000 bytes
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(3));  // the record is written in pieces: let it become whole
  child.send(signal);
  done = child.wait();
  return done.code != 0;
}

TEST(CliMap, SameBytesForEveryThreadCountAndFromTheResolvedProblem) {
  Folder folder;
  const Finished first = pegrasp_run(folder, job(folder.path() / "1", {"--threads", "1"}));
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(names(folder.path() / "1"), finished_files);
  EXPECT_EQ(std::count(first.out.begin(), first.out.end(), '\n'), 6) << first.out;
  EXPECT_EQ(first.out.find('\033'), std::string::npos) << "no colours in a file";
  EXPECT_TRUE(first.err.empty()) << first.err;
  const std::string csv = content(folder.path() / "1" / "map.csv");
  EXPECT_EQ(csv.rfind("x_mm,y_mm,samples,successes,unresolved,p,ci_low,ci_high\n-8,-18,12,", 0), 0u);
  for (const std::string threads : {"2", "3"}) {
    ASSERT_EQ(pegrasp_run(folder, job(folder.path() / threads, {"--threads", threads, "--quiet"})).code, 0);
    EXPECT_EQ(content(folder.path() / threads / "map.csv"), csv);
  }
  const Finished again =
      pegrasp_run(folder, {"map", (folder.path() / "1" / "problem.toml").string(), "--out",
                           (folder.path() / "again").string(), "--no-plot", "--quiet", "--backend", "cpu"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(again.out.empty() && again.err.empty());
  EXPECT_EQ(content(folder.path() / "again" / "map.csv"), csv);
  EXPECT_EQ(content(folder.path() / "again" / "problem.toml"), content(folder.path() / "1" / "problem.toml"));
}

TEST(CliMap, JsonIsTheSummary) {
  Folder folder;
  const Finished done = pegrasp_run(folder, job(folder.path() / "o", {"--json", "--seed", "7", "--h", "0.004"}));
  ASSERT_EQ(done.code, 0) << done.err;
  const auto summary = nlohmann::json::parse(done.out);
  EXPECT_EQ(summary["trials"], 300);
  EXPECT_EQ(summary["seed"], 7);
  EXPECT_EQ(summary["h_s"], 0.004);
  EXPECT_EQ(summary["backend"], "cpu");
  EXPECT_GT(summary["scene_steps_per_s"], 0.0);
  EXPECT_GT(summary["tolerance_m_s"], 0.0);
  EXPECT_GE(summary["above_penetration_tolerance"], 0);
  const auto file = nlohmann::json::parse(content(folder.path() / "o" / "summary.json"));
  EXPECT_EQ(file, summary);
  for (const char* phase : {"reading", "sampling", "simulating", "journal", "writing", "drawing", "total"}) {
    EXPECT_TRUE(summary["seconds"].contains(phase)) << phase;
  }
}

// The puck: an independent map at half the step gives the same counts, whatever the threads and the parts.
TEST(CliMap, TheStepCheckIsTheMapAtHalfTheStep) {
  Folder folder;
  const auto puck = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> words{"map",   source_file("examples/puck/puck.toml"), "--no-plot", "--samples", "3000",
                                   "--out", (folder.path() / name).string()};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    return done;
  };
  const Finished all = puck("all", {"--step-check", "1", "--h", "0.01", "--threads", "2"});
  EXPECT_NE(all.out.find("\nstep check  3000 trials again at 5 ms: "), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("\ncold start  "), std::string::npos) << all.out;
  const auto summary = [&](const std::string& name) {
    return nlohmann::json::parse(content(folder.path() / name / "summary.json"));
  };
  puck("half", {"--no-step-check", "--h", "0.005"});
  const auto check = summary("all")["step_check"];
  EXPECT_TRUE(summary("half")["step_check"].is_null());
  const int change = summary("half")["successes"].get<int>() - summary("all")["successes"].get<int>();
  EXPECT_EQ(
      check["half_step"]["failed_then_succeeded"].get<int>() - check["half_step"]["succeeded_then_failed"].get<int>(),
      change);
  EXPECT_DOUBLE_EQ(check["bias"].get<double>(), change / 3000.0);
  EXPECT_EQ(check["warning"].is_null(), all.err.find("pegrasp: warning: the step ") == std::string::npos) << all.err;

  const Finished usual = puck("usual", {"--threads", "1", "--json"});
  EXPECT_EQ(nlohmann::json::parse(usual.out)["step_check"]["trials"], 200);
  const std::string h5 = content(folder.path() / "usual" / "map.h5");
  puck("usual", {"--threads", "3", "--step-check", "0.02"});
  EXPECT_TRUE(content(folder.path() / "usual" / "map.h5") == h5);
  for (const std::string shard : {"2/2", "1/2"}) puck("parts", {"--shard", shard, "--quiet"});
  ASSERT_EQ(pegrasp_run(folder, {"merge", (folder.path() / "parts").string(), "--quiet", "--no-plot"}).code, 0);
  EXPECT_TRUE(content(folder.path() / "parts" / "map.h5") == h5);
  puck("none", {"--no-step-check"});
  EXPECT_TRUE(content(folder.path() / "none" / "map.csv") == content(folder.path() / "usual" / "map.csv"));
  EXPECT_EQ(content(folder.path() / "none" / "map.h5").find("step_check"), std::string::npos);
}

// Killed while trials are simulated again.
TEST(CliMap, TheStepCheckGoesOnAfterKill) {
  Folder folder;
  std::vector<std::string> words = job(folder.path() / "whole", {"--quiet", "--threads", "1", "--duration", "0.2"});
  std::erase(words, "--no-step-check");
  ASSERT_EQ(pegrasp_run(folder, words).code, 0);
  const std::string h5 = content(folder.path() / "whole" / "map.h5");
  const std::filesystem::path out = folder.path() / "o", journal = out / "samples.journal";
  words[3] = out.string();
  // A child may end, or be killed while it records samples: then it is tried again.
  int resumed = 0;
  for (int attempt = 0; attempt < 10 && resumed < 300; ++attempt) {
    std::filesystem::remove_all(out);
    const Child child(folder, words);
    std::uintmax_t before = 0;
    for (std::error_code error; child.running();) {  // until the first record of the check, which is short
      const auto size = std::filesystem::file_size(journal, error);
      if (!error && before > 8000 && size > before && size - before < 5000) break;
      if (!error) before = size;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    child.send(SIGKILL);
    if (child.wait().signal != SIGKILL) continue;
    std::vector<std::string> again = words;
    again.insert(again.end(), {"--resume", "--json"});
    std::erase(again, "--quiet");
    const Finished done = pegrasp_run(folder, again);
    ASSERT_EQ(done.code, 0) << done.err;
    resumed = nlohmann::json::parse(done.out)["trials_resumed"];
    EXPECT_TRUE(content(out / "map.h5") == h5);
  }
  EXPECT_EQ(resumed, 300) << "no child was killed while the check ran";
}

// What was used, not what was asked for: "auto" is no strategy, and the batched one has a solver of its own.
TEST(CliMap, TheStrategyTakenAndItsSolverAreRecorded) {
  Folder folder;
  const auto summary = [&](const std::string& name, std::vector<std::string> more) {
    const std::filesystem::path out = folder.path() / name;
    std::vector<std::string> words{"map",       source_file("examples/gear/gear.toml"),
                                   "--out",     out.string(),
                                   "--no-plot", "--json",
                                   "--samples", "1",
                                   "--set",     "grid.x_mm=[0, 4]",
                                   "--set",     "grid.y_mm=[-15, -12]"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    return nlohmann::json::parse(done.out);
  };
  const nlohmann::json small = summary("auto", {});
  EXPECT_EQ(small["strategy"], "per-scene");
  EXPECT_EQ(small["solver"], "newton");
  const nlohmann::json forced = summary("batched", {"--strategy", "batched", "--backend", "cpu"});
  EXPECT_EQ(forced["strategy"], "batched");
  EXPECT_EQ(forced["solver"], "aj");
}

TEST(CliMap, PartsMakeTheFilesOfOneRun) {
  Folder folder;
  const std::filesystem::path one = folder.path() / "one", parts = folder.path() / "parts";
  ASSERT_EQ(pegrasp_run(folder, job(one, {"--threads", "2", "--quiet"})).code, 0);
  for (const std::string shard : {"3/3", "1/3"}) {
    const Finished done = pegrasp_run(folder, job(parts, {"--shard", shard, "--threads", "1"}));
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(done.out.rfind("part        " + shard.substr(0, 1) + " of 3: 100 trials, ", 0), 0u) << done.out;
    EXPECT_NE(done.out.find("pegrasp merge " + parts.string()), std::string::npos) << done.out;
  }
  EXPECT_EQ(names(parts), (std::set<std::string>{"part-1-of-3.samples", "part-3-of-3.samples"}));
  const Finished early = pegrasp_run(folder, {"merge", parts.string()});
  EXPECT_EQ(early.code, 2);
  EXPECT_EQ(
      early.err,
      "pegrasp: the parts do not make a map: samples 100 to 199 are in no part: simulate them with --shard 2/3\n");
  const Finished second = pegrasp_run(folder, job(parts, {"--shard", "2/3", "--json"}));
  ASSERT_EQ(second.code, 0) << second.err;
  const auto reported = nlohmann::json::parse(second.out);
  EXPECT_EQ(reported["first_trial"], 100);
  EXPECT_EQ(reported["trials"], 100);
  EXPECT_EQ(reported["file"], (parts / "part-2-of-3.samples").string());
  const Finished merged = pegrasp_run(folder, {"merge", parts.string(), "--no-plot"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.out.rfind("trials      300 in 25 cells", 0), 0u) << merged.out;
  for (const std::string file : {"map.csv", "map.h5", "problem.toml"}) {
    EXPECT_TRUE(content(parts / file) == content(one / file)) << file;
  }
  auto of_one = nlohmann::json::parse(content(one / "summary.json")),
       of_parts = nlohmann::json::parse(content(parts / "summary.json"));
  for (const char* key : {"seconds", "trials_resumed", "trials_per_s", "scene_steps_per_s", "device"}) {
    of_one.erase(key);
    of_parts.erase(key);
  }
  EXPECT_EQ(of_parts, of_one);
  EXPECT_EQ(names(parts), (std::set<std::string>{"map.csv", "map.h5", "problem.toml", "summary.json",
                                                 "part-1-of-3.samples", "part-2-of-3.samples", "part-3-of-3.samples"}));
  // Elsewhere, from files.
  const Finished again =
      pegrasp_run(folder, {"merge", (parts / "part-1-of-3.samples").string(), (parts / "part-2-of-3.samples").string(),
                           (parts / "part-3-of-3.samples").string(), "--out", (folder.path() / "again").string(),
                           "--no-plot", "--quiet"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(content(folder.path() / "again" / "map.csv") == content(one / "map.csv"));
  EXPECT_EQ(pegrasp_run(folder, {"merge", (parts / "part-1-of-3.samples").string()}).code, 2);
}

TEST(CliMap, SharesOfTheStepCheckThatAreNone) {
  Folder folder;
  for (const std::string share : {"0", "2", "-0.1", "some", "nan"}) {
    std::vector<std::string> words = job(folder.path() / "out", {"--step-check=" + share});
    std::erase(words, "--no-step-check");
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 2) << share;
    EXPECT_NE(done.err.find("--step-check: " + share + " must be a share above 0, at most 1"), std::string::npos)
        << done.err;
  }
  const Finished both = pegrasp_run(folder, job(folder.path() / "out", {"--step-check", "0.5"}));
  EXPECT_EQ(both.code, 2);
  EXPECT_EQ(std::count(both.err.begin(), both.err.end(), '\n'), 1) << both.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST(CliMap, ShardsThatAreNone) {
  Folder folder;
  for (const std::string shard : {"0/3", "4/3", "x", "3", "1/2/3", "", "-1/3", "1/99999999999"}) {
    const Finished done = pegrasp_run(folder, job(folder.path() / "out", {"--shard=" + shard}));
    EXPECT_EQ(done.code, 2) << shard;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_NE(done.err.find("--shard"), std::string::npos) << done.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST(CliMap, APartGoesOnAfterKill) {
  Folder folder;
  const std::filesystem::path out = folder.path() / "out", whole = folder.path() / "whole";
  for (const std::string shard : {"1/2", "2/2"}) {
    ASSERT_EQ(pegrasp_run(folder, job(whole, {"--shard", shard, "--quiet", "--threads", "1"})).code, 0);
  }
  const Child child(folder, job(out, {"--shard", "2/2", "--threads", "1", "--quiet"}));
  std::error_code error;
  while (child.running() && !(std::filesystem::file_size(out / "part-2-of-2.samples", error) > 8000 && !error)) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  child.send(SIGKILL);
  child.wait();
  ASSERT_EQ(pegrasp_run(folder, job(out, {"--shard", "2/2", "--resume", "--quiet"})).code, 0);
  ASSERT_EQ(pegrasp_run(folder, job(out, {"--shard", "1/2", "--quiet"})).code, 0);
  ASSERT_EQ(pegrasp_run(folder, {"merge", out.string(), "--quiet", "--no-plot"}).code, 0);
  ASSERT_EQ(pegrasp_run(folder, {"merge", whole.string(), "--quiet", "--no-plot"}).code, 0);
  EXPECT_TRUE(content(out / "map.h5") == content(whole / "map.h5"));
}

TEST(CliMap, GoesOnAfterKillAndCtrlCWithTheSameBytes) {
  Folder folder;
  ASSERT_EQ(pegrasp_run(folder, job(folder.path() / "reference", {"--quiet"})).code, 0);
  const std::string csv = content(folder.path() / "reference" / "map.csv");
  for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
    SCOPED_TRACE(signal);
    const std::filesystem::path out = folder.path() / std::to_string(signal);
    bool in_time = false;
    int kept = 0;
    // A job may end too soon, or be killed in the middle of its first record, which is then dropped: both are tried
    // again.
    for (int attempt = 0; attempt < 8 && kept == 0; ++attempt) {
      std::filesystem::remove_all(out);
      Finished stopped;
      if (!interrupt(folder, out, signal, stopped)) continue;
      in_time = true;
      EXPECT_EQ(names(out), std::set<std::string>{"samples.journal"});
      if (signal == SIGKILL) {
        EXPECT_EQ(stopped.signal, SIGKILL);
      } else {
        EXPECT_EQ(stopped.code, 130);
        EXPECT_NE(stopped.err.find("repeat the command with --resume"), std::string::npos) << stopped.err;
        EXPECT_EQ(std::count(stopped.err.begin(), stopped.err.end(), '\n'), 1) << stopped.err;
      }
      const Finished resumed = pegrasp_run(folder, job(out, {"--resume", "--json"}));
      ASSERT_EQ(resumed.code, 0) << resumed.err;
      kept = nlohmann::json::parse(resumed.out)["trials_resumed"];
    }
    ASSERT_TRUE(in_time) << "the job ended before it could be interrupted";
    EXPECT_GT(kept, 0);
    EXPECT_EQ(names(out), finished_files);
    EXPECT_EQ(content(out / "map.csv"), csv);
  }
}

// Starts the job with its picture and sends the signal to the whole group once map.csv is there.
Finished signalled_while_drawing(const Folder& folder, const std::filesystem::path& out, int signal) {
  std::vector<std::string> words = job(out, {"--quiet"});
  std::erase(words, "--no-plot");
  test::ChildOptions options;
  options.own_group = true;
  const Child child(folder, words, options);
  while (child.running() && !std::filesystem::exists(out / "map.csv")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  child.send_group(signal);
  return child.wait();
}

TEST(CliMap, CtrlCWhileDrawingLetsThePictureBeFinished) {
  if (!test::has_matplotlib()) GTEST_SKIP() << "no python3 with h5py and matplotlib";
  Folder folder;
  const std::filesystem::path out = folder.path() / "o";
  const Finished done = signalled_while_drawing(folder, out, SIGINT);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(done.err.empty()) << done.err;
  std::set<std::string> with_picture = finished_files;
  with_picture.insert("map.png");
  EXPECT_EQ(names(out), with_picture);
}

TEST(CliMap, KilledWhileDrawingNothingIsSimulatedAgain) {
  if (!test::has_matplotlib()) GTEST_SKIP() << "no python3 with h5py and matplotlib";
  Folder folder;
  const std::filesystem::path out = folder.path() / "o";
  const Finished killed = signalled_while_drawing(folder, out, SIGKILL);
  EXPECT_EQ(killed.signal, SIGKILL);
  ASSERT_TRUE(std::filesystem::exists(out / "samples.journal"));
  const std::string csv = content(out / "map.csv");
  const Finished resumed = pegrasp_run(folder, job(out, {"--resume", "--json"}));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(nlohmann::json::parse(resumed.out)["trials_resumed"], 300);
  EXPECT_EQ(names(out), finished_files);
  EXPECT_EQ(content(out / "map.csv"), csv);
}

TEST(CliMap, AnInterruptedRunOfAnotherProblemIsNotResumed) {
  Folder folder;
  const std::filesystem::path out = folder.path() / "o";
  Finished stopped;
  bool in_time = false;
  for (int attempt = 0; attempt < 5 && !in_time; ++attempt) in_time = interrupt(folder, out, SIGKILL, stopped);
  ASSERT_TRUE(in_time);
  const Finished other = pegrasp_run(folder, job(out, {"--resume", "--seed", "2"}));
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("is the journal of another problem, version"), std::string::npos) << other.err;
  const Finished afresh = pegrasp_run(folder, job(out, {"--seed", "2"}));
  EXPECT_EQ(afresh.code, 0);
  EXPECT_NE(afresh.err.find("is overwritten (--resume would continue it)"), std::string::npos) << afresh.err;
}

// A full disk, wherever it strikes: one line, exit code 2, no half-written result; afterwards the job can go on.
TEST(CliMap, AFullDiskIsOneLineAndLeavesNothingHalfWritten) {
  Folder folder;
  ASSERT_EQ(pegrasp_run(folder, job(folder.path() / "reference", {"--quiet"})).code, 0);
  const std::string csv = content(folder.path() / "reference" / "map.csv");
  const auto h5_size = std::filesystem::file_size(folder.path() / "reference" / "map.h5");
  for (const rlim_t limit : {rlim_t{20}, rlim_t{6000}, rlim_t{h5_size - 1}}) {
    SCOPED_TRACE(limit);
    const std::filesystem::path out = folder.path() / std::to_string(limit);
    test::ChildOptions full;
    full.file_limit = limit;
    const Finished done = pegrasp_run(folder, job(out, {"--quiet"}), full);
    EXPECT_EQ(done.code, 2) << done.signal << done.err;
    if (limit >= 6000) {  // the message itself needs room in a file
      EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
      EXPECT_NE(done.err.find("File too large"), std::string::npos) << done.err;
      EXPECT_NE(done.err.find("; then repeat the command with --resume to continue\n"), std::string::npos) << done.err;
    }
    for (const std::string& name : names(out)) {
      if (name == "samples.journal") continue;
      EXPECT_EQ(content(out / name), content(folder.path() / "reference" / name)) << name << " is whole or not there";
    }
    ASSERT_EQ(pegrasp_run(folder, job(out, {"--resume", "--quiet"})).code, 0);
    EXPECT_EQ(names(out), finished_files);
    EXPECT_EQ(content(out / "map.csv"), csv);
  }
}

// Runs a small map with its picture; Python first executes `code`.
Finished drawn_after(const Folder& folder, const std::filesystem::path& out, const std::string& code,
                     const std::vector<std::string>& more = {}) {
  const std::filesystem::path modules = folder.path() / "modules";
  std::filesystem::create_directories(modules);
  std::ofstream(modules / "sitecustomize.py") << code;
  ::setenv("PYTHONPATH", modules.c_str(), 1);
  std::vector<std::string> words{
      "map", source_file("examples/puck/puck.toml"), "--out", out.string(), "--samples", "20", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const Finished done = pegrasp_run(folder, words);
  ::unsetenv("PYTHONPATH");
  return done;
}

// The disk fills up when all is simulated and written but the picture: that is reported, and only the picture is left
// to do.
TEST(CliMap, AFullDiskWhileDrawingIsReportedAndResumed) {
  if (!test::has_matplotlib()) GTEST_SKIP() << "no python3 with h5py and matplotlib";
  Folder folder;
  const std::filesystem::path out = folder.path() / "o";
  const Finished done =
      drawn_after(folder, out, "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n");
  EXPECT_EQ(done.code, 2);
  EXPECT_TRUE(done.out.empty()) << done.out;
  EXPECT_NE(done.err.find("map.png: cannot be written: File too large; free some space"), std::string::npos)
      << done.err;
  EXPECT_NE(done.err.find("; then repeat the command with --resume to continue\n"), std::string::npos) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  EXPECT_EQ(names(out), (std::set<std::string>{"map.csv", "map.h5", "problem.toml", "samples.journal"}));
  const std::string csv = content(out / "map.csv");
  const Finished resumed = drawn_after(folder, out, "", {"--resume"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(nlohmann::json::parse(resumed.out)["trials_resumed"], 20) << "nothing is simulated again";
  std::set<std::string> with_picture = finished_files;
  with_picture.insert("map.png");
  EXPECT_EQ(names(out), with_picture);
  EXPECT_EQ(content(out / "map.csv"), csv);
}

TEST(CliMap, WithoutMatplotlibTheMapIsFinishedAllTheSame) {
  Folder folder;
  const std::filesystem::path out = folder.path() / "o";
  const Finished done = drawn_after(folder, out, "import sys\nsys.modules['matplotlib'] = None\n");
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.err.rfind("pegrasp: no map.png: ", 0), 0u) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  EXPECT_EQ(names(out), finished_files);
}

// Before anything is simulated, not after everything.
TEST(CliMap, AFolderInTheWayOfAResultIsFoundAtOnce) {
  Folder folder;
  for (const std::string name : {"map.csv", "map.h5", "problem.toml", "summary.json", "map.png", "samples.journal"}) {
    SCOPED_TRACE(name);
    const std::filesystem::path out = folder.path() / ("of_" + name);
    std::filesystem::create_directories(out / name / "inside");
    const Finished done = pegrasp_run(folder, job(out, {"--set", "simulation.h_ms=0.001", "--quiet"}));
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.err.rfind("pegrasp: " + (out / name).string() + ": ", 0), 0u) << done.err;
    EXPECT_NE(done.err.find("a folder is in the way"), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_EQ(names(out), std::set<std::string>{name});
  }
}

// A tolerance that no single iteration reaches.
TEST(CliMap, AMapOfNoResolvedTrialHasNoRate) {
  Folder folder;
  const std::vector<std::string> words =
      job(folder.path() / "o", {"--set", "simulation.max_iterations=1", "--set", "simulation.tolerance_m_s=1e-14",
                                "--set", "grid.x_mm=[0]", "--set", "grid.y_mm=[-10]"});
  const Finished done = pegrasp_run(folder, words);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("0 succeeded (no rate), 12 unresolved: 12 not converged\n"), std::string::npos) << done.out;
}

TEST(CliMap, OutputFoldersThatCannotBeUsed) {
  Folder folder;
  std::ofstream(folder.path() / "file") << "x";
  for (const std::string& out :
       {(folder.path() / "file").string(), std::string("/dev/null/x"), std::string("/proc/x")}) {
    const Finished done = pegrasp_run(folder, job(out));
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.err.rfind("pegrasp: " + out, 0), 0u) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  }
  EXPECT_EQ(content(folder.path() / "file"), "x");
}

}  // namespace
}  // namespace pegrasp
