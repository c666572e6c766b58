// SPDX-License-Identifier: Apache-2.0
// pegrasp run on commands that cannot be obeyed: it says so in a line that names the bodies, and hears a stop within a
// step.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::Child;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// Jaws of 20 mm that close at 0.1 m/s each on a part of 40 mm, turned by `tilt` [rad] like a wedge; they touch it at
// 0.05 s. max_force [N]: that of each, 0: any.
std::string jaws(const Folder& folder, double tilt, double max_force = 0.0) {
  using nlohmann::json;
  const auto box = [](double x, double y) { return json{{-x, -y}, {x, -y}, {x, y}, {-x, y}}; };
  json bodies;
  bodies.push_back({{"name", "part"}, {"mass", 0.1}, {"inertia_diag", {1, 1, 2.7e-5}}, {"vertices", box(0.02, 0.02)}});
  for (const double side : {-1.0, 1.0}) {
    bodies.push_back({{"name", side < 0.0 ? "left" : "right"},
                      {"kinematic", true},
                      {"position", {0.035 * side, 0.0}},
                      {"velocity", {-0.1 * side, 0.0}},
                      {"turn", -tilt * side},
                      {"vertices", box(0.01, 0.03)}});
    if (max_force > 0.0) bodies.back()["max_force"] = max_force;
  }
  const json scene{{"format", "peg-scene-1"}, {"dim", 2}, {"gravity", {0, 0}}, {"friction", 0.5}, {"bodies", bodies}};
  const std::filesystem::path file = folder.path() / "jaws.json";
  std::ofstream(file) << scene.dump();
  return file.string();
}

TEST(CliInfeasible, OneLineNamesTheBodiesAndTheRoom) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", jaws(folder, 0.0), "--h", "0.005", "--t-end", "0.075"});
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(
      done.out.find("\nstatus: infeasible\ninfeasible: left and right, both with prescribed motion, leave part 1 mm "
                    "too little room at t = 0.055 s; in 5 steps in all, up to 5 mm\n"),
      std::string::npos)
      << done.out;
}

TEST(CliInfeasible, EndsAtTheFirstSuchStepWhereThatIsAsked) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", jaws(folder, 0.0), "--h", "0.005", "--t-end", "0.075", "--set",
                                             "simulation.on_unresolved=stop", "--json"});
  EXPECT_EQ(done.code, 1);
  const nlohmann::json report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["steps"], 11);
  EXPECT_EQ(report["infeasible"],
            "left and right, both with prescribed motion, leave part 1 mm too little room at t = 0.055 s");
}

// With a limited force the same jaws stop at the part and grip it with that force.
TEST(CliInfeasible, JawsOfLimitedForceGrip) {
  Folder folder;
  const std::string table = (folder.path() / "contacts.csv").string();
  const Finished done = pegrasp_run(
      folder, {"run", jaws(folder, 0.0, 5.0), "--h", "0.005", "--t-end", "0.1", "--contacts", table, "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  const nlohmann::json report = nlohmann::json::parse(done.out);
  EXPECT_EQ(report["status"], "ok");
  EXPECT_EQ(report["unresolved_steps"], 0);
  std::ifstream file(table);
  std::string line;
  std::getline(file, line);
  const auto cells = [](const std::string& text) {
    std::vector<std::string> out;
    std::istringstream stream(text);
    for (std::string cell; std::getline(stream, cell, ',');) out.push_back(cell);
    return out;
  };
  const std::vector<std::string> head = cells(line);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  };
  ASSERT_LT(column("normal_force"), head.size());
  double by_left = 0.0, motor = 0.0;
  while (std::getline(file, line)) {
    const std::vector<std::string> row = cells(line);
    if (row[0] != "20") continue;
    if (row[2] == "contact" && row[4] == "part" && row[5] == "left") by_left += std::stod(row[column("normal_force")]);
    if (row[2] == "motor" && row[3] == "left.along") motor = std::stod(row[column("force_x")]);
  }
  EXPECT_NEAR(by_left, 5.0, 1e-6);
  EXPECT_NEAR(motor, 5.0, 1e-6);
}

TEST(CliInfeasible, AStopIsHeardWithinAStep) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Folder folder;
    const Child child(folder, {"run", jaws(folder, 0.05), "--h", "0.005", "--t-end", "0.1", "--set",
                               "simulation.max_iterations=10000000"});
    child.wait_until_it_catches(signal);
    ::usleep(300'000);
    ASSERT_TRUE(child.running()) << "no step was long enough";
    const auto asked = std::chrono::steady_clock::now();
    child.send(signal);
    const Finished done = child.wait();
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count(), 2.0);
    EXPECT_EQ(done.code, 130);
    EXPECT_EQ(done.err.rfind("pegrasp: stopped at t = 0.0", 0), 0u) << done.err;
  }
}

}  // namespace
}  // namespace pegrasp
