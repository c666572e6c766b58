// SPDX-License-Identifier: Apache-2.0
// The table [objective] of a problem file: what a search makes as small as it can.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pegrasp/evaluate_rows.hpp"

namespace pegrasp::optimise {

class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::string kind() const = 0;
  // Whether trials are followed step by step, which the host's cores alone do (RowOptions::watch).
  virtual bool follows_trials() const { return false; }
  // Names of the numbers of a point. The first is what is minimised.
  virtual std::vector<std::string> columns() const = 0;
  // Of a point; +infinity where its problem is refused, for the reason that is written to `why`.
  virtual std::vector<double> at(const RowEvaluator& rows, const Row& point, Backend& backend,
                                 const RowOptions& options, std::string& why) const = 0;
};

// Reads the table. Throws InputError where there is none, or it is wrong.
std::unique_ptr<Objective> read_objective(const RowEvaluator& rows);

}  // namespace pegrasp::optimise
