// SPDX-License-Identifier: Apache-2.0
// pegrasp map as a task of a batch system: its part, its exit codes, counts in place of trials, and a real Slurm.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::Child;
using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string trials = " map " + source_file("examples/gear/gear.toml") +
                           " --samples 12 --set 'grid.x_mm=[-4, 0, 4]' --set 'grid.y_mm=[-15, -12, -9]' --no-plot "
                           "--no-step-check --threads 1";

struct Outcome {
  int code = -1;
  std::string text;
};

Outcome shell_run(const Folder& folder, const std::string& line) {
  const std::string log = (folder.path() / "log").string();
  const int status = std::system(("( " + line + " ) >'" + log + "' 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(log)};
}

Outcome task(const Folder& folder, const std::string& variables, const std::string& more = {}) {
  return shell_run(folder, "env -i " + variables + " '" + test::program() + "'" + trials + " --shard auto --out '" +
                               (folder.path() / "o").string() + "' " + more);
}

TEST(Cluster, TheEnvironmentTellsThePart) {
  const std::string array = "SLURM_JOB_ID=9 SLURM_PROCID=0 SLURM_NTASKS=4 ";
  const std::pair<std::string, std::string> cases[] = {
      {array + "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=9 SLURM_ARRAY_TASK_MIN=1", "3-of-9"},
      {"SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=14 "
       "SLURM_ARRAY_TASK_STEP=2",
       "3-of-8"},
      {"SLURM_JOB_ID=9 SLURM_STEP_ID=0 SLURM_PROCID=1 SLURM_NTASKS=4", "2-of-4"},
      {"JOB_COMPLETION_INDEX=0 PEGRASP_PARTS=5", "1-of-5"},
      {"AWS_BATCH_JOB_ARRAY_INDEX=6 AWS_BATCH_JOB_ARRAY_SIZE=7", "7-of-7"},
      {"PBS_ARRAY_INDEX=1 PEGRASP_PARTS=6", "1-of-6"},
      {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 SLURM_PROCID=0 SLURM_NTASKS=1", "2-of-2"},
      {"PMI_RANK=2 PMI_SIZE=3", "3-of-3"}};
  for (const auto& [variables, part] : cases) {
    const Folder folder;
    const Outcome done = task(folder, variables);
    EXPECT_EQ(done.code, 0) << variables << done.text;
    EXPECT_EQ(done.text.rfind("pegrasp: --shard auto: part ", 0), 0u) << done.text;
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "o" / ("part-" + part + ".samples"))) << done.text;
  }
}

TEST(Cluster, WhatTellsNoPartIsRefusedInOneLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"", "no task number in the environment"},
      {"JOB_COMPLETION_INDEX=0", "PEGRASP_PARTS is not; set it in the manifest"},
      {"JOB_COMPLETION_INDEX=5 PEGRASP_PARTS=5", "are no task of a numbering from 0 to 4"},
      {"JOB_COMPLETION_INDEX=x PEGRASP_PARTS=5", "JOB_COMPLETION_INDEX = x is no whole number"},
      {"PBS_ARRAY_INDEX=0 PEGRASP_PARTS=5", "numbering from 1 to 5"},
      {"SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7",
       "no task of a regular array"},
      {"SLURM_JOB_ID=9 SLURM_PROCID=0 SLURM_NTASKS=4", "start the tasks with srun"},
      {"JOB_COMPLETION_INDEX=0 PEGRASP_PARTS=5 OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3", "contradict"}};
  for (const auto& [variables, says] : cases) {
    const Folder folder;
    const Outcome done = task(folder, variables);
    EXPECT_EQ(done.code, 2) << variables;
    EXPECT_NE(done.text.find(says), std::string::npos) << done.text;
    EXPECT_NE(done.text.find("or give --shard I/N"), std::string::npos) << done.text;
    EXPECT_EQ(std::count(done.text.begin(), done.text.end(), '\n'), 1) << done.text;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "o"));
  }
}

// A disk of 32 kB, in a mount namespace of its own.
TEST(Cluster, AFullDiskAsksForAnotherTry) {
  const Folder folder;
  const std::string disk = (folder.path() / "disk").string();
  std::filesystem::create_directories(disk);
  const std::string mounted = "unshare -rm sh -c \"mount -t tmpfs -o size=32k none '" + disk + "' || exit 99; ";
  if (shell_run(folder, mounted + "true\"").code != 0) GTEST_SKIP() << "no mount namespaces here";
  std::ofstream(folder.path() / "run.sh") << "'" << test::program() << "'" << trials << " --out '" << disk << "/o'\n";
  const Outcome done = shell_run(folder, mounted + "sh '" + (folder.path() / "run.sh").string() + "'\"");
  EXPECT_EQ(done.code, 75) << done.text;
  EXPECT_NE(done.text.find("No space left"), std::string::npos) << done.text;
}

std::vector<std::string> counted(const std::filesystem::path& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"map",       source_file("examples/gear/gear.toml"),
                                 "--samples", "80",
                                 "--set",     "grid.x_mm=[-4, 0, 4]",
                                 "--set",     "grid.y_mm=[-15, -12, -9]",
                                 "--no-plot", "--quiet",
                                 "--threads", "1",
                                 "--forces",  "--out",
                                 out.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

nlohmann::json results_of(const std::filesystem::path& out) {
  auto summary = nlohmann::json::parse(content(out / "summary.json"));
  for (const char* key : {"seconds", "trials_resumed", "trials_per_s", "scene_steps_per_s", "device"})
    summary.erase(key);
  return summary;
}

TEST(LongCluster, CountsMakeTheMapOfAllTrials) {
  const Folder folder;
  const std::filesystem::path all = folder.path() / "all", parts = folder.path() / "parts", out = folder.path() / "o";
  ASSERT_EQ(pegrasp_run(folder, counted(all, {"--no-step-check"})).code, 0);
  for (const std::string shard : {"1/4", "2/4", "3/4", "4/4"})  // borders lie within cells
    ASSERT_EQ(pegrasp_run(folder, counted(parts, {"--counts-only", "--shard", shard})).code, 0);
  EXPECT_LT(std::filesystem::file_size(parts / "part-1-of-4.samples"), 8000u) << "bytes a cell, not a trial";
  ASSERT_EQ(pegrasp_run(folder, {"merge", parts.string(), "--quiet", "--no-plot"}).code, 0);
  // Where the signal comes is left to the machine; RunMap.GoesOnWithCountsAfterEveryInterruption tries each place.
  {
    const Child child(folder, counted(out, {"--counts-only"}));
    child.wait_until_it_catches(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    child.send(SIGKILL);
    child.wait();
  }
  ASSERT_EQ(pegrasp_run(folder, counted(out, {"--counts-only", "--resume"})).code, 0);
  for (const std::filesystem::path& counts : {parts, out}) {
    EXPECT_EQ(content(counts / "map.csv"), content(all / "map.csv"));
    EXPECT_EQ(results_of(counts), results_of(all));
    const Finished refused = pegrasp_run(folder, {"explain", counts.string()});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("without --counts-only"), std::string::npos) << refused.err;
  }
}

// The second task ends once with exit code 75, and is requeued; the third is killed, so that nothing is joined. The
// same command again continues.
TEST(LongCluster, ARealSlurmMakesTheMapOfOneRun) {
  const Folder folder;
  const std::string out = (folder.path() / "o").string(), place = folder.path().string();
  std::ofstream(folder.path() / "pegrasp")
      << "#!/bin/bash\n"
      << "[[ \"$*\" != *'--shard 2/3'* ]] || mkdir '" << place
      << "/second' 2>/dev/null && [[ \"$*\" == *'--shard 2/3'* ]] && exit 75\n"
      << "[[ \"$*\" != *'--shard 3/3'* ]] || ! mkdir '" << place << "/third' 2>/dev/null || kill -9 $$\n"
      << "exec '" << test::program() << "' \"$@\"\n";
  std::filesystem::permissions(folder.path() / "pegrasp", std::filesystem::perms::owner_all);
  const std::string submit = "PEGRASP='" + place + "/pegrasp' '" + source_file("scripts/map_slurm.sh") + "' 3" +
                             trials.substr(4) + " --quiet --out '" + out + "'\n";
  const std::string wait =
      "for ((i = 0; i < 600; ++i)); do [ -n \"$(squeue -h)\" ] || break; sleep 0.2\n"
      "for j in $(squeue -h -r -t PD -o '%A %r' | sed -n 's/ BeginTime//p'); do sleep 2; scontrol update JobId=$j "
      "StartTime=now; done; done\n"  // a requeued job waits two minutes else; slurmd refuses one in the same second
      "[ -z \"$(squeue -h)\" ] || { squeue -l; exit 15; }\n";
  std::ofstream(folder.path() / "all.sh") << submit << wait << "test -d '" << place << "/second' || exit 11\n"
                                          << "test -e '" << out << "/map.csv' && exit 12\n"
                                          << "test -e '" << out << "/part-2-of-3.samples' || exit 13\n"
                                          << submit << wait << "test -e '" << out << "/map.csv' || exit 14\n";
  std::filesystem::create_directories(folder.path() / "slurm");
  const Outcome done = shell_run(folder, "'" + source_file("scripts/slurm_test_cluster.sh") + "' '" + place +
                                             "/slurm' bash '" + place + "/all.sh'");
  if (done.code == 77) GTEST_SKIP() << done.text;
  ASSERT_EQ(done.code, 0) << done.text
                          << shell_run(folder, "tail -n 30 '" + place + "'/slurm/*.log '" + out + "'/*.log").text;
  const Outcome one = shell_run(folder, "'" + test::program() + "'" + trials + " --quiet --out '" + place + "/one'");
  ASSERT_EQ(one.code, 0) << one.text;
  EXPECT_EQ(content(out + "/map.csv"), content(place + "/one/map.csv"));
}

// As far as a machine without Kubernetes can tell.
TEST(Cluster, TheManifestAndTheRecipeFitTheProgram) {
  const std::string manifest = content(source_file("examples/cluster/kubernetes.yaml"));
  for (const char* line : {"completionMode: Indexed", "completions: 8\n", "{name: PEGRASP_PARTS, value: \"8\"}",
                           "args: [map, /maps/gear.toml, --out, /maps/gear, --shard, auto, --resume]",
                           "args: [merge, /maps/gear, --no-plot]"}) {
    EXPECT_NE(manifest.find(line), std::string::npos) << line;
  }
  const Folder folder;
  const Outcome done = task(folder, "JOB_COMPLETION_INDEX=7 PEGRASP_PARTS=8", "--resume");
  EXPECT_EQ(done.code, 0) << done.text;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "o" / "part-8-of-8.samples"));
  const std::string recipe = content(source_file("examples/cluster/Containerfile"));
  for (const char* script : {"scripts/install_deps.sh", "scripts/build.sh"}) {
    EXPECT_NE(recipe.find(std::string("RUN ") + script + "\n"), std::string::npos) << script;
    EXPECT_TRUE(std::filesystem::exists(source_file(script)));
  }
}

}  // namespace
}  // namespace pegrasp
