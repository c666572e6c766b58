// SPDX-License-Identifier: Apache-2.0
// Maps as the decisions read them, made by hand.
#pragma once

#include <cstddef>
#include <vector>

#include "src/decide/stored_map.hpp"

namespace pegrasp::test {

// columns x rows cells of `samples` trials each, all of which fail at rest in contact.
inline decide::StoredMap stored_map(std::size_t columns, std::size_t rows, int samples) {
  decide::StoredMap map;
  map.folder = "out/made";
  map.title = "made";
  map.seed = 1;
  map.samples_per_cell = samples;
  map.axes.resize(2);
  map.axes[0].name = "x_mm";
  map.axes[1].name = "y_mm";
  for (Axis& axis : map.axes) axis.unit = "mm";
  for (std::size_t i = 0; i < columns; ++i) map.axes[0].numbers.push_back(static_cast<double>(i));
  for (std::size_t j = 0; j < rows; ++j) map.axes[1].numbers.push_back(10.0 * static_cast<double>(j));
  for (std::size_t c = 0; c < columns * rows; ++c) {
    map.cells.push_back({samples, 0, 0});
    for (int k = 0; k < samples; ++k) {
      map.cell.push_back(static_cast<std::int32_t>(c));
      map.sample.push_back(k);
      map.success.push_back(0);
      map.status.push_back(0);
      map.stopped_still.push_back(1);
      map.contacts_max.push_back(2);
    }
  }
  return map;
}

inline void succeed(decide::StoredMap& map, std::size_t trial) {
  map.success[trial] = 1;
  ++map.cells[static_cast<std::size_t>(map.cell[trial])].successes;
}

}  // namespace pegrasp::test
