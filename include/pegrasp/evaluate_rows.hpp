// SPDX-License-Identifier: Apache-2.0
// Rows of parameters -> one batch -> results: what optimisers, identification and searches of one's own are built on.
//
//   pegrasp::RowEvaluator rows("problem.toml");            // its [[design]] tables name the keys of a row
//   const auto backend = pegrasp::make_backend(pegrasp::BackendKind::automatic, rows.problem().arithmetic);
//   const std::vector<pegrasp::Row> some{{rows.start()}, {{0.3, 12.0}}};
//   for (const pegrasp::RowResult& r : rows.evaluate(some, *backend)) std::cout << r.p << '\n';
//
// A row sets keys of the problem, any that --set takes, and the problem is read anew for it: bodies, keyframes, grids
// and distributions may differ from row to row. All trials of all rows are one batch. Every row draws the numbers that
// the problem at the start draws (Philox counters of seed, cell and sample), so that the results of a row depend on
// nothing but the row, and differences between rows are not those of their draws. For other draws a row sets map.seed.
//
// pegrasp/row_log.hpp adds the journal, by which a killed run goes on to the same bytes, and evaluations.csv.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/interval.hpp"
#include "pegrasp/problem.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp {

// A number that rows set: a table [[design]] of a problem file. Numbers are in the unit that the key ends with.
struct DesignParameter {
  std::string name;               // of its column in results: `name`, or else the first key
  std::vector<std::string> keys;  // all are set to the number
  double start = 0.0;             // `start`, or else the value that the problem has
  double scale = 0.0;             // of a first step of a search: `scale`, or else a quarter of low to high
  double low = -std::numeric_limits<double>::infinity();  // `low` and `high`: no row of a search is beyond them
  double high = std::numeric_limits<double>::infinity();
};

// values: one for each of RowEvaluator::parameters(), in that order and in their units. set: further keys, which are
// set after them; values in TOML, lists and tables too (keyframes of a body).
struct Row {
  std::vector<double> values;
  std::vector<Override> set = {};
  bool operator==(const Row& other) const;
};
// Tells rows apart: equal for equal rows only, but for one chance in 2^64.
std::uint64_t row_hash(const Row& row);

// The trials of a row, and what is watched in them.
struct RowOptions {
  int first_sample = 0;  // of each cell of the row's problem: samples first_sample, first_sample + 1, ...
  int samples = 0;       // so many; 0: the problem's map.samples
  bool nominal = false;  // one trial a cell, without any draw: distributions count with their centre
  // Above 0: poses are recorded at t = 0, record_every, 2 record_every, ..., each at the nearest end of a step [s].
  double record_every = 0.0;
  // Records of each dynamic body in how many of the steps it bears no contact force (RowResult::free_steps).
  bool record_free_steps = false;
  // Called before the first and after every step of a trial: of one trial in order, of several trials at once from
  // several threads. What is recorded or watched is simulated step by step on the host's cores, by the same code and
  // with the same bits as by a backend.
  std::function<void(std::size_t row, std::size_t trial, const Simulation& simulation)> watch;
  int threads = 0;                          // for that, and to read rows; 0: all cores. Results do not depend on it.
  const std::atomic<bool>* stop = nullptr;  // evaluate() throws Interrupted soon after this is set
  std::function<void(std::size_t done, std::size_t total)> progress;  // trials of this call
};

// Of one row. Trial number cell * samples + k is sample first_sample + k of a cell of the row's problem (its grid and
// [[axis]]; one cell without them).
struct RowResult {
  std::string refused;  // why the row's problem cannot be read or simulated, in one line; then nothing else is set
  int cells = 0, samples = 0;
  std::size_t trials() const { return outcomes.size(); }
  std::vector<SceneOutcome> outcomes;  // (cells * samples)
  std::size_t bodies = 0, pose_size = 3;
  std::vector<double> final_poses;  // (trials, bodies, pose_size): x, y [m], turn [rad]; in 3D 7: x, y, z, quaternion
  std::vector<double> drawn;        // (trials, sampled_columns()), SI
  std::size_t records = 0;          // with record_every: how many times, 0 included
  std::vector<double> recorded;     // (trials, records, bodies, pose_size). Of a trial that has ended its last pose.
  std::vector<int> free_steps;      // with record_free_steps: (trials, bodies)
  // Over all trials, as in MapCell: p over the resolved ones, NaN without one; Wilson's interval at 95 % counts
  // unresolved ones as failures below and as successes above.
  int successes = 0, unresolved = 0;
  double p = std::numeric_limits<double>::quiet_NaN();
  Interval interval;

  std::span<const double> pose(std::size_t trial, std::size_t body) const;
  std::span<const double> recorded_pose(std::size_t trial, std::size_t record, std::size_t body) const;
};

class RowEvaluator {
 public:
  // Reads the file at the start of all parameters: its [[design]] tables, then `further` ones, whose start of NaN is
  // the value that the problem has. overrides: as of load_problem(). Throws InputError, one line with file, key and
  // remedy, also for a parameter that has neither a number nor `start`.
  explicit RowEvaluator(const std::filesystem::path& file, const std::vector<Override>& overrides = {},
                        const std::vector<DesignParameter>& further = {});
  // The same of a text. origin: the name for messages, in whose folder relative paths start.
  RowEvaluator(const std::string& text, const std::string& origin, const std::vector<Override>& overrides = {},
               const std::vector<DesignParameter>& further = {});
  ~RowEvaluator();
  RowEvaluator(RowEvaluator&&) noexcept;
  RowEvaluator& operator=(RowEvaluator&&) noexcept;

  const std::vector<DesignParameter>& parameters() const;
  std::vector<double> start() const;    // of all parameters
  const Problem& problem() const;       // there
  const std::string& document() const;  // the file as TOML, with the overrides; for hashes and readers of own tables
  const std::string& origin() const;    // for messages

  // The problem of a row, and the same as TOML with every default and the row's values as `start` of its [[design]].
  // Throw InputError.
  Problem problem_at(const Row& row) const;
  std::string toml_at(const Row& row) const;

  // Simulates the rows' trials, all in one batch; result i is that of rows[i]. A row whose problem is refused has a
  // result that says so; the others are simulated. Throws Interrupted (pegrasp/map.hpp) when stopped, and
  // std::invalid_argument for rows of another width or a backend of another arithmetic than the problem's.
  std::vector<RowResult> evaluate(std::span<const Row> rows, Backend& backend, const RowOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pegrasp
