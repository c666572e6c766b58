// SPDX-License-Identifier: Apache-2.0
// The probability of rare failures of a problem's cell.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"
#include "src/rare/measure_log.hpp"
#include "src/rare/subset.hpp"

namespace pegrasp::rare {

struct RareOptions {
  std::string measure = "success";
  double limit = 0.0;  // a failure is on the far side of this
  bool above = false;  // which is above, not below it
  int cell = 0;
  int runs = 16;
  int samples = 1000;
  int worst = 10;                 // trials to keep
  std::filesystem::path journal;  // where measures are kept, if anywhere; whoever writes the results removes it
  bool resume = false;            // takes what the journal has
  const std::atomic<bool>* stop = nullptr;
  // Called after every batch of trials: how many are simulated, of about how many.
  std::function<void(std::size_t trials, std::size_t of)> progress;
};

// A trial found, with the numbers that make it.
struct WorstTrial {
  double measure = 0.0;
  std::vector<double> values;         // as sampled_columns() of the problem
  std::vector<std::string> variants;  // of each body that has them
};

struct RareResult {
  std::string measure, unit;
  SubsetResult subsets;
  End end = End::reached;
  Estimate estimate;      // of resolved failures; its interval's upper end counts unresolved trials as failures
  int runs_without = 0;   // runs that found no failure
  double counting = 0.0;  // trials that counting needs for an interval as narrow
  std::vector<WorstTrial> worst;
  std::size_t resumed = 0;  // trials taken from the journal
  std::string device;
  std::shared_ptr<MeasureLog> log;  // keeps other runs out of the folder until the results are written
};

// Throws InputError for what cannot be done, Interrupted when stopped.
RareResult seek_rare(const Problem& problem, Backend& backend, const RareOptions& options);

// The rows that `pegrasp run --samples-from` takes for the worst trials; empty where a file cannot give all that is
// drawn, for the reason that is written to `why`.
std::string worst_rows(const Problem& problem, const RareResult& result, std::string& why);

// Results as text for people, JSON and CSV. file: of the problem, as commands name it; rows: of the worst trials, empty
// where there are none.
std::string rare_text(const Problem& problem, const RareResult& result, const RareOptions& options,
                      const std::string& file, const std::string& rows);
std::string rare_json(const Problem& problem, const RareResult& result, const RareOptions& options,
                      const std::string& file, const std::string& rows);
std::string rare_csv(const RareResult& result, const RareOptions& options);
// Why there is no result, in one line; empty where there is one.
std::string no_result(const RareResult& result, const RareOptions& options);

}  // namespace pegrasp::rare
