// SPDX-License-Identifier: Apache-2.0
// Sobol' indices from given data: how much of the variance of a result its parameters explain, one by one, in pairs,
// and with all that they take part in. Needs no trials of its own.
//
// The values of a parameter are cut into bins of equal counts. First-order index of i: the variance between the bins
// of i, as a share of all (given-data estimator of Plischke, Borgonovo and Smith, EJOR 226, 2013), less what chance
// alone makes it; each value of a nominal parameter has a bin of its own there. Second-order index of i and j: the
// same of the bins of both together, less those of i and of j; and so on for three. Total index of i: the sum of all
// indices with i, up to third order where the data suffice. What more parameters do together is not seen, and is
// stated as the rest. Parameters must be independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pegrasp/interval.hpp"

namespace pegrasp::decide {

struct Factor {
  std::string name, unit;
  std::vector<double> values;  // one a row
  bool nominal = false;        // the values stand for names, as those of grasps: their order says nothing
};

struct Index {
  double value = 0.0;
  Interval interval;  // 95 %, from random halves of the rows
};

struct PairIndex {
  std::size_t i = 0, j = 0;
  Index index;
};

struct SobolIndices {
  double mean = 0.0, variance = 0.0;
  std::vector<Index> first, total;  // as the factors
  std::vector<PairIndex> pairs;     // i < j
  Index rest;                       // of more together, and of what the bins are too coarse for
  std::size_t bins = 0, pair_bins = 0;
  bool threes = false;  // whether three parameters together were looked at
};

// Which bin each row is in, of at most `most`: equal values share a bin, and values that are few have one each.
struct Bins {
  std::vector<std::uint16_t> of_row;
  std::size_t count = 0;
};
Bins bins_of(std::span<const double> values, std::size_t most);

// result: one number a row. Without variance all indices are 0. replicates: halves.
SobolIndices sobol_indices(const std::vector<Factor>& factors, std::span<const double> result, int replicates = 200);

}  // namespace pegrasp::decide
