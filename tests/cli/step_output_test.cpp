// SPDX-License-Identifier: Apache-2.0
// pegrasp run --steps and --step: the table of steps, and the contacts of one.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "pegrasp/version.hpp"
#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using nlohmann::json;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

const std::string stack = source_file("examples/scenes/stack.json");

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(CliSteps, TheTableHasARowForEveryStep) {
  Folder folder;
  const std::vector<std::string> words{"run", stack, "--h", "0.01", "--t-end", "0.6", "--steps"};
  const Finished text = pegrasp_run(folder, words);
  ASSERT_EQ(text.code, 0) << text.err;
  const std::vector<std::string> lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 61u);
  for (const char* column : {"step", "time [s]", "status", "residual [m/s]", "depth [m]", "contacts", "iterations",
                             "substeps", "rejected"}) {
    EXPECT_NE(lines[0].find(column), std::string::npos) << column;
  }
  for (const std::string& line : lines) EXPECT_EQ(line.size(), lines[0].size()) << line;
  std::vector<std::string> in_json = words;
  in_json.push_back("--json");
  const Finished done = pegrasp_run(folder, in_json);
  ASSERT_EQ(done.code, 0) << done.err;
  const json table = json::parse(done.out);
  EXPECT_EQ(table["version"], version::number);
  EXPECT_EQ(table["git"], version::git);
  ASSERT_EQ(table["steps"].size(), 60u);
  long long iterations = 0, substeps = 0;
  for (std::size_t k = 0; k < 60; ++k) {
    const json& step = table["steps"][k];
    EXPECT_EQ(step["step"], k + 1);
    EXPECT_NEAR(step["time_s"].get<double>(), 0.01 * static_cast<double>(k + 1), 1e-12);
    EXPECT_EQ(step["status"], "ok");
    iterations += step["iterations"].get<long long>();
    substeps += step["substeps"].get<long long>();
    EXPECT_NE(lines[k + 1].find(" ok "), std::string::npos);
  }
  const json report = json::parse(pegrasp_run(folder, {"run", stack, "--h", "0.01", "--t-end", "0.6", "--json"}).out);
  EXPECT_NEAR(
      report["iterations_mean"].get<double>() * report["solves_mean"].get<double>() * static_cast<double>(substeps),
      static_cast<double>(iterations), 1e-6 * static_cast<double>(iterations));
}

TEST(CliSteps, AStepThatIsNotSolvedIsNamed) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", stack, "--h", "0.01", "--t-end", "0.6", "--steps", "--json",
                                             "--set", "simulation.max_iterations=1", "--set", "simulation.solver=pgs"});
  EXPECT_EQ(done.code, 1);
  const json table = json::parse(done.out);
  bool found = false;
  for (const json& step : table["steps"]) {
    if (step["status"] == "ok") continue;
    found = true;
    EXPECT_NE(step["status"].get<std::string>().find("not converged"), std::string::npos);
    EXPECT_GT(step["rejected"], 0);
  }
  EXPECT_TRUE(found);
}

TEST(CliSteps, OneStepShowsItsContacts) {
  Folder folder;
  const std::vector<std::string> words{"run", stack, "--h", "0.01", "--t-end", "3", "--step", "250"};
  const Finished text = pegrasp_run(folder, words);
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* said : {"bodies", "feature", "gap [m]", "tangential [N s]", "box0, box1", "edge of"}) {
    EXPECT_NE(text.out.find(said), std::string::npos) << said;
  }
  std::vector<std::string> in_json = words;
  in_json.push_back("--json");
  const json one = json::parse(pegrasp_run(folder, in_json).out);
  EXPECT_EQ(one["step"]["step"], 250);
  EXPECT_EQ(one["version"], version::number);
  EXPECT_EQ(static_cast<int>(one["contacts"].size()), one["step"]["contacts"]);
  double carried = 0.0;  // by the lowest box
  for (const json& contact : one["contacts"]) {
    EXPECT_TRUE(contact["state"] == "stick" || contact["state"] == "none" || contact["state"] == "slide");
    EXPECT_EQ(contact["slip_m_s"].size(), 2u);
    if (contact["bodies"] != json({"box0", "box1"})) continue;
    carried += contact["normal_impulse_N_s"].get<double>() / contact["substep_s"].get<double>();
  }
  EXPECT_NEAR(carried, 9 * 10.0 * 9.81, 10.0);
  EXPECT_TRUE(one["rows"].empty());
}

TEST(CliSteps, ATrialHasSupportsMotorsAndJoints) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", source_file("examples/gear/gear.toml"), "--cell", "220", "--sample",
                                             "1", "--step", "20", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  std::set<std::string> kinds;
  const json shown = json::parse(done.out);
  for (const json& row : shown["rows"]) {
    kinds.insert(row["kind"].get<std::string>());
    EXPECT_FALSE(row["of"].get<std::string>().empty());
    EXPECT_TRUE(row["bound_N_s"].is_null() ||
                std::abs(row["impulse_N_s"].get<double>()) <= row["bound_N_s"].get<double>() * (1.0 + 1e-9) + 1e-12);
  }
  EXPECT_TRUE(kinds.count("support")) << done.out;
  EXPECT_TRUE(kinds.count("motor")) << done.out;
}

TEST(CliSteps, InThreeDimensionsAllIslandsAreShown) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", source_file("examples/scenes/polyhedron_box.json"), "--h", "0.016",
                                             "--t-end", "1.6", "--step", "100", "--json"});
  ASSERT_NE(done.code, 2) << done.err;
  const json one = json::parse(done.out);
  EXPECT_EQ(static_cast<int>(one["contacts"].size()), one["step"]["contacts"]);
  ASSERT_GT(one["contacts"].size(), 0u);
  EXPECT_EQ(one["contacts"][0]["point_m"].size(), 3u);
}

}  // namespace
}  // namespace pegrasp
