// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

namespace pegrasp::bench {

// The value below which the share `p` of the values lies; 0 where there are none.
inline double quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const auto index = static_cast<std::size_t>(p * static_cast<double>(values.size()));
  return values[std::min(index, values.size() - 1)];
}

}  // namespace pegrasp::bench
