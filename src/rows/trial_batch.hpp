// SPDX-License-Identifier: Apache-2.0
// The trials of rows as scenes: drawn, and simulated as one batch.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp {

// Calls work(i) for all i < count on so many threads. What the first i throws that throws is thrown.
void for_each_on_threads(std::size_t count, int threads, const std::function<void(std::size_t)>& work);

// A model with its options, which trials share.
struct SceneClass {
  std::shared_ptr<const Model> model;
  StepOptions step;
  Arithmetic arithmetic = Arithmetic::strict;
};

// A row made ready: its problem, and for each of its trials a class and parameters.
struct PreparedRow {
  RowResult result;  // sizes, and what is drawn
  Problem problem;
  std::vector<SceneClass> groups;          // of the problem's groups of trials; none where each trial is its own
  std::vector<std::size_t> group;          // of each trial
  std::vector<std::vector<double>> drawn;  // of each trial: parameters, and the numbers of changes behind them
  bool own_scenes = false;                 // each trial has a model of its own (Problem::changes)
};
PreparedRow prepare_row(Problem problem, const RowOptions& options);

// Simulates the trials of all rows, and fills outcomes, poses and records of their results.
void run_trials(std::span<PreparedRow> rows, Backend& backend, const RowOptions& options);

}  // namespace pegrasp
