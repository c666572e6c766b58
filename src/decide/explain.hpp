// SPDX-License-Identifier: Apache-2.0
// Which parameters decide about success in a finished map, and how its trials fail.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pegrasp/interval.hpp"
#include "src/decide/sobol.hpp"
#include "src/decide/stored_map.hpp"

namespace pegrasp::decide {

// Success in one bin of a parameter's values.
struct CurvePoint {
  double low = 0.0, high = 0.0, mean = 0.0;  // of the values in the bin
  long long trials = 0, successes = 0;
  double p = 0.0;
  Interval interval;  // Wilson's, 95 %
};

// Why trials fail, as far as the end of a trial tells. Each trial counts under the first that applies.
//   unresolved     it has a status bit: it counts for nothing else here
//   never_touched  no step had a contact
//   dropped        a body that gravity pulls ended lower than in the trials that succeed, by half the length scale
//   jammed         all came to rest in contact, but not where success asks for
//   slipped        not at rest at the end, and in the last step a contact with friction slid (with --forces only)
//   moving         not at rest at the end, otherwise
enum class FailureReason : int { unresolved = 0, never_touched, dropped, jammed, slipped, moving };
constexpr std::size_t failure_reasons = 6;
const char* reason_name(FailureReason reason);
const char* reason_words(FailureReason reason);

struct FailureGroup {
  FailureReason reason = FailureReason::unresolved;
  long long trials = 0;
  std::size_t typical = 0;  // trial of the map that lies nearest the group's mean
};

struct Explanation {
  std::optional<std::size_t> cell;  // where only one was asked for
  long long trials = 0, resolved = 0, successes = 0;
  std::vector<Factor> factors;        // that vary; rows are the resolved trials
  std::vector<std::string> left_out;  // sampled numbers that follow from others
  SobolIndices indices;
  std::vector<std::vector<CurvePoint>> curves;  // as the factors
  std::vector<FailureGroup> failures;           // most frequent first
  bool drops_known = false;                     // whether the problem could be read, so that drops are reported
};

// cell: only the trials of one. Throws InputError, one line, where there is nothing to explain.
Explanation explain(const StoredMap& map, std::optional<std::size_t> cell);

std::string explain_csv(const Explanation& explanation);
std::string curves_csv(const Explanation& explanation);
std::string failures_csv(const StoredMap& map, const Explanation& explanation);
std::string explain_json(const StoredMap& map, const Explanation& explanation);
std::string explain_text(const StoredMap& map, const Explanation& explanation);

// For explain() alone: groups of failed trials. rows: the trials asked for.
std::vector<FailureGroup> failure_groups(const StoredMap& map, const std::vector<std::size_t>& rows, bool& drops_known);

}  // namespace pegrasp::decide
