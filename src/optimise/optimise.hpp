// SPDX-License-Identifier: Apache-2.0
// The best values of the [[design]] parameters of a problem for its [objective].
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"
#include "src/optimise/nelder_mead.hpp"

namespace pegrasp::optimise {

struct OptimiseOptions {
  int evaluations = 0;  // at most; 0: 100 for each parameter
  double tolerance = 1e-3;
  int restarts = 0;
  std::filesystem::path folder;  // of the journal
  bool resume = false;
  int threads = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total)> progress;  // evaluations
};

struct OptimiseResult {
  std::string objective;             // its kind
  std::vector<std::string> columns;  // of the numbers below
  SimplexResult search;
  std::vector<double> first, best;  // numbers at the start and at the optimum
  std::vector<double> values;       // of the objective, in the order of the evaluations
  std::string evaluations_csv, optimum_toml;
  std::size_t resumed = 0;
  std::string device;
};

// Throws InputError for what cannot be searched, also where the start is refused; Interrupted when stopped. The journal
// stays in the folder: whoever writes the results removes it.
OptimiseResult optimise(const RowEvaluator& rows, Backend& backend, const OptimiseOptions& options);

std::string optimise_text(const RowEvaluator& rows, const OptimiseResult& result);
std::string optimise_json(const RowEvaluator& rows, const OptimiseResult& result);

}  // namespace pegrasp::optimise
