// SPDX-License-Identifier: Apache-2.0
// What rows were found to be, in the order in which they were asked for, kept through Ctrl-C and kill -9: the one
// way in which commands that search resume. All else is a function of it: a search that is begun
// again asks for the same rows and takes these numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp {

// The numbers of a row, from its trials: objective, parts of it, whatever a search needs. May be called in any order.
using JudgeRow = std::function<void(const Row& row, const RowResult& result, std::span<double> numbers)>;

struct RowLogOptions {
  std::filesystem::path folder;  // has evaluations.journal while the search is under way; made when it is not there
  bool resume = false;           // take what a journal there has
  std::string what;              // all that decides numbers besides the problem file: command, options, their values
  std::vector<std::string> columns;  // names of the numbers
};

class RowLog {
 public:
  // Throws InputError for a folder that cannot be used or a journal of another problem, version or `what`, WriteError
  // where there is no room. Evaluator and backend must outlive the log.
  RowLog(const RowEvaluator& evaluator, Backend& backend, RowLogOptions options);
  ~RowLog();
  RowLog(const RowLog&) = delete;
  RowLog& operator=(const RowLog&) = delete;

  // The numbers of rows: (rows, columns). Those that the journal has are taken from it, the others are simulated, many
  // rows in a batch, and kept as soon as they are known. `note` is a word for the row's line in evaluations.csv (a
  // level, a kind of step). Throws as RowEvaluator::evaluate() does.
  std::vector<double> evaluate(std::span<const Row> rows, const RowOptions& options, const JudgeRow& judge,
                               const std::string& note = "");
  // Numbers that are found in another way, for whoever asks: kept and resumed as those of rows.
  std::vector<double> keep(const Row& row, const std::function<std::vector<double>()>& find,
                           const std::string& note = "");

  std::size_t size() const;     // rows so far
  std::size_t resumed() const;  // of these from the journal
  // evaluations.csv: evaluation (from 0), note, the parameters by name, the columns. Further keys of rows do not show.
  std::string csv() const;
  // Removes the journal, once all results are written.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pegrasp
