// SPDX-License-Identifier: Apache-2.0
// pegrasp plan: draws plans of pushes, screens them, and refines the best (Berard's thesis, 4.3.2).
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"
#include "pegrasp/row_log.hpp"
#include "src/plan/push.hpp"

namespace pegrasp::plan {

struct PlanOptions {
  int plans = 2000;              // drawn
  int finalists = 100;           // of these are tried with all samples, and
  int refined = 10;              // of these refined,
  int evaluations = 60;          // each with so many points at most, once without and once with samples
  int fresh = 500;               // trials of the best plan, of draws that nothing before has seen
  std::filesystem::path folder;  // has the journal
  bool resume = false;
  int threads = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total)> progress;  // evaluations
};

enum class Stage : int { drawn = 0, tried, refined };
constexpr const char* stage_names[] = {"drawn", "tried", "refined"};

struct PlanRecord {
  std::vector<double> numbers;  // three of each push, as long as it has pushes
  Stage stage = Stage::drawn;   // the last that it came to
  int from = -1;                // of a refined one: the plan that it began as
  double nominal = 0.0;         // distance to the goal without any draw, in units of what is allowed
  double miss = 0.0;            // root of the mean square of that over the samples
  int trials = 0, successes = 0, unresolved = 0;
  Interval interval;
};

struct PlanResult {
  PlanTask task;
  std::vector<PlanRecord> plans;     // as drawn, then refined ones
  std::vector<std::size_t> ranking;  // of those that were tried with samples: best first
  PlanRecord fresh;                  // the best, with fresh draws; none with --fresh 0
  std::vector<Push> pushes;          // of the best, where they are without any draw
  std::vector<Keyframe> motion;      // of its pusher
  Pose end;                          // of the body, likewise
  Row best;                          // what it sets
  std::size_t resumed = 0, evaluations = 0;
  std::string device;
};

RowLogOptions log_options(const PlanOptions& options);
// log: of the same rows and backend, made with log_options(). Throws InputError for what cannot be done, Interrupted
// when stopped.
PlanResult search_plans(const RowEvaluator& rows, RowLog& log, const PlanTask& task, const PlanOptions& options);

std::string plan_text(const PlanResult& result);
std::string plan_json(const PlanResult& result, const std::string& file, const std::string& title);
std::string plans_csv(const PlanResult& result);

}  // namespace pegrasp::plan
