// SPDX-License-Identifier: Apache-2.0
// pegrasp run --contacts and --loads, and pegrasp map --forces.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/cli/child.hpp"

namespace pegrasp {
namespace {

using test::content;
using test::Finished;
using test::Folder;
using test::pegrasp_run;
using test::source_file;

std::vector<std::vector<std::string>> cells_of(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back(1);
    for (const char c : line) {
      if (c == ',') {
        rows.back().emplace_back();
      } else {
        rows.back().back() += c;
      }
    }
  }
  return rows;
}

// A table with a heading, by the names of its columns.
struct Table {
  explicit Table(const std::string& text) : rows(cells_of(text)) {
    for (std::size_t k = 0; k < rows[0].size(); ++k) column[rows[0][k]] = k;
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  }
  const std::string& cell(std::size_t row, const std::string& name) const { return rows[row][column.at(name)]; }
  double number(std::size_t row, const std::string& name) const { return std::stod(cell(row, name)); }
  std::vector<std::vector<std::string>> rows;
  std::map<std::string, std::size_t> column;
};

TEST(CliForces, ContactsOfAStackCarryItsWeightStepByStep) {
  Folder folder;
  const std::string file = (folder.path() / "contacts.csv").string();
  const Finished done = pegrasp_run(folder, {"run", source_file("examples/scenes/stack.json"), "--h", "0.01", "--t-end",
                                             "3", "--contacts", file, "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Table table(content(file));
  ASSERT_GT(table.rows.size(), 1000u);
  double on_lowest = 0.0;
  for (std::size_t row = 1; row < table.rows.size(); ++row) {
    EXPECT_EQ(table.cell(row, "kind"), "contact");
    EXPECT_NEAR(table.number(row, "force_y"), table.number(row, "impulse_y") / 0.01,
                1e-9 * std::fabs(table.number(row, "force_y")));
    const std::string& state = table.cell(row, "state");
    EXPECT_TRUE(state == "none" || state == "stick" || state == "slide") << state;
    EXPECT_EQ(state == "none", !(table.number(row, "normal_impulse") > 0.0));
    if (table.cell(row, "step") != "300" || table.cell(row, "body_a") != "box0") continue;
    EXPECT_EQ(table.cell(row, "body_b"), "box1");
    on_lowest += table.number(row, "normal_force");
  }
  EXPECT_NEAR(on_lowest, 9 * 10.0 * 9.81, 10.0);
}

TEST(CliForces, ATrialHasMotorsAndSupports) {
  Folder folder;
  const std::string file = (folder.path() / "contacts.csv").string();
  const Finished done = pegrasp_run(folder, {"run", source_file("examples/gear/gear.toml"), "--cell", "220", "--sample",
                                             "1", "--contacts", file, "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Table table(content(file));
  std::map<std::string, int> kinds;
  for (std::size_t row = 1; row < table.rows.size(); ++row) ++kinds[table.cell(row, "kind")];
  EXPECT_GT(kinds["contact"], 0);
  EXPECT_GT(kinds["motor"], 0);
  EXPECT_GT(kinds["support"], 0);
}

TEST(CliForces, LoadsAreColumnsBesideTheOldOnes) {
  Folder folder;
  const std::string scene = source_file("examples/scenes/stack.json");
  const auto trajectory = [&](const std::string& name, bool loads) {
    const std::string file = (folder.path() / name).string();
    std::vector<std::string> words{"run", scene, "--h", "0.01", "--t-end", "1", "--trajectory", file};
    if (loads) words.push_back("--loads");
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    return content(file);
  };
  const std::string plain = trajectory("plain.csv", false), more = trajectory("loads.csv", true);
  std::istringstream old_lines(plain), new_lines(more);
  std::string old_line, new_line;
  int lines = 0;
  while (std::getline(old_lines, old_line)) {
    ASSERT_TRUE(std::getline(new_lines, new_line));
    EXPECT_EQ(new_line.compare(0, old_line.size() + 1, old_line + ","), 0);
    ++lines;
  }
  EXPECT_FALSE(std::getline(new_lines, new_line));
  EXPECT_GT(lines, 1000);
  const Table table(more);
  const std::size_t last = table.rows.size() - 1;  // the topmost box lies still
  EXPECT_NEAR(table.number(last, "contact_fy"), 10.0 * 9.81, 1.0);
  EXPECT_NEAR(table.number(last, "normal_force"), 10.0 * 9.81, 1.0);
  EXPECT_EQ(table.cell(last, "other_fy"), "0");
}

// From the first step on, in which the weight acts for half a step only.
TEST(CliForces, LoadsOfAFirstStepAreForces) {
  Folder folder;
  const std::string scene = (folder.path() / "rest.json").string();
  const std::string file = (folder.path() / "states.csv").string();
  std::ofstream(scene) << R"({"format": "peg-scene-1", "dim": 2, "gravity": [0, -9.81, 0], "bodies": [
    {"name": "floor", "static": true, "parts": [{"half_plane": {"normal": [0, 1], "offset": 0}}]},
    {"name": "box", "mass": 2, "inertia_diag": [1, 1, 1], "position": [0, 0.1, 0],
     "vertices": [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]}]})";
  const Finished done =
      pegrasp_run(folder, {"run", scene, "--t-end", "0.02", "--trajectory", file, "--loads", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Table table(content(file));
  ASSERT_EQ(table.rows.size(), 9u);
  for (std::size_t row = 1; row < table.rows.size(); ++row) {
    const double up = table.cell(row, "body") == "1" ? 2 * 9.81 : -2 * 9.81;
    EXPECT_NEAR(table.number(row, "contact_fy"), up, 1e-4) << row;
    EXPECT_NEAR(table.number(row, "normal_force"), 2 * 9.81, 1e-4) << row;
  }
}

TEST(CliForces, LoadsNeedATrajectory) {
  Folder folder;
  const Finished done = pegrasp_run(folder, {"run", source_file("examples/scenes/stack.json"), "--loads"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("--trajectory"), std::string::npos) << done.err;
}

TEST(CliForces, RefusesOneFileForTwoTables) {
  Folder folder;
  const std::string file = (folder.path() / "both.csv").string();
  const Finished done = pegrasp_run(folder, {"run", source_file("examples/scenes/stack.json"), "--t-end", "0.1",
                                             "--contacts", file, "--trajectory", file});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find("is named by --contacts and by --trajectory"), std::string::npos) << done.err;
  EXPECT_FALSE(std::filesystem::exists(file));
}

bool has(hid_t file, const char* name) { return H5Lexists(file, name, H5P_DEFAULT) > 0; }

std::vector<double> numbers(hid_t file, const char* name, std::size_t count) {
  std::vector<double> out(count);
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()), 0) << name;
  H5Dclose(set);
  return out;
}

TEST(CliForces, AMapKeepsGripAndMarginWhereAsked) {
  Folder folder;
  const auto map = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> words{"map",       source_file("examples/gear/gear.toml"),
                                   "--out",     (folder.path() / name).string(),
                                   "--no-plot", "--quiet",
                                   "--samples", "3",
                                   "--set",     "grid.x_mm=[-4, 4]",
                                   "--set",     "grid.y_mm=[-12, -6]"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = pegrasp_run(folder, words);
    EXPECT_EQ(done.code, 0) << done.err;
    const hid_t file = H5Fopen((folder.path() / name / "map.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    return file;
  };
  const hid_t plain = map("plain", {}), forces = map("forces", {"--forces"});
  EXPECT_EQ(content(folder.path() / "plain" / "map.csv"), content(folder.path() / "forces" / "map.csv"));
  EXPECT_EQ(content(folder.path() / "plain" / "problem.toml").find("forces"), std::string::npos);
  for (const char* name : {"grip_force_max", "slip_margin_min", "slip_margin_end"}) {
    const std::string of_samples = std::string("samples_table/") + name;
    EXPECT_FALSE(has(plain, name));
    EXPECT_FALSE(has(plain, of_samples.c_str()));
    const std::vector<double> cells = numbers(forces, name, 4), samples = numbers(forces, of_samples.c_str(), 12);
    for (std::size_t c = 0; c < 4; ++c) {
      const auto first = samples.begin() + static_cast<std::ptrdiff_t>(3 * c);
      const auto [least, most] = std::minmax_element(first, first + 3);
      EXPECT_EQ(cells[c], name[0] == 'g' ? *most : *least) << name << " of cell " << c;
    }
  }
  double most = 0.0;
  for (const double grip : numbers(forces, "grip_force_max", 4)) most = std::fmax(most, grip);
  EXPECT_GT(most, 1.0) << "no finger has touched the gear";
  H5Fclose(plain);
  H5Fclose(forces);
}

}  // namespace
}  // namespace pegrasp
