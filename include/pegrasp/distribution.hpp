// SPDX-License-Identifier: Apache-2.0
// How one uncertain number is distributed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pegrasp/kinds.hpp"

namespace pegrasp {

struct NumberTable;

// uniform: (low, high]; normal: mean, sd; truncated_normal: mean, sd, low, high; log_normal: exp(N(mean, sd));
// choice: one of `values` with `weights`; constant: `mean`; measured: one of `values`, at the place that group_stream
// draws, so that the columns of one file stay together; given: sample k is values[k]; mixture: one of `components` (not
// mixtures themselves), picked with `weights`: the group "any" of named groups.
struct Distribution {
  DistributionKind kind = DistributionKind::constant;
  double mean = 0.0;
  double sd = 0.0;
  double low = 0.0;
  double high = 0.0;
  std::vector<double> values;
  std::vector<double> weights;
  std::vector<Distribution> components;
  std::uint32_t group_stream = 0;   // mixture: stream that picks the component, shared by all that name it; 0: its own.
                                    // measured: stream that picks the row of the file
  std::vector<std::string> groups;  // mixture: names of the components
  std::string shared_group;         // mixture: name of the [group] that group_stream belongs to
  std::shared_ptr<const NumberTable> table;  // measured, given: where `values` are from ...
  std::size_t column = 0;                    // ... and in which column
};

}  // namespace pegrasp
