// SPDX-License-Identifier: Apache-2.0
// A team that is watched, over one of fibers or threads (fiber_team.hpp, thread_team.hpp). First a run is noted: where
// it syncs, and every max(). Runs that follow
//   answer max() from the notes, without a meeting of the ranks: on a GPU a shuffle carries a value from lane to lane
//   but orders no memory, so what one rank writes before a max() and another reads after it needs a sync of its own
//   may leave out every sync of one place in the code, as if it had been forgotten there
// and must bring the same values to every max().
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pegrasp::test {

// A place in the code: where a call of sync() returns to.
using Site = const void*;

// What the ranks of a team share while they are watched.
class Probe {
 public:
  explicit Probe(int ranks) : brought_(static_cast<std::size_t>(ranks)) {}

  // All runs from now on are compared with the one noted; `left_out`: the site whose syncs they lack.
  void play(Site left_out = nullptr) {
    playing_ = true;
    left_out_ = left_out;
    differs_ = false;
  }
  const std::vector<Site>& sites() const { return sites_; }
  // Whether a rank brought other values to the maxima, or asked for more or fewer of them.
  bool differs() const { return differs_; }

 private:
  template <class Team>
  friend class ProbedTeam;

  std::vector<Site> sites_;                   // in the order in which they were first come to
  std::vector<std::vector<double>> brought_;  // (ranks, maxima)
  std::vector<double> answers_;               // (maxima)
  bool playing_ = false;
  Site left_out_ = nullptr;
  std::atomic<bool> differs_{false};
};

template <class Team>
class ProbedTeam {
 public:
  ProbedTeam(Team& team, Probe& probe) : team_(team), probe_(probe) {}
  int rank() const { return team_.rank(); }
  int size() const { return team_.size(); }

  [[gnu::noinline]] void sync() {
    const Site site = __builtin_return_address(0);
    if (!probe_.playing_ && rank() == 0 &&
        std::find(probe_.sites_.begin(), probe_.sites_.end(), site) == probe_.sites_.end()) {
      probe_.sites_.push_back(site);
    }
    if (!probe_.playing_ || site != probe_.left_out_) team_.sync();
  }

  double max(double x) {
    std::vector<double>& brought = probe_.brought_[static_cast<std::size_t>(rank())];
    if (!probe_.playing_) {
      const double largest = team_.max(x);
      brought.push_back(x);
      if (rank() == 0) probe_.answers_.push_back(largest);
      return largest;
    }
    const std::size_t at = asked_++;
    if (at < brought.size() && std::bit_cast<std::uint64_t>(brought[at]) == std::bit_cast<std::uint64_t>(x)) {
      return probe_.answers_[at];
    }
    probe_.differs_ = true;
    return at < brought.size() ? probe_.answers_[at] : x;
  }

  // At the end of a run.
  void finish() {
    if (probe_.playing_ && asked_ != probe_.answers_.size()) probe_.differs_ = true;
  }

 private:
  Team& team_;
  Probe& probe_;
  std::size_t asked_ = 0;
};

}  // namespace pegrasp::test
