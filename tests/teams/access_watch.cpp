// SPDX-License-Identifier: Apache-2.0
// Not in the header: code that is itself watched would have a slow copy of it.
#include "tests/teams/access_watch.hpp"

namespace pegrasp::test {

void AccessWatch::turn(int rank, std::uint32_t syncs, Site site) {
  rank_ = static_cast<std::int32_t>(rank);
  if (syncs >= phase_of_.size()) {
    const bool same = site == site_of_.back();
    site_of_.push_back(site);
    const std::uint32_t before = phase_of_.back();
    phase_of_.push_back(site == left_out_ ? before : before + 1);
    alike_since_.push_back(same ? alike_since_.back() : before);
    ++sites_[site];
  }
  at_ = syncs;
}

void AccessWatch::touch(const void* address, std::size_t size, bool writes) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - begin_;
  if (offset >= bytes_) return;
  ++touched_;
  for (std::size_t cell = offset / grain; cell <= (offset + size - 1) / grain && cell < cells_.size(); ++cell) {
    Cell& known = cells_[cell];
    look(known.written, cell);
    if (writes) look(known.read, cell);
    note(writes ? known.written : known.read);
  }
}

void AccessWatch::look(const Accesses& earlier, std::size_t cell) {
  const Access& other = earlier.last.rank == rank_ ? earlier.other : earlier.last;
  if (other.rank < 0) return;
  if (phase_of_[other.syncs] == phase_of_[at_]) {
    if (conflicts_++ == 0) {
      first_conflict_ = "ranks " + std::to_string(other.rank) + " and " + std::to_string(rank_) + " at byte " +
                        std::to_string(cell * grain) + ", in phase " + std::to_string(phase_of_[at_]);
    }
  } else if (phase_of_[other.syncs] >= alike_since_[at_]) {
    ++needed_[site_of_[at_]];
  }
}

void AccessWatch::note(Accesses& known) const {
  if (known.last.rank != rank_) known.other = known.last;
  known.last = {at_, rank_};
}

}  // namespace pegrasp::test
