// SPDX-License-Identifier: Apache-2.0
// Maps of given rows and of Sobol' points: the same bytes by any chunks, parts and interruptions.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "src/formats/csv.hpp"
#include "src/map/journal.hpp"
#include "tests/map/fake_backend.hpp"
#include "tests/results/synthetic_map.hpp"

namespace pegrasp {
namespace {

using test::FakeBackend;
using test::Folder;

constexpr int row_count = 37;

Problem rows_problem(const Folder& folder) {
  const std::filesystem::path file = folder.path() / "rows.csv";
  std::ofstream out(file, std::ios::binary);
  out << "surface_friction,body.gear.mass_kg\n";
  for (int k = 0; k < row_count; ++k) out << 0.2 + 0.01 * k << ',' << 0.03 + 0.001 * k << '\n';
  out.close();
  return test::nine_cells({{"grid.x_mm", "[-5, 5]"}, {"map.samples_from", "\"" + file.string() + "\""}});
}

// The radius of the gear is no parameter: each of the three makes a scene.
const char* const radii[] = {"20.75", "20.5", "20.6"};
Problem scenes_problem(const Folder& folder) {
  const std::filesystem::path file = folder.path() / "scenes.csv";
  std::ofstream out(file, std::ios::binary);
  out << "body.gear.part.disc.radius_mm,surface_friction\n";
  for (int k = 0; k < row_count; ++k) out << radii[k * k % 3] << ',' << 0.2 + 0.01 * k << '\n';
  out.close();
  return test::nine_cells({{"grid.x_mm", "[-5, 5]"}, {"map.samples_from", "\"" + file.string() + "\""}});
}

Problem sobol_problem() { return test::nine_cells({{"map.sampling", "sobol"}, {"map.samples", "48"}}); }

// The bytes of all files that a finished map has but the summary, which has times.
std::string written_map(SuccessMap& map, const Problem& problem, const std::filesystem::path& out) {
  write_map(map, problem, out);
  map.journal.reset();
  std::string all;
  for (const char* name : {"map.h5", "map.csv", "problem.toml", "rows_out.csv"}) {
    if (std::filesystem::exists(out / name)) all += test::content(out / name);
  }
  return all;
}

std::string map_bytes(const Problem& problem, const std::filesystem::path& out, std::size_t chunk) {
  FakeBackend backend;
  MapOptions options;
  options.out = out;
  options.chunk = chunk;
  options.threads = static_cast<int>(chunk % 3 + 1);
  SuccessMap map = run_map(problem, backend, options);
  return written_map(map, problem, out);
}

void expect_same_bytes(const Folder& folder, const Problem& problem) {
  const std::string expected = map_bytes(problem, folder.path() / "whole", 1000);
  EXPECT_EQ(map_bytes(problem, folder.path() / "pieces", 7), expected);
  // stopped in its third chunk, and continued with other chunks
  FakeBackend stopped;
  stopped.stops_at = 3;
  MapOptions options;
  options.out = folder.path() / "stopped";
  options.chunk = 11;
  options.stop = &stopped.stop;
  EXPECT_THROW(run_map(problem, stopped, options), Interrupted);
  FakeBackend backend;
  options.resume = true;
  options.stop = nullptr;
  options.chunk = 5;
  SuccessMap resumed = run_map(problem, backend, options);
  EXPECT_GE(resumed.resumed, 22u);
  EXPECT_EQ(written_map(resumed, problem, options.out), expected);
  for (int i = 1; i <= 3; ++i) {
    MapOptions part;
    part.out = folder.path() / "parts";
    part.shard = {i, 3};
    part.chunk = 13;
    run_map(problem, backend, part);
  }
  MergedMap merged = merge_parts({folder.path() / "parts"});
  take_folder(merged.map, merged.problem, folder.path() / "merged");
  EXPECT_EQ(written_map(merged.map, merged.problem, folder.path() / "merged"), expected);
}

TEST(RowsMap, HasTheSameBytesByAnyWay) {
  const Folder folder;
  expect_same_bytes(folder, rows_problem(folder));
}

TEST(RowsMap, OfScenesHasTheSameBytesByAnyWay) {
  const Folder folder;
  expect_same_bytes(folder, scenes_problem(folder));
}

// Every row is the trial that the same problem has with its radius set for all.
TEST(RowsMap, ARowOfASceneIsTheTrialOfThatScene) {
  const Folder folder;
  const Problem problem = scenes_problem(folder);
  EXPECT_EQ(problem.group_count(), 2u) << "the squares of whole numbers leave 0 or 1";
  EXPECT_EQ(problem.cells(), 6);
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path() / "scenes";
  options.chunk = 50;
  const SuccessMap map = run_map(problem, backend, options);
  std::ofstream(folder.path() / "friction.csv") << [] {
    std::ostringstream out;
    out << "surface_friction\n";
    for (int k = 0; k < row_count; ++k) out << 0.2 + 0.01 * k << '\n';
    return out.str();
  }();
  for (int radius = 0; radius < 2; ++radius) {
    const Problem one = test::nine_cells({{"grid.x_mm", "[-5, 5]"},
                                          {"map.samples_from", "\"" + (folder.path() / "friction.csv").string() + "\""},
                                          {"body.gear.part.disc.radius_mm", radii[radius]}});
    EXPECT_TRUE(same_model(*compile_model(problem.of_trial(0, radius).scene), *compile_model(one.scene)));
    FakeBackend other;
    options.out = folder.path() / radii[radius];
    const SuccessMap there = run_map(one, other, options);
    for (std::size_t row = 0; row < map.outcomes.size(); ++row) {
      const std::size_t k = row % row_count;
      if (k * k % 3 != static_cast<std::size_t>(radius)) continue;
      ASSERT_EQ(map.outcomes[row].steps, there.outcomes[row].steps) << row;
      ASSERT_EQ(map.outcomes[row].success, there.outcomes[row].success) << row;
    }
  }
}

TEST(SobolMap, HasTheSameBytesByAnyWay) {
  const Folder folder;
  expect_same_bytes(folder, sobol_problem());
}

// One line a row, in order, cell by cell.
TEST(RowsMap, HasALineForEachRow) {
  const Folder folder;
  const Problem problem = rows_problem(folder);
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path() / "out";
  SuccessMap map = run_map(problem, backend, options);
  write_map(map, problem, options.out);
  std::istringstream lines(test::content(options.out / "rows_out.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "cell,sample,x_mm,y_mm,surface_friction,body.gear.mass_kg,success,reason,time_s,steps,residual_max_m_s,"
            "penetration_max_m");
  std::size_t row = 0;
  for (; std::getline(lines, line); ++row) {
    std::vector<std::string> cells;
    std::istringstream of_line(line);
    for (std::string cell; std::getline(of_line, cell, ',');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 12u) << line;
    const std::size_t cell = row / row_count, sample = row % row_count;
    EXPECT_EQ(cells[0], std::to_string(cell));
    EXPECT_EQ(cells[1], std::to_string(sample));
    EXPECT_EQ(cells[2], number_text(1e3 * problem.grid.x[cell % 2]));
    EXPECT_EQ(cells[3], number_text(1e3 * problem.grid.y[cell / 2]));
    EXPECT_DOUBLE_EQ(std::stod(cells[4]), 0.2 + 0.01 * static_cast<double>(sample));
    const SceneOutcome& o = map.outcomes[row];
    EXPECT_EQ(cells[6], o.status != status_ok ? "nan" : std::to_string(o.success));
    EXPECT_EQ(cells[7], o.status != status_ok ? "not_converged" : "");
    EXPECT_EQ(cells[9], std::to_string(o.steps));
  }
  EXPECT_EQ(row, 6u * row_count);
}

// Other rows are another problem: nothing is mixed.
TEST(RowsMap, RefusesToGoOnWithOtherRows) {
  const Folder folder;
  const Problem problem = rows_problem(folder);
  FakeBackend backend;
  backend.stops_at = 2;
  MapOptions options;
  options.out = folder.path() / "out";
  options.chunk = 10;
  options.stop = &backend.stop;
  EXPECT_THROW(run_map(problem, backend, options), Interrupted);
  std::string text = test::content(folder.path() / "rows.csv");
  text.replace(text.find("0.21,"), 5, "0.22,");
  std::ofstream(folder.path() / "rows.csv", std::ios::binary) << text;
  const Problem other = test::nine_cells(
      {{"grid.x_mm", "[-5, 5]"}, {"map.samples_from", "\"" + (folder.path() / "rows.csv").string() + "\""}});
  options.resume = true;
  EXPECT_NE(problem_hash(other, "fake"), problem_hash(problem, "fake"));
  EXPECT_NE(test::refusal([&] { run_map(other, backend, options); }), "");
}

TEST(SobolMap, SaysWhichIntervalItHas) {
  const Folder folder;
  const Problem problem = sobol_problem();
  FakeBackend backend;
  MapOptions options;
  options.out = folder.path();
  const SuccessMap map = run_map(problem, backend, options);
  EXPECT_NE(map_csv(map).find("ci_high,interval\n"), std::string::npos);
  EXPECT_NE(map_csv(map).find(",replicates\n"), std::string::npos);
  EXPECT_NE(map_summary_json(map, problem).find("\"interval\": \"replicates\""), std::string::npos);
  // unresolved trials, one in seven here, are failures below and successes above
  for (const MapCell& cell : map.cells) {
    EXPECT_LT(cell.ci_low, static_cast<double>(cell.successes) / cell.samples);
    EXPECT_GT(cell.ci_high, static_cast<double>(cell.successes + cell.unresolved) / cell.samples);
  }
}

}  // namespace
}  // namespace pegrasp
