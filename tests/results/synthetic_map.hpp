// SPDX-License-Identifier: Apache-2.0
// A small made-up map for the tests of the result files: nothing is simulated.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>

#include "pegrasp/map.hpp"
#include "tests/files.hpp"

namespace pegrasp::test {

// A folder of its own, removed at the end.
class Folder {
 public:
  Folder() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("pegrasp_" + std::string(info->test_suite_name()) + "_" + info->name() + "_" + std::to_string(::getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

inline Problem small_problem() {
  Problem problem;
  problem.title = "Zahnrad, 3 µm";
  problem.samples = 2;
  problem.seed = 7;
  problem.options.h = 0.005;
  problem.resolved_toml =
      "title = \"Zahnrad, 3 µm\"\n" + std::string(100000, '#') + "\n";  // over HDF5's 64 KiB of a header
  return problem;
}

// `columns` x 2 cells of two samples. The last cell has no resolved sample.
inline SuccessMap small_map(int columns = 3) {
  SuccessMap map;
  map.columns = columns;
  map.rows = 2;
  map.samples = 2;
  map.sampled = {{"mass", "kg"}, {"friction", "1"}};
  map.body_names = {"gear", "finger"};
  map.pose_columns = {"x_m", "y_m", "theta_rad"};
  map.backend = "cpu";
  map.device = "2 threads of a processor";
  map.timing = {.sampling = 0.25, .simulating = 2.0, .journal = 0.125, .drawing = 0.5, .total = 3.0};
  const int total = columns * 2 * 2;
  map.held = {0, static_cast<std::size_t>(total)};
  for (int c = 0; c < columns * 2; ++c) {
    MapCell cell;
    cell.x = 0.001 * (-10.0 + 0.5 * (c % columns));
    cell.y = 0.001 * (c < columns ? -0.7 : 7.0);
    cell.samples = 2;
    cell.successes = c == columns * 2 - 1 ? 0 : 1;
    cell.unresolved = c == columns * 2 - 1 ? 2 : 0;
    cell.p = cell.unresolved == 2 ? std::numeric_limits<double>::quiet_NaN() : 0.5;
    cell.ci_low = 0.125;
    cell.ci_high = cell.unresolved == 2 ? 1.0 : 0.875;
    map.cells.push_back(cell);
  }
  for (int i = 0; i < total; ++i) {
    SceneOutcome outcome;
    outcome.status = i >= total - 2 ? status_not_converged | status_too_deep : status_ok;
    outcome.success = i % 2;
    outcome.stopped_still = 1;
    outcome.steps = 100 + i;
    outcome.substeps = outcome.steps;
    outcome.substeps_rejected = i == 3 ? 5 : 0;
    outcome.solves = 2 * outcome.steps;
    outcome.iterations = 6LL * outcome.steps;
    outcome.contacts_max = 4 + i % 3;
    outcome.time = 0.005 * outcome.steps;
    outcome.residual_max = 1e-7 * (i + 1);
    outcome.penetration_max = 1e-9 * (i + 1);
    map.outcomes.push_back(outcome);
    map.redrawn.push_back(i == 1 ? 3 : 0);
    map.by_reference.push_back(by_backend);
    map.values.push_back(0.1 + i);
    map.values.push_back(0.5 - i);
    for (int k = 0; k < 6; ++k) map.final_poses.push_back(10.0 * i + k);
  }
  return map;
}

}  // namespace pegrasp::test
