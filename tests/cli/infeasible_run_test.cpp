// SPDX-License-Identifier: Apache-2.0
// pegrasp run on commands that cannot be obeyed: it says so in a line that names the bodies, and hears a stop within a
// step.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::Child;
using test::Finished;
using test::Folder;
using test::pegrasp_run;

// Jaws of 20 mm that close at 0.1 m/s each on a part of 40 mm, turned by `tilt` [rad] like a wedge; they touch it at
// 0.05 s.
std::string jaws(const Folder& folder, double tilt) {
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
