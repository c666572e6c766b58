// SPDX-License-Identifier: Apache-2.0
// scripts/map_mpi.sh over several ranks, and scripts/map_slurm.sh with a scheduler that runs what it is given at once.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string problem = source_file("examples/gear/gear.toml") +
                            " --samples 6 --set 'grid.x_mm=[-4, 0, 4]' --set 'grid.y_mm=[-15, -12, -9]'";

// By a shell; its exit code and all that it said.
struct Said {
  int code = -1;
  std::string text;
};
Said shell(const Folder& folder, const std::string& line) {
  const std::string log = (folder.path() / "log").string();
  const int status = std::system(("( " + line + " ) >'" + log + "' 2>&1").c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(log)};
}

std::string launcher(const std::string& script, const std::string& variables = {}) {
  return "PEGRASP='" + test::program() + "' " + variables + " '" + source_file("scripts/" + script) + "'";
}

std::string csv_of_one_run(const Folder& folder) {
  const std::string out = (folder.path() / "one").string();
  const Said said =
      shell(folder, "'" + test::program() + "' map " + problem + " --quiet --no-plot --out '" + out + "'");
  EXPECT_EQ(said.code, 0) << said.text;
  return content(out + "/map.csv");
}

// An MPI may refuse the user root or more ranks than cores, which is not what is asked here. The folder of an MPI's
// running jobs is removed by whichever of them ends last, so tests side by side have one each.
std::string mpi(const Folder& folder) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_orte_tmpdir_base='" +
         folder.path().string() + "' LAUNCHER='mpirun --oversubscribe -n'";
}

TEST(Launchers, RanksOfMpiMakeTheMapOfOneRun) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
  const Folder folder;
  const std::string one = csv_of_one_run(folder);
  for (const std::string ranks : {"1", "3"}) {
    const std::string out = (folder.path() / ("ranks" + ranks)).string();
    const Said said = shell(folder, launcher("map_mpi.sh", mpi(folder)) + " " + ranks + " " + problem +
                                        " --threads 1 --quiet --no-plot --out '" + out + "'");
    ASSERT_EQ(said.code, 0) << said.text;
    EXPECT_TRUE(content(out + "/map.csv") == one);
    EXPECT_EQ(std::filesystem::exists(out + "/part-3-of-3.samples"), ranks == "3");
  }
  // A part that was lost is all that is simulated again.
  const std::string out = (folder.path() / "ranks3").string();
  const std::string kept = content(out + "/part-2-of-3.samples");
  std::filesystem::remove(out + "/part-1-of-3.samples");
  std::filesystem::remove(out + "/map.csv");
  const Said said = shell(folder, launcher("map_mpi.sh", mpi(folder)) + " 3 " + problem +
                                      " --threads 1 --quiet --no-plot --out='" + out + "'");
  ASSERT_EQ(said.code, 0) << said.text;
  EXPECT_TRUE(content(out + "/map.csv") == one);
  EXPECT_TRUE(content(out + "/part-2-of-3.samples") == kept);
}

// What an earlier map left in the folder is not joined, whatever the folder's name.
TEST(Launchers, JoinTheirOwnPartsAlone) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
  const Folder folder;
  const std::string out = (folder.path() / "o [1] *").string();
  const auto map = [&](const std::string& ranks, const std::string& seed) {
    return shell(folder, launcher("map_mpi.sh", mpi(folder)) + " " + ranks + " " + problem +
                             " --threads 1 --quiet --no-plot --seed " + seed + " --out '" + out + "'");
  };
  for (const auto& [ranks, seed] : {std::pair{"3", "1"}, {"1", "2"}, {"2", "3"}}) {
    const Said said = map(ranks, seed);
    ASSERT_EQ(said.code, 0) << said.text;
    EXPECT_NE(content(out + "/summary.json").find("\"seed\": " + std::string(seed)), std::string::npos) << ranks;
  }
  // Parts of another map, of as many ranks: not gone on with.
  const Said said = map("3", "4");
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.text.find("-of-3.samples: is the journal of another problem"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("delete it"), std::string::npos) << said.text;
}

TEST(Launchers, ARankThatFailsIsReported) {
  if (std::system("command -v mpirun >/dev/null 2>&1") != 0) GTEST_SKIP() << "no mpirun";
  const Folder folder;
  const Said said = shell(folder, launcher("map_mpi.sh", mpi(folder)) + " 2 " + problem + " --samples 0");
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.text.find("--samples"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("not all parts are done"), std::string::npos) << said.text;
}

TEST(Launchers, AnArrayJobMakesTheMapOfOneRun) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() / "bin");
  // Runs the tasks of an array at once, last to first; a job with a dependency runs when the array is done.
  std::ofstream(folder.path() / "bin" / "sbatch") << R"(#!/usr/bin/env bash
set -e
echo "$*" >>"$(dirname "$0")/submitted"
array=1-1
while [[ $1 == --* ]]; do
  case $1 in --array=*) array=${1#--array=} ;; esac
  shift
done
copy=$(dirname "$0")/spool.sh
cp "$1" "$copy"
shift
for ((i = ${array#*-}; i >= 1; --i)); do SLURM_ARRAY_TASK_ID=$i bash "$copy" "$@" >>"$(dirname "$0")/log" 2>&1; done
echo "4711;cluster"
)";
  std::filesystem::permissions(folder.path() / "bin" / "sbatch", std::filesystem::perms::owner_all);
  const std::string out = (folder.path() / "out").string();
  const Said said =
      shell(folder, launcher("map_slurm.sh", "PATH='" + (folder.path() / "bin").string() + "':\"$PATH\"") + " 4 " +
                        problem + " --quiet --no-plot --out '" + out + "'");
  ASSERT_EQ(said.code, 0) << said.text << content(folder.path() / "bin" / "log");
  EXPECT_NE(said.text.find("job 4711 simulates 4 parts"), std::string::npos) << said.text;
  EXPECT_TRUE(content(out + "/map.csv") == csv_of_one_run(folder));
  EXPECT_NE(content(folder.path() / "bin" / "submitted").find("--dependency=afterok:4711 "), std::string::npos);
}

TEST(Launchers, TellHowTheyAreCalled) {
  const Folder folder;
  for (const std::string script : {"map_mpi.sh", "map_slurm.sh"}) {
    for (const std::string words : {"", " 3", " none problem.toml", " 2 --samples 2"}) {
      const Said said = shell(folder, launcher(script) + words);
      EXPECT_EQ(said.code, 2) << script << words;
      EXPECT_NE(said.text.find("scripts/" + script), std::string::npos) << said.text;
    }
    const Said missing = shell(folder, launcher(script) + " 2 '" + (folder.path() / "none.toml").string() + "'");
    EXPECT_EQ(missing.code, 2);
    EXPECT_NE(missing.text.find("none.toml: cannot be read"), std::string::npos) << missing.text;
    const Said said = shell(
        folder, launcher(script, script == "map_mpi.sh" ? "LAUNCHER='no-such-launcher -n'" : "PATH=/usr/bin:/bin") +
                    " 2 " + problem);
    if (script == "map_slurm.sh" && std::system("command -v sbatch >/dev/null 2>&1") == 0) continue;
    EXPECT_EQ(said.code, 2);
    EXPECT_NE(said.text.find("is not there"), std::string::npos) << said.text;
  }
}

}  // namespace
}  // namespace pegrasp
