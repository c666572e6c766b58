// SPDX-License-Identifier: Apache-2.0
// Who reads and writes what in a scene's memory between two syncs. Kernels that are compiled with the compiler's calls
// for ThreadSanitizer (tests/CMakeLists.txt) call the hooks of access_hooks.cpp instead of its library, and these tell
// the watch at hand. So a sync that is missing is found whether or not it shows in the bytes, and whatever the order of
// the ranks: the accesses conflict.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/teams/access_listener.hpp"
#include "tests/teams/probed_team.hpp"

namespace pegrasp::test {

// A phase is what lies between two syncs of a team. Two ranks must not touch the same four bytes in one phase, unless
// both read them.
class AccessWatch final : public AccessListener {
 public:
  // `left_out`: the place whose syncs end no phase, as if they had been forgotten there. They still happen, so that all
  // goes on as it would.
  AccessWatch(const void* memory, std::size_t bytes, Site left_out = nullptr)
      : begin_(reinterpret_cast<std::uintptr_t>(memory)),
        bytes_(bytes),
        left_out_(left_out),
        cells_(bytes / grain + 1, Cell{{none, none}, {none, none}}) {
    current = this;
  }
  AccessWatch(const AccessWatch&) = delete;
  AccessWatch& operator=(const AccessWatch&) = delete;
  ~AccessWatch() { current = nullptr; }

  // Whose turn it is: the rank's, which has made so many syncs, the last of them at `site`.
  void turn(int rank, std::uint32_t syncs, Site site);
  void touch(const void* address, std::size_t size, bool writes) override;

  std::int64_t touched() const { return touched_; }
  std::int64_t conflicts() const { return conflicts_; }
  const std::string& first_conflict() const { return first_conflict_; }
  // Places that sync, how often, and those without which there would be a conflict.
  const std::map<Site, int>& sites() const { return sites_; }
  const std::map<Site, int>& needed() const { return needed_; }

 private:
  static constexpr std::size_t grain = 4;
  struct Access {
    std::uint32_t syncs;
    std::int32_t rank;
  };
  static constexpr Access none{0, -1};
  // The last access, and the last by another rank.
  struct Accesses {
    Access last, other;
  };
  struct Cell {
    Accesses written, read;
  };

  void look(const Accesses& earlier, std::size_t cell);
  void note(Accesses& known) const;

  std::uintptr_t begin_;
  std::size_t bytes_;
  Site left_out_;
  std::vector<Cell> cells_;
  std::int32_t rank_ = 0;
  std::uint32_t at_ = 0;
  // By syncs made: the place of the last, the phase after it, and the phase from which on all syncs were at that place.
  std::vector<Site> site_of_{nullptr};
  std::vector<std::uint32_t> phase_of_{0}, alike_since_{0};
  std::map<Site, int> sites_, needed_;
  std::int64_t touched_ = 0, conflicts_ = 0;
  std::string first_conflict_;
};

// A team that tells the watch at hand whose turn it is. A max() ends no phase: on a GPU it orders no memory.
template <class Team>
class WatchedTeam {
 public:
  WatchedTeam(Team& team, AccessWatch& watch) : team_(team), watch_(watch) { tell(); }
  int rank() const { return team_.rank(); }
  int size() const { return team_.size(); }
  [[gnu::noinline]] void sync() {
    site_ = __builtin_return_address(0);
    ++syncs_;
    team_.sync();
    tell();
  }
  double max(double x) {
    const double largest = team_.max(x);
    tell();
    return largest;
  }

 private:
  void tell() { watch_.turn(rank(), syncs_, site_); }

  Team& team_;
  AccessWatch& watch_;
  std::uint32_t syncs_ = 0;
  Site site_ = nullptr;
};

}  // namespace pegrasp::test
