// SPDX-License-Identifier: Apache-2.0
// Cells between those of a map, where it is steep (Problem::refine). Cells next to each other on the axes along which
// the map is refined are the corners of a block. A steep block gets cells halfway along its edges, on its faces and in
// its middle, and is divided into blocks that may be steep in turn. What is added depends on the counts of the cells
// before it alone: threads, batches and interruptions do not matter.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <vector>

#include "pegrasp/listed_cells.hpp"
#include "pegrasp/map.hpp"

namespace pegrasp {

class RefinePlan {
 public:
  // The map is whole. along: refined_axes().
  RefinePlan(const Problem& problem, const SuccessMap& map, const std::vector<bool>& along);

  // Where the cells of the next level are, in the order of their numbers; none: there is nothing left to refine.
  std::vector<CellPlace> next();
  // What came of them.
  void take(const std::vector<MapCell>& cells);
  // Steep blocks for which no cells were left.
  std::size_t left() const { return left_; }

 private:
  using Place = std::vector<int>;  // on all axes, in steps of the last level
  struct Block {
    Place low, size;  // size 0 on axes along which the map is not refined
  };
  struct SteepBlock {
    Block block;
    std::vector<bool> along;  // axes
    double difference = 0.0;
  };
  void for_each_block(const std::function<void(const Block&)>& visit);  // of the next level
  const MapCell& cell_at(const Place& place) const;
  SteepBlock examined(const Block& block) const;
  bool crosses(const MapCell& a, const MapCell& b) const;
  std::vector<Place> added_by(const SteepBlock& steep) const;
  std::vector<Block> divided(const SteepBlock& steep) const;

  const Refine& refine_;
  std::vector<std::size_t> sizes_;  // of the axes
  std::vector<bool> along_;
  int unit_;          // steps between cells of the map
  std::size_t most_;  // cells that are added
  std::size_t left_ = 0;
  const std::vector<MapCell>& coarse_;
  std::vector<MapCell> fine_;
  std::map<Place, std::size_t> places_;  // of fine_
  std::vector<Place> asked_;             // by next()
  int level_ = 0;
  std::vector<Block> blocks_;
};

// Throws InputError where the problem does not go with map.refine; nothing else.
void must_be_refinable(const Problem& problem);

// Adds cells to a map that run_map() has simulated, or that merge_parts() has joined.
void refine_map(const Problem& problem, Backend& backend, const MapOptions& options, SuccessMap& map);

// The journal of a level, in the output folder.
std::filesystem::path level_journal(const std::filesystem::path& out, int level);

}  // namespace pegrasp
