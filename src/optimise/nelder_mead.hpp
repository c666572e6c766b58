// SPDX-License-Identifier: Apache-2.0
// Minimising without derivatives: the simplex method of Nelder and Mead (1965) within bounds, with the
// coefficients of Gao and Han (2012), which are the usual ones for two parameters. Written here, not NLopt's: that
// asks for one point at a time, where the first simplex and one that shrinks are a batch each.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pegrasp::optimise {

struct SimplexOptions {
  std::vector<double> start, scale, low, high;  // of each parameter; infinite bounds are none
  int evaluations = 200;                        // points, at most; 1 or more
  double tolerance = 1e-3;  // the simplex is smaller than this along each parameter, in units of its scale
  int restarts = 0;         // begin again around the best, with a quarter of the scale, so often
};

// The values of points, which may be +infinity: such points are the worst. kind: "start", "reflect", "expand",
// "contract" or "shrink".
using ValuesAt =
    std::function<std::vector<double>(std::span<const std::vector<double>> points, const std::string& kind)>;

struct SimplexResult {
  std::vector<double> best;
  double value = 0.0;
  int iterations = 0, evaluations = 0;
  bool converged = false;  // not: the evaluations were used up
};

// Asks for the same points wherever the values are the same. Of equal values the earlier point counts as better.
SimplexResult nelder_mead(const SimplexOptions& options, const ValuesAt& values_at);

}  // namespace pegrasp::optimise
