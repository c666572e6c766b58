// SPDX-License-Identifier: Apache-2.0
// Compares fast with strict arithmetic: the same trials in both on one backend, outcome by outcome, and their speed.
#pragma once

#include "bench/cases.hpp"
#include "pegrasp/simulation.hpp"

namespace pegrasp::bench {

struct FastEffect {
  struct Side {
    int successes = 0;   // trials, of those that were resolved
    int unresolved = 0;  // trials with a status bit
    long long steps = 0;
    long long iterations = 0;
    double seconds = 0.0;  // of the faster of the timed runs
    double steps_per_second() const { return seconds > 0.0 ? static_cast<double>(steps) / seconds : 0.0; }
  };
  int trials = 0;
  Side strict, fast;
  // Trials by their result. A trial succeeds, fails, or is left unresolved.
  int lost = 0;              // succeed in strict arithmetic and fail in fast
  int won = 0;               // the other way round
  int unresolved_alone = 0;  // left unresolved by one of the two alone
  int success_changed = 0;   // the success bit differs, whatever the status
  // How far the body farthest from itself is apart at the end [m], over the trials.
  double apart_median = 0.0;
  double apart_90 = 0.0;

  int changed() const { return lost + won + unresolved_alone; }
  double gain() const { return fast.seconds > 0.0 ? strict.seconds / fast.seconds : 0.0; }  // above 1: fast is faster
};

// Both cases have the same scene and parameters, and the options of their arithmetic. repeats: timed runs, after one
// untimed run of a part of the scenes.
FastEffect compare_arithmetics(const Case& strict, const Case& fast, Backend& strict_backend, Backend& fast_backend,
                               int repeats);

}  // namespace pegrasp::bench
