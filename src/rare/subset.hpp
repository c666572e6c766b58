// SPDX-License-Identifier: Apache-2.0
// Subset simulation (Au and Beck, Probabilistic Engineering Mechanics 16, 2001): the probability of a rare event as a
// product of larger ones. Each level holds the trials that come closer to the event than nine tenths of the level
// before; new trials within it are found by Markov chains from those tenths (adaptive conditional sampling:
// Papaioannou, Betz, Zwirglmaier and Straub, Probabilistic Engineering Mechanics 41, 2015). A first run, the pilot,
// chooses the levels and the lengths of the chains' steps and is not counted: with these fixed, the result of a run has
// the right mean (Cerou, Del Moral, Furon and Guyader, Statistics and Computing 22, 2012). Several independent runs
// follow, whose spread shows how far they can be trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pegrasp/interval.hpp"

namespace pegrasp::rare {

struct SubsetOptions {
  int runs = 16;            // independent ones, at least 4
  int samples = 1000;       // trials a level and run, at least 100
  double smallest = 1e-12;  // probabilities below that are not sought
  std::uint64_t seed = 1;
};

// What is known of a trial. The event is a distance below 0.
struct Trial {
  double distance = 0.0;
  bool possible = true;  // false: there is no such trial, draw another one
  bool resolved = true;  // false: it has no outcome, and counts as an event at the upper end of the interval
};

// Simulates trials: scores has a row for each of `trials`. False: stopped.
using Simulate = std::function<bool(std::span<const double> scores, std::span<Trial> trials)>;

struct Level {
  double threshold = 0.0;    // a distance; the last level's is 0
  double probability = 1.0;  // of a smaller distance
  double acceptance = 1.0;   // share of the chains' steps that were taken
  long long trials = 0, unresolved = 0;
};

// reached: there is a result. atoms: too many trials have the same distance, so that no level can be made. not_reached:
// the event is rarer than `smallest`, or never happens.
enum class End : int { reached = 0, atoms, not_reached };

struct Run {
  std::vector<Level> levels;  // of a run in which nothing came so far, not all of the pilot's
  End end = End::reached;
  double probability = 0.0;  // of the event; unresolved trials count as events
  double resolved = 0.0;     // of an event that is resolved
  double stuck_share = 0.0;  // of `atoms`: the trials with the same distance ...
  double stuck_at = 0.0;     // ... which is this
  double nearest = 0.0;      // of the pilot: the smallest distance in its last level
};

// A trial near the event.
struct Extreme {
  std::vector<double> scores;
  double distance = 0.0;
};

struct SubsetResult {
  bool stopped = false;  // by `simulate`: nothing else is of use
  Run pilot;             // where its end is not `reached`, there are no others
  std::vector<Run> runs;
  std::vector<Extreme> worst;  // with the smallest distance, in order; none twice
  long long trials = 0, unresolved = 0;
};

// dimensions: of the scores. Depends on the options and the trials alone.
SubsetResult run_subsets(const SubsetOptions& options, std::size_t dimensions, std::size_t worst,
                         const Simulate& simulate);

// What independent runs say together.
struct Estimate {
  double mean = 0.0;
  double relative_error = 0.0;  // standard error / mean
  Interval interval;            // at 95 %
};
Estimate estimate_of(std::span<const double> runs);

// How many trials have an interval as narrow when they are counted.
double trials_to_count(double probability, const Interval& interval);

}  // namespace pegrasp::rare
