// SPDX-License-Identifier: Apache-2.0
// The arrays of a map, empty, and what is counted from them when they are full.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "pegrasp/map.hpp"
#include "src/map/journal.hpp"
#include "src/map/replicates.hpp"

namespace pegrasp {

// Of all cells.
std::size_t samples_of(const Problem& problem);

// A map with capacity for the samples of `range`, which may be none, with the problem's names and sizes. With
// Problem::until it begins empty: nobody knows how many samples will be taken. Throws
// InputError where memory does not hold them.
SuccessMap empty_map(const Problem& problem, const SampleRange& range);

// The samples of a shard of a run of this kind. Where cells are grasps, whose measures are means, counts are of whole
// cells: sums of floating-point numbers depend on their order.
SampleRange shard_range(const Shard& shard, const Problem& problem, bool counts_only);

// The origin that a journal of this map records; the map has backend, device and fallback.
JournalOrigin origin_of(const Problem& problem, const SuccessMap& map);

// Successes, unresolved samples and intervals of every cell, and the totals, from blocks that hold all samples.
class CellCounter {
 public:
  // The problem outlives it.
  CellCounter(const Problem& problem, const SuccessMap& map);
  void add(const SampleBlock& block);
  void finish(SuccessMap& map);
  // Hands out what is counted of the cells that samples of a range lie in, as bytes, counts_bytes() of them, piece by
  // piece; and takes such counts of other samples, before those that are added next.
  void counts(const SampleRange& range, const std::function<void(std::span<const unsigned char>)>& take) const;
  void add_counts(const SampleRange& range, std::span<const unsigned char> counts);

 private:
  std::size_t cell_of(std::size_t row) const;
  void add_totals(const SampleBlock& block);

  const Problem& problem_;
  std::vector<double> tolerances_;  // of the groups of a problem with [[axis]]
  std::vector<MapCell> cells_;
  std::vector<std::size_t> starts_;  // SuccessMap's
  Until until_;
  int budget_;
  MapTotals totals_;
  double penetration_tolerance_;
  bool grasps_, forces_;
  HoldWatch watch_;
  double h_;
  ReplicateCounter replicates_;
};

std::size_t counts_bytes(const Problem& problem, const SampleRange& range);

// The same of a map that holds all samples.
void count_cells(const Problem& problem, SuccessMap& map);

}  // namespace pegrasp
