// SPDX-License-Identifier: Apache-2.0
// What `pegrasp validate` prints: one table for people, or one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/reference/reference.hpp"

namespace pegrasp::cli {

struct ValidateReport {
  std::string file;
  std::string replay;   // options that decide what is simulated, as given
  std::string against;  // "reference", "cpu", "cuda"
  const Backend& fast;
  const Backend* other;  // null against the reference simulator
  const reference::ValidateCase& job;
  reference::ValidateTolerances tolerances;
  std::optional<reference::StepComparison> steps;
  std::optional<reference::TrajectoryComparison> trajectories;
};

// What is outside the tolerances, a line each.
std::vector<std::string> failures_of(const ValidateReport& report);

std::string report_text(const ValidateReport& report, const std::vector<std::string>& wrong);
nlohmann::ordered_json report_json(const ValidateReport& report, const std::vector<std::string>& wrong);

}  // namespace pegrasp::cli
