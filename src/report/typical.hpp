// SPDX-License-Identifier: Apache-2.0
// Which trials of a finished map a report records.
#pragma once

#include <string>
#include <vector>

#include "src/decide/stored_map.hpp"

namespace pegrasp::report {

struct ChosenTrial {
  int cell = 0, sample = 0;
  std::string role;  // "typical success", "sample 3: failure"
};

// Of each cell a typical success, a typical failure and the first unresolved trial, as far as there are any, and the
// first `more` samples. Typical is the trial whose sampled numbers lie nearest the mean of the successes, or failures,
// of its cell, each number by its standard deviation in the map. At most about `most` trials: of larger maps evenly
// spread cells.
std::vector<ChosenTrial> chosen_trials(const decide::StoredMap& map, int more, std::size_t most);

}  // namespace pegrasp::report
