// SPDX-License-Identifier: Apache-2.0
// The command line itself: what it refuses, and how; check, info, version.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pegrasp/problem.hpp"
#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string gear = source_file("examples/gear/gear.toml");
const std::string stack = source_file("examples/scenes/stack.json");

// Words of a command line, and what the one line of its refusal says.
struct Refusal {
  std::vector<std::string> words;
  std::string says;
};
const Refusal refusals[] = {
    {{}, "subcommand is required"},
    {{"mpa", gear}, "no such command: mpa; did you mean \"map\"?"},
    {{"map"}, "problem is required; see pegrasp map --help"},
    {{"map", gear, "--sampels", "3"}, "no such option: --sampels; did you mean \"--samples\"?"},
    {{"map", gear, "--sampels=3"}, "no such option: --sampels; did you mean \"--samples\"?"},
    {{"map", gear, "--contact", "pegg"},
     "--contact: pegg not in {peg,peg-features,standard,corrective,penalty,penalty-deepest,ratio}; did you mean "
     "\"peg\"?"},
    {{"run", stack, "--record", "--h", "0.005"},
     "--record needs a value, FILE, and is followed by the option --h: give the value; see pegrasp run --help"},
    {{"map", gear, "--out", "--samples=3"}, "--out needs a value, TEXT, and is followed by the option --samples=3"},
    {{"map", gear, "--solver", "lemke"}, "--solver: lemke not in"},
    {{"map", gear, "--solver", "newtn"}, "did you mean \"newton\"?"},
    {{"map", gear, "--backend", "tpu"}, "--backend: tpu not in {auto,cpu,cuda}"},
    {{"map", gear, "--set", "map.title="}, "--set map.title: has no value; for an empty text give \"\" in quotes"},
    {{"map", gear, "--h", "-1"}, "--h: -1 must be a number above 0"},
    {{"map", gear, "--h", "nan"}, "--h: nan must be a number above 0"},
    {{"map", gear, "--h", "fast"}, "--h: fast must be a number above 0"},
    {{"map", gear, "--samples", "0"}, "--samples: 0 must be a whole number from 1 to 100000000"},
    {{"map", gear, "--samples", "2.5"}, "--samples: 2.5 must be a whole number"},
    {{"map", gear, "--samples", "4294967297"}, "--samples: 4294967297 must be a whole number"},
    {{"map", gear, "--seed", "9223372036854775808"}, "--seed: 9223372036854775808 must be a whole number from 0 to"},
    {{"map", gear, "--seed", "1e3"}, "--seed: 1e3 must be a whole number"},
    {{"map", gear, "--threads", "-1"}, "--threads: -1 must be a whole number from 0 to 1024"},
    {{"map", gear, "--threads", "1025"}, "--threads: 1025 must be a whole number from 0 to 1024"},
    {{"map", gear, "--threads", "4294967298"}, "--threads: 4294967298 must be a whole number"},
    {{"run", gear, "--cell", "4294967296", "--sample", "0"}, "--cell: 4294967296 must be a whole number"},
    {{"map", gear, "--strict", "--fast"}, "--strict"},
    {{"map", gear, "--set", "simulation.h=1"}, "did you mean \"h_ms\"?"},
    {{"map", gear, "--set", "nonsense"}, "is not KEY=VALUE"},
    {{"map", "nofile.toml"}, "nofile.toml: no such file"},
    {{"map", stack}, "stack.json"},
    {{"check", "nofile.toml"}, "nofile.toml: no such file"},
    {{"run", "nofile.json"}, "nofile.json"},
    {{"run", gear}, "--cell: must be given, from 0 to 440"},
    {{"run", gear, "--cell", "441", "--sample", "0"}, "--cell: must be given, from 0 to 440"},
    {{"run", gear, "--cell", "0"}, "--sample: must be given, from 0 to 29"},
    {{"run", gear, "--cell", "0", "--sample", "30"}, "--sample: must be given, from 0 to 29"},
    {{"run", stack, "--cell", "0"}, "are for problem files"},
    {{"run", stack, "--set", "map.seed=1"}, "--set map.seed: is for problem files; a scene file takes simulation.KEY"},
    {{"run", stack, "--set", "simulation.h_ms=2", "--set", "body.box.mass_kg=1"}, "--set body.box.mass_kg: is for"},
    {{"run", stack, "--set", "simulatoin.h_ms=2"}, "--set simulatoin.h_ms: is for problem files"},
    {{"run", stack, "--set", "simulation.max_iteration=4"}, "did you mean \"max_iterations\"?"},
    {{"run", stack, "--set", "simulation.max_iterations=0"}, "--set simulation.max_iterations: must lie between 1 and"},
    {{"run", stack, "--set", "simulation.solver=lemke"}, "--set simulation.solver: must be one of aj, pgs"},
    {{"run", stack, "--set", "simulation=4"}, "--set simulation: must be a table"},
    {{"run", stack, "--set", "simulation.h_ms"}, "is not KEY=VALUE"},
    {{"run", stack, "--trajectory", ""}, "--trajectory: must not be empty"},
    {{"run", stack, "--trajectory="}, "--trajectory: 1 required"},
    {{"check", gear, "--set", "body.gear.mas_kg=1"}, "--set body.gear.mas_kg: is not a key known here; did you mean"},
    {{"map", gear, "--road", "fused"}, "no such option: --road; did you mean \"--strategy\"?"},
    {{"map", gear, "--strategy", "fused"}, "did you mean \"per-scene\"?"},
    {{"map", gear, "--strategy", "sparse"}, "did you mean \"batched\"?"},
    {{"map", gear, "--set", "simulation.road=\"fused\""}, "did you mean \"strategy\"?"},
    {{"map", gear, "--set", "simulation.even_loads=true"}, "did you mean \"load_sharing\"?"},
    {{"map", gear, "--set", "space.feet=\"level\""}, "did you mean \"support_spheres\"?"},
    {{"run", stack, "--step", "0"}, "--step: 0 must be a whole number from 1"},
    {{"run", stack, "--step", "3", "--steps"}, "--step"},
    {{"run", stack, "--t-end", "0.1", "--step", "21"},
     "--step 21: the scene ends after step 20; choose an earlier one"},
    {{"run", stack, "--friction", "-0.1"}, "--friction: -0.1 must be a number, 0 or more"},
    {{"run", stack, "--t-end", "0"}, "--t-end: 0 must be a number above 0"},
    {{"run", stack, "--t-end", "0.002"},
     "stack.json: the time limit of 0.002 s is shorter than half a step of 0.005 s"},
    {{"map", gear, "--h", "0.5", "--duration", "0.1"},
     "gear.toml: the time limit of 0.1 s is shorter than half a step"},
    {{"run", stack, "--t-end", "0.01", "--trajectory", "/no/such/folder/t.csv"},
     "/no/such/folder/t.csv: cannot be written: No such file or directory; make its folder first"},
    {{"run", stack, "--h", "1e-7", "--t-end", "1000", "--trajectory", "/no/such/folder/t.csv"},  // not afterwards
     "/no/such/folder/t.csv: cannot be written"},
    {{"run", stack, "--t-end", "0.01", "--trajectory", "/tmp"}, "/tmp: cannot be written: Is a directory"},
    {{"run", stack, "--t-end", "0.01", "--trajectory", "/dev/full"}, "/dev/full: cannot be written: No space left"},
};

TEST(Cli, RefusesInOneLineWithExitCode2) {
  Folder folder;
  for (const Refusal& c : refusals) {
    std::string line;
    for (const std::string& word : c.words) line += " " + word;
    SCOPED_TRACE("pegrasp" + line);
    std::vector<std::string> words = c.words;
    if (!words.empty() && words[0] == "map" && words.size() > 1) {
      words.insert(words.end(), {"--out", (folder.path() / "out").string()});
    }
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.err.rfind("pegrasp: ", 0), 0u) << done.err;
    EXPECT_NE(done.err.find(c.says), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_TRUE(done.out.empty()) << done.out;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "out"));
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full")) << "a device is written to, never replaced";
}

TEST(Cli, AnEmptyOutputFolderIsRefused) {
  Folder folder;
  const Finished done = pegrasp_run(
      folder, {"map", source_file("examples/puck/puck.toml"), "--quiet", "--no-plot", "--samples", "1", "--out", ""});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("pegrasp: --out: must not be empty"), std::string::npos) << done.err;
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
}

TEST(Cli, CheckPrintsTheResolvedProblem) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"check", source_file("examples/gear/gear.toml"), "--samples", "3"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Problem again = parse_problem(done.out, "printed.toml");
  EXPECT_EQ(again.samples, 3);
  EXPECT_EQ(again.grid.cells(), 441);
  EXPECT_NE(done.out.find("# 441 cells, 3 samples per cell, 1323 trials"), std::string::npos);
  EXPECT_NE(done.out.find("# size: 3 bodies"), std::string::npos);
  EXPECT_NE(done.out.find(" contacts (bound "), std::string::npos);
  const Finished standard =
      pegrasp_run(folder, {"check", source_file("examples/gear/gear.toml"), "--contact", "standard"});
  EXPECT_NE(standard.out.find(" contacts, "), std::string::npos) << "only pair modes have a bound";
}

TEST(Cli, InfoAndVersion) {
  Folder folder;
  const Finished info = pegrasp_run(folder, {"info", "--json"});
  ASSERT_EQ(info.code, 0);
  const auto json = nlohmann::json::parse(info.out);
  EXPECT_TRUE(json["backends"]["cpu"]["available"].get<bool>());
  EXPECT_FALSE(json["backends"]["cuda"]["detail"].get<std::string>().empty());
  EXPECT_FALSE(json["flags"].get<std::string>().empty());
  const Finished version = pegrasp_run(folder, {"--version"});
  const auto git = json["git"].get<std::string>();
  EXPECT_EQ(version.out,
            "pegrasp " + json["version"].get<std::string>() + (git.empty() ? "" : " (" + git + ")") + "\n");
  for (const std::string command : {"map", "run", "check", "compare", "explain", "best", "rare", "info"}) {
    const Finished help = pegrasp_run(folder, {command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Usage: pegrasp " + command), std::string::npos) << help.out;
  }
}

TEST(Cli, AFullStandardOutputIsReported) {
  Folder folder;
  test::ChildOptions full;
  full.out_to = "/dev/full";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info"},
        {"--help"},
        {"--version"},
        {"map", "--help"},
        {"info", "--json"},
        {"check", source_file("examples/gear/gear.toml")},
        {"run", source_file("examples/scenes/stack.json"), "--t-end", "0.01", "--json"}}) {
    const Finished done = pegrasp_run(folder, words, full);
    EXPECT_EQ(done.code, 75) << words[0] << ": a full disk may have space later";
    EXPECT_NE(done.err.find("standard output: cannot be written: No space left"), std::string::npos) << done.err;
  }
}

}  // namespace
}  // namespace pegrasp
