// SPDX-License-Identifier: Apache-2.0
// scripts/gpu_gate.py over programs that stand for ours: what it says of what was not compared, not there, or not done
// in time.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/files.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Folder;

class GpuGate : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
    std::filesystem::create_directories(bin());
    std::ofstream(bin() / "h5py.py") << "raise ImportError('not for this test')\n";
    for (const char* program : {"pegrasp_tests", "pegrasp_bench"}) put(program, "exit 0");
    agree_that("exit 0");
    put("pegrasp", maps("$4"));
  }

  // A map whose bytes are `word`, of `pegrasp map PROBLEM --backend BACKEND --strict --out OUT ...`.
  static std::string maps(const std::string& word) {
    return "mkdir -p \"$7\"; echo " + word + R"( | tee "$7/map.csv" > "$7/map.h5")";
  }

  void put(const std::string& program, const std::string& body) const {
    std::ofstream(bin() / program) << "#!/bin/sh\n" << body << '\n';
    std::filesystem::permissions(bin() / program, std::filesystem::perms::owner_all);
  }

  // There is a device, and a comparison of two scenes; then `ends`.
  void agree_that(const std::string& ends) const {
    put("pegrasp_agree", R"sh([ "$1" = --probe ] && { echo "$3: a device"; exit 0; }
cat > "$2" <<'JSON'
{"comparisons": [{"scene": "one", "choice": "peg/aj", "verdict": "equal", "why": "", "scene_steps": 7},
                 {"scene": "arm", "choice": "", "verdict": "skipped", "why": "no URDF", "scene_steps": 0}]}
JSON
)sh" + ends);
  }

  // The same for trials in both arithmetics.
  void fast_that(const std::string& ends) const {
    put("pegrasp_agree", R"sh([ "$1" = --probe ] && { echo "$3: a device"; exit 0; }
cat > "$2" <<'JSON'
{"fast": [{"scene": "one", "verdict": "compared", "why": "", "trials": 20, "changed": 3, "lost": 1, "won": 0, "unresolved_alone": 2,
           "gain": 0.25, "strict": {"unresolved": 0}, "fast": {"unresolved": 2}},
          {"scene": "arm", "verdict": "skipped", "why": "no URDF"}]}
JSON
)sh" + ends);
  }

  // The exit code; what was said and gate.json are kept.
  int run(const std::string& arguments, const std::string& environment = {}) {
    const std::string log = (folder_.path() / "log").string();
    const int status =
        std::system((environment + "PATH='" + bin().string() + "':\"$PATH\" PYTHONPATH='" + bin().string() +
                     "' python3 '" + test::source_file("scripts/gpu_gate.py") + "' --build '" + bin().string() +
                     "' --out '" + folder_.path().string() + "/out' " + arguments + " >'" + log + "' 2>&1")
                        .c_str());
    said = content(log);
    gate = nlohmann::json::parse(content(folder_.path() / "out/gate.json"), nullptr, false);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  bool hides(const std::string& what) const {
    for (const std::string hidden : gate.at("not_shown")) {
      if (hidden.find(what) != std::string::npos) return said.find("has not shown") != std::string::npos;
    }
    return false;
  }

  std::filesystem::path bin() const { return folder_.path() / "bin"; }

  std::string said;
  nlohmann::json gate;

 private:
  Folder folder_;
};

TEST_F(GpuGate, MapsWithoutH5pyAreNotComparedWhole) {
  put("pegrasp", maps("same"));
  ASSERT_EQ(run("--stages maps"), 0) << said;
  bool puck = false;
  for (const auto& row : gate["maps"]["maps"]) {
    EXPECT_EQ(row["verdict"], "equal");
    EXPECT_EQ(row["hdf5"], "not compared (no h5py)");
    puck |= row["problem"] == "examples/puck/puck.toml";  // has no grid
  }
  EXPECT_TRUE(puck) << said;
  EXPECT_TRUE(hides("map.h5: not compared (no h5py)")) << said;
  EXPECT_NE(said.find("passed, but for what was not shown"), std::string::npos) << said;
}

TEST_F(GpuGate, MapsThatDifferFail) {
  put("pegrasp", maps("\"$4\""));
  EXPECT_EQ(run("--stages maps"), 1) << said;
  EXPECT_EQ(gate["maps"]["maps"][0]["verdict"], "DIFFERS");
}

TEST_F(GpuGate, ScenesThatTheBuildCannotReadAreSaid) {
  EXPECT_EQ(run("--stages scenes"), 0) << said;
  EXPECT_TRUE(hides("arm (no URDF)")) << said;
}

TEST_F(GpuGate, WhatWasComparedBeforeAFailureIsKept) {
  agree_that("exit 1");
  EXPECT_EQ(run("--stages scenes"), 1) << said;
  EXPECT_EQ(gate["scenes"]["comparisons"].size(), 2u);
}

// What fast arithmetic changes is measured; only what does not run is a failure.
TEST_F(GpuGate, OutcomesThatFastArithmeticChangesAreReported) {
  fast_that("exit 0");
  EXPECT_EQ(run("--stages fast"), 0) << said;
  EXPECT_EQ(gate["fast"]["fast"][0]["changed"], 3);
  EXPECT_NE(said.find("3 of 20 changed (1 lost, 0 won, 2 unresolved by one alone)"), std::string::npos) << said;
  EXPECT_NE(said.find("0.25 times as fast"), std::string::npos) << said;
  EXPECT_TRUE(hides("arm (no URDF)")) << said;
  fast_that("exit 1");
  EXPECT_EQ(run("--stages fast"), 1) << said;
  EXPECT_EQ(gate["fast"]["fast"].size(), 2u) << "what was compared is kept";
}

// Every example with every shape, and with batches that are split and shuffled.
TEST_F(GpuGate, ExamplesAreComparedInEveryShapeAndArrangement) {
  agree_that("echo \"$@\" >> \"$(dirname \"$0\")/calls\"");
  EXPECT_EQ(run("--stages shapes"), 0) << said;
  EXPECT_EQ(gate["shapes"]["arrangements"].size(), 4u);
  EXPECT_EQ(gate["shapes"]["shapes"].size(), 14u);
  const std::string calls = content(bin() / "calls");
  for (const char* options : {"--split 5 --shuffle", "--team-size 1 ", "--team-size 128 --workspaces shared"}) {
    bool examples = false;
    std::istringstream lines(calls);
    for (std::string line; std::getline(lines, line);) {
      examples |= line.find(options) != std::string::npos && line.find("--files-only") != std::string::npos &&
                  line.find("examples/gear/gear.toml") != std::string::npos &&
                  line.find("examples/scenes/stack.json") != std::string::npos;
    }
    EXPECT_TRUE(examples) << options << '\n' << calls;
  }
}

TEST_F(GpuGate, AnArrangementThatDiffersFails) {
  agree_that("case \"$*\" in *--split*) exit 1;; esac");
  EXPECT_EQ(run("--stages shapes"), 1) << said;
  EXPECT_EQ(gate["shapes"]["arrangements"][0]["verdict"], "equal");
  EXPECT_EQ(gate["shapes"]["arrangements"][1]["verdict"], "DIFFERS");
}

// What had differed before a comparison ran out of time is reported, and so it is of scenes and of fast arithmetic.
TEST_F(GpuGate, ADifferenceThatIsFoundBeforeTheTimeIsOverFails) {
  put("pegrasp_agree", R"sh([ "$1" = --probe ] && { echo "$3: a device"; exit 0; }
echo '{"comparisons": [{"scene": "one", "choice": "peg/aj", "verdict": "equal", "why": ""}]}' > "$2"
case "$*" in *WHICH*)
echo '{"comparisons": [{"scene": "one", "choice": "peg/aj", "verdict": "differs", "why": "poses"}]}' > "$2"; sleep 600;; esac)sh");
  const std::string program = content(bin() / "pegrasp_agree");
  for (const std::string which : {"--split", "--names"}) {
    std::string one = program;
    one.replace(one.find("WHICH"), 5, which);
    std::ofstream(bin() / "pegrasp_agree") << one;
    EXPECT_EQ(run("--stages shapes --backend cpu", "PEGRASP_GATE_RUN_LIMIT=0.5 "), 1) << which << '\n' << said;
    const auto& shapes = gate["shapes"];
    const auto& row = which == "--split" ? shapes["arrangements"][1] : shapes["shapes"][0]["comparisons"][1];
    EXPECT_EQ(row["verdict"], "DIFFERS") << which << '\n' << said;
  }
}

TEST_F(GpuGate, FastTrialsThatFailBeforeTheTimeIsOverFail) {
  put("pegrasp_agree", R"sh([ "$1" = --probe ] && { echo "$3: a device"; exit 0; }
echo '{"fast": [{"scene": "one", "verdict": "compared", "why": "", "trials": 20, "changed": 3, "lost": 1, "won": 0, "unresolved_alone": 2, "gain": 0.25, "strict": {"unresolved": 0}, "fast": {"unresolved": 2}}, {"scene": "two", "verdict": "failed", "why": "a fault"}]}' > "$2"; sleep 600)sh");
  EXPECT_EQ(run("--stages fast --stage-limit 1"), 1) << said;
  EXPECT_EQ(gate["fast"]["fast"].size(), 2u) << said;
  EXPECT_EQ(gate["fast"]["ended_with"], "too slow");
}

TEST_F(GpuGate, OnTheCpuItIsTriedOutAlone) {
  agree_that("case \"$*\" in *\"--against cpu\"*) ;; *) exit 1;; esac");
  EXPECT_EQ(run("--backend cpu --stages maps,scenes,shapes,sanitize"), 0) << said;
  EXPECT_NE(said.find("tried out on the CPU: nothing of a GPU was shown"), std::string::npos) << said;
  EXPECT_EQ(gate["backend"], "cpu");
  EXPECT_EQ(gate["device"], "a device");
  EXPECT_EQ(gate["shapes"]["shapes"].size(), 1u);
  EXPECT_TRUE(hides("no device code on a CPU")) << said;
}

TEST_F(GpuGate, AStageThatDoesNotEndIsCutOffAndKeepsWhatItHas) {
  agree_that("sleep 600");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run("--stages scenes,sanitize --stage-limit 1"), 0) << said;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(120));
  EXPECT_TRUE(hides("comparisons after the 2 that were made in time")) << said;
  EXPECT_EQ(gate["scenes"]["ended_with"], "too slow");
  EXPECT_EQ(gate["scenes"]["comparisons"].size(), 2u);
  EXPECT_TRUE(gate.contains("sanitize")) << "the stages after it are run";
}

// Tests are counted one by one, also those of a process that is cut off; it is no failure, but what has shown nothing
// has not passed.
TEST_F(GpuGate, TestsOfAProcessThatIsCutOffAreCounted) {
  const std::string some = R"sh(echo "[       OK ] Puck.Slides$GTEST_SHARD_INDEX (3 ms)"
echo "[  SKIPPED ] Puck.Jumps$GTEST_SHARD_INDEX (0 ms)"
)sh";
  put("pegrasp_tests", some + "sleep 600");
  EXPECT_EQ(run("--stages tests --stage-limit 2"), 0) << said;
  const int processes = gate["tests"]["processes"];
  EXPECT_EQ(gate["tests"]["run"], 2 * processes);
  EXPECT_EQ(gate["tests"]["skipped"], processes);
  EXPECT_TRUE(hides("tests after the " + std::to_string(2 * processes) + " that ended in time")) << said;

  put("pegrasp_tests", some + "echo '[  FAILED  ] Puck/0.Stops, where GetParam() = 2 (1 ms)'; sleep 600");
  EXPECT_EQ(run("--stages tests --stage-limit 2"), 1) << said;
  EXPECT_EQ(gate["tests"]["failures"][0], "Puck/0.Stops");

  put("pegrasp_tests", some + "echo '[ RUN      ] Puck.Hangs'; sleep 600");
  EXPECT_EQ(run("--stages tests --stage-limit 2"), 0) << said;
  EXPECT_TRUE(hides("Puck.Hangs")) << said;
  put("pegrasp_tests", some + "echo '[ RUN      ] Puck.Hangs'; echo 'a.cpp:3: Failure'; sleep 600");
  EXPECT_EQ(run("--stages tests --stage-limit 2"), 1) << said;
  EXPECT_EQ(gate["tests"]["failures"][0], "Puck.Hangs");

  put("pegrasp_tests", "sleep 600");
  EXPECT_EQ(run("--stages tests --stage-limit 1"), 1) << said;
  put("pegrasp_tests", some + "exit 139");
  EXPECT_EQ(run("--stages tests"), 1) << said;
  EXPECT_EQ(gate["tests"]["processes_lost"][0], "ended with 139");
  put("pegrasp_tests", some);
  EXPECT_EQ(run("--stages tests"), 0) << said;
  EXPECT_TRUE(gate["not_shown"].empty()) << said;
}

TEST_F(GpuGate, AMapThatIsTooSlowIsNoFailure) {
  put("pegrasp", "case \"$2\" in *lift.toml) sleep 600;; esac; " + maps("same"));
  EXPECT_EQ(run("--stages maps --stage-limit 3"), 0) << said;
  EXPECT_TRUE(hides("examples/lift/lift.toml (too slow)")) << said;
  put("pegrasp", "sleep 600");
  EXPECT_EQ(run("--stages maps --stage-limit 1"), 1) << said;
}

// Every stage has its share of the budget, also after one that has used up its own.
TEST_F(GpuGate, ABudgetIsForAllStages) {
  agree_that("sleep 600");
  put("pegrasp_tests", "echo '[       OK ] Puck.Slides (3 ms)'; sleep 600");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run("--stages tests,scenes --budget 6"), 0) << said;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_GT(gate["tests"]["seconds"], 1.0);
  EXPECT_LT(gate["tests"]["seconds"], 4.0);
  EXPECT_EQ(gate["scenes"]["comparisons"].size(), 2u) << said;
  EXPECT_TRUE(hides("comparisons after the 2")) << said;
}

TEST_F(GpuGate, ASanitizerThatDoesNotRunHasShownNothing) {
  put("compute-sanitizer", "echo no such device; exit 1");
  EXPECT_EQ(run("--stages sanitize"), 0) << said;
  EXPECT_TRUE(hides("compute-sanitizer does not run here (no such device)")) << said;
  EXPECT_NE(said.find("NOTHING SHOWN"), std::string::npos) << said;
}

TEST_F(GpuGate, ASanitizerThatIsTooSlowHasShownNothing) {
  put("compute-sanitizer", "[ \"$1\" = --tool ] || exit 0; sleep 600");
  EXPECT_EQ(run("--stages sanitize --stage-limit 2"), 0) << said;
  EXPECT_TRUE(hides("memcheck, gear_step, per-scene strategy")) << said;
  EXPECT_NE(said.find("0 of "), std::string::npos) << said;
}

// To ask for the device makes no context; a kernel does. What CUB reads in vain is no finding of ours.
TEST_F(GpuGate, TheSanitizerIsTriedOnAKernelAndLeavesOutTheToolkitsOwn) {
  put("compute-sanitizer", "echo \"$@\" >> \"$(dirname \"$0\")/calls\"");
  EXPECT_EQ(run("--stages sanitize"), 0) << said;
  std::istringstream lines(content(bin() / "calls"));
  std::string probe, line;
  std::getline(lines, probe);
  EXPECT_NE(probe.find("pegrasp_bench gear_step --backend cuda"), std::string::npos) << probe;
  int looked = 0;
  while (std::getline(lines, line)) {
    const bool initcheck = line.find("--tool initcheck") != std::string::npos;
    EXPECT_EQ(line.find("--kernel-name-exclude kns=cub") != std::string::npos, initcheck) << line;
    looked += initcheck;
  }
  EXPECT_GT(looked, 3);
}

// Benchmarks on a GPU, on the CPU, and the phases have a share of the time each.
TEST_F(GpuGate, BenchmarksThatAreSlowAreNoFailure) {
  put("pegrasp_bench", R"sh(while [ "$1" != --json ]; do shift; done
echo '{"benchmarks": [{"name": "a", "threads": 1, "scenes": 1, "scene_steps_per_s": 1.0, "wall_min_s": 1.0}]}' > "$2"; sleep 600)sh");
  EXPECT_EQ(run("--stages bench --stage-limit 3"), 0) << said;
  const nlohmann::json bench = nlohmann::json::parse(content(bin().parent_path() / "out/bench.json"));
  for (const char* part : {"cuda", "cpu", "cuda_phases"}) EXPECT_EQ(bench[part]["benchmarks"].size(), 1u) << part;
  EXPECT_TRUE(hides("benchmarks (cuda) after the 1")) << said;
  put("pegrasp_bench", "sleep 600");
  EXPECT_EQ(run("--stages bench --stage-limit 1"), 1) << said;
}

// A benchmark that has a prediction is printed beside it, on a GPU alone.
TEST_F(GpuGate, BenchmarksStandBesideTheirPredictions) {
  put("pegrasp_bench", R"sh(while [ "$1" != --json ]; do shift; done
echo '{"benchmarks": [{"name": "gear_map", "threads": 1, "scenes": 1, "scene_steps_per_s": 2e6, "wall_min_s": 1.0},
                      {"name": "a", "threads": 1, "scenes": 1, "scene_steps_per_s": 2e6, "wall_min_s": 1.0}]}' > "$2")sh");
  EXPECT_EQ(run("--stages bench"), 0) << said;
  const std::string beside = "predicted for an NVIDIA H100 8e+06 to 1.6e+07: 4.0 times below";
  const std::size_t first = said.find(beside);
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("predicted", first + beside.size()), std::string::npos) << said;
}

TEST_F(GpuGate, AFindingOfTheFirstKernelFails) {
  put("compute-sanitizer", "case \"$*\" in *--error-exitcode*) exit 9;; esac");
  EXPECT_EQ(run("--stages sanitize"), 1) << said;
  EXPECT_EQ(gate["sanitize"]["runs"][0]["verdict"], "FINDING");
}

TEST_F(GpuGate, AFindingFails) {
  put("compute-sanitizer", "[ \"$1\" = --tool ] || exit 0; exit 9");
  EXPECT_EQ(run("--stages sanitize"), 1) << said;
  EXPECT_EQ(gate["sanitize"]["runs"][0]["verdict"], "FINDING");
}

}  // namespace
}  // namespace pegrasp
