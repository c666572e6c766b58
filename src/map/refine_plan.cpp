// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/map/refine.hpp"

namespace pegrasp {
namespace {

constexpr std::size_t least_budget = 100;

// Calls visit(digits) for all numbers of as many digits as there are axes, digit k below bases[k].
template <class Visit>
void for_each_digits(const std::vector<int>& bases, const Visit& visit) {
  std::vector<int> digits(bases.size(), 0);
  for (;;) {
    visit(digits);
    std::size_t k = 0;
    while (k < bases.size() && ++digits[k] == bases[k]) digits[k++] = 0;
    if (k == bases.size()) return;
  }
}

}  // namespace

RefinePlan::RefinePlan(const Problem& problem, const SuccessMap& map, const std::vector<bool>& along)
    : refine_(problem.refine), along_(along), unit_(1 << problem.refine.levels), coarse_(map.cells) {
  for (const Axis& axis : axes_of(problem)) sizes_.push_back(axis.size());
  most_ = refine_.cells > 0 ? static_cast<std::size_t>(refine_.cells) : std::max(least_budget, coarse_.size());
}

void RefinePlan::for_each_block(const std::function<void(const Block&)>& visit) {
  if (level_++ > 0) {
    for (const Block& block : std::exchange(blocks_, {})) visit(block);
    return;
  }
  Block block{Place(sizes_.size()), Place(sizes_.size())};
  for (std::size_t k = 0; k < sizes_.size(); ++k) block.size[k] = along_[k] ? unit_ : 0;
  for (std::size_t c = 0; c < coarse_.size(); ++c) {
    std::size_t rest = c;
    bool is_last = false;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const std::size_t value = rest % sizes_[k];
      rest /= sizes_[k];
      block.low[k] = static_cast<int>(value) * unit_;
      is_last = is_last || (along_[k] && value + 1 == sizes_[k]);
    }
    if (!is_last) visit(block);
  }
}

const MapCell& RefinePlan::cell_at(const Place& place) const {
  std::size_t number = 0;
  for (std::size_t k = place.size(); k-- > 0;) {
    if (place[k] % unit_ != 0) return fine_[places_.at(place)];
    number = number * sizes_[k] + static_cast<std::size_t>(place[k] / unit_);
  }
  return coarse_[number];
}

bool RefinePlan::crosses(const MapCell& a, const MapCell& b) const {
  if (refine_.threshold <= 0.0) return false;
  const MapCell &low = a.p < b.p ? a : b, &high = a.p < b.p ? b : a;
  return low.ci_high <= refine_.threshold && high.ci_low >= refine_.threshold;
}

RefinePlan::SteepBlock RefinePlan::examined(const Block& block) const {
  SteepBlock out{block, std::vector<bool>(sizes_.size(), false), 0.0};
  std::vector<int> corners;
  for (const int size : block.size) corners.push_back(size > 0 ? 2 : 1);
  for_each_digits(corners, [&](const std::vector<int>& corner) {
    Place at = block.low;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += corner[k] * block.size[k];
    const MapCell& here = cell_at(at);
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (block.size[k] == 0 || corner[k] == 1) continue;
      at[k] += block.size[k];
      const MapCell& there = cell_at(at);
      at[k] -= block.size[k];
      const double difference = std::fabs(here.p - there.p);  // NaN where a cell has no resolved sample
      if (!(difference > refine_.difference) && !crosses(here, there)) continue;
      out.along[k] = true;
      out.difference = std::fmax(out.difference, difference);
    }
  });
  return out;
}

std::vector<RefinePlan::Place> RefinePlan::added_by(const SteepBlock& steep) const {
  std::vector<Place> out;
  const Block& block = steep.block;
  std::vector<int> thirds;
  for (std::size_t k = 0; k < block.size.size(); ++k) thirds.push_back(block.size[k] == 0 ? 1 : steep.along[k] ? 3 : 2);
  for_each_digits(thirds, [&](const std::vector<int>& third) {
    Place at = block.low;
    bool is_corner = true;
    for (std::size_t k = 0; k < at.size(); ++k) {
      at[k] += third[k] * block.size[k] / (steep.along[k] ? 2 : 1);
      is_corner = is_corner && (!steep.along[k] || third[k] != 1);
    }
    if (!is_corner && places_.count(at) == 0) out.push_back(std::move(at));
  });
  return out;
}

std::vector<RefinePlan::Block> RefinePlan::divided(const SteepBlock& steep) const {
  std::vector<Block> out;
  std::vector<int> halves;
  for (const bool along : steep.along) halves.push_back(along ? 2 : 1);
  for_each_digits(halves, [&](const std::vector<int>& half) {
    Block block = steep.block;
    for (std::size_t k = 0; k < half.size(); ++k) {
      if (!steep.along[k]) continue;
      block.size[k] /= 2;
      block.low[k] += half[k] * block.size[k];
    }
    out.push_back(std::move(block));
  });
  return out;
}

std::vector<CellPlace> RefinePlan::next() {
  std::vector<SteepBlock> steep;
  for_each_block([&](const Block& block) {
    SteepBlock one = examined(block);
    if (std::find(one.along.begin(), one.along.end(), true) != one.along.end()) steep.push_back(std::move(one));
  });
  std::stable_sort(steep.begin(), steep.end(),
                   [](const SteepBlock& a, const SteepBlock& b) { return a.difference > b.difference; });
  const auto from_the_last = [](const Place& a, const Place& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  };
  std::set<Place, decltype(from_the_last)> chosen(from_the_last);
  for (std::size_t i = 0; i < steep.size(); ++i) {
    std::vector<Place> added = added_by(steep[i]);
    std::erase_if(added, [&chosen](const Place& at) { return chosen.count(at) > 0; });
    if (fine_.size() + chosen.size() + added.size() > most_) {
      left_ += steep.size() - i;
      break;
    }
    chosen.insert(added.begin(), added.end());
    const std::vector<Block> parts = divided(steep[i]);
    blocks_.insert(blocks_.end(), parts.begin(), parts.end());
  }
  asked_.assign(chosen.begin(), chosen.end());
  std::vector<CellPlace> out;
  for (const Place& place : asked_) {
    CellPlace& cell = out.emplace_back();
    for (const int at : place)
      cell.push_back({static_cast<std::size_t>(at / unit_), static_cast<double>(at % unit_) / unit_});
  }
  return out;
}

void RefinePlan::take(const std::vector<MapCell>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    places_.emplace(asked_[i], fine_.size());
    fine_.push_back(cells[i]);
  }
}

}  // namespace pegrasp
