// SPDX-License-Identifier: Apache-2.0
// pegrasp run: the trajectory's format, the report, and that a sample is simulated exactly as the map simulated it.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pegrasp/scene_json.hpp"
#include "tests/cli/child.hpp"
#include "tests/test_backend.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

TEST(CliRun, TrajectoryHasAStateForEveryStepAndBodyPresent) {
  Folder folder;
  const std::string file = (folder.path() / "t.csv").string();
  const std::string scene_file = source_file("examples/scenes/polygon_box.json");
  const SceneSpec scene = load_scene_json(scene_file).scene;
  const Finished done =
      pegrasp_run(folder, {"run", scene_file, "--h", "0.004", "--t-end", "0.4", "--trajectory", file, "--json"});
  ASSERT_NE(done.code, 2) << done.err;
  EXPECT_EQ(nlohmann::json::parse(done.out)["steps"], 100);
  const auto rows = table(content(file));
  EXPECT_EQ(content(file).rfind("step,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n", 0), 0u);
  std::size_t at = 1;
  bool some_absent = false;
  for (int step = 1; step <= 100; ++step) {
    for (std::size_t body = 0; body < scene.bodies.size(); ++body) {
      const double time = 0.004 * step;
      if (std::abs(scene.bodies[body].drop_time - time) < 0.005) {  // appears about now: whichever step is meant
        if (at < rows.size() && rows[at][0] == std::to_string(step) && rows[at][2] == std::to_string(body)) ++at;
        continue;
      }
      if (scene.bodies[body].drop_time > time) {
        some_absent = true;
        continue;
      }
      ASSERT_LT(at, rows.size());
      ASSERT_EQ(rows[at].size(), 16u);
      EXPECT_EQ(rows[at][0], std::to_string(step));
      EXPECT_EQ(rows[at][2], std::to_string(body));
      EXPECT_NEAR(std::stod(rows[at][1]), time, 1e-12);
      EXPECT_NEAR(std::hypot(std::stod(rows[at][6]), std::stod(rows[at][9])), 1.0, 1e-15);
      for (const int zero : {5, 7, 8, 12, 13, 14}) EXPECT_EQ(rows[at][static_cast<std::size_t>(zero)], "0");
      ++at;
    }
  }
  EXPECT_EQ(at, rows.size());
  EXPECT_TRUE(some_absent) << "the scene should drop bodies later";
}

// Whatever their names end in.
TEST(CliRun, ScenesAndProblemsAreReportedByTheirContent) {
  Folder folder;
  const std::filesystem::path problem = folder.path() / "puck.problem";
  const std::filesystem::path scene = folder.path() / "stack";
  std::filesystem::copy_file(source_file("examples/puck/puck.toml"), problem);
  std::ofstream(scene) << "\xef\xbb\xbf \n" << content(source_file("examples/scenes/stack.json"));
  EXPECT_EQ(pegrasp_run(folder, {"run", problem.string(), "--cell", "0", "--sample", "3"}).code, 0);
  EXPECT_NE(pegrasp_run(folder, {"run", problem.string()}).err.find("--cell: must be given"), std::string::npos);
  const Finished done = pegrasp_run(folder, {"run", scene.string(), "--t-end", "0.1"});
  EXPECT_EQ(done.code, 0) << done.err;
}

// Content that is neither: the ending says what it was meant to be.
TEST(CliRun, ADamagedSceneFileIsCalledBadJson) {
  Folder folder;
  for (const std::string& text :
       {std::string("[]"), std::string("\x01\x02 junk"), std::string(100000, '['), std::string("\xff\xfe[")}) {
    std::ofstream(folder.path() / "broken.json", std::ios::binary) << text;
    const Finished done = pegrasp_run(folder, {"run", (folder.path() / "broken.json").string()});
    EXPECT_EQ(done.code, 2);
    EXPECT_NE(done.err.find("JSON"), std::string::npos) << done.err;
    EXPECT_EQ(done.err.find("TOML"), std::string::npos) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    std::filesystem::copy_file(folder.path() / "broken.json", folder.path() / "broken",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_NE(pegrasp_run(folder, {"run", (folder.path() / "broken").string()}).err.find("not valid TOML"),
              std::string::npos);
  }
}

TEST(CliRun, StepsAreTheRoundedQuotient) {
  Folder folder;
  for (const auto& [h, t_end, steps] :
       {std::tuple{"0.001", "0.3", 300}, {"0.0007", "0.0497", 71}, {"0.003", "0.01", 3}, {"0.016", "0.152", 10}}) {
    const Finished done =
        pegrasp_run(folder, {"run", source_file("examples/scenes/stack.json"), "--h", h, "--t-end", t_end, "--json"});
    EXPECT_EQ(nlohmann::json::parse(done.out)["steps"], steps) << h << " " << t_end;
  }
}

TEST(CliRun, ReportHasTheKeysOfTheInterface) {
  Folder folder;
  const Finished done = pegrasp_run(
      folder, {"run", source_file("examples/scenes/triangle_drop.json"), "--h", "0.002", "--t-end", "1", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const auto report = nlohmann::json::parse(done.out);
  for (const char* key :
       {"steps", "substeps_rejected", "unresolved_steps", "overlap_median", "overlap_q99", "overlap_max", "depth_max_m",
        "speed_max", "energy", "iterations_mean", "contacts_mean", "contacts_max", "wall_s"}) {
    EXPECT_TRUE(report.contains(key)) << key;
  }
  const std::string page = content(source_file("docs/reference/results.md"));
  std::vector<std::string> named;
  for (const auto& [key, value] : report.items()) {
    if (value.is_object()) {
      for (const auto& [inner, number] : value.items()) named.push_back(key + "." + inner);
    } else {
      named.push_back(key);
    }
  }
  for (const std::string& key : named) {
    EXPECT_NE(page.find("`" + key + "`"), std::string::npos) << "docs/reference/results.md does not explain " << key;
  }
  const auto& energy = report["energy"];
  EXPECT_LT(energy["final"], energy["initial"]) << "it falls";
  EXPECT_LT(energy["largest_increase"].get<double>(), 1e-6 * std::abs(energy["initial"].get<double>()) + 1e-9);
  EXPECT_LE(report["overlap_median"], report["overlap_q99"]);
  EXPECT_LE(report["overlap_q99"], report["overlap_max"]);
  EXPECT_LT(report["overlap_max"], 1e-4);
  EXPECT_GT(report["speed_max"], 0.1);
}

// The keys of a problem's [simulation], in any of their units, with the options of the command line above them.
TEST(CliRun, ASceneFileTakesTheKeysOfSimulation) {
  Folder folder;
  const auto report = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"run", source_file("examples/scenes/stack.json"), "--t-end", "0.1", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    auto json = nlohmann::json::parse(done.out);
    json.erase("wall_s");
    return json;
  };
  const auto plain = report({});
  EXPECT_EQ(report({"--set", "simulation={}"}), plain) << "their defaults are those of a scene file";
  EXPECT_EQ(report({"--set", "simulation.max_passes=5"}), plain);
  EXPECT_EQ(report({"--set", "simulation.h_ms=2"}), report({"--h", "0.002"}));
  EXPECT_EQ(report({"--set", "simulation.h_s=0.002"}), report({"--h", "0.002"}));
  EXPECT_EQ(report({"--set", "simulation.h_ms=2", "--h", "0.005"}), plain) << "an option goes before --set";
  EXPECT_EQ(report({"--set", "simulation.contact=standard"}), report({"--contact", "standard"}));
  EXPECT_EQ(report({"--set", "simulation.duration_s=5"}), plain) << "--t-end goes before it";
  EXPECT_EQ(report({"--set", "simulation.arithmetic=fast"})["arithmetic"], "fast");
  EXPECT_LT(report({"--set", "simulation.max_iterations=1", "--solver", "pgs"})["iterations_mean"].get<double>(), 1.01);
  const Finished shorter = pegrasp_run(
      folder, {"run", source_file("examples/scenes/stack.json"), "--json", "--set", "simulation.duration_ms=50"});
  EXPECT_EQ(nlohmann::json::parse(shorter.out)["steps"], 10);
  // Another scale, other tolerances.
  const auto residual = [](const nlohmann::json& json) { return json["residual_max"].get<double>(); };
  const auto fall = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--t-end", "1"});
    return pegrasp_run(folder, more);
  };
  std::vector<std::string> words{"run", source_file("examples/scenes/stack.json"), "--json"};
  const Finished usual = fall(words);
  words.insert(words.end(), {"--set", "simulation.length_scale_mm=0.001"});
  const Finished fine = fall(words);
  EXPECT_NE(residual(nlohmann::json::parse(fine.out)), residual(nlohmann::json::parse(usual.out)));
}

TEST(CliRun, FrictionOverridesAllPairs) {
  Folder folder;
  const auto energy = [&](const std::string& mu) {
    const Finished done = pegrasp_run(
        folder, {"run", source_file("examples/scenes/triangle_drop.json"), "--h", "0.004", "--friction", mu, "--json"});
    return nlohmann::json::parse(done.out)["energy"]["final"].get<double>();
  };
  EXPECT_EQ(energy("0.5"), energy("0.5"));
  EXPECT_NE(energy("0"), energy("0.9"));
}

// Every sample of a small map again, one by one: same steps, same end, bit for bit.
TEST(CliRun, ASampleIsSimulatedExactlyAsTheMapSimulatedIt) {
  Folder folder;
  const std::string gear = source_file("examples/gear/gear.toml");
  const std::vector<std::string> how{"--h", "0.0007", "--set", "grid.x_mm=[-4, 3]", "--set", "grid.y_mm=[-14, -8]"};
  std::vector<std::string> map_words{
      "map",       gear, "--out",     (folder.path() / "o").string(), "--no-plot", "--quiet",
      "--samples", "2",  "--backend", test::backend_under_test_name()};
  map_words.insert(map_words.end(), how.begin(), how.end());
  ASSERT_EQ(pegrasp_run(folder, map_words).code, 0);

  std::vector<double> poses(8 * 3 * 3);
  std::vector<int> steps(8);
  const hid_t file = H5Fopen((folder.path() / "o" / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const auto read = [file](const char* name, hid_t type, void* data) {
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0) << name;
    H5Dclose(set);
  };
  read("samples_table/final_pose", H5T_NATIVE_DOUBLE, poses.data());
  read("samples_table/steps", H5T_NATIVE_INT, steps.data());
  H5Fclose(file);

  for (std::size_t row = 0; row < 8; ++row) {
    SCOPED_TRACE(row);
    const std::string trajectory = (folder.path() / "t.csv").string();
    std::vector<std::string> words{
        "run",          gear,       "--cell", std::to_string(row / 2), "--sample", std::to_string(row % 2),
        "--trajectory", trajectory, "--json"};
    words.insert(words.end(), how.begin(), how.end());
    const Finished done = pegrasp_run(folder, words);
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_EQ(nlohmann::json::parse(done.out)["steps"], steps[row]);
    const auto rows = table(content(trajectory));
    ASSERT_EQ(rows.size(), 1 + 3 * static_cast<std::size_t>(steps[row]));
    for (std::size_t body = 0; body < 3; ++body) {
      const auto& last = rows[rows.size() - 3 + body];
      const double* pose = &poses[(row * 3 + body) * 3];
      EXPECT_EQ(std::stod(last[3]), pose[0]);
      EXPECT_EQ(std::stod(last[4]), pose[1]);
      EXPECT_NEAR(2.0 * std::atan2(std::stod(last[9]), std::stod(last[6])), pose[2], 1e-15);
    }
  }
}

}  // namespace
}  // namespace pegrasp
