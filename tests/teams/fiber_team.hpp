// SPDX-License-Identifier: Apache-2.0
// Many ranks on one thread, phase by phase: every rank runs until it syncs, then the next one does. What the hardware
// leaves to chance is thus set on purpose, so that a missing sync shows as different bytes, run after run:
//   forward    rank 0 first, so what it writes is seen too early
//   reverse    rank 0 last, so what it writes is seen too late
//   shuffled   a new order every phase
// max() waits for all ranks, like sync(): a sync forgotten right before or after a max() shows under a probe
// (probed_team.hpp).
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/scenes/random.hpp"
#include "tests/teams/thread_sanitizer.hpp"

namespace pegrasp::test {

enum class RankOrder { forward, reverse, shuffled };

class FiberTeam;

// The ranks of one team and what they share. Single use of run() at a time.
class FiberCrew {
 public:
  FiberCrew(int size, RankOrder order, std::uint64_t seed = 1)
      : size_(size), order_(order), random_(seed), turn_(static_cast<std::size_t>(size)) {
    for (int rank = 0; rank < size; ++rank) fibers_.push_back(std::make_unique<Fiber>());
    std::iota(turn_.begin(), turn_.end(), 0);
    if (order == RankOrder::reverse) std::reverse(turn_.begin(), turn_.end());
    for (std::vector<double>& values : maxima_) values.resize(static_cast<std::size_t>(size));
  }

  // Runs body on every rank to its end. False when the ranks part ways: one waits where another goes on or ends. On a
  // GPU they would hang; here all are left where they are, so body must own nothing that its destructor has to release.
  bool run(const std::function<void(FiberTeam&)>& body);

  int size() const { return size_; }

 private:
  friend class FiberTeam;
  enum class Arrival { sync, max, end };
  static constexpr std::size_t stack_bytes = std::size_t{1} << 18;

  struct Fiber {
    ucontext_t context{};
    std::unique_ptr<unsigned char[]> stack = std::make_unique_for_overwrite<unsigned char[]>(stack_bytes);
    Arrival arrival = Arrival::end;
  };

  Fiber& fiber(int rank) { return *fibers_[static_cast<std::size_t>(rank)]; }
  void arrive(int rank, Arrival arrival) {
    fiber(rank).arrival = arrival;
    swapcontext(&fiber(rank).context, &scheduler_);
  }
  void shuffle() {
    for (std::size_t i = turn_.size(); i > 1; --i) std::swap(turn_[i - 1], turn_[random_.below(i)]);
  }
  void prepare(Fiber& f);
  static void enter(unsigned high, unsigned low);

  int size_;
  RankOrder order_;
  scenes::Random random_;
  std::vector<int> turn_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<double> maxima_[2];  // a max() in turn, so that the next may begin before all have read this one
  ucontext_t scheduler_{};
  const std::function<void(FiberTeam&)>* body_ = nullptr;
  int entering_ = 0;
};

// One rank's view of a crew.
class FiberTeam {
 public:
  FiberTeam(FiberCrew& crew, int rank) : crew_(crew), rank_(rank) {}
  int rank() const { return rank_; }
  int size() const { return crew_.size_; }
  void sync() { crew_.arrive(rank_, FiberCrew::Arrival::sync); }
  double max(double x) {
    std::vector<double>& values = crew_.maxima_[parity_];
    parity_ = 1 - parity_;
    values[static_cast<std::size_t>(rank_)] = x;
    crew_.arrive(rank_, FiberCrew::Arrival::max);
    double all = values[0];
    // as the kernels' max_or_nan(), of which each dimension has its own
    for (double value : values) all = std::isnan(all) || value <= all ? all : value;
    return all;
  }

 private:
  FiberCrew& crew_;
  int rank_;
  int parity_ = 0;
};

// makecontext passes ints only: the crew's address comes in two halves.
inline void FiberCrew::enter(unsigned high, unsigned low) {
  const std::uintptr_t address = static_cast<std::uintptr_t>(static_cast<std::uint64_t>(high) << 32 | low);
  FiberCrew& crew = *reinterpret_cast<FiberCrew*>(address);
  const int rank = crew.entering_;
  FiberTeam team(crew, rank);
  (*crew.body_)(team);
  crew.arrive(rank, Arrival::end);
}

inline void FiberCrew::prepare(Fiber& f) {
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(this);
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack.get();
  f.context.uc_stack.ss_size = stack_bytes;
  f.context.uc_link = nullptr;
  makecontext(&f.context, reinterpret_cast<void (*)()>(&FiberCrew::enter), 2, static_cast<unsigned>(address >> 32),
              static_cast<unsigned>(address));
}

inline bool FiberCrew::run(const std::function<void(FiberTeam&)>& body) {
  body_ = &body;
  for (const auto& f : fibers_) prepare(*f);
  while (true) {
    if (order_ == RankOrder::shuffled) shuffle();
    for (int rank : turn_) {
      entering_ = rank;
      swapcontext(&scheduler_, &fiber(rank).context);
    }
    const Arrival arrival = fiber(0).arrival;
    for (const auto& f : fibers_) {
      if (f->arrival != arrival) return false;
    }
    if (arrival == Arrival::end) return true;
  }
}

}  // namespace pegrasp::test
