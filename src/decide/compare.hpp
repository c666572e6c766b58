// SPDX-License-Identifier: Apache-2.0
// Two maps whose trials are pairs: the same cells, the same samples, drawn from the same random numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pegrasp/interval.hpp"
#include "src/decide/stored_map.hpp"

namespace pegrasp::decide {

// Outcomes of pairs. Pairs with an unresolved trial are counted apart and compared in nothing else.
struct Pairs {
  long long both = 0, neither = 0;  // succeeded
  long long gained = 0;             // failed in A, succeeded in B
  long long lost = 0;               // succeeded in A, failed in B
  long long unresolved = 0;         // in A, in B or in both
  long long compared() const { return both + neither + gained + lost; }
  double p_a() const;  // of the pairs compared; NaN without one
  double p_b() const;
  double difference() const;  // p_b - p_a
  // 95 % score interval of the difference (Tango 1998), and the p-value of McNemar's test of none.
  Interval interval() const;
  double p_value() const;
};

struct FlippedPair {
  std::size_t cell = 0, sample = 0;
  bool success_in_b = false;
};

struct Comparison {
  std::vector<Pairs> cells;
  Pairs all;
  std::vector<FlippedPair> flipped;
  std::vector<bool> differs;  // cells whose difference is significant at 5 % among all cells (Holm 1979)
};

// Throws InputError, one line, where the trials of the two are no pairs. names: of A and B in messages.
void must_pair(const StoredMap& a, const StoredMap& b);
Comparison compare(const StoredMap& a, const StoredMap& b);

std::string compare_csv(const StoredMap& a, const Comparison& comparison);
std::string flips_csv(const StoredMap& a, const StoredMap& b, const Comparison& comparison);
std::string compare_json(const StoredMap& a, const StoredMap& b, const Comparison& comparison);
std::string compare_text(const StoredMap& a, const StoredMap& b, const Comparison& comparison);

}  // namespace pegrasp::decide
