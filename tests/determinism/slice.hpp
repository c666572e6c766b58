// SPDX-License-Identifier: Apache-2.0
// Slices of cases, for a device made of software, on which a whole case takes hours: PEGRASP_DEVICE_STEPS=N has tests
// that compare a device with the CPU run the first scenes of each case until N steps after all of them have touched
// something.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/determinism/cases.hpp"

namespace pegrasp::test {

// asked: the variable's value, null where it is not set. 0: whole cases.
inline int device_steps_named(const char* asked) {
  if (asked == nullptr) return 0;
  int steps = 0;
  const char* const end = asked + std::strlen(asked);
  const auto [at, error] = std::from_chars(asked, end, steps);
  if (error == std::errc{} && at == end && steps > 0) return steps;
  throw std::runtime_error("PEGRASP_DEVICE_STEPS: \"" + std::string(asked) + "\" is no number of steps above 0");
}

inline int device_steps() { return device_steps_named(std::getenv("PEGRASP_DEVICE_STEPS")); }

// Cut off in the middle of its last step but one would be left to rounding.
inline void end_after(SceneBatchCase& batch, int steps) {
  batch.options.duration = std::min(batch.options.duration, (steps - 0.5) * batch.options.h);
}

// How many steps all scenes take to have a contact; 0 where one of them never has.
inline int steps_to_contact(const SceneBatchCase& batch) {
  const auto all_touch = [&batch](int steps) {
    SceneBatchCase cut = batch;
    end_after(cut, steps);
    const Results results = run_all(cut, 1, Arithmetic::strict, BackendKind::cpu);
    return std::all_of(results.outcomes.begin(), results.outcomes.end(),
                       [](const SceneOutcome& outcome) { return outcome.contacts_sum > 0; });
  };
  int without = 0, with = 1;
  while (!all_touch(with)) {
    if (with * batch.options.h > batch.options.duration) return 0;
    without = with;
    with *= 2;
  }
  while (with - without > 1) {
    const int middle = (without + with) / 2;
    (all_touch(middle) ? with : without) = middle;
  }
  return with;
}

// With few iterations and little halving, as some cases are there for what takes many.
inline SceneBatchCase slice_of(SceneBatchCase batch, int steps) {
  constexpr int most_scenes = 5;  // one more than a warp holds in teams of 8
  constexpr int most_iterations = 20, most_halvings = 1;
  const int scenes = std::min(batch.scenes(), most_scenes);
  batch.parameters.resize(static_cast<std::size_t>(scenes) * static_cast<std::size_t>(batch.parameter_count));
  batch.options.max_iterations = std::min(batch.options.max_iterations, most_iterations);
  batch.options.max_substep_level = std::min(batch.options.max_substep_level, most_halvings);
  end_after(batch, steps_to_contact(batch) + steps);
  return batch;
}

// The case, or the slice of it that PEGRASP_DEVICE_STEPS asks for.
inline SceneBatchCase as_asked(SceneBatchCase batch) {
  const int steps = device_steps();
  return steps > 0 ? slice_of(std::move(batch), steps) : batch;
}

// Where the bits of two results differ first, in words; empty where they are the same.
inline std::string difference(const Results& a, const Results& b) {
  if (a.outcomes.size() != b.outcomes.size() || a.poses.size() != b.poses.size()) return "not as many results";
  for (std::size_t i = 0; i < a.outcomes.size(); ++i) {
    if (std::memcmp(&a.outcomes[i], &b.outcomes[i], sizeof(SceneOutcome)) != 0) {
      return "outcome of scene " + std::to_string(i);
    }
  }
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    if (std::memcmp(&a.poses[i], &b.poses[i], sizeof(double)) != 0) return "pose number " + std::to_string(i);
  }
  return "";
}

}  // namespace pegrasp::test
