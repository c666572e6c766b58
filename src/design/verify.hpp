// SPDX-License-Identifier: Apache-2.0
// pegrasp design: draws designs and verifies each by a cheap model before a dear one (Berard's thesis, 4.3.1).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"
#include "pegrasp/row_log.hpp"
#include "src/design/picture.hpp"

namespace pegrasp::design {

// From cheap to dear. A design that a level refuses is not tried by those after it.
enum class Level : int {
  geometric = 0,
  dynamic,   // simulates. Before `compliant`: all parts are rigid, whatever shells they have
  compliant  // simulates with the shells that the problem gives to its parts (CompliantShell)
};
constexpr const char* level_names[] = {"geometric", "dynamic", "compliant"};
constexpr std::size_t level_count = std::size(level_names);
// Of "geometric,dynamic". Throws InputError for other words, for none and for another order.
std::vector<Level> levels_from(const std::string& words);

struct DesignOptions {
  int designs = 200;  // to draw; 0: the one that the file describes
  std::vector<Level> levels{Level::geometric, Level::dynamic};
  bool naive = false;            // tries refused designs by the last level, too: what they would have cost
  double cell = 1e-3;            // of the geometric level [m]
  double turn_cell = 0.0;        // the same of turns [rad]; 0: 5 degrees
  std::filesystem::path folder;  // has the journal
  bool resume = false;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(std::size_t done, std::size_t total)> progress;  // designs
};

// What a level found of a design. Trials are numbered: first the cells of the file's axes, in their order, one trial
// each; then random ones, drawn as the file without its axes says.
struct Verdict {
  bool tried = false, passed = false;
  int first_failing = -1;   // trial, of the geometric level the one whose start has no path; -1: none
  int trials = 0;           // up to the first failing one, which is counted
  int random = 0;           // of these are random ones
  bool unresolved = false;  // the failing trial is
  double seconds = 0.0;
};

struct DesignRecord {
  std::vector<double> values;
  std::array<Verdict, level_count> verdicts;  // of each Level
  const Verdict& of(Level level) const { return verdicts[static_cast<std::size_t>(level)]; }
  // What a design is refused by; the count of levels where it passes all.
  std::size_t refused_by = 0;  // place in DesignOptions::levels
};

struct DesignResult {
  std::vector<DesignParameter> parameters;
  std::vector<DesignRecord> designs;
  int grid = 0, random = 0;  // trials that a level which simulates asks for
  std::size_t resumed = 0;
  std::string device;
};

// What the log of such a run is made with.
RowLogOptions log_options(const DesignOptions& options);
// log: of the same rows and backend, from which an interrupted run goes on. Throws InputError for what cannot be done,
// Interrupted when stopped.
DesignResult verify_designs(const RowEvaluator& rows, Backend& backend, RowLog& log, const DesignOptions& options);

// Table 4.1 and what else follows from the records.
struct DesignTotals {
  std::vector<std::size_t> refused;         // by each level
  std::vector<std::size_t> passed;          // designs
  std::vector<std::size_t> contradictions;  // designs that a cheap level refused and the last one passes (naive)
  std::vector<double> seconds;              // of each level, hierarchical
  double naive_seconds = 0.0;               // of the last level over all designs; with `naive`
  std::vector<std::size_t> trials;          // hierarchical
  std::size_t naive_trials = 0;
};
DesignTotals totals_of(const DesignResult& result, const DesignOptions& options);

std::string design_text(const DesignResult& result, const DesignOptions& options);
// picture: of the design to show; empty: none.
std::string design_json(const DesignResult& result, const DesignOptions& options, const std::string& file,
                        const std::string& title, const DesignPicture& picture);
std::string designs_csv(const DesignResult& result, const DesignOptions& options);

}  // namespace pegrasp::design
