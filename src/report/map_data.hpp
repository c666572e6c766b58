// SPDX-License-Identifier: Apache-2.0
// What a report shows of a finished map, as JSON: its cells, what decides, totals, how to reproduce it.
#pragma once

#include <filesystem>

#include "src/decide/stored_map.hpp"
#include "src/report/drawing.hpp"

namespace pegrasp::report {

// {"axes", "cells"}; arrays of cells, null where a cell has no probability.
Json map_data(const decide::StoredMap& map);

// Adds "explain" and "no_explain", "totals" and "warnings" (of summary.json), "commands", "replay" and "seed".
void add_findings(const decide::StoredMap& map, Json& data);

// The cell whose success is least certain, of those in `recorded`; null without one.
Json least_certain(const decide::StoredMap& map, const std::vector<int>& recorded);

}  // namespace pegrasp::report
