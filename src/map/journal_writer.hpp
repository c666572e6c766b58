// SPDX-License-Identifier: Apache-2.0
// Writes a map's samples to its journal while the next ones are simulated: a device, which is done with thousands in
// less time than it takes to write them down, does not wait for the disk.
#pragma once

#include <cstddef>
#include <future>

#include "src/map/journal.hpp"

namespace pegrasp {

class JournalWriter {
 public:
  // Both outlive it. Nobody else may touch the journal, or samples that it was given, before wait().
  JournalWriter(Journal& journal, const SuccessMap& map) : journal_(journal), map_(map) {}
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  // Waits; what fails now is not reported.
  ~JournalWriter() {
    if (writing_.valid()) writing_.wait();
  }

  // Begins with samples first .. first + count - 1, once those before are written. sync: forces them to the disk.
  void write(std::size_t first, std::size_t count, bool sync) {
    wait();
    // Without a policy: where the machine gives no more threads, wait() does it.
    writing_ = std::async([this, first, count, sync] {
      journal_.append(map_, first, count);
      if (sync) journal_.sync();
    });
  }

  // Throws what journal and disk have thrown.
  void wait() {
    if (writing_.valid()) writing_.get();
  }

 private:
  Journal& journal_;
  const SuccessMap& map_;
  std::future<void> writing_;
};

}  // namespace pegrasp
